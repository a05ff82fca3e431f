"""This process's requests by model, with outcome and usage: for metrics, and to show whether the model works."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from langchain_core.messages import AIMessage, BaseMessage

from signalbox.errors import SignalboxError
from signalbox.settings import now

__all__ = ["LastCall", "ModelFigures", "model_figures", "note_call"]


@dataclass(frozen=True, slots=True)
class LastCall:
    """The latest request to a model: when it ended, and the error that it ended with, if any."""

    at: datetime
    error: SignalboxError | None


@dataclass(slots=True)
class ModelFigures:
    """Requests by model and outcome (`ok`, or the type of the error), their seconds, tokens by model and direction,
    and the latest request to each model."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    tokens: Counter[tuple[str, str]] = field(default_factory=Counter)
    last: dict[str, LastCall] = field(default_factory=dict)


_figures, _lock = ModelFigures(), threading.Lock()


def model_figures() -> ModelFigures:
    """The figures of this process until now."""
    with _lock:
        return ModelFigures(
            _figures.calls.copy(), _figures.seconds.copy(), _figures.tokens.copy(), _figures.last.copy()
        )


def note_call(
    model: str, seconds: float, *, reply: BaseMessage | None = None, error: SignalboxError | None = None
) -> None:
    """Count a request to a model."""
    used = reply.usage_metadata if isinstance(reply, AIMessage) else None
    with _lock:
        _figures.calls[model, error.error_type if error else "ok"] += 1
        _figures.seconds[model] += seconds  # type: ignore[assignment]
        if used:
            _figures.tokens[model, "input"] += used["input_tokens"]
            _figures.tokens[model, "output"] += used["output_tokens"]
        _figures.last[model] = LastCall(now(), error)
