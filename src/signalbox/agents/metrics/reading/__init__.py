"""Reading: from the words of a question to a grounded `Question`."""

from __future__ import annotations

from signalbox.agents.metrics.reading.asked import Asked, Wording
from signalbox.agents.metrics.reading.ground import ground_question
from signalbox.agents.metrics.reading.parse import parse_question

__all__ = ["Asked", "Wording", "ground_question", "parse_question"]
