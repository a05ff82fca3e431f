"""The front door: which agent a request goes to, what is asked back, and what it says itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from signalbox.agents.frontdoor import plan, router
from signalbox.agents.frontdoor.entry import next_agent
from signalbox.contract import Agent, Presented
from signalbox.contract import installed as installed_module
from signalbox.contract.installed import InstalledAgent
from signalbox.runs import aanswer, aask, aclose, say_in_thread

ROWS = "GraphName,Node,AgentType,Input_Fields,Output_Field,Prompt\n{0},Say,echo,request,answer,{0}: {{request}}\n"


class Scripted:
    """A model that reads what it is told to read, as the offline one does; it keeps what it was asked."""

    _llm_type = "offline"

    def __init__(self, *readings: Any) -> None:
        self.readings = list(readings)
        self.schemas: list[dict[str, Any]] = []

    def with_structured_output(self, schema: dict[str, Any]) -> Any:
        self.schemas.append(schema)

        def read(_messages: Any) -> Any:
            reading = self.readings.pop(0)
            if isinstance(reading, Exception):
                raise reading
            return reading

        return RunnableLambda(read)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scripted]:
    def use(*readings: Any) -> Scripted:
        model = Scripted(*readings)
        monkeypatch.setattr(router, "load_chat_model", lambda *_: model)
        return model

    return use


@pytest.fixture(autouse=True)
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two small agents beside the front door, as other packages would add them."""

    def made(name: str) -> Agent:
        place = tmp_path / f"{name}.csv"
        place.write_text(ROWS.format(name))
        return Agent(
            name=name,
            about=f"All about {name}",
            examples=(f"{name} please",),
            map=place,
            start=lambda request, before: {"request": request},
            present=lambda state: Presented(str(state["answer"])),
        )

    from signalbox.agents.frontdoor import AGENT

    listed = tuple(InstalledAgent(agent.name, "test", agent) for agent in (AGENT, made("weather"), made("trains")))
    monkeypatch.setattr(installed_module, "_installed", lambda: listed)
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path / "home"))


async def test_a_sure_request_goes_to_its_agent_in_the_same_thread(scripted: Callable[..., Scripted]) -> None:
    model = scripted({"to": "trains", "confidence": 0.93})
    answer = await aask("frontdoor", "when is the next train", thread_id="t")
    assert (answer.agent, answer.answer, answer.thread_id) == ("trains", "trains: when is the next train", "t")
    assert answer.route == {"to": "trains", "confidence": 0.93}
    assert model.schemas[0]["properties"]["to"]["enumDescriptions"]["weather"] == "All about weather"
    assert "For weather, such as: weather please" in model.schemas[0]["properties"]["to"]["description"]
    await aclose()


@pytest.mark.parametrize("reading", [{"to": "trains", "confidence": 0.5}, {"to": "clarify", "confidence": 0.9}, {}])
async def test_what_is_not_sure_is_asked_and_the_answer_is_followed(
    scripted: Callable[..., Scripted], reading: dict[str, Any]
) -> None:
    scripted(reading)
    asked = await aask("frontdoor", "tomorrow?", thread_id="t")
    assert asked.status == "needs_input"
    assert asked.question is not None
    assert asked.question["options"] == ["weather", "trains"]
    answer = await aanswer("t", "weather")
    assert answer.answer == "weather: tomorrow?"
    assert answer.route == {"to": "weather", "confidence": 1.0}


async def test_an_answer_in_other_words_is_read_together_with_the_request(scripted: Callable[..., Scripted]) -> None:
    scripted({}, {"to": "trains", "confidence": 0.9})
    await aask("frontdoor", "tomorrow?", thread_id="t")
    answer = await say_in_thread("frontdoor", "I mean on rails", thread_id="t")
    assert answer.answer == "trains: tomorrow? I mean on rails"


