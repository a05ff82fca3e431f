"""Ablation: the effect of each layer of an agent's `offline/` folder, measured by switching it off.

The agent's question sets are run once unchanged, and once without each layer, each time in a separate process. The
result is how many cases become wrong, and how many become right.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from signalbox.errors import NotFoundError, RequestError
from signalbox.evals.load import EvalSet, read_sets
from signalbox.evals.run import choose_cases, run_set
from signalbox.language.switches import switched_off, was_skipped

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Ablation", "LayerWorth", "ablate_layers", "find_layers"]

_ENOUGH = 300
"""The fewest cases for a verdict on a layer."""
_USEFUL = 0.01
"""The share of cases that a layer must change to be worth its lines."""
Rights = Mapping[str, bool]
"""Whether each case is right."""


class LayerWorth(NamedTuple):
    """What changes without a layer: the cases that become wrong, and those that become right."""

    name: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    is_used: bool = True
    """True if the agent ever reached it: if not, its name may be wrong."""

    @property
    def moved(self) -> int:
        """The number of cases that change."""
        return len(self.lost) + len(self.gained)


@dataclass(frozen=True)
class Ablation:
    """The cases with all layers, and the effect of every layer, the least useful first."""

    agent: str
    base: Rights
    layers: tuple[LayerWorth, ...]

    @property
    def too_small(self) -> list[str]:
        """The layers whose removal changes fewer than one case in a hundred."""
        return [one.name for one in self.layers if one.moved < _USEFUL * len(self.base)]

    def as_json(self) -> dict[str, Any]:
        """Plain data: the base, each layer with the cases that change without it, and the layers to delete."""
        layers = [
            {
                "layer": one.name,
                "right_to_wrong": list(one.lost),
                "wrong_to_right": list(one.gained),
                "share": round(one.moved / len(self.base), 4),
                **({} if one.is_used else {"never_used": True}),
            }
            for one in self.layers
        ]
        base = {"cases": len(self.base), "right": sum(self.base.values())}
        return {"agent": self.agent, "base": base, "layers": layers, "under_one_in_a_hundred": self.too_small}

    def render(self, console: Console) -> None:
        """Print the base, a row per layer, and the layers whose removal changes too little."""
        from rich.table import Table

        right, many = sum(self.base.values()), len(self.base)
        table = Table(title=f"{self.agent} without one layer of offline/, the least useful first")
        table.add_column("layer", no_wrap=True)
        for name in ("right to wrong", "wrong to right", "moved"):
            table.add_column(name, justify="right")
        for one in self.layers:
            table.add_row(one.name, str(len(one.lost)), str(len(one.gained)), f"{one.moved / many:.1%}")
        console.print(table)
        small = ", ".join(self.too_small) or "none"
        console.print(f"With all layers: {right}/{many} right ({right / many:.1%})", highlight=False)
        console.print(f"Moves fewer than one in a hundred: {small}", markup=False, highlight=False)
        if unused := ", ".join(one.name for one in self.layers if not one.is_used):
            told = f"Never used, so check that the agent asks for them by these names: {unused}"
            console.print(told, markup=False, highlight=False)
        if many < _ENOUGH:
            console.print(
                f"That is too few cases to delete a layer by: at least {_ENOUGH} are needed.", highlight=False
            )


def ablate_layers(
    agent: str,
    paths: Sequence[Path] | None = None,
    model: str = "offline",
    rounds: Collection[int] = (),
    names: Collection[str] = (),
    *,
    cases: Collection[str] = (),
    draw: int | None = None,
    seed: int = 0,
) -> Ablation:
    """Run an agent's question sets with all layers, and without each of them. The arguments are those of `run_evals`.

    Raises NotFoundError for an agent without sets, RequestError for one that declares no layers.
    """
    layers = find_layers(agent)
    found = [one for one in read_sets(paths, agent, rounds, names) if one.skill == "agent" and one.agent == agent]
    sets = [one for one in choose_cases(found, cases, draw, seed) if one.cases]
    if not sets:
        raise NotFoundError(f"There is no question set for '{agent}' in the places named.")
    # A new process for every run: what a room has kept from one must not answer for the next.
    spawn = get_context("spawn")
    with ProcessPoolExecutor(_workers(len(layers) + 1), mp_context=spawn, max_tasks_per_child=1) as pool:
        runs = [pool.submit(_rights, sets, model, name) for name in ("", *(f"{agent}.{one}" for one in layers))]
        (base, _), *without = [run.result() for run in runs]
    worths = [_worth(name, base, *run) for name, run in zip(layers, without, strict=True)]
    return Ablation(agent, base, tuple(sorted(worths, key=lambda one: (len(one.lost) - len(one.gained), one.moved))))


def find_layers(agent: str) -> tuple[str, ...]:
    """The layers that an agent's `offline/` folder declares as LAYERS, in the order in which they run.

    Raises NotFoundError for an agent that is not installed, RequestError for one that declares none.
    """
    homes = {one.name: one.module for one in entry_points(group="signalbox.agents")}
    if agent not in homes:
        raise NotFoundError(f"There is no agent '{agent}'.", suggestion=f"There are: {', '.join(sorted(homes))}.")
    name = f"{homes[agent]}.offline"
    try:
        layers = tuple(getattr(import_module(name), "LAYERS", ()))
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        layers = ()
    if not layers:
        raise RequestError(
            f"The agent '{agent}' has no layers to switch off.", suggestion=f"{name} declares them as LAYERS."
        )
    return layers


def _workers(jobs: int) -> int:
    return min(jobs, os.cpu_count() or 1)


def _rights(sets: Sequence[EvalSet], model: str, layer: str) -> tuple[dict[str, bool], bool]:
    """Whether each case is right without a layer, and whether the agent ever reached that layer. Without a name, all
    layers are on. Runs in its own process."""
    with switched_off(layer) if layer else nullcontext():
        results = [result for asked in sets for result, _ in run_set(asked, model)]
    return {result.place: result.right for result in results}, was_skipped(layer)


def _worth(name: str, base: Rights, without: Rights, is_used: bool) -> LayerWorth:
    lost = tuple(place for place, right in base.items() if right and not without[place])
    gained = tuple(place for place, right in base.items() if not right and without[place])
    return LayerWorth(name, lost, gained, is_used)
