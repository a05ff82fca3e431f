"""The gate: nothing goes around it, neither in code nor, on PostgreSQL, in the database itself."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import bindparam, delete, insert, select, text, update
from sqlalchemy.orm import aliased

import signalbox
from signalbox.settings import get_settings, now
from signalbox.storage import OwnershipError, Store, Task
from signalbox.storage.engine import HEAD
from signalbox.storage.gate import Prepared, in_one_go, owned

ANN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a01"
BEN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a02"


async def _both() -> None:
    for owner in (ANN, BEN):
        await Store(owner).tasks.add("Buy milk")


async def test_every_form_of_a_query_is_bound_to_its_owner(stores: str) -> None:
    await _both()
    other = aliased(Task)
    queries = [
        select(Task.user_id),
        select(other.user_id),
        select(Task.user_id).where((Task.title == "Buy milk") | (Task.user_id == BEN)),
        select(Task.user_id).where(Task.task_id.in_(select(other.task_id).where(other.user_id == BEN))),
        select(Task.user_id).join(other, other.user_id != Task.user_id, isouter=True),
    ]
    for query in queries:
        async with owned(ANN) as session:
            assert set(await session.scalars(query)) <= {ANN}
    async with owned(ANN) as session:
        assert await session.get(Task, (BEN, 1)) is None


async def test_changing_and_deleting_many_at_once_touches_nobody_else(stores: str) -> None:
    await _both()
    async with owned(ANN, writes=True) as session:
        await session.execute(update(Task).values(title="Changed"))
        await session.execute(update(Task).where(Task.user_id == BEN).values(title="Stolen"))
    assert (await Store(BEN).tasks.get(1)).title == "Buy milk"
    async with owned(ANN, writes=True) as session:
        await session.execute(delete(Task))
    assert (await Store(BEN).tasks.get(1)).title == "Buy milk"


@pytest.mark.parametrize("statement", [text("SELECT * FROM tasks"), select(Task.__table__), insert(Task)])
async def test_what_cannot_be_bound_is_refused(stores: str, statement: Any) -> None:
    with pytest.raises(OwnershipError):
        async with owned(ANN, writes=True) as session:
            await session.execute(statement)


async def test_a_row_of_somebody_else_cannot_be_written(stores: str) -> None:
    await _both()
    moment = {"created": now(), "updated": now()}
    with pytest.raises(OwnershipError):
        async with owned(ANN, writes=True) as session:
            session.add(Task(user_id=BEN, task_id=9, title="planted", **moment))
    with pytest.raises(OwnershipError):
        async with owned(ANN, writes=True) as session:
            (await session.scalars(select(Task))).one().user_id = BEN
    assert [one.title for one in await Store(BEN).tasks.latest()] == ["Buy milk"]


async def test_a_prepared_statement_meets_only_rows_of_whom_it_is_run_for(stores: str) -> None:
    await _both()
    tasks: Any = Task.__table__
    rename = Prepared(update(tasks).where(tasks.c.task_id == 1).values(title=bindparam("name")))
    claim = Prepared(insert(tasks).values(user_id=BEN))
    row = {"task_id": 9, "title": "Own", "description": "", "tags": [], "created": now(), "updated": now()}
    row |= {"completed": False, "due": "9999-12-31", "priority": 1}
    assert (await in_one_go(ANN, lambda held: held.run(rename, name="Mine").rowcount, writes=True)) == 1
    await in_one_go(ANN, lambda held: held.run(claim, **row), writes=True)
    find = Prepared(select(tasks.c.user_id).where((tasks.c.title == "Buy milk") | (tasks.c.user_id == BEN)))
    assert await in_one_go(ANN, lambda held: held.run(find).all()) == []
    assert (await in_one_go(ANN, lambda held: held.run(Prepared(delete(tasks))).rowcount, writes=True)) == 2
    assert [one.title for one in await Store(BEN).tasks.latest()] == ["Buy milk"]


@pytest.mark.parametrize("named", ["owner", "user_id"])
async def test_a_prepared_statement_is_given_no_owner(stores: str, named: str) -> None:
    with pytest.raises(OwnershipError):
        await in_one_go(ANN, lambda held: held.run(Prepared(select(Task.__table__)), **{named: BEN}))


def test_a_statement_that_cannot_be_bound_is_not_prepared() -> None:
    tasks: Any = Task.__table__
    everybodys = select(tasks.c.task_id)
    for statement in (
        select(tasks, tasks.alias()),
        select(tasks.alias()),
        select(everybodys.subquery()),
        select(tasks).where(tasks.c.task_id.in_(everybodys)),
        select(tasks).where(text("1 = 1 OR 1 = 1")),
        insert(tasks).from_select(["task_id"], everybodys),
        update(tasks).values(user_id=BEN),
        select(text("1")),
    ):
        with pytest.raises(OwnershipError):
            Prepared(statement)


def test_nothing_outside_the_storage_talks_to_the_database() -> None:
    root = Path(signalbox.__file__).parent
    drivers = {"sqlalchemy", "alembic", "aiosqlite", "asyncpg"}
    wrong = []
    for path in root.rglob("*.py"):
        # The tables of runs have migrations and a gate of their own: tests/runs/test_gate.py.
        if path.relative_to(root).parts[0] == "storage" or path.is_relative_to(root / "runs" / "migrations"):
            continue
        text = path.read_text("utf-8")
        if not any(name in text for name in (*drivers, "signalbox.storage.")):
            continue
        for node in ast.walk(ast.parse(text)):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            inside = [name for name in names if name.startswith("signalbox.storage.")]
            wrong += [f"{path}: {name}" for name in names if name.partition(".")[0] in drivers] + inside
    assert wrong == []


def test_only_maintenance_sees_everybodys_rows() -> None:
    folder = Path(signalbox.__file__).parent / "storage"
    users = {path.name for path in folder.rglob("*.py") if "everybodys(" in path.read_text("utf-8")}
    assert users == {"gate.py", "maintenance.py"}


async def test_the_tables_are_what_the_migrations_make(stores: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from signalbox.storage.engine import open_engine
    from signalbox.storage.models import Base

    async with (await open_engine()).connect() as connection:
        found = await connection.run_sync(
            lambda sync: (
                compare_metadata(MigrationContext.configure(sync), Base.metadata),
                MigrationContext.configure(sync).get_current_revision(),
            )
        )
    assert found == ([], HEAD)


async def test_on_postgresql_the_database_itself_shows_no_row_of_another(stores: str) -> None:
    if stores != "postgresql":
        pytest.skip("row-level security is PostgreSQL's")
    import asyncpg

    await _both()
    connection = await asyncpg.connect(get_settings().database_url)
    try:
        assert await connection.fetch("SELECT * FROM tasks") == []
        async with connection.transaction():
            await connection.execute("SELECT set_config('app.user_id', $1, true)", ANN)
            assert {row["user_id"] for row in await connection.fetch("SELECT user_id FROM tasks")} == {ANN}
            assert await connection.execute("UPDATE tasks SET title = 'x' WHERE user_id = $1", BEN) == "UPDATE 0"
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute("UPDATE tasks SET user_id = $1", BEN)
        assert await connection.fetch("SELECT * FROM tasks") == []
        tables = await connection.fetch(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace "
            "AND NOT (relrowsecurity AND relforcerowsecurity)"
        )
        assert [row["relname"] for row in tables] == ["alembic_version"]
    finally:
        await connection.close()
