"""The plain agent types: they pass values on, or say which way the graph goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.maps import (
    MapResult,
    read_map_text,
    run_map,
)

Run = Callable[..., MapResult]
Write = Callable[..., Path]
BRANCH = """
    GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next
    G,Decide,branching,ok,,Yes,No
    G,Yes,echo,ok,answer,,
    G,No,echo,ok,answer,,
"""


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


def one(text: str, state: dict[str, Any] | None = None) -> Any:
    header = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Context\n"
    (graph,) = read_map_text(header + "G,N," + text + "\n").graphs.values()
    return run_map(graph, state).output


@pytest.mark.parametrize(
    ("row", "state", "output"),
    [
        ("default,Hello {name},name,x", {"name": "Ann"}, "Hello Ann"),
        ("default,,,x", {}, "[N] DefaultAgent executed"),
        ("echo,,a,x", {"a": 3}, 3),
        ("echo,,a|b,x", {"a": 1, "b": 2}, {"a": 1, "b": 2}),
        ("output,,a,x", {"a": 1}, 1),
        ("aggregator,,a|b|c,x", {"a": 1, "c": 3}, {"a": 1, "c": 3}),
        ("summary,,a|b,x", {"a": 1, "b": 2}, "a: 1\n\nb: 2"),
        ('summary,,a|b,x,"{""format"": ""{key}={value}"", ""separator"": "" ""}"', {"a": 1, "b": 2}, "a=1 b=2"),
        ('summary,,a|b,x,"include_keys:false, separator:+"', {"a": 1, "b": 2}, "1+2"),
        ("input,Name?,name,name", {"name": "Ann"}, "Ann"),
        ("validator,,a|b,x", {"a": 1, "b": 2}, {"valid": True, "errors": []}),
        ("validator,,a|b,x", {"a": 1}, {"valid": False, "errors": ["b is missing"]}),
    ],
)
def test_a_plain_type_does_what_it_says(row: str, state: dict[str, Any], output: Any) -> None:
    assert one(row, state) == output


@pytest.mark.parametrize(
    ("kind", "state", "way"),
    [
        ("success", {}, "Yes"),
        ("failure", {}, "No"),
        ("validator", {"x": 1}, "Yes"),
        ("validator", {}, "No"),
    ],
)
def test_a_type_that_decides_takes_its_branch(run_text: Run, kind: str, state: dict[str, Any], way: str) -> None:
    result = run_text(BRANCH.replace("branching,ok", f"{kind},x"), state)
    assert ran(result) == ["Decide", way]
    assert result.status == "completed"


@pytest.mark.parametrize(
    ("context", "state", "way"),
    [
        ("success_field:status, success_values:[open], failure_values:[shut]", {"status": "open"}, "Yes"),
        ("success_field:status, success_values:[open], failure_values:[shut]", {"status": "SHUT"}, "No"),
        ("success_field:status, success_values:[open], default_result:false", {"status": "ajar"}, "No"),
        ("success_field:status, success_values:[open], default_result:true", {"status": "ajar"}, "Yes"),
        ("success_field:gone, fallback_fields:[other]", {"other": "no"}, "No"),
        ("success_field:gone, default_result:false", {}, "No"),
    ],
)
def test_branching_goes_by_its_context(run_text: Run, context: str, state: dict[str, Any], way: str) -> None:
    text = f'GraphName,Node,AgentType,Success_Next,Failure_Next,Context\nG,D,branching,Yes,No,"{context}"\n'
    assert ran(run_text(text + "G,Yes,echo,,,\nG,No,echo,,,\n", state)) == ["D", way]
