"""One cell in all the ways people write it."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.maps.cells import parse_context, parse_fields, parse_targets, parse_tools


@pytest.mark.parametrize(
    ("cell", "targets"),
    [
        ("", ()),
        ("A", ("A",)),
        (" A | B|C ", ("A", "B", "C")),
        ("A||B|", ("A", "B")),
        ("A|A", ("A",)),
        ("func:choose", ("func:choose",)),
        ("Node With Spaces", ("Node With Spaces",)),
    ],
)
def test_an_edge_cell_names_its_targets(cell: str, targets: tuple[str, ...]) -> None:
    assert parse_targets(cell) == targets


@pytest.mark.parametrize(
    ("cell", "fields"),
    [
        ("", ()),
        ("a", ("a",)),
        ("a|b", ("a", "b")),
        ("a, b,c", ("a", "b", "c")),
        ("a;b; c", ("a", "b", "c")),
        ("a|b,c", ("a", "b,c")),
        ("key:param|other", ("key:param", "other")),
        ("child=parent|x=y", ("child=parent", "x=y")),
    ],
)
def test_a_field_cell_is_split_on_bars_or_else_on_commas(cell: str, fields: tuple[str, ...]) -> None:
    assert parse_fields(cell) == fields


@pytest.mark.parametrize(
    ("cell", "tools"),
    [
        ("add|sub", ("add", "sub")),
        ("add, sub", ("add", "sub")),
        ("get_weather(location)", ("get_weather(location)",)),
        ("move(x, y), stop", ("move(x, y)", "stop")),
        ('add("a, or b")|sub', ('add("a, or b")', "sub")),
        ("", ()),
    ],
)
def test_a_tool_cell_keeps_what_stands_in_brackets_together(cell: str, tools: tuple[str, ...]) -> None:
    assert parse_tools(cell) == tools


@pytest.mark.parametrize(
    ("cell", "context"),
    [
        ("", {}),
        ("  ", {}),
        ("{}", {}),
        ('{"a": 1, "b": [true, null]}', {"a": 1, "b": [True, None]}),
        ("{'a': 1, 'b': [True, None]}", {"a": 1, "b": [True, None]}),
        ("a:1", {"a": 1}),
        ("a: 1, b: two", {"a": 1, "b": "two"}),
        ("a=1;b=x y", {"a": 1, "b": "x y"}),
        ("{workflow=::Child}", {"workflow": "::Child"}),
        ("{workflow=file.csv::Child}", {"workflow": "file.csv::Child"}),
        ("{workflow_field=key}", {"workflow_field": "key"}),
        ("memory_key:history, max_memory_messages:4", {"memory_key": "history", "max_memory_messages": 4}),
        ("options:[yes, no maybe]", {"options": [True, "no maybe"]}),
        ("flag:true,other:No", {"flag": True, "other": False}),
        ("nodes:A|B|C", {"nodes": "A|B|C"}),
        ("key:env:SOME_NAME", {"key": "env:SOME_NAME"}),
        ("description:prices, plans and offers", {"description": "prices, plans and offers"}),
        ("k:{a: 1}, note:one, two, b:2", {"k": {"a": 1}, "note": "one, two", "b": 2}),
        ("words first, a:1", {"context": "words first, a:1"}),
        ("just some words", {"context": "just some words"}),
        ("it's a note: don't split, please", {"context": "it's a note: don't split, please"}),
        ("[1, 2]", {"context": "[1, 2]"}),
        ('{"broken": ', {"context": '{"broken": '}),
        ('{"a": {"b": {"c": 1}}}', {"a": {"b": {"c": 1}}}),
        ("{outer: {inner: 1}}", {"outer": {"inner": 1}}),
    ],
)
def test_a_context_is_json_or_python_or_pairs_or_else_text(cell: str, context: dict[str, Any]) -> None:
    assert parse_context(cell) == context


def test_a_context_nested_beyond_reason_is_text_and_no_crash() -> None:
    cell = "[" * 20_000
    assert parse_context(cell) == {"context": cell}


def test_a_context_never_runs_code() -> None:
    cell = "{'a': __import__('os').getcwd()}"
    assert parse_context(cell) == {"a": "__import__('os').getcwd()"}
