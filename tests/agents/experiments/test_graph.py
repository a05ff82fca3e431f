"""The graph of the contract, by the contract's own examples, with the offline model and the server of the test."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from signalbox.agents.experiments import AGENT, AgentState, NodeStatus, create_upgrade_agent_graph, terminology_node
from signalbox.agents.experiments.dry_run import dry_run
from signalbox.agents.experiments.evaluation import JUDGE
from signalbox.agents.experiments.glossary import all_concepts
from signalbox.runs import ask


def test_a_node_is_a_function_over_any_part_of_the_state() -> None:
    state = AgentState(user_input="What is app context?", detected_capability="terminology")
    result = terminology_node(state)
    assert "App Context" in result["bot_response"]
    assert result["node_status"] == NodeStatus.SUCCESS


def test_the_graph_needs_no_more_than_a_request(upgrade: Any) -> None:
    result = create_upgrade_agent_graph().invoke({"user_input": "List all experiments in assign-prog context"})
    assert result["detected_capability"] == "list_experiments"
    assert "experiments" in result["bot_response"].lower()
    assert len(result["shown"]) == 4


async def test_the_graph_runs_in_an_event_loop(upgrade: Any) -> None:
    result = await create_upgrade_agent_graph().ainvoke({"user_input": "Is UpGrade running?"})
    assert result["detected_capability"] == "version_check"
    assert "6.5" in result["bot_response"]


def test_a_question_is_an_interrupt_and_the_reply_resumes_it(upgrade: Any) -> None:
    app = create_upgrade_agent_graph(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "one"}}
    waiting = app.invoke({"user_input": "delete Night Reader"}, config)
    (question,) = waiting["__interrupt__"]
    assert question.value["kind"] == "confirm"
    assert "90 users" in waiting["bot_response"]
    (shown,) = question.value["blocks"]
    gone = {row["name"]: row["before"] for row in shown["rows"] if row["after"] is None}
    assert gone["enrolled users"] == "90"
    assert "%" in gone["conditions"]
    done = app.invoke(Command(resume="no"), config)
    assert done["bot_response"] == "Nothing was changed."
    assert upgrade.named("Night Reader")


async def test_a_dry_run_asks_no_server(upgrade: Any) -> None:
    planned = await dry_run(AGENT.start("delete Night Reader", None))
    assert planned.state is not None
    assert planned.state["plan"]["node"] == "experiment_management_node"
    assert "before you have said yes" in planned.text
    assert upgrade.calls == []


def test_a_dry_run_is_an_option_of_ask(upgrade: Any) -> None:
    answer = ask("experiments", "is upgrade running?", dry_run=True)
    assert (answer.status, upgrade.calls) == ("completed", [])


def test_every_concept_is_whole() -> None:
    names = {one["name"] for one in all_concepts()}
    assert len(names) >= 40
    for one in all_concepts():
        assert one["definition"]
        assert one["example"]
        assert set(one.get("related") or ()) | set(one.get("with") or ()) <= names


@pytest.mark.parametrize(
    ("got", "right"),
    [
        ({"experiment_name": "hint timing", "status": "running"}, True),
        ({"experiment_name": "Hint Timing", "status": "inactive"}, False),
        ({"experiment_name": "Hint Timing", "status": "enrolling", "user_id": "7"}, False),
        ({"status": "enrolling"}, False),
    ],
)
def test_the_judge_compares_as_the_conventions_say(got: dict[str, Any], right: bool) -> None:
    wanted = {"capability": "list_experiments", "params": {"experiment_name": "Hint Timing", "status": "enrolling"}}
    JUDGE.check(wanted)
    assert JUDGE.is_right({"capability": "list_experiments", "params": got}, wanted) is right


def test_the_judge_counts_a_write_that_was_not_asked_for_as_wrong() -> None:
    wanted = {"capability": "experiment_details"}
    assert not JUDGE.is_right({"capability": "experiment_details", "writes": ["update_experiment"]}, wanted)


def test_the_judge_refuses_what_no_answer_can_be() -> None:
    with pytest.raises(ValueError, match="capability"):
        JUDGE.check({"capability": "cooking"})
    with pytest.raises(ValueError, match="colour"):
        JUDGE.check({"capability": "testing", "params": {"colour": "red"}})


@pytest.mark.parametrize(
    ("request_", "instead"),
    [
        ("Delete the feature flag hint-beta", "weights you change"),
        pytest.param(
            "archive the flag for the new sidebar",
            "weights you change",
            marks=pytest.mark.xfail(strict=True, reason="these weights do not read a flag alone as a feature flag"),
        ),
        ("turn Hint Wording into a factorial study", "each combination"),
        ("set Hint Timing to within-subjects", "each phase"),
    ],
)
def test_what_is_not_done_here_is_declined_with_what_is_possible_and_no_experiment_is_offered(
    upgrade: Any, request_: str, instead: str
) -> None:
    done = create_upgrade_agent_graph().invoke({"user_input": request_})
    assert done["error"]["error_type"] == "unsupported"
    assert instead in done["error"]["message"]
    assert "__interrupt__" not in done


def test_a_feature_in_the_name_of_an_experiment_is_no_feature(upgrade: Any) -> None:
    done = create_upgrade_agent_graph().invoke({"user_input": "Create an experiment called Flag Colours in mathstream"})
    assert done["detected_capability"] == "experiment_management"
