"""What the server keeps: in memory, and where a file is named, in SQLite as well, shared with who else has it open."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, TypeVar
from uuid import NAMESPACE_URL, uuid5

from signalbox.upgrade.model import Records

__all__ = ["Store", "Table"]

_TABLE = "create table if not exists kept (kind text, key text, value text, primary key (kind, key))"
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Table(dict[Key, Value]):
    """A dictionary that knows which of its keys have changed. A value is replaced, never changed inside."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: set[Key] = set()

    def __setitem__(self, key: Key, value: Value) -> None:
        self.changed.add(key)
        super().__setitem__(key, value)

    def __delitem__(self, key: Key) -> None:
        self.changed.add(key)
        super().__delitem__(key)

    def setdefault(self, key: Key, default: Any = None) -> Any:
        """As of a dictionary."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Key, *default: Any) -> Any:
        """As of a dictionary."""
        self.changed.add(key)
        return super().pop(key, *default)

    def keep(self, rows: Iterable[tuple[Key, Value]]) -> None:
        """Hold these rows, and none besides, as read from where they are kept."""
        self.clear()
        self.update(rows)
        self.changed.clear()


class Store:
    """All of a server's state. `commit` keeps what has changed; `refresh` takes up what another process has kept."""

    def __init__(self, path: Path | None = None) -> None:
        self.experiments: Table[str, dict[str, Any]] = Table()
        self.users: Table[str, dict[str, Any]] = Table()
        self.aliases: Table[str, str] = Table()
        self.visits: Table[tuple[str, ...], dict[str, Any]] = Table()
        self.segments: Table[str, dict[str, Any]] = Table()
        self.settings: Table[str, Any] = Table()
        self.metadata: Table[str, dict[str, list[str]]] = Table()
        self.previews: Table[str, Any] = Table()
        self.points: Table[tuple[str, ...], str] = Table()
        self.metrics: Table[str, dict[str, Any]] = Table()
        self.logs: Table[str, dict[str, Any]] = Table()
        self.records = Records(users=Table(), groups=Table(), users_excluded=Table(), groups_excluded=Table())
        self._base = _opened(path) if path else None
        self._seen = -1
        self._made = 0

    def new_id(self, at: str) -> str:
        """An id for a new experiment. Assignment goes by it, so at a frozen moment it is the same in every run."""
        self._made += 1
        return str(uuid5(NAMESPACE_URL, f"https://signalbox.example/experiments/{at}/{self._made}"))

    def close(self) -> None:
        """Close the file."""
        if self._base:
            self._base.close()
            self._base = None

    def refresh(self) -> None:
        """Read everything anew where somebody else has written since."""
        if self._base is None:
            return
        seen = self._base.execute("pragma data_version").fetchone()[0]
        if seen == self._seen:
            return
        self._seen = seen
        rows: dict[str, list[tuple[Any, Any]]] = {}
        for kind, key, value in self._base.execute("select kind, key, value from kept order by rowid"):
            rows.setdefault(kind, []).append((_key(json.loads(key)), json.loads(value)))
        for kind, table in self._tables().items():
            table.keep(rows.get(kind, []))

    def commit(self) -> None:
        """Keep what has changed."""
        for kind, table in self._tables().items():
            if self._base is not None and table.changed:
                self._write(kind, table)
            table.changed.clear()
        if self._base is not None:
            self._base.commit()

    def once(self, fill: Callable[[Store], None]) -> None:
        """Fill an empty store; one that has been filled, also by another process, is left as it is."""
        if self._base is not None:
            self._base.execute("begin immediate")
        self.refresh()
        if not self.metadata:
            fill(self)
        self.commit()

    def _write(self, kind: str, table: Table[Any, Any]) -> None:
        assert self._base is not None
        gone = [(kind, _text(key)) for key in table.changed if key not in table]
        kept = [(kind, _text(key), json.dumps(table[key])) for key in table.changed if key in table]
        self._base.executemany("delete from kept where kind = ? and key = ?", gone)
        self._base.executemany(
            "insert into kept values (?, ?, ?) on conflict (kind, key) do update set value = excluded.value", kept
        )

    def _tables(self) -> dict[str, Table[Any, Any]]:
        own = {name: table for name, table in vars(self).items() if isinstance(table, Table)}
        recorded = {f"records.{name}": table for name, table in vars(self.records).items()}
        return own | recorded


def _opened(path: Path) -> sqlite3.Connection:
    base = sqlite3.connect(path, timeout=10, check_same_thread=False)
    base.execute("pragma journal_mode = wal")
    # What is tried out in a demonstration may be lost with the power.
    base.execute("pragma synchronous = off")
    base.execute(_TABLE)
    base.commit()
    return base


def _key(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key


def _text(key: Any) -> str:
    return json.dumps(list(key) if isinstance(key, tuple) else key)
