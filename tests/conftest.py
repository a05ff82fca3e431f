"""What every test gets: a home of its own, an environment without settings or keys, and a way to write maps."""

from __future__ import annotations

import itertools
import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.settings import Settings

REQUIRE_ALL = "SIGNALBOX_REQUIRE_ALL"
_FOREIGN_PREFIXES = (
    "SIGNALBOX_",
    "OPENAI_",
    "ANTHROPIC_",
    "GOOGLE_",
    "GEMINI_",
    "OLLAMA_",
    "LANGSMITH_",
    "LANGCHAIN_",
    "GRAFANA_",
    "PROMETHEUS_",
)
_numbers = itertools.count()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def own_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `SIGNALBOX_HOME` of the test's own, and no setting or key from outside."""
    for name in list(os.environ):
        if name.startswith(_FOREIGN_PREFIXES) and name != REQUIRE_ALL:
            monkeypatch.delenv(name)
    home = homes / str(next(_numbers))
    monkeypatch.setenv("SIGNALBOX_HOME", str(home))
    monkeypatch.setitem(Settings.model_config, "env_file", None)
    return home


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What a test calls to say what time it is, by `SIGNALBOX_NOW`."""

    def set_now(moment: str) -> None:
        monkeypatch.setenv("SIGNALBOX_NOW", moment)

    return set_now


@pytest.fixture
def require_part() -> Callable[[str, bool], None]:
    """What a test calls to say that it needs a part of the system which may be missing.

    Without it the test skips with the reason; where every part is required, it fails.
    """

    def require(reason: str, present: bool) -> None:
        if present:
            return
        if os.environ.get(REQUIRE_ALL) == "1":
            pytest.fail(reason)
        pytest.skip(reason)

    return require


@pytest.fixture
def write_file(tmp_path: Path) -> Callable[..., Path]:
    """What a test calls to write a file, by default the map `map.csv`, into its own folder."""

    def write(text: str, name: str = "map.csv") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")
        return path

    return write


@pytest.fixture
def run_text(write_file: Callable[..., Path]) -> Callable[..., Any]:
    """What a test calls to run a map given as text."""
    from signalbox.maps import run_map

    def run(text: str, state: dict[str, Any] | None = None, **options: Any) -> Any:
        return run_map(write_file(text), state, **options)

    return run
