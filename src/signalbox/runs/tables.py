"""Signalbox's tables, their versions, and the state of the database server."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signalbox.errors import DatabaseError, redact
from signalbox.runs import schema
from signalbox.runs.database import PostgresDatabase, database
from signalbox.settings import get_settings

__all__ = ["Connections", "Tables", "connections", "list_tables", "upgrade_tables"]

_STORE = "alembic_version"


@dataclass(frozen=True, slots=True)
class Tables:
    """A group of tables: what is in them, where they are, their version, and the newest version."""

    name: str
    place: str
    version: str
    newest: str

    @property
    def is_current(self) -> bool:
        """True if they are those of this version of Signalbox."""
        return self.version == self.newest

    @property
    def told(self) -> str:
        """Their state in words."""
        if self.is_current:
            return f"{self.version}, current"
        if not self.version:
            return "not there yet: signalbox db upgrade makes them"
        if self.version > self.newest:
            return f"{self.version}, newer than this Signalbox ({self.newest}): update it"
        return f"{self.version}, and {self.newest} is the newest: signalbox db upgrade"


def list_tables() -> list[Tables]:
    """All tables, without changing any. Raises DatabaseError if the database cannot be used."""
    from signalbox.storage import HEAD

    settings = get_settings()
    wanted = (("runs", schema.VERSION_TABLE, schema.HEAD, "signalbox.db"), ("store", _STORE, HEAD, "store.db"))
    try:
        if settings.database_url.startswith("postgres"):
            with _connected() as connection:
                place = str(redact(settings.database_url))
                return [Tables(name, place, _on_server(connection, table), head) for name, table, head, _ in wanted]
        files = {name: settings.home / file for name, _, _, file in wanted}
        return [Tables(name, str(files[name]), _in_file(files[name], table), head) for name, table, head, _ in wanted]
    except Exception as error:
        raise DatabaseError(
            "The database cannot be used.",
            suggestion="Check SIGNALBOX_DATABASE_URL, or that its server runs.",
            details=str(error).strip().partition("\n")[0],
        ) from None


def upgrade_tables() -> None:
    """Create or upgrade the tables, one process at a time."""
    from signalbox.storage import close_stores, open_engine

    async def upgrade_store() -> None:
        await open_engine()
        await close_stores()

    database()
    asyncio.run(upgrade_store())


@dataclass(frozen=True, slots=True)
class Connections:
    """The server's open connections, its limit, and Signalbox's connections."""

    used: int
    most: int


def connections() -> Connections:
    """The number of connections of PostgreSQL."""
    kept = database()
    assert isinstance(kept, PostgresDatabase)
    with kept.transaction() as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), "
            "current_setting('max_connections')::int"
        ).fetchone()
    return Connections(*row)


def _connected() -> Any:
    import psycopg

    address = get_settings().database_url
    return psycopg.connect("postgresql" + address[address.index("://") :], autocommit=True, connect_timeout=10)


def _on_server(connection: Any, table: str) -> str:
    if connection.execute("SELECT to_regclass(%s)", (table,)).fetchone()[0] is None:
        return ""
    row = connection.execute(f"SELECT version_num FROM {table}").fetchone()
    return str(row[0]) if row else ""


def _in_file(path: Path, table: str) -> str:
    if not path.exists():
        return ""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
            return ""
        row = connection.execute(f"SELECT version_num FROM {table}").fetchone()
        return str(row[0]) if row else ""
