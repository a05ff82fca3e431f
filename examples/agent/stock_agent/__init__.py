"""An agent that says what is in stock: copy this folder, and put your own system in the place of `STOCK`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signalbox.contract import Agent, Presented, blocks

STOCK = {"apples": ("Hall 1", 420), "pears": ("Hall 1", 75), "plums": ("Hall 3", 0)}


def start(request: str, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """The state that a run begins with: what the first row of the map reads."""
    return {"request": request}


def look_up(inputs: Mapping[str, Any]) -> list[str]:
    """The row of the map: the goods that the request names, or all of them."""
    return [name for name in STOCK if name in inputs["request"].lower()] or list(STOCK)


def present(state: Mapping[str, Any]) -> Presented:
    """The final state for a person: a sentence, and the blocks that terminal and page draw."""
    rows = [(name, *STOCK[name]) for name in state["goods"]]
    total = sum(count for _, _, count in rows)
    drawn = [blocks.value("In stock", total, "pieces"), blocks.table(["goods", "where", ("left", "pieces")], rows)]
    return Presented(f"{len(rows)} kinds of goods were looked up.", drawn, source={"kind": "live", "system": "list"})


async def plan(state: Mapping[str, Any], model: Any) -> Presented:
    """What a run would do (`--dry-run`)."""
    return Presented(f"Would look up: {', '.join(look_up(state))}.")


AGENT = Agent(
    name="stock",
    about="What is in stock, and where",
    examples=("How many apples are left?", "What is in stock?"),
    map=Path(__file__).with_name("map.csv"),
    start=start,
    present=present,
    plan=plan,
)
