"""Names for the series of one answer: the labels in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["series_names"]

_LONGEST = 60


def series_names(labels: Sequence[Mapping[str, str]], otherwise: str = "") -> list[str]:
    """A name for each: the values of the labels that tell them apart; `otherwise` if none do."""
    keys = list(dict.fromkeys(key for one in labels for key in one))
    if len({one.get("__name__") for one in labels}) < 2:
        keys = [key for key in keys if key != "__name__"]
    telling = [key for key in keys if len({one.get(key, "") for one in labels}) > 1] or (
        keys if len(labels) == 1 else []
    )
    nameless = f"no {' or '.join(telling)}" if telling else otherwise
    return [_name(one, telling) or nameless for one in labels]


def _name(labels: Mapping[str, str], telling: Sequence[str]) -> str:
    shown = [(key, labels[key]) for key in telling if labels.get(key)]
    text = ", ".join(value if len(telling) == 1 or not value.isdigit() else f"{key} {value}" for key, value in shown)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
