"""The gate of the runs: nothing goes around it, neither in code nor, on PostgreSQL, in the database itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import signalbox
from signalbox.errors import ProgrammerError, RequestError
from signalbox.runs import forget, list_runs, show, start
from signalbox.runs.checkpoints import checkpoints
from signalbox.runs.database import Conflict, database
from signalbox.runs.gate import OwnershipError, Transaction, owned
from signalbox.runs.schema import CHECKPOINT_TABLES, TABLES
from signalbox.runs.threads import add_turn
from signalbox.settings import get_settings
from signalbox.toolbox.person import use_person

ANN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a01"
BEN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a02"
ROOT = Path(signalbox.__file__).parent
ASK = "GraphName,Node,AgentType,Output_Field\nG,A,input,x\n"


KEYS = {"threads": "thread_id", "turns": "thread_id", "assistants": "assistant_id", "crons": "cron_id", "items": "key"}
KEYS["allowances"] = "since"
STAMPS = {"created_at": "", "updated_at": ""}
USED = ("calls", "seconds", "input_tokens", "output_tokens", "cached_tokens", "total_tokens", "charged")


@pytest.fixture(params=["sqlite", "postgresql"])
def both(
    request: pytest.FixtureRequest, write_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Each database, with a row of Ann's and one of Ben's in every table."""
    if request.param == "postgresql":
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())
    path = write_file(ASK)
    for number, person in enumerate((ANN, BEN)):
        with use_person(person):
            run = start(path, thread_id=f"of-{person}")
            add_turn(run.thread_id, run_id=run.run_id, agent="G", said="?", answer="!", remembered=None)
            with owned(person) as held:
                held.insert("events", {"run_id": run.run_id, "number": 1, "kind": "node", "data": "{}"})
                held.insert("steps", {"run_id": run.run_id, "node": "A"})
                held.insert("usage", {"run_id": run.run_id, "at": "", **dict.fromkeys(USED, 1)})
                held.insert("feedback", {"run_id": run.run_id, "thread_id": run.thread_id, "value": "up", "at": ""})
                about = {"record": "{}", "created_at": ""}
                held.insert("assistants", {"assistant_id": person, "version": 1, "is_latest": 1, **about})
                held.insert("crons", {"cron_id": person, "updated_at": "", **about})
                held.insert("webhooks", {"run_id": run.run_id, "url": "", "due_at": ""})
                held.insert("items", {"namespace": "n", "key": person, "value": "{}", **STAMPS})
                held.insert("allowances", {"remaining": 1.0, "since": float(number)})
    yield request.param
    database().close()


def test_every_statement_meets_only_rows_of_whom_it_is_for(both: str) -> None:
    for table in TABLES:
        key = KEYS.get(table, "run_id")
        with owned(BEN) as held:
            [[bens]] = held.select(key, table)
        with owned(ANN) as held:
            [[anns]] = held.select(key, table)
            assert held.select(key, table, f"{key} = ? OR 1 = 1", (bens,)) == [(anns,)]
            assert held.first(key, table, f"{key} = ?", (bens,)) is None
            assert held.update(table, {key: bens}, f"{key} = ?", (bens,)) == 0
            assert held.delete(table, f"{key} = ?", (bens,)) == 0
            assert held.delete(table, "1 = 1 OR 1 = 1") == 1
        with owned(BEN) as held:
            assert held.select(key, table) == [(bens,)]


def test_a_row_that_is_somebody_elses_stays_theirs(both: str) -> None:
    row = {"thread_id": f"of-{BEN}", "metadata": "{}", "created_at": "", "updated_at": ""}
    with owned(ANN) as held:
        assert not held.insert("threads", row, unless_there=True)
    with pytest.raises(Conflict), owned(ANN) as held:
        held.insert("threads", row)


@pytest.mark.parametrize(
    "reach",
    [
        lambda held: held.select("*", "tasks"),
        lambda held: held.select("*", "runs, threads"),
        lambda held: held.select("*", "runs", "run_id IN (SELECT run_id FROM runs)"),
        lambda held: held.select("*", "runs", "1 = 1) OR (1 = 1"),
        lambda held: held.select("*", "runs", f"user_id = '{BEN}'"),
        lambda held: held.select("*", "runs", "1 = 1", order="1; DROP TABLE runs"),
        lambda held: held.select("* FROM runs --", "runs"),
        lambda held: held.select("*", "runs", "1 = 1 /*"),
        lambda held: held.insert("runs", {"user_id": BEN}),
        lambda held: held.insert_many("events", ["user_id"], [[BEN]]),
        lambda held: held.update("runs", {"user_id": BEN}, "1 = 1"),
        lambda held: held.update("runs", {"name = 'x', user_id": BEN}, "1 = 1"),
    ],
)
def test_what_cannot_be_bound_is_refused(reach: Callable[[Transaction], Any]) -> None:
    with pytest.raises(OwnershipError), owned(ANN) as held:
        reach(held)


@pytest.mark.parametrize("nobody", ["", None])
def test_there_is_no_transaction_for_nobody(nobody: Any) -> None:
    with pytest.raises(OwnershipError), owned(nobody):
        pass


