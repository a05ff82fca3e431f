"""Every setting comes from the environment, and a wrong one is named."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from signalbox.errors import ConfigurationError
from signalbox.settings import get_settings, home_file, now, person_zone


@pytest.fixture
def setting(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    def set_value(name: str, value: str) -> None:
        monkeypatch.setenv(name, value)

    return set_value


def test_the_defaults_need_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIGNALBOX_HOME")
    settings = get_settings()
    assert (settings.model, settings.tz, settings.success_policy, settings.strict) == (
        "offline",
        "UTC",
        "all_nodes",
        False,
    )
    assert settings.home.is_absolute()


def test_the_environment_sets_each_field(setting, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    setting("SIGNALBOX_HOME", str(tmp_path))
    setting("SIGNALBOX_MAX_STEPS", "7")
    setting("SIGNALBOX_CORS_ORIGINS", '["https://example.org"]')
    assert (get_settings().home, get_settings().max_steps) == (tmp_path, 7)
    assert get_settings().cors_origins == ["https://example.org"]


def test_a_dotenv_file_in_the_working_folder_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SIGNALBOX_TZ=Europe/Berlin\nSIGNALBOX_MAX_STEPS=5\nUNRELATED=1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIGNALBOX_MAX_STEPS", "7")
    monkeypatch.setattr("signalbox.settings._FILE", Path(".env"))
    assert (get_settings().tz, get_settings().max_steps) == ("Europe/Berlin", 7)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SIGNALBOX_TZ", "Mars/Olympus"),
        ("SIGNALBOX_TZ", "../../etc/passwd"),
        ("SIGNALBOX_MAX_STEPS", "0"),
        ("SIGNALBOX_MAX_STEPS", "many"),
        ("SIGNALBOX_NOW", "teatime"),
        ("SIGNALBOX_MODEL_TEMPERATURE", "9"),
        ("SIGNALBOX_STRICT", "perhaps"),
        ("SIGNALBOX_CORS_ORIGINS", "https://example.org"),
        ("SIGNALBOX_DATABASE_URL", "127.0.0.1:5432/signalbox"),
        ("SIGNALBOX_DATABASE_URL", "mysql://user:password@host/name"),
        ("SIGNALBOX_MODEL_PRICES", '{"small": {"input": "cheap"}}'),
    ],
)
def test_a_wrong_setting_is_named(setting, name: str, value: str) -> None:  # type: ignore[no-untyped-def]
    setting(name, value)
    with pytest.raises(ConfigurationError, match=name):
        get_settings()


def test_the_settings_are_read_anew_where_the_environment_has_changed_and_only_there(setting) -> None:  # type: ignore[no-untyped-def]
    first = get_settings()
    assert get_settings() is first
    setting("SIGNALBOX_MAX_STEPS", "7")
    assert get_settings().max_steps == 7


def test_the_clock_runs_unless_it_is_frozen() -> None:
    assert abs(now() - datetime.now(UTC)) < timedelta(hours=1)


def test_a_frozen_clock_stands_still(setting) -> None:  # type: ignore[no-untyped-def]
    setting("SIGNALBOX_NOW", "2024-02-29T12:00:00+02:00")
    assert now() == now() == datetime(2024, 2, 29, 10, tzinfo=UTC)


def test_a_frozen_clock_without_a_zone_is_in_the_persons_zone(setting) -> None:  # type: ignore[no-untyped-def]
    setting("SIGNALBOX_TZ", "Asia/Tokyo")
    setting("SIGNALBOX_NOW", "2024-02-29T12:00:00")
    assert now() == datetime(2024, 2, 29, 3, tzinfo=UTC)
    assert str(person_zone()) == "Asia/Tokyo"


# What is kept on disk


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_umask")
def test_nobody_else_can_read_what_is_kept(own_home: Path) -> None:
    from signalbox.maps import GraphSpec, NodeSpec, run_map
    from signalbox.runs.threads import add_turn

    add_turn("t", run_id="r", agent="metrics", said="secret", answer="", remembered=None)
    assert run_map(GraphSpec("G", (NodeSpec("Ask", "human", prompt="secret"),))).status == "needs_input"
    assert modes(own_home).pop(own_home.name) == 0o700
    kept = {name: mode for name, mode in modes(own_home).items() if name != own_home.name}
    assert kept
    assert set(kept.values()) == {0o600}


def test_a_database_in_use_has_private_files_beside_it(own_home: Path) -> None:
    own_home.mkdir(mode=0o755)
    (own_home / "x.db").touch(0o644)
    with closing(sqlite3.connect(home_file("x.db"))) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE t (x)")
        names = modes(own_home)
    assert {name: mode for name, mode in names.items() if name.startswith("x.db")} == dict.fromkeys(
        ("x.db", "x.db-wal", "x.db-shm"), 0o600
    )
    assert names[own_home.name] == 0o755, "a folder that was there keeps its mode"


def test_naming_a_database_again_leaves_its_locks(own_home: Path) -> None:
    with closing(sqlite3.connect(home_file("x.db"), isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        home_file("x.db")
        code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('CREATE TABLE t (x)')"
        other = subprocess.run([sys.executable, "-c", code, home_file("x.db")], capture_output=True, text=True)
        assert "database is locked" in other.stderr
