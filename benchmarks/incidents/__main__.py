"""`python -m benchmarks.incidents [--count N] [--seed S] [--kind K] [--strict]`: are causes found, and none made up?

Each seed is another business with another incident in the embedded worlds, or a healthy day; decoys are in all of them.
The offline machinery is asked as a person would ask it, or by an alert. Right is the cause itself, or "nothing found".
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

from benchmarks.incidents.scenarios import KINDS, Scenario, draw
from benchmarks.incidents.systems import serve
from signalbox.worlds.topology import LINKS

__all__ = ["main"]

_RIGHT, _BLAMED = 0.8, 0.05


@dataclass
class Outcome:
    """What came of one incident."""

    made: Scenario
    verdict: str
    cause: str
    is_right: bool
    is_blamed: bool
    seconds: float
    cpu: float


def main() -> int:
    """Ask every incident; exit 1 under --strict where fewer than 80% are right or more than 5% blamed wrongly."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.incidents", description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="how many incidents")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--kind", default="", choices=["", *KINDS], help="only of this kind")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a target is missed")
    parser.add_argument("--whole", action="store_true", help="print the whole answers of what is not right")
    options = parser.parse_args()
    os.environ.update(LANGSMITH_TRACING="false", SIGNALBOX_MODEL="offline")
    outcomes = [_told(asyncio.run(_investigate(draw(options.seed + at, options.kind))), options.whole)
                for at in range(options.count)]  # fmt: skip
    return _report(outcomes, options.strict)


def _told(one: Outcome, whole: bool) -> Outcome:
    mark = "right" if one.is_right else "BLAMED" if one.is_blamed else "not known"
    print(
        f"{one.made.seed:4} {one.made.kind:25} {one.made.subject:15} {mark:9} {one.seconds:5.1f} s  {one.cause[:110]}"
    )
    if whole and not one.is_right:
        print(f"     asked: {one.made.question}\n     started {one.made.start:%H:%M:%S}, ended {one.made.end}, right: "
              f"{sorted(one.made.things)} {one.made.measure}; decoys: {one.made.decoys}\n{one.verdict}\n")  # fmt: skip
    sys.stdout.flush()
    return one


def _report(outcomes: list[Outcome], strict: bool) -> int:
    count = len(outcomes)
    right, blamed = (sum(getattr(one, name) for one in outcomes) for name in ("is_right", "is_blamed"))
    kinds = Counter(one.made.kind for one in outcomes)
    well = Counter(one.made.kind for one in outcomes if one.is_right)
    print("\n" + "\n".join(f"{kind:25} {well[kind]} of {many}" for kind, many in kinds.items()))
    healthy = [one for one in outcomes if one.made.kind == "none"]
    print(f"\nright {right} of {count} ({right / count:.0%}), wrongly blamed {blamed} ({blamed / count:.0%}), "
          f"healthy days told so {sum(one.is_right for one in healthy)} of {len(healthy)}; "
          f"CPU {sum(one.cpu for one in outcomes) / count:.1f} s each, worlds and queries included")  # fmt: skip
    is_met = right >= _RIGHT * count and blamed <= _BLAMED * count and all(one.is_right for one in healthy)
    return int(strict and not is_met)


async def _investigate(made: Scenario) -> Outcome:
    from signalbox.runs import aask, aclose
    from signalbox.runs.embedded import close_worlds

    with serve(made) as settings:
        os.environ.update(settings)
        began, cpu = perf_counter(), process_time()
        try:
            state = await (_by_alert(made) if made.alert else _by_question(made, aask))
        finally:
            await aclose()
            close_worlds()
        return _judged(made, state, perf_counter() - began, process_time() - cpu)


async def _by_question(made: Scenario, aask: Any) -> dict[str, Any]:
    answer = await aask("investigate", made.question)
    return {"text": answer.answer, **answer.state}


async def _by_alert(made: Scenario) -> dict[str, Any]:
    from signalbox.contract.installed import find_agent
    from signalbox.runs.life import astart

    agent = find_agent("investigate")
    assert agent.start_alert is not None
    result = await astart(agent.map, agent.start_alert(made.alert or {}), thread_id=f"alert-{made.seed}")
    return {"text": "", **dict(result.state)}


def _judged(made: Scenario, state: dict[str, Any], seconds: float, cpu: float) -> Outcome:
    from signalbox.agents.investigate.graph import Graph
    from signalbox.contract import Relation

    told = state.get("conclusion") or {}
    cause, verdict = told.get("cause"), str(told.get("verdict") or state.get("error"))
    if made.kind == "none":
        is_right = cause is None and verdict.startswith("Nothing found")
        return Outcome(made, state.get("text") or verdict, verdict, is_right, cause is not None, seconds, cpu)
    if cause is None:
        return Outcome(made, state.get("text") or verdict, verdict, False, False, seconds, cpu)
    wired = [Relation(f"machine:{one}", f"machine:{other}", is_wire=True) for one, other in LINKS]
    graph = Graph.of([*wired, *(Relation(one, role="known") for one in made.things)])
    things = {*graph.find(cause.get("labels") or {}, cause["about"], cause["agent"])}
    things |= {one for one in made.things if one.partition(":")[2] in (cause["about"], f"experiment {cause['about']}")}
    measured = f"{cause.get('measure')} {cause['text']}"
    is_right = bool(things & made.things) and bool(re.search(made.measure, measured, re.I))
    return Outcome(made, state.get("text") or verdict, cause["text"], is_right, not is_right, seconds, cpu)


if __name__ == "__main__":
    sys.exit(main())
