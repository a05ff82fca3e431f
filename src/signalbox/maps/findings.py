"""What a check found: where it is, what is wrong, and the nearest thing that would be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Finding", "Level", "nearest"]

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. An error forbids running the map; a warning or a note does not."""

    level: Level
    file: str
    line: int
    column: str
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        place = ":".join(part for part in (self.file, str(self.line) if self.line else "", self.column) if part)
        return f"{place}: {self.level}: {self.message}" + (f" {self.suggestion}" if self.suggestion else "")

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON can carry it."""
        return asdict(self)


def nearest(word: str, candidates: Iterable[str], how_many: int = 3) -> list[str]:
    """The candidates most like the word, the best first; none that is unlike it."""
    from rapidfuzz import fuzz, process, utils

    names = list(candidates)
    found = process.extract(
        word, names, scorer=fuzz.ratio, processor=utils.default_process, limit=how_many, score_cutoff=60
    )
    if not found and len(word) > 3:
        longer = [name for name in names if len(name) > 3]
        found = process.extract(
            word, longer, scorer=fuzz.WRatio, processor=utils.default_process, limit=how_many, score_cutoff=75
        )
    return [candidate for candidate, _score, _index in found]


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """A sentence that names the nearest valid values, or what there is to choose from."""
    names = list(dict.fromkeys(candidates))
    close = nearest(word, names)
    if close:
        return "Did you mean " + " or ".join(f"'{name}'" for name in close) + "?"
    if names:
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        return f"There is: {shown}."
    return ""
