"""Checks of the agents: types that exist, and settings in the Context that they understand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from signalbox.errors import SignalboxError
from signalbox.language.names import did_you_mean
from signalbox.maps.cells import parse_names
from signalbox.maps.check.view import View
from signalbox.maps.findings import Finding
from signalbox.maps.local_code import broken_files
from signalbox.maps.messages import TEMPLATES, asked_for, load_templates
from signalbox.maps.policies import find_policy
from signalbox.maps.spec import NodeSpec
from signalbox.maps.topology import chosen_among

__all__ = ["check_settings", "check_types"]

_ROUTING = (
    "routing_enabled", "routing_strategy", "task_type", "complexity_override", "provider_preference",
    "preferred_providers", "excluded_providers", "fallback_provider", "fallback_providers", "prefer_quality",
    "cost_optimization", "max_cost", "max_cost_tier", "router_profile", "activity",
)  # fmt: skip
_ASKS_FOR_ROUTING = ("routing_enabled", "routing_strategy", "provider_preference", "preferred_providers")
_NUMBERS: dict[str, tuple[float, float]] = {
    "confidence_threshold": (0, 1),
    "temperature": (0, 2),
    "timeout_seconds": (1, float("inf")),
    "max_tokens": (1, float("inf")),
    "max_memory_messages": (0, float("inf")),
    "max_steps": (1, float("inf")),
}


def check_types(view: View) -> Iterator[Finding]:
    """Every AgentType is one that exists; a file beside the map that cannot be read is pointed out."""
    for file, why in broken_files(view.folder):
        yield view.finding(
            "warning", view.graph.entry, "AgentType", f"{file} cannot be read as Python: {why}.", "Mend it."
        )
    for node in view.graph:
        kind = view.kind(node)
        if isinstance(kind, SignalboxError):
            yield view.finding("error", node, "AgentType", kind.user_message, kind.suggestion)
        elif kind.target is None:
            yield view.finding(
                "note", node, "AgentType", f"'{node.agent_type}' ({kind.origin}) is not checked: it was not imported."
            )


def check_settings(view: View) -> Iterator[Finding]:
    """The Context can be understood."""
    for node in view.graph:
        for check in (
            _check_shape,
            _check_choices,
            _check_numbers,
            _check_orchestrator,
            _check_routing,
            _check_messages,
            _check_storage,
            _check_env,
        ):
            yield from check(view, node)
    yield from _check_policy(view)


def _check_shape(view: View, node: NodeSpec) -> Iterator[Finding]:
    raw = node.context.get("context")
    if isinstance(raw, str) and raw.strip()[:1] in ("{", "["):
        yield view.finding(
            "warning", node, "Context", f"The Context of '{node.name}' is read as plain text: it is not valid JSON.",
            'Write it as {"key": "value"}, with double quotation marks.',
        )  # fmt: skip


def _check_choices(view: View, node: NodeSpec) -> Iterator[Finding]:
    kind = view.builtin(node)
    if kind is None:
        return
    for key, allowed in kind.allowed_options.items():
        value = node.context.get(key)
        if value is not None and str(value).casefold() not in allowed:
            yield view.finding(
                "error", node, "Context", f"{key} of '{node.name}' is '{value}'.",
                did_you_mean(str(value), allowed) + f" Allowed: {', '.join(allowed)}.",
            )  # fmt: skip
    offers = str(node.context.get("interaction_type")).casefold() == "choice"
    if "interaction_type" in kind.allowed_options and offers and not node.context.get("options"):
        yield view.finding("warning", node, "Context", f"'{node.name}' offers a choice and has no options.")


def _check_numbers(view: View, node: NodeSpec) -> Iterator[Finding]:
    if view.builtin(node) is None:
        return
    for key, (low, high) in _NUMBERS.items():
        value = node.context.get(key)
        if value in (None, "") or (isinstance(value, str) and value.startswith("env:")):
            continue
        try:
            fits = low <= float(str(value)) <= high
        except ValueError:
            fits = False
        if not fits:
            span = f"from {low:g} to {high:g}" if high != float("inf") else f"of at least {low:g}"
            yield view.finding(
                "error", node, "Context", f"{key} of '{node.name}' is {value!r}.", f"Give a number {span}."
            )


def _check_orchestrator(view: View, node: NodeSpec) -> Iterator[Finding]:
    kind = view.builtin(node)
    if kind is None or not kind.chooses:
        return
    listed, _ = chosen_among(node)
    default, rules = node.context.get("default_target"), node.context.get("routing_rules")
    ruled = map(str, rules.values()) if isinstance(rules, Mapping) else ()
    for name in (*listed, *([str(default)] if default else []), *ruled):
        if name not in view.topology.rows:
            hint = did_you_mean(name, view.topology.rows)
            yield view.finding("error", node, "Context", f"'{node.name}' may choose '{name}', which has no row.", hint)
        elif name == node.name:
            yield view.finding(
                "error",
                node,
                "Context",
                f"'{node.name}' chooses itself, which would loop forever.",
                "Name another node.",
            )


def _check_routing(view: View, node: NodeSpec) -> Iterator[Finding]:
    """Settings that other tools know, and that do nothing here, are named rather than passed over."""
    kind = view.builtin(node)
    if kind is not None and kind.uses_model and any(node.context.get(key) for key in _ASKS_FOR_ROUTING):
        told = ", ".join(key for key in node.context if key in _ROUTING)
        yield view.finding(
            "warning", node, "Context", f"'{node.name}' asks for model routing, which does nothing here: {told}.",
            "Name provider and model in the Context, or set SIGNALBOX_MODEL.",
        )  # fmt: skip


def _check_messages(view: View, node: NodeSpec) -> Iterator[Finding]:
    """A template that a message names stands in the file for them; the built-in ones are called default…"""
    kind = view.builtin(node)
    if kind is None or not kind.sends_messages:
        return
    known = load_templates(view.folder)
    for what, message in asked_for(node.context).items():
        name = message["template"]
        if name and name not in known and not name.startswith("default"):
            yield view.finding(
                "warning", node, "Context", f"There is no template '{name}'; the {what} message has its usual shape.",
                did_you_mean(name, known) or f"Write it into {TEMPLATES} next to the map.",
            )  # fmt: skip


def _check_storage(view: View, node: NodeSpec) -> Iterator[Finding]:
    kind = view.builtin(node)
    if kind is None or not kind.uses_files or node.prompt.strip() or node.inputs:
        return
    if not {"collection", "csv_file", "json_file", "file_path", "file"} & node.context.keys():
        yield view.finding(
            "warning", node, "Prompt", f"'{node.name}' names no file.",
            "Write the file into Prompt, or into Context as collection.",
        )  # fmt: skip


def _check_env(view: View, node: NodeSpec) -> Iterator[Finding]:
    for key, value in node.context.items():
        if isinstance(value, str) and value.startswith("env:"):
            name, _, default = value.removeprefix("env:").partition(":")
            if name not in os.environ and not default:
                yield view.finding(
                    "warning", node, "Context", f"{key} is env:{name}, and {name} is not set.", f"Set {name}."
                )


def _check_policy(view: View) -> Iterator[Finding]:
    entry = view.graph.entry
    state = entry.context.get("state")
    if isinstance(state, str) and ":" in state:
        yield from view.check_import(entry, "Context", state)
    context: Mapping[str, Any] = entry.context
    policy = context.get("success_policy")
    find: Callable[[str, Path], Any] = find_policy
    if policy and ":" in str(policy) and not view.code:
        yield from view.check_import(entry, "Context", str(policy))
    elif policy:
        try:
            find(str(policy), view.folder)
        except SignalboxError as error:
            yield view.finding("error", entry, "Context", error.user_message, error.suggestion)
    names = parse_names(context.get("critical_nodes"))
    for name in names:
        if name not in view.topology.rows:
            hint = did_you_mean(name, view.topology.rows)
            yield view.finding("error", entry, "Context", f"critical_nodes names '{name}', which has no row.", hint)
