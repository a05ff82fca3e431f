"""Runs question sets through models."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from time import perf_counter

from signalbox.errors import RequestError
from signalbox.evals.ask import prepared
from signalbox.evals.load import EvalSet, read_sets
from signalbox.evals.report import Report, Result
from signalbox.evals.score import is_right, misleads

__all__ = ["run_evals"]


def run_evals(
    paths: Sequence[Path] | None = None,
    models: Sequence[str] = ("offline",),
    skill: str | None = None,
    show_misses: bool = True,
    rounds: Collection[int] = (),
    names: Collection[str] = (),
) -> Report:
    """Every case of every set, put to every model. Without paths: the sets that come with the source.

    `skill`, `rounds` and `names` choose among the sets. Raises RequestError for a set that cannot be read,
    OperatorError for a model that cannot be loaded.
    """
    if not models:
        raise RequestError("There is no model to ask.", suggestion="Name at least one, such as offline.")
    models = tuple(dict.fromkeys(models))
    sets = read_sets(paths, skill, rounds, names)
    results = [result for model in models for asked in sets for result in _run_set(asked, model)]
    return Report(models, tuple(results), show_misses)


def _run_set(asked: EvalSet, model: str) -> list[Result]:
    results = []
    with prepared(asked, model) as (judged, ask):
        for case in judged.cases:
            started = perf_counter()
            outcome = ask(case)
            took = (perf_counter() - started) * 1000
            right = is_right(outcome, case, judged)
            misled = not right and misleads(outcome, case, judged)
            results.append(Result(model, judged, case, outcome, right, took, misled))
    return results
