"""The terms of UpGrade, read from `concepts.yaml` beside this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.shape import same_text
from signalbox.language.names import nearest

__all__ = ["all_concepts", "find_concept", "terms"]

_MOST_SHOWN = 5


@cache
def all_concepts() -> tuple[dict[str, Any], ...]:
    """Every concept, in the order of the file: `{name, aliases, definition, example, related, values}`."""
    path = Path(__file__).with_name("concepts.yaml")
    return tuple(yaml.safe_load(path.read_text("utf-8")) if path.exists() else ())


def terms() -> list[str]:
    """What the concepts are called, with their other names."""
    return [name for one in all_concepts() for name in (one["name"], *(one.get("aliases") or ()))]


def find_concept(asked: str) -> dict[str, Any]:
    """The concept of that name or alias, whatever the case or plural; raises UpgradeError with the nearest."""
    names = {name: one for one in all_concepts() for name in (one["name"], *(one.get("aliases") or ()))}
    for name, one in names.items():
        if same_text(name, asked):
            return one
    near = nearest(asked, names, _MOST_SHOWN)
    known = list(dict.fromkeys(str(names[name]["name"]) for name in near))
    raise UpgradeError(
        f"'{asked}' is no term of UpGrade that can be explained here.",
        "not_found",
        suggestion=f"Did you mean {' or '.join(known)}?" if known else "Ask which concepts can be explained.",
        options=known,
    )
