"""A database that an older version wrote: brought up to date once, with an owner for every row, and nothing lost.

`upgrade/` holds what the version before owners had written: Ann's threads with a run that completed, runs that wait,
one whose process was killed, one that broke off, one that was handed on, and one whose record is corrupt; Bob's with a
run that names Ann's in its metadata.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import ConfigurationError, DatabaseError
from signalbox.runs import list_runs, resume, show
from signalbox.runs.background import InProcess
from signalbox.runs.database import database
from signalbox.runs.events import follow, list_events
from signalbox.runs.history import list_states
from signalbox.runs.outdated import OutdatedRunError
from signalbox.runs.records import get_run
from signalbox.runs.threads import list_threads, list_turns
from signalbox.toolbox.person import use_person

FOLDER = Path(__file__).parent / "upgrade"
ANN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a01"
BOB = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a02"
COMPLETED, WAITS, KILLED, BROKE_OFF, CORRUPT, DOOR, HANDED, BOBS, FORGED, NIGHTLY = (f"{n:032x}" for n in range(1, 11))
OPEN = {WAITS, KILLED, BROKE_OFF, HANDED, NIGHTLY, FORGED}
THREAD = "a1a1a1a1-0000-4000-8000-00000000000"
MAP = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context\n"
    "Review,Ask,human,text,ok,Good,Bad,Publish {text}?,interaction_type:approval\n"
    "Review,Good,echo,text,answer,,,Published: {text},\nReview,Bad,echo,text,answer,,,Sent back: {text},\n"
)

SHAPE = (
    "SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity "
    "FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE 'alembic%'",
    "SELECT tablename, policyname, qual FROM pg_policies WHERE schemaname = 'public'",
    "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity",
)


def write_old(home: Path) -> None:
    """A file as the version before owners left it."""
    home.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(home / "signalbox.db")) as connection:
        connection.executescript((FOLDER / "before_owners.sqlite.sql").read_text("utf-8"))


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request: pytest.FixtureRequest, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database of the version before owners that nothing has opened yet."""
    if request.param == "sqlite":
        write_old(own_home)
    else:
        cluster = request.getfixturevalue("postgres")
        address = cluster.database()
        cluster.load(FOLDER / "before_owners.postgresql.sql", address)
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", address)
    return str(request.param)


