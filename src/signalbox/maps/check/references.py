"""Checks of what a map refers to: prompts in files, variables, other graphs, tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from signalbox.errors import SignalboxError
from signalbox.language.names import did_you_mean
from signalbox.maps.agents.tools import ToolAgent, find_source, source_files, tool_name
from signalbox.maps.agents.validator import ValidatorAgent, compile_pattern
from signalbox.maps.check.view import View
from signalbox.maps.findings import Finding
from signalbox.maps.functions import reference
from signalbox.maps.local_code import definitions_in, find_function
from signalbox.maps.nested import names_graph, reference_of, resolve_graph
from signalbox.maps.prompts import is_reference, resolve_prompt, variables
from signalbox.maps.registry import builtin_type
from signalbox.maps.spec import FUNC, GraphSpec, NodeSpec

__all__ = ["check_patterns", "check_prompts", "check_subgraphs", "check_tools"]

_KNOWN = {"error", "errors", "last_action_success", "graph_success"}


def check_prompts(view: View) -> Iterator[Finding]:
    """A referenced prompt exists; a variable that no node writes is reported."""
    for node in view.graph:
        if is_reference(node.prompt) and "{" in node.prompt:
            continue
        try:
            text = resolve_prompt(node.prompt, view.folder)
        except SignalboxError as error:
            yield view.finding("error", node, "Prompt", error.user_message, error.suggestion)
            continue
        kind = view.builtin(node)
        if kind is None or kind.needs_variables:
            yield from _check_variables(view, node, text)


def _check_variables(view: View, node: NodeSpec, text: str) -> Iterator[Finding]:
    given = {part.strip() for field in node.inputs for part in field.replace("=", ":").split(":")}
    for name in variables(text):
        if not any(
            one in known for one in (name, name.partition(".")[0]) for known in (given, _KNOWN, view.graph.written)
        ):
            yield view.finding(
                "note", node, "Prompt", f"The prompt of '{node.name}' needs '{name}', which no node writes.",
                f"Give it at the start (--set {name}=…), or correct it. " + did_you_mean(name, view.graph.written),
            )  # fmt: skip


def children(
    graph: GraphSpec, folder: Path, graphs: Mapping[str, GraphSpec]
) -> Iterator[tuple[GraphSpec, Mapping[str, GraphSpec], Path]]:
    """The graphs that the map says a graph runs, as far as they can be found."""
    for node in graph:
        kind = builtin_type(node.agent_type)
        if kind is not None and kind.runs_graph and names_graph(node):
            with suppress(SignalboxError):
                yield resolve_graph(reference_of(node.context, node.prompt), graphs, folder)


def check_subgraphs(view: View) -> Iterator[Finding]:
    """A graph that a node runs is there."""
    for node in view.graph:
        kind = view.builtin(node)
        if kind is None or not kind.runs_graph or not names_graph(node):
            continue
        try:
            resolve_graph(reference_of(node.context, node.prompt), view.graphs, view.folder)
        except SignalboxError as error:
            yield view.finding("error", node, "Context", error.user_message, error.suggestion)
        for field in node.inputs:
            if field.startswith(FUNC):
                yield from _check_mapper(view, node, field.removeprefix(FUNC))
        path = str(node.context.get("csv_path") or "")
        if path and not (view.folder / path).is_file():
            yield view.finding(
                "warning",
                node,
                "Context",
                f"There is no file {path}; the graph of this file is used.",
                "Correct csv_path.",
            )


def _check_mapper(view: View, node: NodeSpec, name: str) -> Iterator[Finding]:
    if reference(name):
        yield from view.check_import(node, "Input_Fields", reference(name))
    elif find_function(name, view.folder) is None:
        yield view.finding(
            "error",
            node,
            "Input_Fields",
            f"There is no function '{name}'.",
            "Write it into functions/ next to the map.",
        )


def check_patterns(view: View) -> Iterator[Finding]:
    """The patterns in a validator's rules can be used."""
    for node in view.graph:
        rules = node.context.get("rules") if view.builtin(node) is ValidatorAgent else None
        for rule in rules.values() if isinstance(rules, Mapping) else ():
            if isinstance(rule, Mapping) and "pattern" in rule:
                try:
                    compile_pattern(str(rule["pattern"]))
                except SignalboxError as error:
                    yield view.finding("error", node, "Context", error.user_message, error.suggestion)


def check_tools(view: View) -> Iterator[Finding]:
    """The file of a tool agent exists and has the tools that the row names."""
    for node in view.graph:
        if view.builtin(node) is not ToolAgent:
            continue
        try:
            files = source_files(find_source(node.tool_source, view.folder))
            there = [definition.name for file in files for definition in definitions_in(file)]
        except SignalboxError as error:
            yield view.finding("error", node, "Tool_Source", error.user_message, error.suggestion)
            continue
        for spec in node.tools:
            name = tool_name(spec)
            if name not in there and not any(f'"{name}"' in file.read_text("utf-8", "replace") for file in files):
                hint = did_you_mean(name, there)
                yield view.finding("error", node, "Available_Tools", f"{node.tool_source} has no tool '{name}'.", hint)