def test_a_transaction_inside_another_is_a_part_of_it_and_for_the_same_person(both: str) -> None:
    with suppress(ZeroDivisionError), owned(ANN) as outer:
        with owned(ANN) as inner:
            assert inner.delete("runs", "1 = 1") == 1
        assert outer.select("1", "runs") == []
        raise ZeroDivisionError
    with pytest.raises(ProgrammerError), owned(ANN), owned(BEN):
        pass
    for person in (ANN, BEN):
        with owned(person) as held:
            assert len(held.select("1", "runs")) == 1


def test_a_checkpointer_knows_one_run_only(both: str) -> None:
    with use_person(ANN):
        [run] = list_runs()
    with use_person(BEN):
        [other] = list_runs()
    saver = checkpoints(ANN, run.run_id)
    assert saver.get_tuple({"configurable": {"thread_id": run.run_id}}) is not None
    strange = {"configurable": {"thread_id": other.run_id, "checkpoint_ns": "", "checkpoint_id": "x"}}
    for reach in (
        lambda: saver.get_tuple(strange),
        lambda: list(saver.list(strange)),
        lambda: list(saver.list(None)),
        lambda: saver.put(strange, {}, {}, {}),
        lambda: saver.put_writes(strange, [], "task"),
        lambda: saver.delete_thread(other.run_id),
    ):
        with pytest.raises(OwnershipError):
            reach()


def test_a_name_is_found_whole_and_only_among_ones_own(both: str) -> None:
    with use_person(ANN):
        for start_of_it in (f"of-{ANN}"[:8], f"of-{BEN}", f"of-{BEN}"[:-1]):
            for reach in (show, forget):
                with pytest.raises(RequestError) as refused:
                    reach(start_of_it)
                assert BEN not in refused.value.suggestion
    with use_person(BEN):
        assert [run.thread_id for run in list_runs()] == [f"of-{BEN}"]


def test_no_statement_over_the_tables_is_written_outside_the_gate() -> None:
    named = "|".join((*TABLES, *CHECKPOINT_TABLES))
    statement = re.compile(rf"(SELECT .* FROM|INSERT INTO|UPDATE|DELETE FROM|JOIN|TABLE)\s+({named})\b", re.DOTALL)
    allowed = ("runs/schema.py", "runs/maintenance.py", "runs/migrations/")
    wrong = []
    for path in ROOT.rglob("*.py"):
        name, whole = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        if not re.search(r"SELECT |INSERT INTO|UPDATE|DELETE FROM|JOIN|TABLE", whole):
            continue
        for node in ast.walk(ast.parse(whole)):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if (
                not name.startswith(allowed)
                and statement.search(text)
                and re.search(r"\b(select|insert|update|delete)\b", text, re.I)
            ):
                wrong.append(f"{name}: {text}")
    assert wrong == []


def test_only_the_gate_opens_transactions_and_only_maintenance_sees_everybodys_rows() -> None:
    opening, everybodys, migrating = set(), set(), set()
    for path in ROOT.rglob("*.py"):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        if "signalbox.runs.database" in text or name == "runs/gate.py":
            opening |= {name} if re.search(r"\.transaction\(", text) else set()
        everybodys |= {name} if name.startswith("runs/") and "everybodys(" in text else set()
        migrating |= (
            {name}
            if name.startswith("runs/") and re.search(r"import (alembic|sqlalchemy)|from (alembic|sqlalchemy)", text)
            else set()
        )
    # The others ask for the queue's tables or the server itself: on PostgreSQL such a transaction sees no row of ours.
    assert opening == {"runs/gate.py", "runs/owners.py", "runs/checkpoints.py", "runs/queue.py", "runs/tables.py"}
    assert everybodys == {"runs/gate.py", "runs/maintenance.py"}
    assert {name.rpartition("/")[0] for name in migrating} == {"runs/migrations", "runs/migrations/versions"}


def test_on_postgresql_the_database_itself_shows_no_row_of_another(both: str) -> None:
    if both != "postgresql":
        pytest.skip("row-level security is PostgreSQL's")
    import psycopg

    with psycopg.connect(get_settings().database_url, autocommit=True) as connection:
        tables = (*TABLES, *CHECKPOINT_TABLES)
        for table in tables:
            assert connection.execute(f"SELECT 1 FROM {table}").fetchall() == []
            with connection.transaction():
                connection.execute("SELECT set_config('app.user_id', %s, true)", (ANN,))
                seen = {row[0] for row in connection.execute(f"SELECT user_id FROM {table}").fetchall()}
                assert seen <= {ANN}
                assert seen or table == "checkpoint_writes"
                assert connection.execute(f"DELETE FROM {table} WHERE user_id = %s", (BEN,)).rowcount == 0
                given_away = psycopg.errors.InsufficientPrivilege
                with pytest.raises(given_away), connection.transaction():
                    connection.execute(f"UPDATE {table} SET user_id = %s", (BEN,))
            assert connection.execute(f"SELECT 1 FROM {table}").fetchall() == []
        open_tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace "
            "AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY relname"
        ).fetchall()
        # The queue knows people and runs by their numbers, and nothing of what is said.
        others = [row[0] for row in open_tables if not row[0].startswith("procrastinate_")]
        assert others == ["alembic_version_runs", "checkpoint_migrations"]
