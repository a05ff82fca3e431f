"""What `BaseAgent.run` promises, whatever the agent does."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Any

import pytest

from signalbox.contract import BaseAgent, ExecutionTracker, current_tracker


class Upper(BaseAgent):
    def process(self, inputs: dict[str, Any]) -> Any:
        return inputs["text"].upper()


class Broken(BaseAgent):
    def process(self, inputs: dict[str, Any]) -> Any:
        raise RuntimeError("no luck")


class Waiting(BaseAgent):
    async def process(self, inputs: dict[str, Any]) -> Any:
        await asyncio.sleep(0)
        return inputs["text"] + "!"


def context(*inputs: str, output: str = "result", **more: Any) -> dict[str, Any]:
    return {"input_fields": list(inputs), "output_field": output, **more}


def given(value: Any, output: str = "result") -> BaseAgent:
    """An agent that gives the value."""

    class Given(BaseAgent):
        def process(self, inputs: dict[str, Any]) -> Any:
            return value

    return Given("Given", "", context(output=output))


# Construction


def test_an_agent_takes_its_fields_from_the_context() -> None:
    agent = BaseAgent("N", "Say {x}", {"input_fields": ["x"], "output_field": "y", "description": "D"})
    assert (agent.name, agent.prompt, agent.prompt_template) == ("N", "Say {x}", "Say {x}")
    assert (agent.input_fields, agent.output_field, agent.description) == (["x"], "y", "D")


def test_an_agent_without_a_context_has_the_contracts_defaults() -> None:
    agent = BaseAgent("N", "")
    assert (agent.context, agent.input_fields, agent.output_field, agent.description) == ({}, [], "output", "")


def test_process_must_be_implemented() -> None:
    with pytest.raises(NotImplementedError, match="must implement process"):
        BaseAgent("N", "").process({})


# The update


def test_run_gives_only_what_changes() -> None:
    state = {"text": "hi", "other": [1]}
    assert Upper("U", "", context("text")).run(state) == {"result": "HI", "last_action_success": True}
    assert state == {"text": "hi", "other": [1]}


def test_invoke_is_run() -> None:
    assert Upper("U", "", context("text")).invoke({"text": "hi"})["result"] == "HI"


def test_an_output_of_none_sets_no_field() -> None:
    assert given(None).run({"result": "old"}) == {"last_action_success": True}


def test_a_falsy_output_is_an_output() -> None:
    assert given(0).run({})["result"] == 0
    assert given("").run({})["result"] == ""


def test_success_resets_the_flag_of_an_earlier_failure() -> None:
    assert Upper("U", "", context("text")).run({"text": "a", "last_action_success": False})["last_action_success"]


def test_the_context_is_not_changed_by_a_run() -> None:
    given_context = context("text", note="mine")
    Upper("U", "", given_context).run({"text": "a"})
    assert given_context == context("text", note="mine")


def test_several_outputs_are_taken_from_the_mapping_by_name() -> None:
    agent = given({"a": 1, "b": 2}, output="a|b")
    assert agent.output_fields == ["a", "b"]
    assert agent.run({}) == {"a": 1, "b": 2, "last_action_success": True}


def test_an_undeclared_output_is_kept_with_a_warning() -> None:
    tracker = ExecutionTracker()
    agent = given({"a": 1, "b": 2, "noise": 3}, output="a|b")
    agent._execution_tracker = tracker
    assert agent.run({}) == {"a": 1, "b": 2, "noise": 3, "last_action_success": True}
    assert tracker.warnings == ["Given gave noise undeclared."]


@pytest.mark.parametrize("output", [{"a": 1}, {"a": 1, "b": 2, "noise": 3}, "only"])
def test_outputs_that_do_not_fit_may_be_an_error_or_ignored(output: Any) -> None:
    strict, easy = given(output, output="a|b"), given(output, output="a|b")
    strict.context["output_validation"], easy.context["output_validation"] = "error", "ignore"
    assert strict.run({})["last_action_success"] is False
    assert easy.run({}).keys() <= {"a", "b", "last_action_success"}


def test_a_declared_output_that_is_missing_is_a_warning() -> None:
    tracker = ExecutionTracker()
    agent = given({"a": 1}, output="a|b|c")
    agent._execution_tracker = tracker
    assert agent.run({}) == {"a": 1, "last_action_success": True}
    assert tracker.warnings == ["Given did not give the declared output b, c."]


def test_one_value_for_several_outputs_goes_to_the_first_with_a_warning() -> None:
    tracker = ExecutionTracker()
    agent = given("only", output="a|b")
    agent._execution_tracker = tracker
    assert agent.run({})["a"] == "only"
    assert "b" in tracker.warnings[0]


def test_state_updates_set_several_fields_and_the_flag() -> None:
    agent = given({"state_updates": {"x": 1, "last_action_success": False}})
    assert agent.run({}) == {"x": 1, "last_action_success": False}


# Failure


def test_a_failure_comes_back_as_an_update() -> None:
    assert Broken("B", "").run({"keep": 1}) == {
        "graph_success": False,
        "last_action_success": False,
        "errors": ["Error in B: no luck"],
    }


def test_a_failure_never_changes_the_given_state() -> None:
    state = {"errors": ["before"], "last_action_success": True}
    Broken("B", "").run(state)
    assert state == {"errors": ["before"], "last_action_success": True}


def test_post_process_runs_after_a_failure_and_sees_the_error() -> None:
    seen: list[Any] = []

    class Tidy(Broken):
        def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
            seen.append(output)
            return {**state, "tidied": True}, output

    update = Tidy("T", "").run({})
    assert seen[0]["errors"] == ["Error in T: no luck"]
    assert update["tidied"] is True
    assert update["last_action_success"] is False


def test_a_failure_in_post_process_after_a_failure_keeps_the_first_error() -> None:
    class Worse(Broken):
        def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
            raise ValueError("and this")

    update = Worse("W", "").run({})
    assert update["errors"] == ["Error in W: no luck"]
    assert update["last_action_success"] is False


def test_a_failure_in_a_hook_is_a_failure_of_the_node() -> None:
    class BadHook(Upper):
        def _pre_process(self, state: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
            raise KeyError("hook")

    assert BadHook("H", "", context("text")).run({"text": "a"})["last_action_success"] is False


# Hooks


def test_pre_process_may_replace_the_inputs() -> None:
    class Trim(Upper):
        def _pre_process(self, state: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
            return state, {"text": inputs["text"].strip()}

    assert Trim("T", "", context("text")).run({"text": " a "})["result"] == "A"


def test_post_process_may_replace_the_output_and_add_to_the_state() -> None:
    class Count(Upper):
        def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
            state["length"] = len(output)
            return state, output[::-1]

    state = {"text": "ab"}
    assert Count("C", "", context("text")).run(state) == {"result": "BA", "length": 2, "last_action_success": True}
    assert state == {"text": "ab"}


def test_post_process_may_give_state_updates() -> None:
    class Route(Upper):
        def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
            return state, {"state_updates": {"last_action_success": False, "why": output}}

    assert Route("R", "", context("text")).run({"text": "a"}) == {"last_action_success": False, "why": "A"}


# Async


def test_an_async_process_runs_where_no_loop_runs() -> None:
    assert Waiting("W", "", context("text")).run({"text": "a"})["result"] == "a!"


async def test_an_async_process_runs_from_run_inside_a_running_loop() -> None:
    assert Waiting("W", "", context("text")).run({"text": "a"})["result"] == "a!"


async def test_arun_awaits_an_async_process() -> None:
    assert await Waiting("W", "", context("text")).arun({"text": "a"}) == {"result": "a!", "last_action_success": True}


async def test_arun_takes_a_plain_process_too() -> None:
    assert (await Upper("U", "", context("text")).arun({"text": "a"}))["result"] == "A"


async def test_arun_gives_a_failure_as_an_update() -> None:
    assert (await Broken("B", "").arun({}))["errors"] == ["Error in B: no luck"]


async def test_a_failure_of_an_async_process_is_an_update_in_run_as_well() -> None:
    class Late(BaseAgent):
        async def process(self, inputs: dict[str, Any]) -> Any:
            raise RuntimeError("late")

    assert Late("L", "").run({})["errors"] == ["Error in L: late"]


# Logging


def test_an_injected_logger_is_used_with_the_agents_name(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("somebody.else")
    with caplog.at_level(logging.DEBUG, logger="somebody.else"):
        BaseAgent("N", "", logger=logger).log_warning("careful with %s", "this")
    assert [(r.name, r.levelname, r.getMessage()) for r in caplog.records] == [
        ("somebody.else", "WARNING", "[BaseAgent:N] careful with this")
    ]


def test_without_a_logger_the_packages_own_is_used(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="signalbox"):
        BaseAgent("N", "").log_info("hello")
    assert [(r.name, r.levelname, r.getMessage()) for r in caplog.records] == [
        ("signalbox", "INFO", "[BaseAgent:N] hello")
    ]


@pytest.mark.parametrize("level", ["trace", "debug", "info", "warning", "error"])
def test_each_level_has_a_method(level: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(1, logger="signalbox"):
        getattr(BaseAgent("N", ""), f"log_{level}")("x")
    assert caplog.messages == ["[BaseAgent:N] x"]


def test_a_logger_without_the_level_trace_still_takes_a_trace(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="plain"):
        BaseAgent("N", "", logger=logging.getLogger("plain")).log_trace("deep")
    assert caplog.messages == ["[BaseAgent:N] deep"]


def test_a_failure_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="signalbox"):
        Broken("B", "").run({})
    assert caplog.messages == ["[Broken:B] Error in B: no luck"]


# Tracking


def test_an_injected_tracker_records_the_run() -> None:
    tracker = ExecutionTracker()
    Upper("U", "", context("text"), execution_tracker=tracker).run({"text": "a"})
    (record,) = tracker.node_executions
    assert (record.node_name, record.inputs, record.success, record.output) == ("U", {"text": "a"}, True, "A")


def test_the_tracker_of_the_run_under_way_is_used() -> None:
    tracker = ExecutionTracker()
    token = current_tracker.set(tracker)
    try:
        Upper("U", "", context("text")).run({"text": "a"})
    finally:
        current_tracker.reset(token)
    assert [record.node_name for record in tracker.node_executions] == ["U"]


def test_an_injected_tracker_comes_before_that_of_the_run() -> None:
    own, ambient = ExecutionTracker(), ExecutionTracker()
    token = current_tracker.set(ambient)
    try:
        Broken("B", "", execution_tracker=own).run({})
    finally:
        current_tracker.reset(token)
    assert (len(own.node_executions), len(ambient.node_executions)) == (1, 0)


def test_in_strict_mode_a_missing_tracker_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_STRICT", "true")
    with pytest.raises(ValueError, match="ExecutionTracker not provided to agent 'U'"):
        Upper("U", "", context("text")).run({"text": "a"})


def test_in_strict_mode_an_injected_tracker_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_STRICT", "true")
    agent = Upper("U", "", context("text"), execution_tracker=ExecutionTracker())
    assert agent.run({"text": "a"})["result"] == "A"


# Binding


def test_expected_params_bind_inputs_by_position() -> None:
    class Named(BaseAgent):
        expected_params = ("first", "second")

        def process(self, inputs: dict[str, Any]) -> Any:
            return inputs

    assert Named("N", "", context("x", "y", "z")).run({"x": 1, "y": 2, "z": 3})["result"] == {
        "first": 1,
        "second": 2,
        "z": 3,
    }


def test_a_state_key_may_be_handed_over_under_another_name() -> None:
    assert Upper("U", "", context("title:text")).run({"title": "a"})["result"] == "A"


class Lines(logging.Handler):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(level=0)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())


@pytest.mark.parametrize(("kind", "end"), [(Upper, "COMPLETED"), (Broken, "FAILED")])
async def test_an_injected_logger_gets_the_start_and_the_end_with_its_duration(kind: Any, end: str) -> None:
    logger, lines = logging.Logger("injected", 0), Lines()
    logger.addHandler(lines)
    agent = kind("N", "", context("text"), logger)
    agent.run({"text": "a"})
    await agent.arun({"text": "a"})
    for started, ended in ((lines.told[0], lines.told[2]), (lines.told[3], lines.told[5])):
        assert re.search(r"\*\*\* AGENT N RUN START \[\w{8}\] at \d+\.\d+ \*\*\*$", started)
        assert re.search(rf"\*\*\* AGENT N RUN {end} \[\w{{8}}\] in \d+\.\d{{4}}s \*\*\*$", ended)
