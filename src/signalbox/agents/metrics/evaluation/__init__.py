"""How answers about metrics are measured: their figures against those of a reference query on the same server."""

from __future__ import annotations

from signalbox.agents.metrics.evaluation.expectation import KEYS, check_expectation
from signalbox.agents.metrics.evaluation.outcome import outcome_of
from signalbox.agents.metrics.evaluation.reference import with_figures
from signalbox.agents.metrics.evaluation.score import metrics_misleads, metrics_right
from signalbox.agents.metrics.evaluation.server import settings_for

__all__ = ["JUDGE"]


class _Judge:
    """What `signalbox eval` finds by the entry point group `signalbox.judges`."""

    keys = KEYS
    check = staticmethod(check_expectation)
    settings = staticmethod(settings_for)
    expect = staticmethod(with_figures)
    outcome = staticmethod(outcome_of)
    is_right = staticmethod(metrics_right)
    misleads = staticmethod(metrics_misleads)


JUDGE = _Judge()
