"""What a check found: where it is, what is wrong, and the nearest thing that would be right."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["Finding", "Level"]

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
