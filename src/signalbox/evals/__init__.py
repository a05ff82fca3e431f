"""Question sets as plain data, put to any chat model, scored and compared."""

from __future__ import annotations

from signalbox.evals.load import Case, EvalSet, read_sets
from signalbox.evals.report import Report
from signalbox.evals.run import run_evals

__all__ = ["Case", "EvalSet", "Report", "read_sets", "run_evals"]
