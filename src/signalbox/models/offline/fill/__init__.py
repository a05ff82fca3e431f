"""Filling a JSON schema from one sentence, by what the schema says and what the sentence holds."""

from __future__ import annotations

from signalbox.models.offline.fill.filling import Filling, fill_schema
from signalbox.models.offline.fill.options.candidates import Match, best_candidate

__all__ = ["Filling", "Match", "best_candidate", "fill_schema"]
