"""A capable model investigates in the loop: its verdict is held to the graph and to the results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from signalbox.agents.investigate import AGENT, loop_investigation, symptom
from signalbox.contract import Agent, Examination, Observation, Presented, Relation
from signalbox.contract import installed as installed_module
from signalbox.contract.installed import InstalledAgent
from signalbox.models import open_door
from signalbox.runs import aask
from signalbox.toolbox import Result, current_ledger, tool

AT = datetime(2026, 11, 15, 14, 7, tzinfo=UTC)
UNTIL = AT.replace(minute=52)


class Script(BaseChatModel):
    """Replies one after the other, and keeps what it was sent."""

    replies: list[Any]
    sent: list[list[BaseMessage]] = Field(default_factory=list)
    offered: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        self.offered[:] = tools
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        self.sent.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self.replies.pop(0))])


def calls(*made: tuple[str, dict[str, Any]], number: int = 0) -> AIMessage:
    asked = [{"name": name, "args": args, "id": f"c{number}-{at}"} for at, (name, args) in enumerate(made)]
    return AIMessage("", tool_calls=asked, usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2})


EXAMINE = ("examine", {"start": "2026-11-15T12:00:00Z", "end": "2026-11-15T15:00:00Z"})
VERDICT = {
    "verdict": "The link a–b flapped from 14:07 on, and checkout was slow from 14:08.", "subject": "checkout",
    "sureness": "confirmed", "cause": "The link a–b flapped", "cause_thing": "a–b",
    "evidence_for": ["It began at 14:07.", "It carried 99,312 packets."], "ruled_out": ["The link b–z: unconnected."],
    "next_steps": ["Look at the link a–b."], "answer": True,
}  # fmt: skip


async def see(about: str, start: datetime, end: datetime) -> Examination:
    slow = Observation("checkout was slow", AT.replace(minute=8), UNTIL, "critical", "checkout", is_symptom=True)
    flaps = [Observation(f"the link {one} flapped", AT, UNTIL, "critical", one) for one in ("a–b", "b–z")]
    with current_ledger().call("read log", {}) as call:
        call.returned("3 lines")
    return Examination([slow, *flaps], ["everything"])


async def relate(start: datetime, end: datetime) -> list[Relation]:
    wires = [Relation(f"machine:{a}", f"machine:{b}", "LLDP", is_wire=True) for a, b in ("ab", "bz")]
    needs = [Relation("service:checkout", f"machine:{one}", "labels of up") for one in "ab"]
    return [*needs, *wires]


@tool(effect="read")
async def get_counters(device: str) -> Result:
    """The counters of a device."""
    return Result(f"{device}: 17 errors")


@tool(effect="other")
async def restart(device: str) -> Result:
    """Restart a device."""
    raise AssertionError("an investigation changes nothing")


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Script]:
    nothing: Any = {"map": tmp_path / "none.csv", "start": lambda *_: {}, "present": lambda _: Presented("")}
    network = Agent(
        name="network", about="n", examples=(), examine=see, relate=relate, tools=lambda: [get_counters, restart],
        **nothing,
    )  # fmt: skip
    listed = tuple(InstalledAgent(one.name, "test", one) for one in (AGENT, network))
    monkeypatch.setattr(installed_module, "_installed", lambda: listed)
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-16T12:00:00+00:00")

    def use(*replies: AIMessage) -> Script:
        model = Script(replies=[*replies], sent=[], offered=[])
        for place in (symptom, loop_investigation):
            monkeypatch.setattr(place, "load_chat_model", lambda *_: open_door(model))
        return model

    return use


async def test_the_verdict_is_told_without_what_no_result_holds(script: Callable[..., Script]) -> None:
    model = script(calls(EXAMINE), calls(("conclude", VERDICT), number=1))
    answer = await aask("investigate", "why was checkout slow yesterday?")
    told = answer.state["conclusion"]
    first, removed = told["verdict"].split("\n\n")
    assert first == "The link a–b flapped from 14:07 on, and checkout was slow from 14:08 [E1]."
    assert removed == "_1 sentence was removed from this verdict: nothing that was read supports it._"
    assert told["sureness"] == "confirmed"
    assert told["evidence_for"] == ["It began at 14:07 [E1]."]
    assert told["connection"][-1].startswith("a → the link a–b (on the way from a to b")
    assert len(model.sent) == 2
    assert [one["tool"] for one in answer.evidence] == ["examine", "read log", "conclude"]


async def test_citations_are_the_ids_of_the_evidence(script: Callable[..., Script]) -> None:
    cited = {**VERDICT, "verdict": "There were 17 errors on a [E2].", "evidence_for": ["17 errors on a."]}
    look = ("get_counters", {"device": "a"})
    script(calls(EXAMINE), calls(look, number=1), calls(("conclude", cited), number=2))
    answer = await aask("investigate", "why was checkout slow yesterday?")
    # What examine read itself stands in between.
    assert [one["tool"] for one in answer.evidence] == ["examine", "read log", "get_counters", "conclude"]
    assert answer.state["conclusion"]["verdict"] == "There were 17 errors on a [E3]."
    assert answer.state["conclusion"]["evidence_for"] == ["17 errors on a [E3]."]


async def test_an_unconnected_cause_is_refused_with_what_to_do_instead(script: Callable[..., Script]) -> None:
    wrong = {**VERDICT, "cause": "The link b–z flapped", "cause_thing": "b–z"}
    right = {**VERDICT, "cause_thing": "the link a–b"}
    model = script(calls(EXAMINE), calls(("conclude", wrong), number=1), calls(("conclude", right), number=2))
    answer = await aask("investigate", "why was checkout slow yesterday?")
    assert answer.state["conclusion"]["cause"]["about"] == "a–b"
    refused = str(model.sent[-1][-1].content)
    assert "Nothing connects the link b–z to checkout." in refused
    # The model has mended it: no system failed.
    assert answer.state["failed"] == []
    assert "Could not be looked at" not in answer.answer


async def test_the_time_that_was_asked_about_may_be_told_with_its_day(script: Callable[..., Script]) -> None:
    told = {
        **VERDICT,
        "verdict": "Nothing was wrong with checkout since 2026-11-16 09:40.",
        "cause": "",
        "sureness": "not known",
    }
    script(calls(EXAMINE), calls(("conclude", told), number=1))
    answer = await aask("investigate", "is anything wrong with checkout since 09:40?")
    assert answer.answer.startswith("Nothing was wrong with checkout since 2026-11-16 09:40")


async def test_what_the_subject_depends_on_is_shown_once(script: Callable[..., Script]) -> None:
    model = script(calls(EXAMINE), calls(("conclude", VERDICT), number=1))
    await aask("investigate", "why was checkout slow yesterday?")
    shown = str(model.sent[0][1].content)
    assert "- checkout → a, b (labels of up)" in shown
    assert shown.count("labels of up") == 1


async def test_a_system_that_was_not_read_is_told_and_nothing_is_confirmed(
    script: Callable[..., Script], monkeypatch: pytest.MonkeyPatch
) -> None:
    script(calls(EXAMINE), calls(("conclude", VERDICT), number=1))
    sound = loop_investigation.look

    async def look(*asked: Any) -> dict[str, Any]:
        return {**await sound(*asked), "failed": ["logs: no answer"], "unread": ["logs: no answer"]}

    monkeypatch.setattr(loop_investigation, "look", look)
    answer = await aask("investigate", "why was checkout slow yesterday?")
    assert answer.state["conclusion"]["sureness"] == "likely"
    assert "Could not be looked at:\n- logs: no answer" in answer.answer


async def test_the_tools_are_the_read_tools_of_all_rooms(script: Callable[..., Script]) -> None:
    model = script(calls(EXAMINE, ("get_counters", {"device": "a"})), calls(("conclude", VERDICT), number=1))
    await aask("investigate", "why was checkout slow yesterday?")
    names = {one["function"]["name"] if "function" in one else one["name"] for one in model.offered}
    assert {"examine", "dependencies", "conclude", "get_counters", "calculate"} == names


async def test_a_runbook_is_given_to_the_model(
    script: Callable[..., Script], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "checkout.md").write_text("# Checkout\n- Ask the bank first\n")
    monkeypatch.setenv("SIGNALBOX_RUNBOOKS", str(tmp_path / "books"))
    model = script(calls(EXAMINE), calls(("conclude", VERDICT), number=1))
    answer = await aask("investigate", "why was checkout slow yesterday?")
    assert "Ask the bank first" in str(model.sent[0])
    assert "checkout.md" in answer.answer


async def test_what_is_not_known_is_told(script: Callable[..., Script]) -> None:
    open_end = {"verdict": "The cause is not known.", "subject": "checkout", "sureness": "not known", "answer": True}
    script(calls(EXAMINE), calls(("conclude", open_end), number=1))
    answer = await aask("investigate", "why was checkout slow yesterday?")
    assert answer.status == "completed"
    assert answer.state["conclusion"]["cause"] is None