async def test_a_follow_up_stays_with_its_thread_until_the_subject_changes(scripted: Callable[..., Scripted]) -> None:
    scripted(
        {"to": "trains", "confidence": 0.9},
        {"to": "clarify", "confidence": 0.9},
        {"to": "clarify", "confidence": 0.9},
        {"to": "weather", "confidence": 0.9, "follows_on": True},
        {"to": "trains", "confidence": 0.9, "follows_on": False},
        {"to": "weather", "confidence": 0.9},
    )
    said = ["a train to Rome", "and back", "what about Sunday", "will it rain"]
    answers = [await aask("frontdoor", one, thread_id="t") for one in said]
    assert [answer.agent for answer in answers] == ["trains", "trains", "trains", "weather"]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Thanks!", "You're welcome."),
        ("ok", "Good. Ask whenever there is more."),
        ("great, thank you very much", "You're welcome."),
        ("cheers, that's all", "Goodbye."),
    ],
)
async def test_a_courtesy_is_returned_without_an_agent_and_the_thread_goes_on(
    scripted: Callable[..., Scripted], said: str, answer: str
) -> None:
    scripted({"to": "trains", "confidence": 0.9}, {"to": "clarify", "follows_on": True})
    await aask("frontdoor", "a train to Rome", thread_id="t")
    returned = await aask("frontdoor", said, thread_id="t")
    assert (returned.agent, returned.status, returned.answer) == ("frontdoor", "completed", answer)
    assert (await aask("frontdoor", "and back", thread_id="t")).agent == "trains"


@pytest.mark.parametrize("said", ["ok, and back", "yes", "no", "thanks, a train to Bari", "ok " * 3000])
async def test_more_than_a_courtesy_goes_to_the_agent(scripted: Callable[..., Scripted], said: str) -> None:
    scripted({"to": "trains", "confidence": 0.9}, {"to": "trains", "follows_on": True})
    await aask("frontdoor", "a train to Rome", thread_id="t")
    assert (await aask("frontdoor", said, thread_id="t")).agent == "trains"


async def test_what_may_reply_to_a_question_in_an_answer_is_no_courtesy(scripted: Callable[..., Scripted]) -> None:
    scripted({"to": "trains", "confidence": 0.9}, {"to": "trains", "follows_on": True})
    await aask("frontdoor", "Shall I book it?", thread_id="t")
    assert (await aask("frontdoor", "ok", thread_id="t")).answer == "trains: ok"


async def test_what_the_front_door_says_itself_is_no_subject_to_go_on_with(scripted: Callable[..., Scripted]) -> None:
    scripted(
        {"to": "trains", "confidence": 0.9},
        {"to": "unsupported", "confidence": 0.9, "follows_on": False},
        {"to": "unsupported", "confidence": 0.9},
        {"to": "clarify", "follows_on": True},
    )
    answers = [await aask("frontdoor", one, thread_id="t") for one in ("a train to Rome", "sing", "and back")]
    assert [answer.agent for answer in answers] == ["trains", "frontdoor", "trains"]


async def test_an_answer_that_names_an_agent_in_a_sentence_is_not_lost(scripted: Callable[..., Scripted]) -> None:
    scripted({}, {})
    await aask("frontdoor", "stop it", thread_id="t")
    answer = await say_in_thread("frontdoor", "the one of the trains", thread_id="t")
    assert answer.answer == "trains: stop it the one of the trains"


async def test_help_is_told_from_the_installed_agents_own_words(scripted: Callable[..., Scripted]) -> None:
    scripted({"to": "help", "confidence": 0.9})
    answer = await aask("frontdoor", "what can you do")
    assert answer.status == "completed"
    assert "All about trains" in answer.answer
    assert "weather please" in answer.answer
    assert answer.route is not None
    assert answer.route["to"] == "help"


async def test_what_nothing_does_is_declined_with_what_there_is(scripted: Callable[..., Scripted]) -> None:
    scripted({"to": "unsupported", "confidence": 0.9})
    answer = await aask("frontdoor", "sing")
    assert answer.error is not None
    assert answer.error["error_type"] == "unsupported"
    assert "trains" in answer.error["suggestion"]


