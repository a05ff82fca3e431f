"""Runs question sets through models."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from signalbox.errors import NotFoundError, RequestError
from signalbox.evals.ask import prepared
from signalbox.evals.environment import environment
from signalbox.evals.load import Case, EvalSet, read_sets
from signalbox.evals.oracle import ORACLE
from signalbox.evals.recorded import Recording
from signalbox.evals.report import Report, Result
from signalbox.evals.score import is_right, misleads

__all__ = ["choose_cases", "run_evals", "run_set"]


def run_evals(
    paths: Sequence[Path] | None = None,
    models: Sequence[str] = ("offline",),
    skill: str | None = None,
    show_misses: bool = True,
    rounds: Collection[int] = (),
    names: Collection[str] = (),
    *,
    cases: Collection[str] = (),
    draw: int | None = None,
    seed: int = 0,
    recording: Recording | None = None,
) -> Report:
    """Run every case of every set with every model, by default the sets in the source tree.

    `skill`, `rounds` and `names` select sets; `cases` selects cases by name, and `draw` a random number of them. A
    `recording` is extended, or replayed instead of asking a model: then only its cases are run. Raises RequestError for
    an unreadable set, OperatorError for a model that cannot be loaded.
    """
    models = (recording.model,) if recording is not None else tuple(dict.fromkeys(models))
    if not models:
        raise RequestError("There is no model to ask.", suggestion="Name at least one, such as offline.")
    sets = choose_cases(read_sets(paths, skill, rounds, names), cases, draw, seed)
    if all(asked.skill == "oracle" for asked in sets):
        models = (ORACLE,)
    chosen = sum(len(asked.cases) for asked in sets)
    if recording is not None and not recording.asks:
        sets = _with_cases(sets, recording.cases)
    unrecorded = chosen - sum(len(asked.cases) for asked in sets)
    counted: list[Result] = []
    stale: list[Result] = []
    with environment(recording.settings() if recording is not None else {}):
        for model in models:
            for asked in sets:
                for result, is_stale in run_set(asked, model, recording) if asked.cases else ():
                    (stale if is_stale else counted).append(result)
    unused = recording.unused() if recording is not None else []
    return Report(models, tuple(counted), show_misses, tuple(stale), tuple(unused), unrecorded)


def choose_cases(
    sets: Sequence[EvalSet], names: Collection[str] = (), draw: int | None = None, seed: int = 0
) -> list[EvalSet]:
    """The sets with the cases of these names (by default all), of which `draw` are drawn by a seed, independent of
    their order in the files. Raises NotFoundError for an unknown name."""
    known = [_name(asked, case) for asked in sets for case in asked.cases]
    if missing := [name for name in names if name not in known]:
        raise NotFoundError(f"There is no case {', '.join(missing)} in these sets.")
    chosen = sorted(names or known, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())[:draw]
    return _with_cases(sets, chosen)


def _with_cases(sets: Sequence[EvalSet], names: Collection[str]) -> list[EvalSet]:
    return [replace(one, cases=tuple(case for case in one.cases if _name(one, case) in names)) for one in sets]


def _name(asked: EvalSet, case: Case) -> str:
    return case.name or f"{asked.name}:{case.line}"


def run_set(asked: EvalSet, model: str, recording: Recording | None = None) -> list[tuple[Result, bool]]:
    """Each case with its result, and whether it is stale."""
    results = []
    with prepared(asked, model) as (judged, ask):
        for case in judged.cases:
            started = perf_counter()
            with recording.case(_name(judged, case)) if recording is not None else nullcontext():
                outcome = ask(case)
            took = (perf_counter() - started) * 1000
            right = is_right(outcome, case, judged)
            misled = not right and misleads(outcome, case, judged)
            is_stale = recording is not None and recording.is_open
            results.append((Result(model, judged, case, outcome, right, took, misled), is_stale))
    return results
