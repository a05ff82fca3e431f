"""The loop in which a capable model works: it calls tools, sees the results, and goes on until it answers.

    model   one round: the next reply of the model, or the end. A pass without a question to the model hands out the
            calls that still wait.
    call    one call: shown and confirmed first where the policy of effects says so. Reads of a reply run side by side;
            a change runs alone, in its place.

It is a LangGraph graph without a checkpointer of its own: inside another graph, each pass is a checkpoint of that run.
A reply is stored before its calls run, and each call's result when it has ended, so that a run that is resumed asks for
no reply twice. A change that was under way when the process died is made again with the same idempotency key.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, message_chunk_to_message
from langgraph.config import get_stream_writer
from langgraph.constants import TAG_NOSTREAM
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from signalbox.errors import ContractError, LLMAPIError, ModelEmptyError, ModelOutputError, SignalboxError
from signalbox.settings import person_zone
from signalbox.toolbox.calculate import CALCULATE
from signalbox.toolbox.loop_calls import (
    ToolCall,
    known_results,
    list_calls,
    make_call,
    numbered_results,
    signature_of,
    was_change,
)
from signalbox.toolbox.loop_outcome import Outcome, failed, presented, reported, written
from signalbox.toolbox.loop_prompt import (
    AGAIN,
    ANSWER,
    LAST_ROUND,
    SHOWN_TURNS,
    Reply,
    clock_text,
    offered,
    prompt,
    system_message,
)
from signalbox.toolbox.typed_tools import Tool
from signalbox.toolbox.verify import Checked, Sources, split_sentences

__all__ = ["Asked", "Limits", "LoopContext", "LoopNodes", "LoopState", "build_loop", "run_loop", "start_loop"]

_MOST_CLAIMS, _MOST_TURNS, _MOST_STEPS = 20, 50, 10_000
_LONG = 10_000
"""Characters that are checked within a few milliseconds."""
_UNSTREAMED: Any = {"tags": [TAG_NOSTREAM]}
"""What a model writes reaches a person only after its check."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a run of the loop may go: replies of the model, calls in a reply, tokens in and out, and seconds without
    a pause."""

    rounds: int = 8
    calls: int = 24
    tokens: int = 100_000
    seconds: float = 120.0


@dataclass
class LoopContext:
    """What a run of the loop is lent.

    With `streams`, the model's text is told sentence by sentence on the graph's custom stream, each after its check:
    `{"type": "text", "message", "text"}`. Without `may_pause`, a change that has to be confirmed ends the run with a
    `question`.
    """

    model: Any
    streams: bool = False
    may_pause: bool = True
    started: float = field(default_factory=monotonic)

    def left(self, seconds: float) -> float:
        """What is left of so many seconds."""
        return seconds - (monotonic() - self.started)


class Asked(TypedDict):
    """What a run of the loop begins with. `conversation` are the earlier turns of the thread, each `{"said", "agent",
    "answer"}`. `listed` are the keys of the list that the person saw last, and `only` is the key of the one thing that
    the last answer was about."""

    request: str
    conversation: list[dict[str, str]]
    listed: list[str]
    only: str | None
    clock: str


class LoopState(TypedDict, total=False):
    """A run of the loop. `results` are by the id of their call, and so is what was `shown` to be confirmed."""

    asked: Asked
    replies: Annotated[list[Reply], operator.add]
    results: Annotated[dict[str, dict[str, Any]], operator.or_]
    shown: Annotated[dict[str, dict[str, Any]], operator.or_]
    outcome: Outcome


def build_loop(
    tools: Iterable[Tool], instructions: str, *, limits: Limits | None = None, names: Iterable[str] = ()
) -> Any:
    """The compiled loop over these tools. `names` are names that exist in the system behind them.

    Raises ContractError where two tools share a name, or one has an argument called `answer`.
    """
    nodes = LoopNodes(tools, instructions, limits=limits, names=names)

    async def model(state: LoopState, runtime: Runtime[LoopContext]) -> Any:
        return await nodes.model(state, runtime.context)

    async def call(state: LoopState, runtime: Runtime[LoopContext]) -> Any:
        return await nodes.call(state, runtime.context)

    graph = StateGraph(LoopState, context_schema=LoopContext)
    graph.add_node("model", model, destinations=("call", "model", END))
    graph.add_node("call", call)
    graph.add_edge(START, "model")
    graph.add_edge("call", "model")
    return graph.compile(name="loop")


def start_loop(
    request: str,
    conversation: Sequence[Mapping[str, str]] = (),
    *,
    listed: Sequence[str] = (),
    only: str | None = None,
) -> LoopState:
    """The state that a run of the loop begins with."""
    turns = [dict(turn) for turn in conversation[-_MOST_TURNS:]]
    asked = Asked(request=request, conversation=turns, listed=list(listed), only=only, clock=clock_text())
    return LoopState(asked=asked, replies=[], results={}, shown={})


async def run_loop(loop: Any, state: LoopState, context: LoopContext) -> Outcome:
    """Run the loop to its end, inside a node of a graph or by itself. A pause passes through to the graph outside.

    Raises ContractError where it pauses by itself, with nobody to keep the pause: there, set `may_pause` to False.
    """
    limit: Any = {"recursion_limit": _MOST_STEPS}
    ended = await loop.ainvoke(state, limit, context=context, output_keys=["outcome", "results"])
    if "outcome" not in ended:
        raise ContractError("The loop has to wait for a person, and no graph around it has a checkpointer.")
    outcome: Outcome = ended["outcome"]
    # The outcome is stored without what the results hold already.
    given = [{**ended["results"][one["id"]], **one, "entry": None} for one in outcome["results"]]
    return {**outcome, "results": given}


class LoopNodes:
    """The two nodes of the graph, for a room whose own map has them as rows: `nodes` are then their names there. The
    row of a call leads to that of the model, and its state has the keys of LoopState. See `build_loop`."""

    def __init__(
        self,
        tools: Iterable[Tool],
        instructions: str,
        *,
        limits: Limits | None = None,
        names: Iterable[str] = (),
        nodes: tuple[str, str] = ("model", "call"),
    ) -> None:
        every = [*tools]
        every += [CALCULATE] if all(one.name != CALCULATE.name for one in every) else []
        self._tools = {one.name: one for one in every}
        if len(self._tools) < len(every):
            raise ContractError("Two tools of a loop have the same name.")
        for one in every:
            if ANSWER in (one.parameters.get("properties") or {}):
                raise ContractError(f"The tool '{one.name}' has an argument '{ANSWER}', which the loop adds itself.")
        self._limits, self._nodes = limits or Limits(), nodes
        self.offered, self.system, self.names = offered(every), system_message(instructions), tuple(names)
        self.vocabulary = "\n".join([instructions, *(f"{one.name} {one.description}" for one in every)])

    async def model(self, state: LoopState, context: LoopContext) -> Command[Any]:
        """Hand out the calls that wait; where none does, end the run or ask the model for its next reply."""
        calls, results = list_calls(state["replies"]), dict(state["results"])
        new = known_results(calls, results, self._tools, self._limits.calls)
        results |= new
        update: dict[str, Any] = {"results": new}
        if all(one["id"] in results for one in calls):
            update |= await self._go_on(state, calls, numbered_results(calls, results), context)
            if "outcome" in update:
                return Command(update=update, goto=END)
            state = {**state, "replies": [*state["replies"], *update["replies"]]}
            calls = list_calls(state["replies"])
            update["results"] = {**new, **known_results(calls, results, self._tools, self._limits.calls)}
            results |= update["results"]
        waiting = [one for one in calls if one["id"] not in results]
        first = 1 + sum(not one.get("same_as") for one in results.values())
        sent = [
            Send(self._nodes[1], {**self._sent(call, calls, state, results), "number": number})
            for number, call in enumerate(self._next(waiting), first)
        ]
        return Command(update=update, goto=sent or self._nodes[0])

    async def call(self, sent: Mapping[str, Any], context: LoopContext) -> Any:
        """Make the call that was sent here."""
        left = context.left(self._limits.seconds)
        return await make_call(self._tools, sent, left, may_pause=context.may_pause)

    def _next(self, waiting: Sequence[ToolCall]) -> list[ToolCall]:
        """The reads that come before the next change, each once; or that change."""
        reads: dict[str, ToolCall] = {}
        for call in waiting:
            if self._changes(call):
                break
            reads.setdefault(signature_of(call), call)
        return list(reads.values()) or [*waiting[:1]]

    def _changes(self, call: ToolCall) -> bool:
        return call["name"] in self._tools and self._tools[call["name"]].effect != "read"

    def _sent(
        self, call: ToolCall, calls: Sequence[ToolCall], state: LoopState, results: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """What a call needs to know of the run and nothing more, since it is stored."""
        if not self._changes(call):
            sources = [*(one["text"] for one in results.values()), *_said(state)]
            return {"call": call, "sources": sources if call["name"] == CALCULATE.name else []}
        before = [results[one["id"]] for one in calls if one["round"] < call["round"]]
        changed = [key for one in before if was_change(one) for key in one.get("targets", ())]
        asked = state["asked"]
        return {
            "call": call,
            "shown": state["shown"].get(call["id"]),
            "request": asked["request"],
            "earlier": [turn.get("said", "") for turn in asked["conversation"]],
            "listed": asked["listed"],
            "only": asked["only"],
            "after_data": bool(before),
            "changed": changed,
        }

    async def _go_on(
        self, state: LoopState, calls: Sequence[ToolCall], results: dict[str, Any], context: LoopContext
    ) -> dict[str, Any]:
        """The `outcome`, or the next reply of the model where it calls tools or has to write its answer again."""
        if (ended := _answered(calls, results)) is not None:
            return {"outcome": ended}
        messages = [one["message"] for one in state["replies"]]
        replies = [one for one in messages if isinstance(one, AIMessage)]
        if sum(one.usage_metadata["total_tokens"] for one in replies if one.usage_metadata) >= self._limits.tokens:
            return {"outcome": reported(results, "tokens")}
        number, is_again = 1 + len(replies), len(replies) < len(messages)
        turn = _Turn(self, state, results, number, is_again=is_again, is_last=number >= self._limits.rounds)
        try:
            reply = await self._ask(turn, context)
        except TimeoutError:
            return {"outcome": reported(results, "time")}
        except SignalboxError as error:
            is_stopped = turn.is_last and isinstance(error, ModelOutputError)
            return {"outcome": reported(results, "rounds") if is_stopped else failed(results, error)}
        update: dict[str, Any] = {"replies": [Reply(message=reply)]}
        if reply.tool_calls and not turn.is_last:
            return update
        checked = await turn.check(reply.text.strip())
        unsupported = dict.fromkeys(claim for one in checked for claim in one.unsupported)
        if not checked:
            return {**update, "outcome": failed(results, ModelEmptyError("The model gave an empty reply."))}
        if unsupported and not is_again and not turn.is_last:
            again = HumanMessage(AGAIN.format(claims=", ".join([*unsupported][:_MOST_CLAIMS])))
            return {"replies": [*update["replies"], Reply(message=again)]}
        return {**update, "outcome": written(checked, results, "rounds" if turn.is_last and calls else "")}

    async def _ask(self, turn: _Turn, context: LoopContext) -> AIMessage:
        """The next reply. Raises TimeoutError, LLMAPIError and BudgetError."""
        model = context.model.bind_tools(self.offered, **({"tool_choice": "none"} if turn.is_last else {}))
        limit = asyncio.timeout(context.left(self._limits.seconds))
        try:
            async with limit:
                if context.streams:
                    reply = await _streamed(model, turn, get_stream_writer())
                else:
                    reply = await model.ainvoke(turn.messages, _UNSTREAMED)
        except SignalboxError:
            raise
        except Exception as error:
            if limit.expired():
                raise
            raise LLMAPIError(details=error) from None
        return _with_ids(reply, turn)


@dataclass
class _Turn:
    """One question to the model. `is_again` if it has been told what of its answer occurs nowhere."""

    loop: LoopNodes
    state: LoopState
    results: Mapping[str, dict[str, Any]]
    number: int
    is_again: bool
    is_last: bool

    @property
    def messages(self) -> list[BaseMessage]:
        """What the model is sent."""
        asked, last = self.state["asked"], [HumanMessage(LAST_ROUND)] if self.is_last else []
        told, request = asked["conversation"], asked["request"]
        return [*prompt(self.loop.system, asked["clock"], told, request, self.state["replies"], self.results), *last]

    @cached_property
    def sources(self) -> Sources:
        """What an answer may rest on: the results with what was asked for, and what was said."""
        loop, zone = self.loop, person_zone()
        return Sources(self.texts, _said(self.state), vocabulary=loop.vocabulary, known=loop.names, zone=zone)

    @property
    def texts(self) -> dict[str, str]:
        """The results by their numbers, each with what was asked for where that exists."""
        asked = {
            one["number"]: [f"{name}: {value}" for name, value in one["args"].items()] if one["ok"] else []
            for one in self.results.values()
        }
        return {one["number"]: "\n".join([one["text"], *asked[one["number"]]]) for one in self.results.values()}

    async def check(self, answer: str) -> list[Checked]:
        """The sentences of an answer, checked; off the event loop where there is much to look through."""

        def work() -> list[Checked]:
            sources = self.sources
            return [sources.check(one) for one in split_sentences(answer)]

        is_long = len(answer) + sum(len(one["text"]) for one in self.results.values()) > _LONG
        return await asyncio.to_thread(work) if is_long else work()


def _said(state: LoopState) -> list[str]:
    asked = state["asked"]
    turns = asked["conversation"][-SHOWN_TURNS:]
    told = [text for turn in turns for text in (turn.get("said", ""), turn.get("answer", ""))]
    return [asked["request"], *told, asked["clock"]]


def _answered(calls: Sequence[ToolCall], results: Mapping[str, dict[str, Any]]) -> Outcome | None:
    """The outcome where calls of the last reply are the answer, or one of them asks the person; None to go on."""
    last = [one for one in calls if one["round"] == calls[-1]["round"]]
    given = [results[one["id"]] for one in last]
    for one in given:
        if one.get("asks"):
            return presented([one], results, one["asks"])
    marked = [results[one["id"]] for one in last if one["is_marked"]]
    # A model sees what failed, and what found nothing, before a person does.
    is_fine = all(one["ok"] or one.get("is_declined") for one in given)
    return presented(marked, results) if marked and is_fine and not any(one.get("is_empty") for one in marked) else None


def _with_ids(reply: AIMessage, turn: _Turn) -> AIMessage:
    """The reply with an id of its own for every call: the door sees to that, other models may not."""
    ids = [str(call.get("id") or "") for call in reply.tool_calls]
    if all(ids) and len({*ids, *turn.results}) == len(ids) + len(turn.results):
        return reply
    named = [{**call, "id": f"call-{turn.number}-{at}"} for at, call in enumerate(reply.tool_calls)]
    return reply.model_copy(update={"tool_calls": named})


async def _streamed(model: Any, turn: _Turn, write: Callable[[Any], None]) -> Any:
    """The whole reply. Its sentences are told when they are complete, up to the first that does not hold; what was
    written for the second time is told without such sentences."""
    whole: Any = None
    rest, is_told = "", True

    def tell(pieces: Sequence[str]) -> None:
        nonlocal is_told
        for checked in map(turn.sources.check, pieces):
            is_told = is_told and (turn.is_again or not checked.unsupported)
            if is_told and not checked.unsupported:
                write({"type": "text", "message": f"round-{turn.number}", "text": checked.text})

    # What there is to look through is read before the first letter comes, and off the event loop if it is much.
    await turn.check("")
    async for chunk in model.astream(turn.messages, _UNSTREAMED):
        whole = chunk if whole is None else whole + chunk
        is_told = is_told and not whole.tool_call_chunks
        *complete, rest = split_sentences(rest + chunk.text) or [""]
        tell(complete)
    tell([rest] if rest else [])
    return message_chunk_to_message(whole) if whole is not None else AIMessage("")
