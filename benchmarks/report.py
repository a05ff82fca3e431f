"""What a benchmark found: rows with their targets, as a table for a person and as JSON for a program."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["Row", "Target", "as_json", "at_least_faster", "at_most_times", "print_table", "under"]


@dataclass(frozen=True, slots=True)
class Target:
    """What a row must reach: at most `limit` times theirs, at least `limit` times faster, or under `limit` s."""

    kind: str
    limit: float

    def __str__(self) -> str:
        if self.kind == "under":
            return f"< {_duration(self.limit)}"
        return f"≤ {self.limit:g}×" if self.kind == "at most" else f"≥ {self.limit:g}× faster"


def at_most_times(limit: float) -> Target:
    """Ours takes at most so many times as long as theirs."""
    return Target("at most", limit)


def at_least_faster(limit: float) -> Target:
    """Theirs takes at least so many times as long as ours."""
    return Target("faster", limit)


def under(seconds: float) -> Target:
    """Ours takes less than so many seconds."""
    return Target("under", seconds)


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison, in CPU seconds. `missing` says why it could not be measured here."""

    group: str
    what: str
    ours: float | None = None
    theirs: float | None = None
    target: Target | None = None
    missing: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours by theirs; theirs by ours where the target is to be faster."""
        if not self.ours or not self.theirs:
            return None
        faster = self.target is not None and self.target.kind == "faster"
        return self.theirs / self.ours if faster else self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without a target. What was not measured is not reached."""
        if self.missing:
            return False
        if self.target is None:
            return None
        if self.target.kind == "under":
            return self.ours is not None and self.ours < self.target.limit
        if self.ratio is None:
            return False
        return self.ratio >= self.target.limit if self.target.kind == "faster" else self.ratio <= self.target.limit

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON can carry it, in seconds."""
        return {
            "group": self.group,
            "what": self.what,
            "ours": self.ours,
            "theirs": self.theirs,
            "ratio": self.ratio,
            "target": str(self.target) if self.target else None,
            "met": self.met,
            "missing": self.missing or None,
        }


def print_table(rows: Sequence[Row]) -> None:
    """Print the rows for a person."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console = Console(width=max(console.width, 132))
    table = Table(title=f"CPU time, median of several runs in turns. {_machine()}", title_justify="left")
    table.add_column("what", overflow="fold")
    for heading in ("ours", "theirs", "ratio", "target", "met"):
        table.add_column(heading, justify="right", no_wrap=True)
    group = ""
    for row in rows:
        if row.group != group:
            table.add_section()
            table.add_row(f"[bold]{row.group}[/bold]")
            group = row.group
        table.add_row(*_cells(row))
    console.print(table)
    for row in rows:
        if row.missing:
            console.print(f"Not measured: {row.group}, {row.what}: {row.missing}", highlight=False)


def as_json(rows: Sequence[Row]) -> dict[str, Any]:
    """The rows for a program."""
    return {"machine": _machine(), "unit": "CPU seconds", "rows": [row.as_dict() for row in rows]}


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}×"
    if ratio and row.target and row.target.kind == "faster":
        ratio += " faster"
    met = {None: "", True: "[green]yes[/green]", False: "[red]no[/red]"}[row.met]
    met = "not measured" if row.missing else met
    return (row.what, _duration(row.ours), _duration(row.theirs), ratio, str(row.target or ""), met)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def _machine() -> str:
    parts = [f"Python {platform.python_version()}", f"{os.cpu_count()} cores"]
    for package in ("signalbox-agents", "langgraph", "langchain"):
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            parts.append(f"{package} absent")
    return ", ".join(parts)
