"""The program as a whole: help, version, agents, doctor, and how light it starts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import signalbox as package

Cli = Callable[..., Any]
HEAVY = (
    "langgraph", "langchain_core", "fastapi", "grpc", "numpy", "httpx", "plotly", "pydantic", "yaml",
)  # fmt: skip


def test_the_version_is_printed(signalbox: Cli) -> None:
    assert signalbox("--version").out == f"signalbox {package.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["run", "--help"], ["maps", "--help"], ["maps", "check", "-h"]]
)
def test_help_ends_with_0(signalbox: Cli, arguments: list[str]) -> None:
    done = signalbox(*arguments)
    assert done.code == 0
    assert "Usage:" in done.out


def test_the_help_names_every_command(signalbox: Cli) -> None:
    shown = signalbox("--help").out
    for command in ("run", "resume", "maps", "agents", "doctor"):
        assert command in shown
    shown = signalbox("maps", "--help").out
    for command in ("check", "draw", "show", "list", "types", "scaffold"):
        assert command in shown


def test_an_unknown_command_ends_with_2(signalbox: Cli) -> None:
    assert signalbox("nonsense").code == 2


def test_agents_lists_what_can_be_asked(signalbox: Cli) -> None:
    listed = signalbox("agents", "--json").json
    assert {"frontdoor", "investigate", "metrics"} <= {one["name"] for one in listed}
    assert all(one["about"] and one["examples"] and one["error"] is None for one in listed)
    assert listed[0]["about"] in signalbox("agents").out


def test_maps_types_lists_every_type_and_those_beside_a_map(
    signalbox: Cli, write_file: Callable[..., Path], tmp_path: Path
) -> None:
    write_file("def mine():\n    return 1\n", "agents/mine.py")
    path = write_file("GraphName,Node\nG,A\n")
    assert "echo" in signalbox("maps", "types").out
    types = {row["type"]: row["origin"] for row in signalbox("maps", "types", "--json", "--map", path).json}
    assert types["echo"] == "built-in"
    assert types["mine"] == f"beside {tmp_path}"


def test_doctor_says_what_is_here(signalbox: Cli, own_home: Path) -> None:
    done = signalbox("doctor", "--json")
    assert (done.code, done.json["ok"]) == (0, True)
    checks = {check["name"]: check for check in done.json["checks"]}
    assert checks["home"]["told"] == str(own_home)
    assert checks["OPENAI_API_KEY"] == {"name": "OPENAI_API_KEY", "ok": False, "told": "not set", "needed": False}


def test_doctor_never_shows_a_key(signalbox: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    done = signalbox("doctor")
    assert "very-secret" not in done.out + done.err
    assert "OPENAI_API_KEY: set" in done.out


def test_doctor_ends_with_1_where_a_setting_is_wrong(signalbox: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "Mars/Olympus")
    done = signalbox("doctor")
    assert done.code == 1
    assert "SIGNALBOX_TZ" in done.out


def test_doctor_ends_with_1_where_the_home_cannot_be_written(
    signalbox: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path / "file" / "home"))
    done = signalbox("doctor")
    assert done.code == 1
    assert "SIGNALBOX_HOME" in done.out


def test_the_shell_completes_commands(process: Cli) -> None:
    done = process(_SIGNALBOX_COMPLETE="complete_bash", COMP_WORDS="signalbox maps sc", COMP_CWORD="2")
    assert done.out.split() == ["scaffold"]


def loaded(program: str, *arguments: str) -> set[str]:
    """Which heavy packages a program has imported when it ends."""
    watch = (
        "import atexit, json, sys\n"
        f"atexit.register(lambda: print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]), file=sys.stderr))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", watch + program, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=" ".join)
def test_help_and_version_import_nothing_heavy(arguments: list[str]) -> None:
    assert loaded("from signalbox.cli import main; main()", *arguments) == set()


def test_the_help_of_a_command_loads_none_of_what_the_command_needs() -> None:
    # typer itself loads pydantic where a command has parameters.
    assert loaded("from signalbox.cli import main; main()", "run", "--help") <= {"pydantic"}


def test_listing_the_agents_loads_none_of_what_they_need() -> None:
    # The settings are pydantic's.
    assert loaded("from signalbox.cli import main; main()", "agents") <= {"pydantic"}


def test_importing_the_package_or_the_contract_imports_nothing_heavy() -> None:
    assert loaded("import signalbox, signalbox.errors, signalbox.contract, signalbox.maps, signalbox.cli") == set()


def test_reading_and_checking_cells_does_not_load_langgraph() -> None:
    program = "from signalbox.maps import read_map_text; read_map_text('GraphName,Node\\nG,A\\n')"
    assert "langgraph" not in loaded(program)


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    rows = "".join(f"G,N{i},N{i + 1}\n" for i in range(3000))
    (tmp_path / "m.csv").write_text(f"GraphName,Node,Edge\n{rows}G,N3000,\n")
    program = f"{sys.executable} -c 'from signalbox.cli import main; main()' maps show m.csv --json | head -c 10"
    done = subprocess.run(["sh", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
