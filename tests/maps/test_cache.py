"""A graph is compiled once for each content, and code that changes beside the map is seen."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from signalbox.maps import build, compile_map, read_map, run_map
from signalbox.maps.build import CACHE_SIZE

Write = Callable[..., Path]
TEXT = "GraphName,Node,AgentType,Prompt,Output_Field,Edge\nG,A,default,one,a,B\nG,B,default,two,b,\n"


def compiled(path: Path) -> Any:
    (graph,) = read_map(path).graphs.values()
    return compile_map(graph, path.parent)


def age(path: Path, seconds: int) -> None:
    """Set the time of change, so that the test does not hang on the clock's resolution."""
    os.utime(path, ns=(seconds * 10**9, seconds * 10**9))


def test_the_same_content_is_compiled_once(write_file: Write) -> None:
    path = write_file(TEXT)
    assert compiled(path) is compiled(path)


def test_a_file_saved_again_without_a_change_is_not_compiled_again(write_file: Write) -> None:
    first = compiled(write_file(TEXT))
    path = write_file(TEXT)
    age(path, 1_000_000)
    assert compiled(path) is first


def test_a_changed_map_is_compiled_anew(write_file: Write) -> None:
    assert run_map(write_file(TEXT)).output == "two"
    assert run_map(write_file(TEXT.replace("two", "three"))).output == "three"


def test_changed_code_beside_the_map_is_seen(write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType\nG,A,mine\n")
    age(write_file("def mine():\n    return 1\n", "agents/mine.py"), 1_000_000)
    assert run_map(path).output == 1
    age(write_file("def mine():\n    return 2\n", "agents/mine.py"), 2_000_000)
    assert run_map(path).output == 2


def test_changed_routing_functions_are_seen(write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Success_Next\nG,A,echo,func:pick\nG,B,echo,\nG,C,echo,\n")
    for number, target in ((1, "B"), (2, "C")):
        text = f"def pick(state, success, failure):\n    return '{target}'\n"
        age(write_file(text, "functions/pick.py"), number * 1_000_000)
        assert [node.node_name for node in run_map(path).summary.node_executions] == ["A", target]


def test_code_that_comes_to_stand_beside_the_map_is_seen(write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Input_Fields\nG,A,echo,x\n")
    assert run_map(path, {"x": 1}).output == 1
    write_file("def echo():\n    return 'mine'\n", "agents/echo.py")
    assert run_map(path, {"x": 1}).output == "mine"


def test_two_maps_of_one_content_in_two_folders_use_their_own_code(write_file: Write) -> None:
    for folder in ("one", "two"):
        write_file(f"def mine():\n    return '{folder}'\n", f"{folder}/agents/mine.py")
        path = write_file("GraphName,Node,AgentType\nG,A,mine\n", f"{folder}/map.csv")
        assert run_map(path).output == folder


def test_the_cache_does_not_grow_without_end(write_file: Write) -> None:
    for number in range(CACHE_SIZE + 10):
        compiled(write_file(f"GraphName,Node,Prompt\nG,A,{number}\n"))
    assert len(build._cache) <= CACHE_SIZE


def test_a_chain_runs_as_one_step_and_with_a_checkpointer_as_many(write_file: Write) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    path = write_file(TEXT)
    (graph,) = read_map(path).graphs.values()
    assert len(compile_map(graph, path.parent).langgraph.nodes) == 2
    assert len(compile_map(graph, path.parent, checkpointer=InMemorySaver()).langgraph.nodes) == 3


def test_a_checkpointer_of_ones_own_gets_every_step(write_file: Write) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    saver = InMemorySaver()
    result = run_map(write_file(TEXT), checkpointer=saver, thread_id="mine")
    assert result.output == "two"
    assert len(list(saver.list({"configurable": {"thread_id": "mine"}}))) >= 3
