"""The events of a run, as LangGraph's Agent Server names them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from signalbox.runs import records
from signalbox.runs.engine import engine
from signalbox.runs.events import Event
from signalbox.runs.records import Run, carrier_of
from signalbox.service.run_body import error_of, status_of_run
from signalbox.service.sse import as_event

__all__ = ["ALL", "place_of", "run_events"]

ALL = 1_000
"""A number above any part of an event, meaning that all were received."""


def place_of(last_event_id: str | None) -> tuple[int, int]:
    """The position after this part of the event with this number."""
    number, _, part = (last_event_id or "").partition("-")
    if not last_event_id or not number.isdigit() or not (part.isdigit() or not part):
        return 0, ALL
    return int(number), int(part) if part else ALL


async def run_events(run: Run, modes: set[str], after: tuple[int, int]) -> AsyncIterator[bytes]:
    """The events of a run in Agent Server's format. Each has an id, except the end, which is always sent."""
    (number, part), texts = after, dict[str, str]()
    source = run.channel
    # The event that broke off in the middle is read again, and its parts that came through are left out. A message that
    # is told as it grows is read from its beginning.
    async for event in engine().events(run, 0 if "messages" in modes else max(number - 1, 0)):
        for place, (kind, data) in enumerate(_parts(event, modes, texts)):
            if (event.number, place) > (number, part):
                yield as_event(kind, data, f"{event.number}-{place}")
    done = await asyncio.to_thread(lambda: carrier_of(records.get_run(source) or run))
    yield as_event("end", {"run_id": run.run_id, "status": status_of_run(done)})


def _parts(event: Event, modes: set[str], texts: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """The parts of an event for a client with these modes. `texts` holds the messages so far."""
    data = event.data
    if event.kind == "text":
        yield from _text_parts(data, modes, texts)
    elif event.kind in ("metadata", "error"):
        yield event.kind, data if event.kind == "metadata" else error_of(data)
    elif event.kind == "answer":
        yield from _answer_parts(data, modes)
    else:
        if "updates" in modes and event.kind == "node" and data["kind"] == "end":
            yield "updates", {data["node"]: data["output"]}
        told = {**data, "type": event.kind}
        for mode in ("custom", "debug", "events"):
            if mode in modes:
                yield mode, told


def _text_parts(data: dict[str, Any], modes: set[str], texts: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """The new text of a message and, if wanted, all of it so far."""
    message = {"type": "AIMessageChunk", "content": data["text"], "id": data["id"]}
    if "messages-tuple" in modes:
        yield "messages", [message, {"langgraph_node": data.get("node", "")}]
    if "messages" in modes:
        texts[data["id"]] = texts.get(data["id"], "") + data["text"]
        yield "messages/partial", [{**message, "type": "ai", "content": texts[data["id"]]}]


def _answer_parts(told: dict[str, Any], modes: set[str]) -> Iterator[tuple[str, Any]]:
    answer = {name: value for name, value in told.items() if name != "message_id"}
    message = {"type": "ai", "content": answer["answer"], "id": told["message_id"], "name": answer["agent"]}
    if "messages" in modes:
        yield "messages/complete", [message]
    question = answer.get("question")
    waiting = [question, *question.get("others", [])] if question else []
    asked = [{"id": one.get("id"), "value": {k: v for k, v in one.items() if k != "others"}} for one in waiting]
    if asked and "updates" in modes:
        yield "updates", {"__interrupt__": asked}
    if "values" in modes:
        yield "values", {**answer, "messages": [message], **({"__interrupt__": asked} if asked else {})}