async def test_a_way_that_is_not_there_is_asked_about_and_never_taken(scripted: Callable[..., Scripted]) -> None:
    scripted({"to": "rockets", "confidence": 1.0})
    assert (await aask("frontdoor", "to the moon")).status == "needs_input"


async def test_a_dry_run_routes_and_then_plans(scripted: Callable[..., Scripted]) -> None:
    scripted({"to": "help", "confidence": 0.9})
    answer = await aask("frontdoor", "what can you do", dry_run=True)
    assert answer.state["route"]["to"] == "help"
    assert json.dumps(answer.as_dict())


LIVE = {"kind": "live", "system": "prometheus", "address": "http://p:9090"}
DEMO = {"kind": "embedded", "system": "rail", "address": "", "connect": "RAIL_URL"}


@pytest.fixture
def weather_is_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real system behind the weather, and the demonstration behind the trains."""
    sources: dict[str, Any] = {"weather": lambda: LIVE, "trains": lambda: DEMO}
    listed = tuple(
        replace(one, agent=replace(one.agent, source=sources.get(one.name), data=f"data of {one.name}"))
        for one in installed_module._installed()
        if one.agent is not None
    )
    monkeypatch.setattr(installed_module, "_installed", lambda: listed)


@pytest.mark.usefixtures("weather_is_connected")
@pytest.mark.parametrize("dry_run", [False, True])
async def test_a_request_for_a_system_that_is_not_connected_is_told_so_and_goes_nowhere(
    scripted: Callable[..., Scripted], dry_run: bool
) -> None:
    scripted({"to": "trains", "confidence": 0.9})
    answer = await aask("frontdoor", "a train to Rome", dry_run=dry_run)
    assert (answer.agent, answer.status, answer.source) == ("frontdoor", "error", None)
    assert answer.route == {"to": "unsupported", "confidence": 0.9}
    assert answer.error is not None
    assert answer.error["error_type"] == "not_connected"
    assert "no system with data of trains is connected" in answer.error["message"]
    assert answer.error["suggestion"].startswith("Set RAIL_URL to connect yours.")


@pytest.mark.usefixtures("weather_is_connected")
async def test_what_is_not_connected_is_not_offered(scripted: Callable[..., Scripted]) -> None:
    scripted({"to": "help", "confidence": 0.9}, {"to": "trains", "confidence": 0.5}, {"to": "unsupported"})
    helped = await aask("frontdoor", "what can you do")
    assert "All about weather" in helped.answer
    assert "All about trains" not in helped.answer
    assert "Not connected: data of trains (RAIL_URL)." in helped.answer
    asked = await aask("frontdoor", "tomorrow?", thread_id="t")
    assert asked.question is not None
    assert (asked.question["options"], asked.source) == (["weather"], None)
    assert "Not connected: data of trains (RAIL_URL)." in asked.question["message"]
    named = await aanswer("t", "trains")
    assert (named.error or {})["error_type"] == "not_connected"
    declined = await aask("frontdoor", "sing")
    assert "trains" not in (declined.error or {})["suggestion"]


@pytest.mark.usefixtures("weather_is_connected")
async def test_a_follow_up_of_a_demonstration_is_not_answered_by_another_agent(
    scripted: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted({"to": "weather", "follows_on": True}, {"to": "weather", "follows_on": True})
    explicit = await aask("trains", "a train to Rome", thread_id="t")
    assert (explicit.source or {})["kind"] == "embedded"
    assert ((await aask("frontdoor", "and back", thread_id="t")).error or {})["error_type"] == "not_connected"
    monkeypatch.setenv("SIGNALBOX_DEMO", "1")
    shown = await aask("frontdoor", "and back", thread_id="t")
    assert (shown.agent, (shown.source or {})["kind"]) == ("trains", "embedded")


def test_an_agent_that_is_not_offered_is_no_way() -> None:
    assert [agent.name for agent in plan.offered_agents()] == ["weather", "trains"]
    assert next_agent({"route": {"to": "help", "confidence": 1.0}, "user_query": "x"}) is None
