"""Runs question sets through models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from signalbox.errors import RequestError
from signalbox.evals.ask import prepared
from signalbox.evals.load import EvalSet, read_sets
from signalbox.evals.report import Report, Result
from signalbox.evals.score import is_right

__all__ = ["run_evals"]


def run_evals(
    paths: Sequence[Path] | None = None,
    models: Sequence[str] = ("offline",),
    skill: str | None = None,
    show_misses: bool = True,
) -> Report:
    """Every case of every set, put to every model. Without paths: the sets that come with the source.

    Raises RequestError for a set that cannot be read, OperatorError for a model that cannot be loaded.
    """
    if not models:
        raise RequestError("There is no model to ask.", suggestion="Name at least one, such as offline.")
    names = list(dict.fromkeys(models))
    sets = read_sets(paths, skill)
    results = [result for model in names for asked in sets for result in _run_set(asked, model)]
    return Report(tuple(names), tuple(results), show_misses)


def _run_set(asked: EvalSet, model: str) -> list[Result]:
    results = []
    with prepared(asked, model) as (judged, ask):
        for case in judged.cases:
            started = perf_counter()
            outcome = ask(case)
            took = (perf_counter() - started) * 1000
            results.append(Result(model, judged, case, outcome, is_right(outcome, case, judged), took))
    return results
