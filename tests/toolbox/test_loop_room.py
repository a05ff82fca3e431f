"""The loop inside a map, run and resumed as every agent is: by `signalbox.runs`, on its checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypedDict

import pytest
from tests.toolbox.shelf import ScriptedModel, Shelf, StreamingModel, calls, said

from signalbox.maps.context import run_context
from signalbox.maps.writing import Piece, use_writing
from signalbox.runs import aresume, astart
from signalbox.toolbox import Ledger, use_ledger
from signalbox.toolbox.loop import LoopContext, LoopNodes, LoopState, build_loop, run_loop, start_loop

INSIDE = f"""GraphName,Node,AgentType,Edge,Context
room,work,{__name__}:work,,state:{__name__}:RoomState
"""
ROWS = f"""GraphName,Node,AgentType,Edge,Context
room,model,{__name__}:model,func:{__name__}:after_model,state:{__name__}:RowsState
room,tools,{__name__}:tools,model,
"""


class RoomState(TypedDict, total=False):
    """What the room's one node reads and writes."""

    request: str
    folder: str
    answer: str
    last_action_success: bool


def lent() -> LoopContext:
    run = run_context()
    return LoopContext(run.model, streams=run.streams)


async def work(state: RoomState) -> dict[str, Any]:
    """Answers the request in the loop."""
    loop = build_loop(Shelf(Path(state["folder"]) / "done").tools(), "You look after services.")
    outcome = await run_loop(loop, start_loop(state["request"]), lent())
    return {"answer": outcome["answer"]}


class RowsState(LoopState, total=False):
    """The state of a room whose rows are the loop's own nodes."""

    folder: str
    request: str
    last_action_success: bool


def nodes(folder: str) -> LoopNodes:
    return LoopNodes(Shelf(Path(folder) / "done").tools(), "You look after services.", nodes=("model", "tools"))


async def model(state: RowsState) -> Any:
    """The loop's next reply."""
    begun: Any = {**start_loop(state["request"]), **state}
    return await nodes(state["folder"]).model(begun, lent())


def after_model(state: RowsState) -> Literal["tools"] | None:
    """Where the model leads is said by its command."""
    return None


async def tools(state: Any) -> Any:
    """One call of the loop."""
    folder = run_context().folder
    return await nodes(str(folder)).call(state, lent())


@pytest.mark.parametrize("written_map", [INSIDE, ROWS], ids=["inside a node", "as rows"])
@pytest.mark.parametrize(("reply", "written"), [("yes", ["restart cart"]), ("no", [])])
async def test_a_rooms_change_waits_for_the_person_and_goes_on_in_another_run_of_the_process(
    tmp_path: Path, reply: str, written: list[str], written_map: str
) -> None:
    (tmp_path / "map.csv").write_text(written_map)
    read = ("get_latency", {"service": "cart"})
    replies = [calls(read), calls(("restart", {"service": "cart"})), said("`cart` took 0.25 s.")]
    model = ScriptedModel(replies=replies, shelf=Shelf(tmp_path / "asked"))
    with use_ledger(Ledger()):
        state = {"request": "restart cart", "folder": str(tmp_path)}
        asked = await astart(tmp_path / "map.csv", state, thread_id="t", model=model)
    assert asked.status == "needs_input"
    assert asked.question is not None
    assert "On shelf at http://shelf.test." in asked.question["message"]
    with use_ledger(Ledger()) as ledger:
        ended = await aresume("t", reply, model=model)
    told = ["`cart` took 0.25 s [E1].", "cart was restarted. [E2]"]
    answer = ended.values.get("answer") or ended.values["outcome"]["answer"]
    assert answer == "\n\n".join(told[: 1 + len(written)])
    shelf = Shelf(tmp_path / "done")
    assert shelf.writes == written
    assert shelf.done.count("read cart") == 1
    assert len(model.asked) == 3
    assert [one.id for one in ledger.calls] == ["E1", "E2"][: 1 + len(written)]


@pytest.mark.parametrize(("written_map", "node"), [(INSIDE, "work"), (ROWS, "model")], ids=["inside a node", "as rows"])
async def test_who_listens_to_a_run_hears_the_loops_sentences_as_they_are_checked(
    tmp_path: Path, written_map: str, node: str
) -> None:
    (tmp_path / "map.csv").write_text(written_map)
    replies = [calls(("get_latency", {"service": "cart"})), said("`cart` took 0.25 s. That is all.")]
    model = StreamingModel(replies=replies, shelf=Shelf(tmp_path / "asked"))
    heard: list[Piece] = []
    with use_ledger(Ledger()), use_writing(heard.append):
        state = {"request": "cart?", "folder": str(tmp_path)}
        ended = await astart(tmp_path / "map.csv", state, thread_id="t", model=model)
    assert len(heard) == 2
    assert "".join(piece.text for piece in heard) == "`cart` took 0.25 s [E1]. That is all."
    assert {(piece.message, piece.node) for piece in heard} == {(f"{ended.run_id}-round-2", node)}
