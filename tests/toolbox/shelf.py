"""A small system for the loop: services that can be read and restarted, and a person's notes. What was done is written
to a file, so that another process can see it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from pydantic import Field

from signalbox.errors import NotFoundError
from signalbox.language.names import did_you_mean
from signalbox.models import open_door
from signalbox.toolbox import Ledger, Proposal, Result, Tool, tool, use_ledger
from signalbox.toolbox.effects import Effect, Thing
from signalbox.toolbox.loop import LoopContext, build_loop, run_loop, start_loop

SOURCE = {"kind": "live", "system": "shelf", "address": "http://shelf.test"}
LATENCY = {"checkout": 0.42, "cart": 0.25, "search": 1.5}
READ = ("get_latency", {"service": "cart"})
RENAME = ("rename", {"number": 1, "title": "Buy oat milk"})
NOTES = {1: "Buy milk", 2: "Call the dentist"}


class Shelf:
    """The system. `done` lists what tools did; a change with a key that was used is not made again."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.says: dict[str, str] = {}
        self.titles = dict(NOTES)

    @property
    def done(self) -> list[str]:
        return [json.loads(line)["what"] for line in self._lines()]

    @property
    def writes(self) -> list[str]:
        return [one for one in self.done if not one.startswith(("read", "ask"))]

    def note(self, what: str, key: str = "") -> None:
        if not key or all(json.loads(line)["key"] != key for line in self._lines()):
            with self.file.open("a") as file:
                file.write(json.dumps({"what": what, "key": key}) + "\n")

    def _lines(self) -> list[str]:
        return self.file.read_text().splitlines() if self.file.exists() else []

    def tools(self) -> list[Tool]:
        things = tuple(Thing(str(number), title) for number, title in NOTES.items())

        def named(number: int) -> Thing:
            if number not in self.titles:
                raise NotFoundError(f"There is no note {number}.", suggestion="There are 1 and 2.")
            return Thing(str(number), self.titles[number])

        @tool(effect="read")
        async def get_latency(service: str, minutes: int = 5) -> Result:
            """The p95 latency of a service."""
            self.note(f"read {service}")
            await asyncio.sleep(0)
            if service not in LATENCY:
                near = did_you_mean(service, LATENCY)
                raise NotFoundError(f"There is no service '{service}'.", suggestion=near)
            said = self.says.get(service, "")
            text = f"p95 of `{service}` over {minutes} min: {LATENCY[service]} s, at 2026-11-18T14:05:00Z. {said}"
            return Result(text, LATENCY[service], [{"type": "text", "title": service, "text": text}], SOURCE)

        @tool(effect="read")
        async def run_query(query: str) -> Result:
            """Run a query as it is written."""
            self.note(f"read {query}")
            return Result("No series.", is_empty=True) if "nothing" in query else Result(f"{query} gives 17.", 17)

        @tool(effect="read")
        async def broken() -> Result:
            """Breaks."""
            raise KeyError("password=hunter2")

        async def before_rename(number: int, title: str) -> Proposal:
            thing = named(number)
            effect = Effect(is_reversible=True, targets=(thing,), texts=(title,))
            return Proposal(f"Rename note {number}", [("title", thing.name, title)], effect, things)

        @tool(effect="own", preview=before_rename)
        async def rename(number: int, title: str, key: str = "") -> Result:
            """Rename a note."""
            self.note(f"rename {number} to {title}", key)
            return Result(f"Note {number} is now called '{title}'.")

        async def before_restart(service: str) -> Proposal:
            return Proposal(f"Restart {service}", [("state", "running", "restarted")], source=SOURCE)

        @tool(preview=before_restart)
        async def restart(service: str, key: str = "") -> Result:
            """Restart a service."""
            self.note(f"restart {service}", key)
            return Result(f"{service} was restarted.")

        @tool
        async def delete_all(key: str = "") -> Result:
            """Delete everything."""
            self.note("delete all", key)
            return Result("Everything is gone.")

        return [get_latency, run_query, broken, rename, restart, delete_all]


def calls(*made: tuple[str, dict[str, Any]], text: str = "", tokens: int = 100) -> AIMessage:
    """A reply with calls."""
    made_calls = [{"name": name, "args": args, "id": f"{name}-{at}"} for at, (name, args) in enumerate(made)]
    return said(text, tokens, tool_calls=made_calls)


def said(text: str, tokens: int = 100, **more: Any) -> AIMessage:
    """A reply in words."""
    usage: Any = {"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens}
    return AIMessage(text, usage_metadata=usage, **more)


class ScriptedModel(BaseChatModel):
    """Gives these replies in turn, and keeps what it was asked and offered."""

    replies: Sequence[Any] = ()
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    options: list[dict[str, Any]] = Field(default_factory=list)
    shelf: Any = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self.bind(tools=tools, **options)

    def _generate(self, messages: list[BaseMessage], *rest: Any, **options: Any) -> ChatResult:
        self.asked.append(messages)
        self.options.append(options)
        if self.shelf is not None:
            self.shelf.note("ask")
        # A process that goes on with a run has given the earlier replies already.
        number = sum(isinstance(one, AIMessage) for one in messages)
        reply = self.replies[number if self.shelf is not None else len(self.asked) - 1]
        if isinstance(reply, Exception):
            raise reply
        return ChatResult(generations=[ChatGeneration(message=reply)])

    async def _agenerate(self, messages: list[BaseMessage], *rest: Any, **options: Any) -> ChatResult:
        return self._generate(messages, **options)


class StreamingModel(ScriptedModel):
    """Gives its replies a few letters at a time."""

    async def _astream(
        self, messages: list[BaseMessage], *rest: Any, **options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        reply: Any = self._generate(messages, **options).generations[0].message
        for at in range(0, len(reply.text), 7):
            yield ChatGenerationChunk(message=AIMessageChunk(reply.text[at : at + 7]))
        made = [{"name": c["name"], "args": json.dumps(c["args"]), "id": c["id"], "index": n, "type": "tool_call_chunk"}
                for n, c in enumerate(reply.tool_calls)]  # fmt: skip
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=made, chunk_position="last"))


class Room(TypedDict, total=False):
    """The state of a graph whose one node runs the loop, as a room's does."""

    request: str
    outcome: Any


@asynccontextmanager
async def opened(folder: Path, model: Any, shelf: Shelf, conversation: Any = (), **more: Any) -> AsyncIterator[Any]:
    """The graph on checkpoints in a file, and a function that runs it or goes on with it."""
    loop = build_loop(more.pop("tools", None) or shelf.tools(), "You look after services.")

    async def node(state: Room) -> Room:
        start = start_loop(state["request"], conversation, **more)
        return {"outcome": await run_loop(loop, start, LoopContext(open_door(model)))}

    graph = StateGraph(Room)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.sqlite")) as saver:
        compiled: Any = graph.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": "1"}}

        async def go(given: Any) -> Any:
            with use_ledger(Ledger()) as ledger:
                state = await compiled.ainvoke(given, config, durability="sync")
            return {**state, "ledger": ledger}

        yield go
