"""How answers about experiments are measured: by what was read of a request, how it
ended, and what was written; conversations by what the server has when they are over."""

from __future__ import annotations

from signalbox.agents.experiments.evaluation.conversation import begin, end
from signalbox.agents.experiments.evaluation.outcome import outcome_of
from signalbox.agents.experiments.evaluation.score import KEYS, check_expectation, is_right, resolved, unasked
from signalbox.agents.experiments.evaluation.server import settings_for

__all__ = ["JUDGE"]


class _Judge:
    """What `signalbox eval` finds by the entry point group `signalbox.judges`."""

    keys = KEYS
    check = staticmethod(check_expectation)
    settings = staticmethod(settings_for)
    expect = staticmethod(resolved)
    outcome = staticmethod(outcome_of)
    is_right = staticmethod(is_right)
    begin = staticmethod(begin)
    end = staticmethod(end)
    unasked = staticmethod(unasked)


JUDGE = _Judge()
