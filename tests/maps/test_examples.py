"""Example maps of every family, each run as it stands, with what it must end with in `examples/expected.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from signalbox.maps import check_map, read_map, read_map_text, write_map
from signalbox.runs import resume, start

EXAMPLES = Path(__file__).parent / "examples"
CASES: list[dict[str, Any]] = yaml.safe_load((EXAMPLES / "expected.yaml").read_text("utf-8"))
MAPS = sorted(path.name for path in EXAMPLES.glob("*.csv"))


def named(case: dict[str, Any]) -> str:
    return f"{case['map']} {case.get('answers') or case.get('state') or ''}"


@pytest.mark.parametrize("case", CASES, ids=named)
def test_an_example_ends_with_what_is_expected(case: dict[str, Any], tmp_path: Path) -> None:
    state = case.get("state", {})
    result = start(f"{EXAMPLES / case['map']}", state, data=tmp_path)
    for answer in case.get("answers", ()):
        assert result.status == "needs_input"
        result = resume(result.thread_id, answer)
    assert result.status == "completed", result.error
    assert {name: result.values.get(name) for name in case["values"]} == case["values"]
    for name, part in case.get("told", {}).items():
        assert part in result.values[name]
    assert {name: result.values[name] for name in state} == state
    if "ran" in case:
        assert [node.node_name for node in result.summary.node_executions] == case["ran"]
    assert len({node.node_name for node in result.summary.node_executions}) == len(result.summary.node_executions)


def test_every_example_has_an_expectation() -> None:
    assert {case["map"].partition("::")[0] for case in CASES} == set(MAPS)


@pytest.mark.parametrize("name", MAPS)
def test_an_example_has_no_error_and_only_the_untidy_one_has_warnings(name: str) -> None:
    _, findings = check_map(EXAMPLES / name)
    levels = {finding.level for finding in findings}
    assert "error" not in levels
    assert ("warning" in levels) == (name == "untidy.csv"), findings


@pytest.mark.parametrize("name", MAPS)
def test_an_example_comes_back_from_python_as_it_was(name: str) -> None:
    graphs = read_map(EXAMPLES / name).graphs
    assert read_map_text(write_map(graphs.values())).graphs == graphs
