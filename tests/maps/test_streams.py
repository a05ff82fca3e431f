"""The four ways to run a map, as a whole or event by event, in a thread or in an event loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from signalbox.contract import NodeEvent
from signalbox.maps import (
    MapResult,
    arun_map,
    astream_map,
    run_map,
    stream_map,
)

Run = Callable[..., MapResult]
Write = Callable[..., Path]


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


LINEAR = """
    GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge
    G,A,echo,,name,a,B
    G,B,echo,Hello {a},a,b,C
    G,C,echo,{b}!,b,c,
"""


MIXED = """
    GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge,Success_Next,Failure_Next
    G,Start,echo,,name,start,A|B,,
    G,A,upper,,start,a,Join,,
    G,B,later,,start,b,B2,,
    G,B2,fail,,,,,,Join
    G,Join,echo,{a} and {b},a|b,both,,,
"""


@pytest.fixture
def mixed(write_file: Write, failing: None) -> Path:
    write_file("def upper(start):\n    return start.upper()\n", "agents/upper.py")
    write_file(
        "import asyncio\n\nasync def later(start):\n    await asyncio.sleep(0)\n    return start + '...'\n",
        "agents/later.py",
    )
    return write_file(MIXED)


def story(result: MapResult) -> tuple[Any, ...]:
    nodes = sorted((n.node_name, n.success, str(n.output), str(n.error)) for n in result.summary.node_executions)
    return result.status, result.values, result.state["errors"], nodes


async def test_sync_async_and_both_streams_give_the_same(mixed: Path) -> None:
    state = {"name": "ann", "kept": 1}
    events = list(stream_map(mixed, state))
    aevents = [event async for event in astream_map(mixed, state)]
    results = [run_map(mixed, state), await arun_map(mixed, state), events[-1], aevents[-1]]
    assert all(isinstance(result, MapResult) for result in results)
    assert results[0].values["both"] == "ANN and ann..."
    assert [story(result) for result in results] == [story(results[0])] * 4
    assert sorted(map(kinds, events[:-1])) == sorted(map(kinds, aevents[:-1]))


def kinds(event: Any) -> tuple[str, str, str]:
    return event.kind, event.node, str(event.success)


def test_a_stream_tells_start_and_end_of_every_node_also_in_a_chain(write_file: Write) -> None:
    *events, result = stream_map(write_file(LINEAR), {"name": "Ann"})
    assert isinstance(result, MapResult)
    assert [(e.kind, e.node) for e in events if isinstance(e, NodeEvent)] == [
        ("start", "A"), ("end", "A"), ("start", "B"), ("end", "B"), ("start", "C"), ("end", "C"),
    ]  # fmt: skip
    assert [e.output for e in events if e.kind == "end"] == ["Ann", "Hello Ann", "Hello Ann!"]


def test_events_come_while_the_run_goes_on(write_file: Write) -> None:
    write_file("seen = []\n\ndef note():\n    seen.append(1)\n    return len(seen)\n", "agents/note.py")
    path = write_file("GraphName,Node,AgentType,Success_Next\nG,A,note,B\nG,B,note,\n")
    events = stream_map(path)
    assert [next(events).kind, next(events).kind] == ["start", "end"]
    events.close()


def test_a_stream_ends_with_the_error_of_the_run(write_file: Write) -> None:
    loop = (
        "GraphName,Node,AgentType,Input_Fields,Success_Next,Failure_Next\n"
        "G,Again,branching,ok,Done,Again\nG,Done,echo,ok,,\n"
    )
    *_, result = stream_map(write_file(loop), {"ok": False}, max_steps=2)
    assert isinstance(result, MapResult)
    assert result.status == "error"


async def test_runs_side_by_side_do_not_mix(mixed: Path) -> None:
    import asyncio

    results = await asyncio.gather(*(arun_map(mixed, {"name": f"n{i}"}) for i in range(8)))
    assert [result.values["start"] for result in results] == [f"n{i}" for i in range(8)]
    assert [result.values["b"] for result in results] == [f"n{i}..." for i in range(8)]
    assert all(len(ran(result)) == 5 for result in results)


def test_runs_in_several_threads_do_not_mix(mixed: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda i: run_map(mixed, {"name": f"n{i}"}), range(12)))
    assert [result.values["both"] for result in results] == [f"N{i} and n{i}..." for i in range(12)]
    assert all(len(ran(result)) == 5 for result in results)


def test_nothing_stays_behind_after_a_run(run_text: Run) -> None:
    from signalbox.contract import current_tracker
    from signalbox.maps.context import current_run

    run_text(LINEAR, {"name": "Ann"})
    assert current_tracker.get() is None
    assert current_run.get() is None