@pytest.fixture
def upgraded(old: str, write_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same, to be opened by the test."""
    monkeypatch.setenv("SIGNALBOX_MAPS", str(write_file(MAP)))
    yield old
    database().close()


def test_every_row_gets_its_owner_and_each_sees_their_own(upgraded: str) -> None:
    with use_person(ANN):
        assert {run.run_id for run in list_runs()} == (OPEN - {FORGED}) | {COMPLETED, CORRUPT, DOOR}
        assert [turn.answer for turn in list_turns(f"{THREAD}1")] == ["Publish Hi?", "Published: Hi"]
        assert {thread.thread_id for thread in list_threads()} == {f"{THREAD}{n}" for n in (1, 2, 4, 5, 6, 7)} | {
            "nightly"
        }
        assert get_run(BOBS) is None
    with use_person(BOB):
        assert {run.run_id for run in list_runs()} == {BOBS, FORGED}
        assert (get_run(COMPLETED), list_turns(f"{THREAD}1"), list_events(COMPLETED)) == (None, [], [])


def test_a_run_that_had_ended_is_as_it_was(upgraded: str) -> None:
    with use_person(ANN):
        run = show(f"{THREAD}1")
        assert (run.status, run.result["answer"]["answer"], run.metadata) == (
            "completed",
            "Published: Hi",
            {"note": "kept"},
        )
        assert run.stream_modes == ["updates"]
        assert [event.kind for event in list_events(COMPLETED)].count("answer") == 2 + 1  # the last is Bob's, of before
        assert list_states(f"{THREAD}1")[0]["values"]["answer"] == "Published: Hi"
    with use_person(BOB):
        assert get_run(BOBS).result["answer"]["answer"] == "Sent back: Mine"  # type: ignore[union-attr]


async def test_what_waited_or_was_under_way_is_closed_and_says_so(upgraded: str) -> None:
    for run_id in OPEN:
        with use_person(BOB if run_id == FORGED else ANN):
            run: Any = get_run(run_id)
            assert (run.standing, run.questions, run.owner) == ("error", [], "")
            assert run.result["error"]["error_type"] == "outdated_run"
            assert "older version" in run.result["answer"]["answer"]
            with pytest.raises(OutdatedRunError, match="older version"):
                resume(run.thread_id, "approve")
    with use_person(ANN):
        assert [event.kind async for event in follow(WAITS)][-2:] == ["error", "answer"]
        assert [event.kind async for event in follow(DOOR)][-2:] == ["error", "answer"]
    assert await InProcess().recover() == []


def test_what_the_service_noted_is_apart_from_what_a_client_wrote(upgraded: str) -> None:
    with use_person(ANN):
        handed: Any = get_run(HANDED)
        assert (handed.for_run, handed.route, handed.metadata) == (DOOR, {"to": "Review", "confidence": 0.9}, {})
    with use_person(BOB):
        forged: Any = get_run(FORGED)
        assert (forged.for_run, forged.channel, forged.route) == ("", FORGED, None)
        assert forged.metadata == {"for_run": COMPLETED, "route": {"to": "x"}, "note": "b"}


def test_a_corrupt_row_breaks_only_itself(upgraded: str) -> None:
    with use_person(ANN):
        assert show(f"{THREAD}7").standing == "unreadable"
        assert next(one for one in list_threads() if one.thread_id == f"{THREAD}5").metadata == {}


def test_a_new_run_starts_where_an_old_one_was_closed(upgraded: str, tmp_path: Path) -> None:
    from signalbox.runs import start

    with use_person(ANN):
        assert start(tmp_path / "map.csv", {"text": "Again"}, thread_id="nightly").status == "needs_input"
        assert resume("nightly", "approve").output == "Published: Again"


def test_the_tables_are_those_of_a_new_database(own_home: Path, tmp_path: Path) -> None:
    write_old(own_home)
    database().close()
    from signalbox.runs.schema import sqlite_statements

    with closing(sqlite3.connect(":memory:")) as new, closing(sqlite3.connect(own_home / "signalbox.db")) as old:
        for statement in sqlite_statements():
            new.execute(statement)
        tables = [row[0] for row in new.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert {table: _shape(old, table) for table in tables} == {table: _shape(new, table) for table in tables}


def _shape(connection: sqlite3.Connection, table: str) -> Any:
    columns = {row[1]: row[2:] for row in connection.execute(f"PRAGMA table_info({table})")}
    indexes = {
        (row[1], row[2], row[4], *(one[2] for one in connection.execute(f"PRAGMA index_info({row[1]})")))
        for row in connection.execute(f"PRAGMA index_list({table})")
        if not row[1].startswith("sqlite_")
    }
    return columns, indexes


def test_on_postgresql_the_tables_are_those_of_a_new_database(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    shapes = []
    for dump in (None, FOLDER / "before_owners.postgresql.sql"):
        address = postgres.database()
        if dump is not None:
            postgres.load(dump, address)
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", address)
        database().close()
        with psycopg.connect(address) as connection:
            shapes.append([sorted(connection.execute(query).fetchall()) for query in SHAPE])
    assert shapes[0] == shapes[1]


def start_at_once() -> list[str]:
    """What three processes say that open the database at the same time."""
    code = "from signalbox.runs.database import database; database()"
    started = [subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) for _ in range(3)]
    told = sorted(one.communicate(timeout=120)[1] for one in started)
    assert [one.returncode for one in started] == [0, 0, 0], told
    return told


@pytest.mark.bench
def test_processes_that_start_at_once_migrate_once(old: str) -> None:
    closed = "7 runs that an older version had left waiting or active were closed.\n"
    assert start_at_once() == ["", "", closed]
    with use_person(ANN):
        assert len(list_events(WAITS)) == 5 + 2
    database().close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_processes_that_start_at_once_make_the_tables_once(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "postgresql":
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())
    assert start_at_once() == ["", "", ""]


def test_a_current_database_is_opened_without_the_tools_that_migrate(own_home: Path) -> None:
    database().close()
    code = "import sys; from signalbox.runs.database import database; database(); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "'alembic'" not in done.stdout
    assert "'sqlalchemy'" not in done.stdout


def test_a_migration_that_fails_leaves_the_file_as_it_was(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_old(own_home)
    monkeypatch.setattr("signalbox.contract.answer.Answer.of_error", lambda *_, **__: 1 / 0)
    with pytest.raises(DatabaseError):
        database()
    monkeypatch.undo()
    with closing(sqlite3.connect(own_home / "signalbox.db")) as connection:
        assert {row[0] for row in connection.execute("SELECT status FROM runs")} > {"waiting", "running"}
        assert "person" in {row[1] for row in connection.execute("PRAGMA table_info(threads)")}


def test_a_newer_database_is_refused(own_home: Path) -> None:
    database().close()
    with closing(sqlite3.connect(own_home / "signalbox.db")) as connection, connection:
        connection.execute("UPDATE alembic_version_runs SET version_num = '9999'")
    from signalbox.runs import database as module

    module._open.clear()
    with pytest.raises(ConfigurationError, match="newer"):
        database()


def test_the_old_records_are_those_of_the_version_before_owners() -> None:
    """The files themselves: that a test is not green because they hold nothing."""
    text = (FOLDER / "before_owners.sqlite.sql").read_text("utf-8")
    assert "user_id" not in text
    assert json.dumps({"for_run": COMPLETED})[1:-1] in text


async def test_a_run_of_an_older_form_is_closed_when_somebody_takes_it_up(
    own_home: Path, write_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from signalbox.runs.engine import engine
    from signalbox.runs.served import find_served

    monkeypatch.setenv("SIGNALBOX_MAPS", str(write_file(MAP)))
    for thread in ("waits", "left"):
        await engine().wait(await engine().submit(find_served("Review"), "Hi", thread_id=thread))
    with closing(sqlite3.connect(own_home / "signalbox.db")) as connection, connection:
        connection.execute("UPDATE runs SET record = replace(record, '\"format\": 2', '\"format\": 1')")
        connection.execute("UPDATE runs SET status = 'running', owner = '1-gone' WHERE thread_id = 'left'")
    with pytest.raises(OutdatedRunError):
        resume("waits", "approve")
    assert await InProcess().recover() == []
    assert [(run.standing, run.result["error"]["error_type"]) for run in list_runs()] == [("error", "outdated_run")] * 2
