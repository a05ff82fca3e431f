"""What a request may contain: JSON in UTF-8 that every database can store and every client can read back.

Refused are lone surrogates, NUL characters, numbers that JSON does not have (NaN, Infinity) or that need more than 64
bits, and values nested deeper than `MOST_DEEP`. Rows from before these rules go through `sendable`.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

__all__ = ["MOST_DEEP", "PayloadError", "check_json", "sendable"]

MOST_DEEP = 100
_LONGEST_PLACE = 8
_SUSPECT = re.compile(rb"\\u|NaN|Infinity|[0-9]{19}|[eE]\+?[0-9]{3}")
"""Only JSON with one of these, or with many brackets, can contain a refused value."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_DEEP = f"is nested deeper than {MOST_DEEP} levels"


class PayloadError(ValueError):
    """What is wrong with a body, and where."""

    def __init__(self, message: str, place: tuple[str | int, ...] = ()) -> None:
        shown = [_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", str(one)[:40]) for one in ("body", *place)]
        self.place = ".".join(shown if len(shown) <= _LONGEST_PLACE else [*shown[:_LONGEST_PLACE], "…"])
        self.message = message
        super().__init__(f"{self.place} {message}")


def check_json(raw: bytes) -> None:
    """Check that the body is JSON that can be stored. Raises PayloadError with the place."""
    try:
        text = raw.decode("utf-8")
        value = json.loads(text)
    except UnicodeDecodeError as error:
        raise PayloadError(f"is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise PayloadError(f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise PayloadError(_DEEP) from None
    except ValueError:
        raise PayloadError("contains a number with thousands of digits") from None
    if _SUSPECT.search(raw) or raw.count(b"[") + raw.count(b"{") > MOST_DEEP:
        _check(value)


def _check(value: Any) -> None:
    waiting: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while waiting:
        one, place = waiting.pop()
        if isinstance(one, dict | list) and len(place) >= MOST_DEEP:
            raise PayloadError(_DEEP, place)
        if isinstance(one, dict):
            for key in one:
                _check_text(key, (*place, key))
            waiting += [(inner, (*place, key)) for key, inner in one.items()]
        elif isinstance(one, list):
            waiting += [(inner, (*place, number)) for number, inner in enumerate(one)]
        elif isinstance(one, str):
            _check_text(one, place)
        elif isinstance(one, float) and not math.isfinite(one):
            raise PayloadError("is not a finite number", place)
        elif isinstance(one, int) and not -(2**63) <= one < 2**63:
            raise PayloadError("is a whole number of more than 64 bits", place)


def _check_text(text: str, place: tuple[str | int, ...]) -> None:
    if "\0" in text:
        raise PayloadError("contains a NUL character (\\u0000), which cannot be stored", place)
    if found := _SURROGATE.search(text):
        raise PayloadError(f"contains half a character (\\u{ord(found[0]):04x}), which cannot be stored", place)


def sendable(value: Any, depth: int = 0) -> Any:
    """The value without what JSON cannot represent, which older rows may contain."""
    if isinstance(value, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict | list) and depth >= MOST_DEEP:
        return "…"
    if isinstance(value, dict):
        return {sendable(str(key)): sendable(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [sendable(inner, depth + 1) for inner in value]
    return value
