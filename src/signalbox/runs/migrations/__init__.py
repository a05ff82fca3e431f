"""Migrates a database of runs from an older version. Only this needs SQLAlchemy and Alembic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, event
from sqlalchemy.pool import NullPool

__all__ = ["upgrade"]


def upgrade(dialect: str, connect: Callable[[], Any]) -> None:
    """Run the missing migrations, all or nothing, on a connection that `connect` opens.

    `dialect` is SQLAlchemy's name of database and driver. Others may start at the same time: a SQLite file is locked
    meanwhile; on a server the caller holds a lock.
    """
    engine = create_engine(f"{dialect}://", creator=connect, poolclass=NullPool)
    if dialect == "sqlite":
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    config = Config()
    config.set_main_option("script_location", "signalbox.runs:migrations")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
