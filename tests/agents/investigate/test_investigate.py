"""An investigation as a run: every agent is asked, one that fails fails no other, and tasks need a yes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from signalbox.agents.investigate import AGENT, examining, symptom
from signalbox.agents.investigate.graph import Graph
from signalbox.agents.investigate.state import start_alert
from signalbox.agents.investigate.weighing import _is_blind
from signalbox.contract import Agent, Examination, Observation, Presented, Relation
from signalbox.contract import installed as installed_module
from signalbox.contract.installed import InstalledAgent
from signalbox.errors import UnavailableError
from signalbox.runs import aanswer, aask
from signalbox.runs.life import astart
from signalbox.toolbox import current_ledger
from signalbox.toolbox.ledger import Call, hear_calls

SINCE = datetime(2026, 11, 15, 14, 7, tzinfo=UTC)
UNTIL = datetime(2026, 11, 15, 14, 52, tzinfo=UTC)
written: list[str] = []
looks: list[tuple[datetime, datetime]] = []


async def see_symptom(question: str, start: datetime, end: datetime) -> Examination:
    looks.append((start, end))
    slow = Observation("checkout was slow", SINCE.replace(minute=8), UNTIL, "critical", "checkout", is_symptom=True)
    return Examination([slow] if start <= SINCE < end else [], ["latency of 4 services"])


async def see_cause(question: str, start: datetime, end: datetime) -> Examination:
    with current_ledger().call("get_logs", {"device": "a"}) as call:
        call.returned("success", ["14:07 link down"])
    flap = Observation("the link a–b flapped", SINCE, UNTIL, "critical", "a–b", evidence=(call.id,))
    return Examination([flap] if start <= SINCE < end else [], ["12 routers"])


async def relate(start: datetime, end: datetime) -> list[Relation]:
    wire = Relation("machine:a", "machine:b", "LLDP", is_wire=True)
    session = [Relation("session:a–b", f"machine:{end}", "labels") for end in ("a", "b")]
    return [Relation("service:checkout", "machine:a", "labels of up"), wire, *session]


async def fail(question: str, start: datetime, end: datetime) -> Examination:
    raise UnavailableError("The server is down.")


async def write(steps: Sequence[str], key: str) -> str:
    written.extend(steps)
    return f"{len(steps)} tasks were written down."


@pytest.fixture(autouse=True)
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(name: str, **given: Any) -> Agent:
        nothing: Any = {"map": tmp_path / "none.csv", "start": lambda *_: {}, "present": lambda _: Presented("")}
        return Agent(name=name, about=name, examples=(), **nothing, **given)

    found = [
        AGENT,
        made("one", examine=see_symptom, relate=relate),
        made("two", examine=see_cause),
        made("three", examine=fail),
    ]
    found.append(made("four", note=write))
    monkeypatch.setattr(
        installed_module, "_installed", lambda: tuple(InstalledAgent(one.name, "test", one) for one in found)
    )
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-16T12:00:00+00:00")
    written.clear()


async def test_the_report_names_the_cause_and_tasks_are_written_after_a_yes() -> None:
    asked = await aask("investigate", "why is checkout slow?", thread_id="t")
    assert asked.status == "needs_input"
    # One of the systems could not be read, so nothing is sure.
    assert asked.answer.startswith("Most likely cause: the link a–b flapped. The connection: checkout → a → ")
    assert "The symptoms lasted from Sun 15 Nov 14:08" in asked.answer
    assert "Not everything could be looked at: three: The server is down." in asked.answer
    assert [block["type"] for block in asked.blocks] == ["report", "timeline"]
    assert written == []
    answer = await aanswer("t", "yes")
    assert answer.status == "completed"
    assert "3 tasks were written down." in answer.answer
    assert len(written) == 3
    failed = next(part for part in answer.blocks[0]["sections"] if part["title"] == "Could not be looked at")
    assert failed["blocks"][0]["text"] == "- three: The server is down"


async def test_a_follow_up_keeps_the_subject_or_the_time() -> None:
    first = await aask("investigate", "why was checkout slow on 15 November?", thread_id="t")
    assert first.status == "needs_input"
    same = await aask("investigate", "and was it the release?", thread_id="t")
    assert (same.state["about"], same.state["since"]) == ("checkout", "2026-11-15T00:00:00+00:00")
    earlier = await aask("investigate", "what about 14 November?", thread_id="t")
    assert (earlier.state["about"], earlier.state["since"]) == ("checkout", "2026-11-14T00:00:00+00:00")
    everything = await aask("investigate", "is everything fine today?", thread_id="t")
    assert everything.state["about"] == ""
    await aask("investigate", "and checkout?", thread_id="t")
    now = await aask("investigate", "and right now?", thread_id="t")
    assert (now.state["about"], now.state["end"]) == ("checkout", "2026-11-16T12:00:00+00:00")


async def test_a_time_of_day_alone_is_of_the_day_before_and_a_time_alone_keeps_the_subject() -> None:
    await aask("investigate", "was checkout fine on 14 November 09:00 to 10:00?", thread_id="t")
    for said, hour in (("and 10:30 to 11:30?", "10:00"), ("fine, then 12:00 - 12:20?", "11:30")):
        told = (await aask("investigate", said, thread_id="t")).state
        assert (told["about"], told["since"]) == ("checkout", f"2026-11-14T{hour}:00+00:00")


async def test_a_time_that_was_not_read_is_told() -> None:
    told = "No time was read in the request: what was looked at is from the start of yesterday until now."
    assert told in (await aask("investigate", "why is checkout slow, em três de maio?")).answer
    assert told not in (await aask("investigate", "why was checkout slow yesterday?")).answer


async def test_a_cause_from_before_the_time_that_was_asked_about_is_found() -> None:
    asked = await aask("investigate", "why has checkout been slow since 15 November 14:30?")
    assert asked.answer.startswith("Most likely cause: the link a–b flapped.")


async def test_a_call_is_cited_with_what_was_seen_in_it_and_told_with_what_came_back() -> None:
    heard: list[Call] = []
    with hear_calls(lambda call, ended: heard.append(call) if ended else None):
        asked = await aask("investigate", "why was checkout slow on 15 November?")
    cause = next(one for one in asked.state["seen"] if one["text"] == "the link a–b flapped")
    [cited] = [one for one in asked.evidence if one["id"] in cause["evidence"]]
    assert (cited["tool"], cited["summary"]) == ("get_logs", "success: the link a–b flapped")
    assert [one.result for one in heard if one.id == cited["id"]] == ['["14:07 link down"]']


async def test_a_kind_of_trouble_that_nothing_measures_is_told() -> None:
    asked = await aask("investigate", "did checkout restart on 15 November?")
    assert asked.answer.startswith("Nothing that was looked at would show restarts.")


def connect(monkeypatch: pytest.MonkeyPatch, **kinds: str) -> None:
    """Let these agents read systems of these kinds."""

    def placed(one: InstalledAgent) -> InstalledAgent:
        if one.agent is None or one.name not in kinds or one.agent.examine is None:
            return one
        source = {"kind": kinds[one.name], "system": one.name, "address": f"http://joe:hunter2@{one.name}"}
        source |= {"connect": f"{one.name.upper()}_URL"} if kinds[one.name] == "embedded" else {}
        look = one.agent.examine

        async def examine(question: str, start: datetime, end: datetime) -> Examination:
            return replace(await look(question, start, end), source=source)

        return replace(one, agent=replace(one.agent, examine=examine, source=lambda: source))

    listed = tuple(map(placed, installed_module._installed()))
    monkeypatch.setattr(installed_module, "_installed", lambda: listed)


async def test_a_real_symptom_gets_no_invented_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, one="live", two="embedded")
    answer = await aask("investigate", "why is checkout slow?")
    assert "Its cause is not known" in answer.answer
    assert "flapped" not in str(answer.as_dict())
    assert answer.source == {"kind": "live", "system": "one", "address": "http://one"}
    assert "two: not connected (TWO_URL)" in answer.answer


async def test_nothing_is_confirmed_where_what_the_subject_needs_is_not_connected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state: Any = {"kind": "live", "subject": ["service:checkout"]}
    relations = [Relation("service:checkout", "machine:a", "labels of up")]
    connect(monkeypatch, one="live", two="embedded")
    assert not _is_blind(state, Graph.of(relations))
    graph = Graph.of([*relations, Relation("machine:a", "name:uplink", "dependencies.yaml")])
    assert _is_blind(state, graph)
    connect(monkeypatch, one="live", two="live")
    assert not _is_blind(state, graph)


async def test_what_is_not_connected_is_named_first(monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, one="embedded", two="live")
    answer = await aask("investigate", "why is checkout slow?")
    assert "one: not connected (ONE_URL)" in answer.answer.split("\n")[0]


async def test_the_demonstration_leaves_live_systems_out(monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, one="live", two="embedded")
    monkeypatch.setenv("SIGNALBOX_DEMO", "1")
    answer = await aask("investigate", "why is checkout slow?")
    assert (answer.source or {})["kind"] == "embedded"
    assert "one: SIGNALBOX_DEMO leaves live systems out" in answer.answer


async def test_the_question_and_the_report_name_all_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, one="live", two="live", three="live")
    asked = await aask("investigate", "why is checkout slow?", thread_id="t")
    assert asked.question is not None
    assert asked.source == asked.question["source"]
    assert asked.source is not None
    assert {part["address"] for part in asked.source["parts"]} == {"http://one", "http://two", "http://three"}
    answer = await aanswer("t", "no")
    assert answer.source == asked.source
    assert "hunter2" not in str((asked.as_dict(), answer.as_dict()))


async def test_an_agent_that_answers_from_the_other_kind_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, one="live", two="embedded")
    hidden = tuple(
        replace(one, agent=replace(one.agent, source=None)) if one.agent and one.name == "two" else one
        for one in installed_module._installed()
    )
    monkeypatch.setattr(installed_module, "_installed", lambda: hidden)
    answer = await aask("investigate", "why is checkout slow?")
    assert "Its cause is not known" in answer.answer
    assert "two: it answered from an embedded system, which is not mixed in" in answer.answer


@pytest.mark.parametrize("reply", ["I'm fine, thanks", "right...", "am I sure", "👍👎", "go back", "1", ""])
async def test_what_is_neither_a_yes_nor_a_no_writes_nothing_and_is_asked_again(reply: str) -> None:
    await aask("investigate", "why is checkout slow?", thread_id="t")
    again = await aanswer("t", reply)
    assert (again.status, written) == ("needs_input", [])
    assert again.question is not None
    assert again.question["message"].startswith("Nothing was done. Please answer yes or no;")
    assert "\n\nWrite the next steps down as tasks?" in again.question["message"]
    answer = await aanswer("t", "sim, por favor")
    assert "3 tasks were written down." in answer.answer
    assert len(written) == 3


async def test_a_no_writes_nothing() -> None:
    await aask("investigate", "why is checkout slow?", thread_id="t")
    answer = await aanswer("t", "no")
    assert written == []
    assert "No task was written down." in answer.answer


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Leave these agents out."""
    listed = tuple(one for one in installed_module._installed() if one.name not in names)
    monkeypatch.setattr(installed_module, "_installed", lambda: listed)


