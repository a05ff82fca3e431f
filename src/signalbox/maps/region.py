"""A region: a whole graph run as one LangGraph node, in the steps that LangGraph would take but without their cost.

It is for graphs in which no row waits for anything, so that threads of their own would gain the rows nothing. The
rules are those of the channels that LangGraph itself would hold.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from signalbox.maps.channels import Gate, Moved, Outcome, Values

__all__ = ["Region"]

Work = Callable[[Mapping[str, Any]], Outcome]


@dataclass(frozen=True, slots=True)
class Region:
    """The units of a graph by name, where it starts, and the channels that a run starts with.

    `order` is the order in which LangGraph takes the units of one step.
    """

    entry: str
    work: Mapping[str, Work]
    values: Values
    gates: Mapping[str, Gate]
    order: Mapping[str, int]

    def run(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """The state after every unit that is reached has run."""
        run = _Run(self, state)
        while run.step:
            run.advance()
        return run.state

    async def arun(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """As `run`; between two steps the event loop gets its turn."""
        run = _Run(self, state)
        while run.step:
            run.advance()
            await asyncio.sleep(0)
        return run.state


class _Run:
    """One run of a region: the units that are next, and what the channels hold."""

    def __init__(self, region: Region, state: Mapping[str, Any]) -> None:
        self.region = region
        self.step = [region.entry]
        self.state = dict(state)
        self.values = region.values.copy()
        self.gates = {name: gate.copy() for name, gate in region.gates.items()}

    def advance(self) -> None:
        """Run the units of this step, all on the state before it, and find those of the next."""
        outcomes = [self.region.work[unit](self.state) for unit in self.step]
        self.values.take([outcome.writes for outcome in outcomes], self.state)
        started = {unit for outcome in outcomes for unit in outcome.onward}
        started.update(self._opened(outcomes))
        self.step = sorted(started, key=self.region.order.__getitem__)

    def _opened(self, outcomes: Iterable[Outcome]) -> Iterable[str]:
        """The joins whose gates open now."""
        told: dict[str, list[Moved]] = {}
        for outcome in outcomes:
            for name, moved in outcome.moved.items():
                told.setdefault(name, []).append(moved)
        for name, moves in told.items():
            gate = self.gates[name]
            gate.update(moves)
            if gate.is_available():
                yield gate.join
