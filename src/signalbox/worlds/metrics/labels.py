"""Label sets, and the matchers that choose among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["NAME", "Labels", "Matcher", "drop", "keep", "label_of", "labels_from"]

NAME = "__name__"
Labels = tuple[tuple[str, str], ...]
"""Pairs of name and value, sorted by name, none of them empty; the metric's name is the label `__name__`."""


def labels_from(pairs: Mapping[str, str]) -> Labels:
    """Labels in their one order; an empty value means no such label."""
    return tuple(sorted((name, value) for name, value in pairs.items() if value))


def label_of(labels: Labels, name: str) -> str:
    """The value of a label, or the empty string."""
    return next((value for key, value in labels if key == name), "")


def keep(labels: Labels, names: Iterable[str]) -> Labels:
    """Only the named labels."""
    wanted = set(names)
    return tuple(pair for pair in labels if pair[0] in wanted)


def drop(labels: Labels, names: Iterable[str] = (NAME,)) -> Labels:
    """All but the named labels; without names, all but the metric's own."""
    unwanted = set(names)
    return tuple(pair for pair in labels if pair[0] not in unwanted)


@dataclass(frozen=True)
class Matcher:
    """One condition of a selector. A label that is missing counts as empty."""

    name: str
    op: Literal["=", "!=", "=~", "!~"]
    value: str

    def accepts(self) -> Callable[[str], bool]:
        """The condition on the label's value; raises re.error where the expression is outside Python's dialect."""
        if self.op == "=":
            return self.value.__eq__
        if self.op == "!=":
            return self.value.__ne__
        matches = re.compile(self.value).fullmatch
        if self.op == "=~":
            return lambda value: matches(value) is not None
        return lambda value: matches(value) is None
