"""Numbers as Prometheus writes them."""

from __future__ import annotations

import math
from decimal import Decimal

__all__ = ["format_number"]


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
