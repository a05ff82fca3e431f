"""The conversation that a run is lent: the turns of its thread, of all agents, and of nobody else's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.types import interrupt

from signalbox.contract import Agent, Presented
from signalbox.contract import installed as installed_module
from signalbox.contract.installed import InstalledAgent
from signalbox.maps.context import run_context
from signalbox.runs import aanswer, aask
from signalbox.runs.conversation import conversation_before
from signalbox.runs.threads import add_turn, make_thread
from signalbox.toolbox.person import use_person

ROWS = f"""GraphName,Node,AgentType,Edge,Context
{{0}},look,{__name__}:look,,state:{__name__}:Looked
"""


class Looked(TypedDict, total=False):
    """What the agents of these tests read and write."""

    request: str
    conversation: list[dict[str, str]]
    last_action_success: bool


def look(state: Looked) -> dict[str, Any]:
    """Gives the conversation as the node sees it, after a question where one is asked for."""
    if state["request"].startswith("ask"):
        interrupt({"kind": "clarify", "message": "Which?", "options": ["Leeds", "York"]})
    return {"conversation": [dict(turn) for turn in run_context().conversation]}


@pytest.fixture(autouse=True)
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(name: str) -> Agent:
        place = tmp_path / f"{name}.csv"
        place.write_text(ROWS.format(name))
        return Agent(
            name=name,
            about=name,
            examples=(),
            map=place,
            start=lambda request, before: {"request": request},
            present=lambda state: Presented(f"{name} heard {state['request']}"),
        )

    listed = tuple(InstalledAgent(name, "test", made(name)) for name in ("rain", "rail"))
    monkeypatch.setattr(installed_module, "_installed", lambda: listed)


async def test_a_run_sees_the_turns_of_all_agents_and_the_same_ones_when_it_is_resumed() -> None:
    await aask("rain", "will it rain", thread_id="t")
    earlier = [{"said": "will it rain", "agent": "rain", "answer": "rain heard will it rain"}]
    other = await aask("rail", "a train", thread_id="t")
    assert other.state["conversation"] == earlier
    asked = await aask("rain", "ask me", thread_id="t")
    assert asked.status == "needs_input"
    ended = await aanswer("t", "this one")
    earlier.append({"said": "a train", "agent": "rail", "answer": "rail heard a train"})
    assert ended.state["conversation"] == earlier
    after = await aask("rail", "and now", thread_id="t")
    assert [turn["said"] for turn in after.state["conversation"]] == [
        "will it rain", "a train", "ask me", "this one",
    ]  # fmt: skip


async def test_another_persons_thread_and_a_run_without_a_thread_have_no_conversation() -> None:
    await aask("rain", "will it rain", thread_id="t")
    assert (await aask("rain", "and now")).state["conversation"] == []
    with use_person("somebody else"):
        assert conversation_before("t") == ()


def test_evidence_of_an_earlier_run_is_not_cited_in_the_next() -> None:
    make_thread("t")
    told = r"It rains [E1, E12]. More of it \[E3] soon; see [Exeter]."
    add_turn("t", run_id="r", agent="rain", said="hm", answer=told, remembered=None)
    assert conversation_before("t")[0]["answer"] == "It rains. More of it soon; see [Exeter]."


def test_long_conversations_are_cut_and_say_so() -> None:
    make_thread("t")
    for number in range(30):
        told = "x" * 5_000 if number == 29 else f"answer {number}"
        add_turn("t", run_id=f"r{number}", agent="rain", said=f"turn {number}", answer=told, remembered=None)
    found = conversation_before("t")
    assert found[0] == {"said": "", "agent": "", "answer": "(Earlier turns are left out.)"}
    assert [turn["said"] for turn in found[1:]] == [f"turn {number}" for number in range(19, 30)]
    assert len(found[-1]["answer"]) == 2_000
    assert found[-1]["answer"].endswith("… (the rest is left out)")
    assert sum(len(text) for turn in found for text in turn.values()) <= 26_000
    assert conversation_before("t") == found
    assert conversation_before("t", "r29")[-1]["said"] == "turn 28"


async def test_the_options_of_a_question_are_in_the_conversation_in_their_order() -> None:
    await aask("rain", "ask which", thread_id="t")
    await aanswer("t", "the second one")
    told = (await aask("rail", "look", thread_id="t")).state["conversation"]
    assert told[0]["answer"] == "Which?\n1. Leeds\n2. York"
