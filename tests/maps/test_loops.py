"""Graphs that go round, and the limit that ends them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from signalbox.maps import (
    MapResult,
)

Run = Callable[..., MapResult]
Write = Callable[..., Path]


def ran(result: MapResult) -> list[str]:
    return [node.node_name for node in result.summary.node_executions]


LOOP = """
    GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next
    G,Count,count,n,n,Done,Count
    G,Done,echo,n,,,
"""
COUNT = """
from signalbox.contract import BaseAgent

class CountAgent(BaseAgent):
    def process(self, inputs):
        n = (inputs["n"] or 0) + 1
        return {"state_updates": {"n": n, "last_action_success": n >= 4}}
"""


def test_a_loop_runs_until_it_succeeds(run_text: Run, write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    result = run_text(LOOP)
    assert ran(result) == ["Count"] * 4 + ["Done"]
    assert result.output == 4


def test_the_step_limit_is_a_clear_error_that_names_the_node(run_text: Run, write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    result = run_text(LOOP, max_steps=3)
    assert result.status == "error"
    assert result.error is not None
    assert result.error["error_type"] == "step_limit"
    assert "3 steps" in result.error["message"]
    assert "'Count'" in result.error["message"]
    assert ran(result) == ["Count"] * 3


def test_a_run_that_ends_at_its_limit_is_no_error(run_text: Run, write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    assert run_text(LOOP, max_steps=5).status == "completed"


def test_the_first_row_may_set_the_limit(run_text: Run, write_file: Write) -> None:
    write_file(COUNT, "agents/count.py")
    text = LOOP.replace("Failure_Next\n", "Failure_Next,Context\n").replace("Done,Count\n", "Done,Count,max_steps:2\n")
    error = run_text(text).error
    assert error is not None
    assert error["error_type"] == "step_limit"


def test_a_chain_longer_than_langgraphs_own_limit_runs(run_text: Run) -> None:
    rows = [f"G,N{i},echo,N{i + 1}" for i in range(120)]
    result = run_text("GraphName,Node,AgentType,Edge\n" + "\n".join(rows) + "\nG,N120,echo,\n")
    assert (len(ran(result)), result.status) == (121, "completed")
