"""Question sets as plain data, put to any chat model, scored and compared."""

from __future__ import annotations

from signalbox.evals.load import Case, EvalSet, read_sets
from signalbox.evals.recorded import Recording, open_recording
from signalbox.evals.report import Report
from signalbox.evals.run import run_evals

__all__ = ["Case", "EvalSet", "Recording", "Report", "open_recording", "read_sets", "run_evals"]
