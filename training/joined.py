"""Messages that people write more than they are asked to: several requests in one, or one behind a remark."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["joined_cases"]

_REMARKS = 0.2
"""How many of the joined messages are a remark and one request."""
_LINKS = (
    " and ", " and ", " and ", ", and ", ", and ", ". ", ". ", "; ", ", then ", ", also ", " plus ", ". oh and ",
    ". Also ", "\n", " & ", ". btw ", ", while you're at it ", ", next ", ". And ", " - ", ", can you also ",
    ", as well as ",
)  # fmt: skip


def joined_cases(
    cases: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], rng: random.Random
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Two or three requests for the tools of one set in one message, or one behind a remark: people do so more than
    they write of it."""
    by_set: dict[str, list[Mapping[str, Any]]] = {}
    remarks: dict[str, list[str]] = {}
    headers: dict[str, Mapping[str, Any]] = {}
    for header, case in cases:
        if header["skill"] != "tools" or "text" not in case or len(case["text"]) >= 90:
            continue
        key = f"{header['set']} {header.get('round', 0)}"
        headers[key] = header
        if _is_remark(case):
            remarks.setdefault(key, []).append(case["text"])
        elif len(case.get("expected") or ()) == 1:
            by_set.setdefault(key, []).append(case)
    for key, singles in by_set.items():
        for _ in range(len(singles) if len(singles) > 3 else 0):
            drawn = rng.sample(singles, rng.choice([2, 2, 2, 3]))
            if remarks.get(key) and rng.random() < _REMARKS:
                remark = rng.choice(remarks[key]).rstrip(" .!")
                yield (
                    headers[key],
                    {**drawn[0], "text": remark + rng.choice([". ", ", ", "! ", "... "]) + drawn[0]["text"]},
                )
                continue
            yield headers[key], _joined(drawn, rng)


def _is_remark(case: Mapping[str, Any]) -> bool:
    names = [call["name"] for call in case.get("expected") or ()]
    return names == ["small_talk"] or (bool(case.get("none")) and "?" not in case["text"])


def _joined(cases: Sequence[Mapping[str, Any]], rng: random.Random) -> dict[str, Any]:
    """Requests in one message, in other words' company."""
    parts = [str(case["text"]).rstrip(" .!") for case in cases]
    for place in range(1, len(parts)):
        if not parts[place].isupper() and rng.random() < 0.8:
            parts[place] = parts[place][:1].lower() + parts[place][1:]
    text = parts[0]
    for part in parts[1:]:
        text += rng.choice(_LINKS) + part
    return {"text": text, "parts": parts, "expected": [call for case in cases for call in case["expected"]]}
