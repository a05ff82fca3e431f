"""The columns of a map and every name that people give them. Case does not matter."""

from __future__ import annotations

__all__ = ["ALIASES", "COLUMNS", "PREDECESSORS", "REQUIRED", "SETTINGS", "TEXTS", "canonical"]

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
