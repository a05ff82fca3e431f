"""Maps against the same graphs written by hand in LangGraph."""

from __future__ import annotations

import itertools
from asyncio import Runner
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmarks.handmade import HANDMADE
from benchmarks.measure import Contender, awaiting, calling, race
from benchmarks.report import Row, Target, at_least_faster, at_most_times
from benchmarks.shapes import SHAPES, fan_out, linear, start, with_own_agents
from signalbox.maps import GraphSpec, arun_map, open_map, run_map

__all__ = ["measure"]

GROUP = "maps against LangGraph by hand"
BY_HAND = at_most_times(1.15)
OWN_CHAIN = at_most_times(0.95)
OWN_FAN_OUT = at_most_times(1.1)


def measure() -> Iterator[Row]:
    """Compiled maps of 5 and 100 nodes in every shape, agents of one's own, a long chain, and a first run."""
    with Runner() as loop:
        for size in (5, 100):
            for shape, make in SHAPES.items():
                yield from _compare(f"{shape}, {size} nodes", make(size), HANDMADE[shape](size), BY_HAND, loop)
            for shape, make, target in (("linear", linear, OWN_CHAIN), ("fan-out", fan_out, OWN_FAN_OUT)):
                own = with_own_agents(make(size))
                yield from _compare(f"{shape}, {size} agents of one's own", own, HANDMADE[shape](size), target, loop)
        long = linear(1000), HANDMADE["linear"](1000)
        yield from _compare("linear, 1000 nodes", *long, at_least_faster(10), loop, rounds=3)
    for size in (5, 100):
        yield _first_run(size)


def _compare(name: str, graph: GraphSpec, by_hand: Any, target: Target, loop: Runner, rounds: int = 9) -> Iterator[Row]:
    state, limit = start(graph), {"recursion_limit": 2 * len(graph) + 20}
    compiled = open_map(graph)
    _require_same(graph, run_map(compiled, state).values, by_hand.invoke(state, limit))
    sync = race(
        {
            "hand": calling(lambda: by_hand.invoke(state, limit)),
            "ours": calling(lambda: run_map(compiled, state)),
            "whole": calling(lambda: run_map(graph, state)),
        },
        rounds,
    )
    yield Row(GROUP, f"{name}: compiled", sync["ours"], sync["hand"], target)
    yield Row(GROUP, f"{name}: run_map(GraphSpec)", sync["whole"], sync["hand"], target)
    asynchronous = race(
        {
            "hand": awaiting(lambda: by_hand.ainvoke(state, limit), loop),
            "ours": awaiting(lambda: arun_map(compiled, state), loop),
        },
        rounds,
    )
    yield Row(GROUP, f"{name}: compiled, async", asynchronous["ours"], asynchronous["hand"], target)


def _first_run(size: int) -> Row:
    """Checking, compiling and running a map that was never seen, against building and running the graph."""
    graph, fresh = linear(size), itertools.count()
    state, limit = start(graph), {"recursion_limit": 2 * size + 20}

    def run_unseen() -> Any:
        return run_map(replace(graph, name=f"unseen{next(fresh)}"), state)

    contenders: dict[str, Contender] = {
        "hand": calling(lambda: HANDMADE["linear"](size).invoke(state, limit)),
        "ours": calling(run_unseen),
    }
    found = race(contenders, rounds=5)
    return Row(GROUP, f"linear, {size} nodes: first run, checked and compiled", found["ours"], found["hand"])


def _require_same(graph: GraphSpec, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """A comparison of different work would mean nothing: every echoed field must be the same on both sides."""
    echoed = [node.outputs[0] for node in graph if node.agent_type != "branching"]
    if differing := [field for field in echoed if ours.get(field) != theirs.get(field)]:
        raise AssertionError(f"{graph.name}: the two graphs differ in {', '.join(differing[:5])}")