async def test_on_a_healthy_day_nothing_is_found_unless_a_source_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = await aask("investigate", "why was checkout slow on 10 November?")
    assert answer.answer.startswith("It is not known whether anything was wrong with checkout")
    without(monkeypatch, "three")
    answer = await aask("investigate", "why was checkout slow on 10 November?")
    assert answer.status == "completed"
    assert answer.answer.startswith("Nothing found: checkout was healthy")


async def test_a_subject_that_does_not_exist_is_said_and_nobody_is_asked() -> None:
    looks.clear()
    answer = await aask("investigate", "why is the billing service slow?")
    assert answer.answer.startswith("There is no billing here: nothing that was read is called so.")
    assert "the services checkout" in answer.answer
    assert (answer.status, looks) == ("completed", [])


async def test_right_now_is_the_last_hour() -> None:
    looks.clear()
    answer = await aask("investigate", "why is checkout slow right now?")
    assert [(end - start).total_seconds() / 3600 for start, end in looks] == [3.0]
    assert "between Mon 16 Nov 11:00 and Mon 16 Nov 12:00" in answer.answer


async def test_an_alert_is_read_from_its_labels_and_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "three")
    alert = {"summary": "SLO burns", "labels": {"service": "checkout", "severity": "page"},
             "since": "2026-11-15T14:10:00+00:00", "until": ""}  # fmt: skip
    result = await astart(AGENT.map, start_alert(alert), thread_id="alert-1")
    told = dict(result.state)
    assert told["subject"] == ["service:checkout"]
    assert told["conclusion"]["cause"]["text"] == "the link a–b flapped"
    assert written == []


