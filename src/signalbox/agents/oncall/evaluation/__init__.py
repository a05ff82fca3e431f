"""How answers of the on-call agent are measured: how a request was read, and whether a fault was found where it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.oncall.evaluation.expectation import (
    KEYS,
    check_expectation,
    expected,
    settings_for,
    settings_of_case,
)
from signalbox.agents.oncall.evaluation.outcome import outcome_of
from signalbox.agents.oncall.evaluation.score import figures_of, oncall_right

__all__ = ["JUDGE"]


class _Judge:
    """What `signalbox eval` finds by the entry point group `signalbox.judges`."""

    keys = KEYS
    check = staticmethod(check_expectation)
    settings = staticmethod(settings_for)
    case_settings = staticmethod(settings_of_case)
    expect = staticmethod(expected)
    outcome = staticmethod(outcome_of)
    is_right = staticmethod(oncall_right)
    figures = staticmethod(figures_of)

    @staticmethod
    def is_read(wanted: Mapping[str, Any]) -> bool:
        """How a request was read shows in its plan; whether a fault is found needs a run."""
        return not {"healthy", "device", "cause", "calls"} & set(wanted)


JUDGE = _Judge()
