"""When a run counts as a success."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from signalbox.errors import ConfigurationError
from signalbox.maps import MapResult
from signalbox.maps.policies import find_policy

Run = Callable[..., MapResult]
HANDLED = """
    GraphName,Node,AgentType,Edge,Failure_Next,Context
    G,A,echo,B,,"{context}"
    G,B,fail,,C,
    G,C,echo,,,
"""


@pytest.fixture(autouse=True)
def fail_agent(write_file: Callable[..., Path]) -> None:
    write_file("def fail():\n    raise RuntimeError('no luck')\n", "agents/fail.py")


@pytest.mark.parametrize(
    ("policy", "success"),
    [("all_nodes", False), ("final_node", True), ("critical_nodes", False)],
)
def test_each_policy_judges_the_same_run(run_text: Run, policy: str, success: bool) -> None:
    result = run_text(HANDLED.format(context=""), policy=policy)
    assert result.summary.graph_success is success
    assert result.state["graph_success"] is success
    assert result.state["__policy_success"] is success
    assert result.status == ("completed" if success else "error")


def test_without_a_chosen_policy_a_handled_failure_completes_and_says_that_a_node_failed(run_text: Run) -> None:
    result = run_text(HANDLED.format(context=""))
    assert (result.status, result.summary.graph_success) == ("completed", False)


@pytest.mark.parametrize(("critical", "success"), [("A|C", True), ("B", False), ("A", True)])
def test_critical_nodes_are_named_in_the_first_row(run_text: Run, critical: str, success: bool) -> None:
    result = run_text(HANDLED.format(context=f"success_policy:critical_nodes, critical_nodes:{critical}"))
    assert result.summary.graph_success is success


def test_a_critical_node_that_never_ran_is_no_success(run_text: Run) -> None:
    text = (
        "GraphName,Node,AgentType,Success_Next,Failure_Next,Context\n"
        'G,A,echo,B,C,"success_policy:critical_nodes, critical_nodes:C"\nG,B,echo,,,\nG,C,echo,,,\n'
    )
    result = run_text(text)
    assert (result.status, result.summary.graph_success) == ("error", False)


def test_the_first_row_may_name_the_policy(run_text: Run) -> None:
    assert run_text(HANDLED.format(context="success_policy:final_node")).state["graph_success"] is True


def test_the_caller_comes_before_the_first_row(run_text: Run) -> None:
    result = run_text(HANDLED.format(context="success_policy:final_node"), policy="all_nodes")
    assert result.status == "error"
    assert result.error is not None


def test_the_setting_is_the_default(run_text: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_SUCCESS_POLICY", "final_node")
    assert run_text(HANDLED.format(context="")).state["graph_success"] is True


def test_a_function_beside_the_map_may_be_the_policy(run_text: Run, write_file: Callable[..., Path]) -> None:
    write_file("def at_most_one(summary):\n    return sum(n.success is False for n in summary.node_executions) <= 1\n",
               "rules.py")  # fmt: skip
    result = run_text(HANDLED.format(context=""), policy="rules:at_most_one")
    assert (result.status, result.summary.graph_success) == ("completed", True)


def test_a_policy_that_says_no_is_an_error_that_names_it(run_text: Run, write_file: Callable[..., Path]) -> None:
    write_file("def never(summary):\n    return False\n", "rules.py")
    result = run_text("GraphName,Node\nG,A\n", policy="rules:never")
    assert result.error is not None
    assert result.error["error_type"] == "policy"
    assert "rules:never" in result.error["message"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("final_nod", "no success policy 'final_nod'"), ("nowhere:f", "nowhere"), ("json:f", "no 'f'")],
)
def test_a_policy_that_is_not_there_is_named(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        find_policy(name, tmp_path)


def test_a_misspelt_policy_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        find_policy("final_nod", tmp_path)
    assert "'final_node'" in caught.value.suggestion


def test_a_node_that_failed_and_then_succeeded_is_a_success_for_the_critical_policy(
    run_text: Run, write_file: Callable[..., Path]
) -> None:
    write_file(
        """
        from signalbox.contract import BaseAgent

        class RetryAgent(BaseAgent):
            def process(self, inputs):
                n = (inputs["n"] or 0) + 1
                return {"state_updates": {"n": n, "last_action_success": n >= 2}}
        """,
        "agents/retry.py",
    )
    text = (
        "GraphName,Node,AgentType,Input_Fields,Success_Next,Failure_Next,Context\n"
        'G,A,retry,n,B,A,"success_policy:critical_nodes, critical_nodes:A"\nG,B,echo,,,,\n'
    )
    assert run_text(text).status == "completed"
