"""The config file, and `signalbox config`, which says where each setting comes from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], str]:
    """What a test calls to write a config file; gives its path."""

    def write(text: str, mode: int = 0o600) -> str:
        path = tmp_path / "signalbox.toml"
        path.write_text(text, "utf-8")
        path.chmod(mode)
        return str(path)

    return write


def rows(outcome: Any) -> dict[str, tuple[str, str]]:
    return {row["setting"]: (row["value"], row["from"]) for row in outcome.json["settings"]}


def test_each_setting_is_shown_with_the_place_that_set_it(process: Cli, config: Any, tmp_path: Path) -> None:
    path = config('tz = "Europe/Berlin"\nmax_steps = 7\nmodel_timeout = 5.5\nallowed_hosts = ["a.example.org"]\n')
    (tmp_path / ".env").write_text("SIGNALBOX_MAX_STEPS=8\nSIGNALBOX_MODEL_TIMEOUT=9\n")
    done = process("config", "--json", SIGNALBOX_CONFIG=path, SIGNALBOX_MODEL_TIMEOUT="11")
    shown = rows(done)
    assert shown["SIGNALBOX_TZ"] == ("Europe/Berlin", path)
    assert shown["SIGNALBOX_MAX_STEPS"] == ("8", ".env")
    assert shown["SIGNALBOX_MODEL_TIMEOUT"] == ("11.0", "environment")
    assert shown["SIGNALBOX_ALLOWED_HOSTS"] == ("['a.example.org']", path)
    assert shown["SIGNALBOX_MODEL"] == ("offline", "")


def test_an_empty_variable_sets_nothing(process: Cli, config: Any) -> None:
    path = config('tz = "Europe/Berlin"\n')
    done = process(
        "config", "--json", SIGNALBOX_CONFIG=path, SIGNALBOX_TZ="", SIGNALBOX_NOW="", SIGNALBOX_RATE_LIMIT=""
    )
    assert rows(done)["SIGNALBOX_TZ"] == ("Europe/Berlin", path)
    assert rows(done)["SIGNALBOX_RATE_LIMIT"] == ("300", "")


def test_secrets_are_not_shown(process: Cli, config: Any) -> None:
    path = config(
        'database_url = "postgresql://me:hidden@db/x"\njwt_secret = "hidden-0123456789-0123456789-0123456789"\n'
        '[environment]\nGRAFANA_TOKEN = "hidden"\n'
    )
    for option in ([], ["--json"]):
        done = process("config", *option, SIGNALBOX_CONFIG=path)
        assert done.code == 0
        assert "hidden" not in done.out + done.err
        assert "GRAFANA_TOKEN" in done.out


def test_the_config_file_connects_a_live_system_and_the_environment_goes_before_it(process: Cli, config: Any) -> None:
    path = config('[environment]\nUPGRADE_URL = "http://127.0.0.1:9"\n')
    asked = process("ask", "which experiments are running?", "-a", "experiments", "--json", SIGNALBOX_CONFIG=path)
    assert asked.json["source"]["address"].startswith("http://127.0.0.1:9/")
    other = {"SIGNALBOX_CONFIG": path, "UPGRADE_URL": "http://127.0.0.1:19"}
    assert rows(process("config", "--json", **other))["UPGRADE_URL"] == ("http://127.0.0.1:19", "environment")


def test_a_dotenv_file_connects_a_live_system_before_the_config_file(process: Cli, config: Any, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("UPGRADE_URL=http://127.0.0.1:9\nSOME_PASSPHRASE=hidden\n")
    path = config('[environment]\nUPGRADE_URL = "http://127.0.0.1:19"\n')
    asked = process("ask", "which experiments are running?", "-a", "experiments", "--json", SIGNALBOX_CONFIG=path)
    assert asked.json["source"]["address"].startswith("http://127.0.0.1:9/")
    told = process("config", "--json", SIGNALBOX_CONFIG=path)
    assert rows(told)["UPGRADE_URL"] == ("set", ".env")
    assert "hidden" not in told.out


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("tz = ", "signalbox.toml"),
        ("time_zone = 'UTC'\n", "time_zone"),
        ("max_steps = 0\n", "SIGNALBOX_MAX_STEPS"),
        ("[environment]\nGRAFANA_URL = 5\n", "[environment]"),
        ("[environment]\nSIGNALBOX_TZ = 'UTC'\n", "SIGNALBOX_TZ"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_the_place(process: Cli, config: Any, text: str, place: str) -> None:
    done = process("config", SIGNALBOX_CONFIG=config(text))
    assert done.code == 1
    assert place in done.err


def test_a_file_with_a_key_that_others_can_read_is_refused(process: Cli, config: Any) -> None:
    text = '[environment]\nGRAFANA_TOKEN = "hidden"\n'
    done = process("config", SIGNALBOX_CONFIG=config(text, 0o644))
    assert (done.code, "chmod 600" in done.err) == (1, True)


def test_a_named_file_that_is_not_there_is_an_error(process: Cli, tmp_path: Path) -> None:
    done = process("config", SIGNALBOX_CONFIG=str(tmp_path / "nowhere.toml"))
    assert done.code == 1
    assert "nowhere.toml" in done.err
