"""Every setting comes from the environment, and a wrong one is named."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from signalbox.errors import ConfigurationError
from signalbox.settings import Settings, get_settings, now, person_zone


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
    assert (get_settings().home, get_settings().max_steps) == (tmp_path, 7)


def test_a_dotenv_file_in_the_working_folder_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SIGNALBOX_TZ=Europe/Berlin\nUNRELATED=1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(Settings.model_config, "env_file", ".env")
    assert get_settings().tz == "Europe/Berlin"


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
