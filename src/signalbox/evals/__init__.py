"""Question sets as plain data, given to any chat model, scored and compared."""

from __future__ import annotations

from signalbox.evals.ablation import Ablation, ablate_layers
from signalbox.evals.load import Case, EvalSet, read_sets
from signalbox.evals.recorded import Recording, open_recording
from signalbox.evals.report import Report
from signalbox.evals.run import run_evals

__all__ = [
    "Ablation",
    "Case",
    "EvalSet",
    "Recording",
    "Report",
    "ablate_layers",
    "open_recording",
    "read_sets",
    "run_evals",
]
