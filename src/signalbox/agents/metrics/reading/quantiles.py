"""The quantile that a question names."""

from __future__ import annotations

import re

__all__ = ["find_quantile", "find_quantiles"]

_QUANTILE = re.compile(
    r"\bp\s?-?(?P<p>\d{2}(?:\.\d+|\d)?)\b|\b(?P<q2>0?\.\d+)\s+quantile"
    r"|\b(?P<th>\d{1,2}(?:\.\d+)?)\s?-?(?:th|st|nd|rd)?[\s-]*(?:percentiles?|pctl|%ile|centile|quantile)"
    r"|\bquantile\s+(?:of\s+)?(?P<q>0?\.\d+)"
    r"|\bpercentile\s+(?P<after>\d{1,2}(?:\.\d+)?)|(?P<median>\bmedians?\b)",
    re.IGNORECASE,
)


def find_quantile(text: str) -> float | None:
    """The quantile that is named first: p95, 99th percentile, median."""
    return next(iter(find_quantiles(text)), None)


def find_quantiles(text: str) -> list[float]:
    """The quantiles that are named, each once, in their order."""
    found = (_value(one) for one in _QUANTILE.finditer(text))
    return list(dict.fromkeys(one for one in found if one is not None))


def _value(found: re.Match[str]) -> float | None:
    if found["median"]:
        return 0.5
    if fraction := found["q"] or found["q2"]:
        return float(fraction)
    digits = found["p"] or found["th"] or found["after"]
    number = float(digits) if "." in digits or len(digits) <= 2 else float(f"{digits[:2]}.{digits[2:]}")
    return round(number / 100, 6) if 0 < number < 100 else None
