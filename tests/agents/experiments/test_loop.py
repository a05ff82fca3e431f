"""Experiments with a capable model in the loop: what a request costs, what the model sees, what waits for a yes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.agents.experiments.conftest import Upgrade
from tests.models.provider_server import ProviderServer, Reply

from signalbox.agents.experiments import AGENT
from signalbox.agents.experiments.state import DEFAULTS
from signalbox.contract.answer import Answer
from signalbox.runs import aclose
from signalbox.runs.asking import say_in_thread
from signalbox.settings import forget_settings


class Talk:
    """A conversation with a model that gives these replies."""

    def __init__(self, provider: ProviderServer) -> None:
        self.provider = provider

    async def say(self, text: str, *replies: Reply, agent: str = "experiments") -> Answer:
        """Say something, which the model replies to in this way; what waits for an answer gets it as one."""
        self.provider.say(*(replies or [Reply("It was not to be asked.")]))
        return await say_in_thread(agent, text, thread_id="talk")

    @property
    def asked(self) -> int:
        """How often the model was asked in this turn."""
        return len(self.provider.bodies)

    def shown(self, at: int = -1) -> str:
        """All that the model was sent when it was asked."""
        return "\n".join(str(one.get("content")) for one in self.provider.bodies[at]["messages"])


@pytest.fixture(scope="module")
def provider() -> Iterator[ProviderServer]:
    server = ProviderServer()
    yield server
    server.close()


@pytest.fixture
async def talk(upgrade: Upgrade, provider: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Talk]:
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/gpt-4.1-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.address}/v1")
    forget_settings()
    yield Talk(provider)
    await aclose()
    forget_settings()


def read(name: str, /, **args: Any) -> Reply:
    """A reply that calls a tool."""
    return Reply(calls=[(name, args)])


def call(name: str, /, **args: Any) -> Reply:
    """A reply that calls a tool, and marks the call as the answer."""
    return Reply(calls=[(name, {**args, "answer": True})])


def first(answer: Answer) -> str:
    return answer.answer.partition("\n")[0]


@pytest.mark.parametrize(
    ("reply", "capability", "told"),
    [
        (call("explain_upgrade_concept", concepts=["decision point"]), "terminology", "**Decision Point**"),
        (call("list_upgrade_concepts"), "terminology", "I can explain"),
        (call("check_upgrade_health"), "version_check", "UpGrade 6.5.0 is up: UpGrade at http://127.0.0.1"),
        (call("get_all_experiments", status="enrolling", context="mathstream"), "list_experiments", "running in math"),
        (call("get_context_metadata", context="web-shop"), "list_experiments", "1 context:"),
        (call("get_experiment_details", experiments=["Hint Timing"]), "experiment_details", "**Hint Timing** is run"),
        (
            call("get_experiment_details", experiments=["Hint Timing"], aspects=["conditions"]),
            "experiment_details",
            "**Hint Timing** has the conditions hint-early 50%, hint-late 50%.",
        ),
    ],
)
async def test_a_simple_request_is_one_call_of_the_model(talk: Talk, reply: Any, capability: str, told: str) -> None:
    answer = await talk.say("whatever it is", reply)
    assert answer.status == "completed", answer.error
    assert told in first(answer)
    assert (answer.state["detected_capability"], answer.state["routing_confidence"]) == (capability, 1.0)
    assert talk.asked == 1
    assert {*DEFAULTS} - {*AGENT.private} <= {*answer.state}
    assert len(answer.evidence) == 1
    assert answer.state["tool_results"][0]["success"] is True


async def test_what_there_is_not_is_an_error_with_the_nearest_and_nothing_in_its_place(talk: Talk) -> None:
    unknown = [
        read("get_all_experiments", context="mathstreem"),
        read("get_all_experiments", tag="hint"),
        read("get_experiment_details", experiments=["hint timing"]),
        read("explain_assignment", user_id="42", experiment="Hint Timing", groups=[{"type": "class", "id": "7a"}]),
        read("update_experiment", experiment="Hint Timing", weights=[{"code": "hint-earli", "weight": 60}]),
        Reply("That is not there."),
    ]
    answer = await talk.say("show all that", *unknown)
    assert answer.status == "error"
    assert answer.error is not None
    assert (answer.error["error_type"], answer.error["message"]) == ("not_found", "There is no condition 'hint-earli'.")
    shown = talk.shown()
    for told in (
        "There is no context 'mathstreem'. Did you mean 'mathstream'?",
        "There is no tag 'hint'. Did you mean 'hints'",
        "There is no experiment 'hint timing'. Did you mean 'Hint Timing'",
        "There is no group type 'class'. Did you mean 'classId'?",
        "Did you mean 'hint-early'",
    ):
        assert told in shown


NEW = {
    "name": "Bigger Buttons",
    "context": "web-shop",
    "conditions": [{"code": "control", "weight": 50}, {"code": "one-page", "weight": 50}],
    "decision_points": [{"site": "Checkout", "target": "payment"}],
}


async def test_a_new_experiment_is_shown_with_the_server_and_made_after_a_yes(talk: Talk, upgrade: Upgrade) -> None:
    asked = await talk.say("make it", call("create_experiment", **NEW))
    assert asked.status == "needs_input"
    assert asked.question is not None
    assert asked.question["kind"] == "confirm"
    assert "Create the experiment 'Bigger Buttons'?" in asked.question["message"]
    assert f"On upgrade at {upgrade.url}" in asked.question["message"]
    assert asked.blocks[-1]["type"] == "diff"
    assert upgrade.sent("POST /experiments") == 0
    done = await talk.say("yes")
    assert done.status == "completed", done.error
    assert done.answer.startswith("'Bigger Buttons' is created, and stored as asked.")
    assert upgrade.named("Bigger Buttons")["state"] == "inactive"
    assert upgrade.sent("POST /experiments") == 1
    assert talk.asked == 0
    assert done.state["detected_capability"] == "experiment_management"
    assert done.state["operation_type"] == "create"
    assert done.state["params"]["condition_weights"] == {"control": 50, "one-page": 50}


async def test_after_a_no_nothing_is_made_and_nothing_else_is_told(talk: Talk, upgrade: Upgrade) -> None:
    assert (await talk.say("make it", call("create_experiment", **NEW))).status == "needs_input"
    again = await talk.say("hm, with other weights perhaps")
    assert again.status == "needs_input"
    assert "Nothing was done" in (again.question or {})["message"]
    answer = await talk.say("no")
    assert (answer.status, answer.answer) == ("completed", "Nothing was changed.")
    assert upgrade.sent("POST /experiments") == 0


async def test_what_has_changed_since_it_was_asked_is_shown_anew(talk: Talk, upgrade: Upgrade) -> None:
    change = call("update_experiment", experiment="Hint Wording", weights=[
        {"code": "control", "weight": 60}, {"code": "treatment", "weight": 40}])  # fmt: skip
    asked = await talk.say("60 to 40", change)
    assert "weight of control: 50% → 60%" in (asked.question or {})["message"]
    upgrade.named("Hint Wording")["description"] = "Somebody else was here."
    again = await talk.say("yes")
    assert again.status == "needs_input"
    assert "This has changed since you were asked, and nothing was done." in (again.question or {})["message"]
    assert upgrade.named("Hint Wording")["conditions"][0]["assignmentWeight"] == 50
    done = await talk.say("yes")
    assert done.status == "completed", done.error
    assert "'Hint Wording' is changed, and stored as asked." in done.answer
    assert upgrade.named("Hint Wording")["conditions"][0]["assignmentWeight"] == 60