async def test_labels_that_name_nothing_known_are_said() -> None:
    alert = {"summary": "down", "labels": {"service": "billing"}, "since": "", "until": ""}
    told = dict((await astart(AGENT.map, start_alert(alert), thread_id="alert-2")).state)
    assert told["conclusion"]["verdict"].startswith("There is no service billing here")


async def test_a_runbook_that_fits_is_cited_and_its_checks_are_next_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    books = tmp_path / "books"
    books.mkdir()
    (books / "slow.md").write_text("---\nsubjects: [checkout]\n---\n# Slow\n- [ ] Is the provider up?\n")
    (books / "other.md").write_text("---\nalerts: [Other*]\n---\n- Not this\n")
    monkeypatch.setenv("SIGNALBOX_RUNBOOKS", str(books))
    asked = await aask("investigate", "why is checkout slow?", thread_id="t")
    assert "Runbooks:\n- slow.md" in asked.answer
    assert asked.question is not None
    assert "Is the provider up? (runbook slow.md)" in asked.question["message"]
    assert "Not this" not in asked.question["message"]


async def test_a_time_that_cannot_be_is_an_error_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    class Reading:
        _llm_type = "offline"

        def with_structured_output(self, schema: Any) -> Any:
            return RunnableLambda(lambda _: {"about": "checkout", "when": "on 31 February"})

    monkeypatch.setattr(symptom, "load_chat_model", Reading)
    answer = await aask("investigate", "why was checkout slow on 31 February?")
    assert answer.error is not None
    assert answer.error["error_type"] == "invalid_time_range"


async def test_many_investigations_at_once_each_get_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, most = 0, 0

    async def look(question: str, start: datetime, end: datetime) -> Examination:
        nonlocal asked, most
        asked, most = asked + 1, max(most, asked + 1)
        await asyncio.sleep(0)
        asked -= 1
        return Examination()

    agent = replace(AGENT, name="busy", examine=look)
    monkeypatch.setattr(examining, "find_agent", lambda _: agent)
    state: Any = {"agent": "busy", "about": "x", "kind": "live", "start": SINCE.isoformat(), "end": UNTIL.isoformat()}
    told = await asyncio.gather(*(examining.examine(state) for _ in range(40)))
    assert all("failed" not in one or not one["failed"] for one in told)
    assert most <= examining.MOST_AT_ONCE
