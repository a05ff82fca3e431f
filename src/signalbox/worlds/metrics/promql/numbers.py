"""Numbers as Prometheus writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

__all__ = ["format_number", "format_numbers"]

_DIGITS = frozenset("0123456789")


def format_number(value: float) -> str:
    """The shortest digits that read back as the same number, without an exponent."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    text = repr(value)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")


def format_numbers(values: Sequence[float]) -> list[str]:
    """Many numbers; most of them need no more than their `repr`."""
    texts = map(repr, values)
    return [
        text.removesuffix(".0") if text[-1] in _DIGITS and "e" not in text else format_number(float(text))
        for text in texts
    ]
