"""What `signalbox maps scaffold` writes for a map whose agents do not exist yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from signalbox.errors import MapError, PathEscapeError
from signalbox.maps.local_code import find_agent, find_function
from signalbox.maps.read import read_map_text
from signalbox.maps.registry import find_type
from signalbox.maps.run import run_map
from signalbox.maps.scaffold import plan_scaffold, scaffold, starter_map
from signalbox.maps.spec import GraphSpec, NodeSpec

WEATHER = GraphSpec(
    "Weather",
    (
        NodeSpec(
            "Look",
            "ApiClient",
            prompt='Ask for {city}: "now"\\n, """please"""',
            description="Looks the weather up.",
            inputs=("city", "token:key"),
            outputs=("forecast", "warning"),
            edge=("func:choose_way",),
            success_next=("Tell",),
            failure_next=("Sorry",),
        ),
        NodeSpec("Tell", "my-agent type", inputs=("forecast",), outputs=("text",)),
        NodeSpec("Sorry", "3D Excuse", prompt="長い" * 60),
        NodeSpec("Log", "logger", inputs=("text",), outputs=("kept",)),
        NodeSpec("LogBoth", "LoggerAgent", outputs=("kept", "sent")),
    ),
)
UNKNOWN = ["ApiClient", "my-agent type", "3D Excuse", "logger", "LoggerAgent", "func:choose_way"]


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, check=False)


def test_each_unknown_type_and_function_gets_a_file_and_a_test(tmp_path: Path) -> None:
    written = scaffold(WEATHER, UNKNOWN, tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "agents/api_client.py",
        "tests/test_api_client.py",
        "agents/my_agent_type.py",
        "tests/test_my_agent_type.py",
        "agents/3d_excuse.py",
        "tests/test_3d_excuse.py",
        "agents/logger.py",
        "tests/test_logger.py",
        "functions/choose_way.py",
        "tests/test_route_choose_way.py",
    ]


def test_what_is_written_is_found_by_the_names_in_the_map(tmp_path: Path) -> None:
    scaffold(WEATHER, UNKNOWN, tmp_path)
    found = [find_agent(node.agent_type, tmp_path) for node in WEATHER]
    assert [definition and definition.name for definition in found] == [
        "ApiClientAgent",
        "MyAgentTypeAgent",
        "Type3DExcuseAgent",
        "LoggerAgent",
        "LoggerAgent",
    ]
    assert find_function("choose_way", tmp_path) is not None


def test_the_map_runs_at_once(tmp_path: Path) -> None:
    scaffold(WEATHER, UNKNOWN, tmp_path)
    spec = GraphSpec(WEATHER.name, WEATHER.nodes, source=tmp_path / "map.csv")
    state = run_map(spec, {"city": "Rome", "token": "t"}).state
    assert state["forecast"] == "Look is a sketch; it was given {'city': 'Rome', 'key': 't'}."
    assert state["warning"]
    assert "Tell is a sketch" in state["text"]


@pytest.mark.bench
def test_the_generated_tests_pass_from_any_folder(tmp_path: Path) -> None:
    scaffold(WEATHER, UNKNOWN, tmp_path / "project")
    result = run("pytest", "-q", "-p", "no:cacheprovider", "project/tests", cwd=tmp_path)
    assert "5 passed" in result.stdout, result.stdout


@pytest.mark.bench
def test_the_generated_code_passes_ruff_and_mypy(tmp_path: Path) -> None:
    written = [str(path) for path in scaffold(WEATHER, UNKNOWN, tmp_path)]
    config = str(Path(__file__).parents[2] / "pyproject.toml")
    linted = run("ruff", "check", "--no-cache", "--config", config, *written, cwd=tmp_path)
    assert linted.returncode == 0, linted.stdout
    typed = run("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *written, cwd=tmp_path)
    assert typed.returncode == 0, typed.stdout


def test_a_docstring_says_what_the_row_says(tmp_path: Path) -> None:
    scaffold(WEATHER, UNKNOWN, tmp_path)
    code = (tmp_path / "agents" / "api_client.py").read_text("utf-8")
    assert "Looks the weather up." in code
    assert "Prompt: Ask for {city}: 'now'" in code


def test_a_file_that_exists_is_kept(tmp_path: Path) -> None:
    mine = tmp_path / "agents" / "api_client.py"
    mine.parent.mkdir()
    mine.write_text("# mine\n")
    written = scaffold(WEATHER, ["ApiClient"], tmp_path)
    assert mine.read_text() == "# mine\n"
    assert written == [tmp_path / "tests" / "test_api_client.py"]
    assert mine in [sketch.path for sketch in plan_scaffold(WEATHER, ["ApiClient"], tmp_path)]


def test_a_file_that_exists_is_replaced_when_asked(tmp_path: Path) -> None:
    mine = tmp_path / "agents" / "api_client.py"
    mine.parent.mkdir()
    mine.write_text("# mine\n")
    assert mine in scaffold(WEATHER, ["ApiClient"], tmp_path, overwrite=True)
    assert "class ApiClientAgent" in mine.read_text()


@pytest.mark.parametrize("name", ["../evil", "a/b", "a\\b", "..", "func:../evil"])
def test_a_name_that_is_a_path_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(PathEscapeError):
        scaffold(WEATHER, ["ApiClient", name], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_link_to_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "agents").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PathEscapeError):
        scaffold(WEATHER, ["ApiClient"], tmp_path / "project")


@pytest.mark.parametrize("name", ["", "???", "x" * 300, "module:attribute", "func:two words", "func:class"])
def test_a_name_that_no_code_can_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(MapError):
        scaffold(WEATHER, [name], tmp_path)


def test_the_starter_map_has_five_rows_of_built_in_types(tmp_path: Path) -> None:
    (spec,) = read_map_text(starter_map()).graphs.values()
    assert len(spec) == 5
    assert all(find_type(node.agent_type, tmp_path).is_builtin for node in spec)


@pytest.mark.parametrize(
    ("name", "greeting"), [("Ada", "Hello Ada, good to see you."), ("", "Hello, whoever you are.")]
)
def test_the_starter_map_runs_on_both_branches(name: str, greeting: str) -> None:
    (spec,) = read_map_text(starter_map()).graphs.values()
    result = run_map(spec, {"name": name})
    assert result.status == "completed"
    assert result.state["greeting"] == greeting
    assert greeting in result.state["report"]
