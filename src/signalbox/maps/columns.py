"""The columns of a map and every name that people give them. Case does not matter."""

from __future__ import annotations

import re

__all__ = ["ALIASES", "COLUMNS", "PREDECESSORS", "REQUIRED", "SETTINGS", "TEXTS", "canonical", "misspelt"]

REQUIRED = ("GraphName", "Node")

ALIASES: dict[str, tuple[str, ...]] = {
    "GraphName": ("graph_name", "Graph", "WorkflowName", "workflow_name", "workflow"),
    "Node": ("node_name", "NodeName", "Step", "StepName", "name"),
    "AgentType": ("agent_type", "Agent", "Type"),
    "Prompt": ("Instructions", "Template", "prompt_template"),
    "Description": ("desc", "Details"),
    "Input_Fields": ("Inputs", "InputFields"),
    "Output_Field": ("Output", "OutputField", "Output_Fields", "OutputFields", "Outputs"),
    "Edge": ("next_node", "NextNode", "Target", "next"),
    "Success_Next": ("next_on_success", "SuccessTarget", "on_success", "SuccessNext"),
    "Failure_Next": (
        "next_on_failure",
        "FailureTarget",
        "on_failure",
        "FailureNext",
        "error_node",
        "on_error",
    ),
    "Context": ("Config", "Configuration", "Extra"),
    "Tool_Source": ("ToolSource", "ToolFile", "ToolModule"),
    "Available_Tools": ("AvailableTools", "Tools", "ToolList"),
}
COLUMNS = tuple(ALIASES)
SETTINGS = ("output_validation",)
"""Settings of the Context that people also write as columns of their own."""
TEXTS = ("Prompt", "Description", "Context")
"""Columns whose cells may hold a comma."""
PREDECESSORS = ("edges", "predecessor", "predecessors", "depends_on", "after")

_CANONICAL = {alias.casefold(): column for column, aliases in ALIASES.items() for alias in (column, *aliases)}


def canonical(header: str) -> str | None:
    """The column that a header means, or None."""
    return _CANONICAL.get(header.strip().casefold())


def misspelt(header: str) -> tuple[str, str] | None:
    """The column that a header misses by a slip of the pen, and its name or alias; None for any other word.

    A slip is a letter added, left out or changed, or two exchanged; in a long word there may be two.
    """
    from rapidfuzz.distance import OSA

    word = _bare(header)
    slips = 2 if len(word) > 8 else 1 if len(word) > 4 else 0
    names = [(column, name) for column, aliases in ALIASES.items() for name in (column, *aliases)]
    near = [(OSA.distance(word, _bare(name)), column, name) for column, name in names if name[0].casefold() == word[:1]]
    best = min(near, key=lambda one: one[0], default=None)
    return (best[1], best[2]) if best is not None and best[0] <= slips else None


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
