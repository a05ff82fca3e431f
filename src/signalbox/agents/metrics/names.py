"""A second reading: which of the server's own names a question means, where its words are not theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["names_schema"]

_SHOWN = 3
_MOST_VALUES = 400


def names_schema(labels: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The schema of what a question names, with the labels of one measure and their values to choose from."""
    several = {label: values[:_MOST_VALUES] for label, values in labels.items() if len(values) > 1}
    things = {value: label for label, values in reversed(several.items()) for value in values}
    kinds = {label: ", ".join(values[:_SHOWN]) for label, values in several.items()}
    fields = {
        "things": ("names and values that the question speaks of", things),
        "split_by": ("what it is split by: per host, each service", kinds),
    }
    return {
        "title": "Names",
        "description": "What a question about a measure names, in the names of the server.",
        "type": "object",
        "properties": {name: _several(about, options) for name, (about, options) in fields.items() if options},
    }


def _several(about: str, options: Mapping[str, str]) -> dict[str, Any]:
    chosen = {"type": "string", "enum": list(options), "enumDescriptions": dict(options)}
    return {"type": "array", "description": about, "items": chosen}
