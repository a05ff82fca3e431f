"""What people call labels and their values, and words in names of metrics: `words.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from signalbox.language.words import stem

__all__ = ["CODES", "LABEL_WORDS", "label_kind"]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TABLES: dict[str, Any] = yaml.load(Path(__file__).with_name("words.yaml").read_text("utf-8"), _LOADER)

LABEL_WORDS: dict[str, tuple[str, ...]] = {
    kind: tuple(row["labels"].split()) for kind, row in _TABLES["labels"].items()
}
"""For each kind of label the names it has on servers, the likeliest first."""
CODES: dict[str, tuple[str, ...]] = {
    code: tuple(name.replace(" ", "") for name in names) for code, names in _TABLES["codes"].items()
}
"""For the codes of countries, languages and the like the names that they have, each as one word."""
_KINDS = {stem(word): kind for kind, row in _TABLES["labels"].items() for word in row.get("words", "").split()}


def label_kind(word: str) -> str | None:
    """Return the kind of label that a word names: `host` for servers, machines and nodes."""
    return _KINDS.get(stem(word.lower()))
