"""An agent that does what its tests tell it: it waits for a file, asks back, asks for a yes, fails, or answers."""

import asyncio
import os
from pathlib import Path
from typing import TypedDict

from langgraph.types import interrupt

from signalbox.contract import Agent, Presented, blocks
from signalbox.toolbox.confirmation import confirmed
from signalbox.toolbox.ledger import current_ledger

GATE = Path(os.environ["GATE"])


class State(TypedDict, total=False):
    """What was asked, and what came of it."""

    request: str
    done: str
    error: dict[str, str]


async def work(state: State) -> State:
    """Do what the words of the request say."""
    said = state["request"]
    if "which" in said:
        return {
            "done": f"You chose {interrupt({'kind': 'clarify', 'message': 'Which one?', 'options': ['red', 'blue']})}"
        }
    if "delete" in said:
        shown = {"blocks": [blocks.diff("Goods", [("notes", ["old", "older"], ["new"]), ("state", "kept", None)])]}
        source = {"kind": "live", "system": "stock", "address": "https://stock.example"}
        return {
            "done": "Deleted."
            if confirmed("Delete all goods? They are gone then.", source=source, **shown)
            else "Kept."
        }
    if "fail" in said or "lack" in said:
        kind = "unavailable" if "fail" in said else "not_found"
        return {"error": {"error_type": kind, "message": "It cannot be done.", "suggestion": "Ask for something else."}}
    if "wait" in said:
        with current_ledger().call("open_gate", {"name": "north"}) as call:
            while not GATE.exists():
                await asyncio.sleep(0.02)
            call.returned("open", {"gate": "north"})
    return {"done": f"Done: {said}"}


def present(state: State) -> Presented:
    """What came of it, as text; the request may name a block to show."""
    shown = []
    if "table" in state["request"]:
        shown = [
            blocks.table(["name", "empty", ("left", "pieces")], [["plums", None, 20], ["apples", None, 100]], "Stock")
        ]
    if "curve" in state["request"]:
        points = [(f"2026-03-01T10:{minute:02}:00+00:00", float(minute)) for minute in range(60)]
        shown = [
            {**blocks.series("Left", [("a", {}, points), ("b", {}, points)], "pieces", threshold=30), "query": "left"}
        ]
        shown[0]["link"] = "https://grafana.example/explore"
    return Presented(state["done"], shown)


AGENT = Agent(
    "patient",
    "Does what it is told",
    ("Say hello",),
    Path(__file__).with_name("patient.csv"),
    lambda request, before: {"request": request},
    present,
    is_offered=False,
)
