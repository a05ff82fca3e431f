"""The loop in which a capable model works: it calls tools, sees the results, and continues until it answers.

    model   one round: the next reply of the model, or the end. A pass that does not ask the model dispatches the
            remaining calls.
    call    one call: shown and confirmed first if the policy of effects says so. Reads of one reply run in parallel;
            a change runs alone, in order.

It is a LangGraph graph without a checkpointer of its own: inside another graph, each pass is a checkpoint of that run.
A reply is stored before its calls run, and each call's result when it has ended, so that a resumed run requests no
reply twice. A change that was active when the process died is repeated with the same idempotency key."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from signalbox.errors import ContractError, ModelEmptyError, ModelOutputError, SignalboxError, mask
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
from signalbox.toolbox.loop_prompt import AGAIN, ANSWER, Asked, Reply, clock_text, offered, said_texts, system_message
from signalbox.toolbox.loop_turn import Turn, ask_model
from signalbox.toolbox.person import follows_results, persons_words
from signalbox.toolbox.typed_tools import Tool

__all__ = ["Limits", "LoopContext", "LoopNodes", "LoopState", "build_loop", "run_loop", "start_loop"]

_MOST_CLAIMS, _MOST_TURNS, _MOST_STEPS = 20, 50, 10_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a loop: replies of the model, calls per reply, tokens in and out, and seconds without pauses."""

    rounds: int = 8
    calls: int = 24
    tokens: int = 100_000
    seconds: float = 120.0


@dataclass
class LoopContext:
    """What a loop runs with.

    With `streams`, the model's text goes to the graph's custom stream sentence by sentence, each after its check:
    `{"type": "text", "message", "text"}`. Without `may_pause`, a change that has to be confirmed ends the run with a
    `question`. Without a `model`, only the calls of the initial replies are made, and their results are the answer.
    """

    model: Any
    streams: bool = False
    may_pause: bool = True
    started: float = field(default_factory=monotonic)

    def left(self, seconds: float) -> float:
        """The rest of these seconds."""
        return seconds - (monotonic() - self.started)


class LoopState(TypedDict, total=False):
    """The state of a loop. By call id: the `results`, the questions that were `shown` for confirmation, and those that
    the person had `agreed` to before the run began."""

    asked: Asked
    replies: Annotated[list[Reply], operator.add]
    results: Annotated[dict[str, dict[str, Any]], operator.or_]
    shown: Annotated[dict[str, dict[str, Any]], operator.or_]
    agreed: dict[str, dict[str, Any]]
    outcome: Outcome


def build_loop(
    tools: Iterable[Tool], instructions: str, *, limits: Limits | None = None, names: Iterable[str] = ()
) -> Any:
    """The compiled loop over these tools.

    `names` are names that exist in the system behind them. Raises ContractError if two tools share a name, or one has
    an argument called `answer`.
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
    data: str = "",
    records: str = "",
) -> LoopState:
    """The initial state of a loop. See `Asked`."""
    turns = [dict(turn) for turn in conversation[-_MOST_TURNS:]]
    asked = Asked(
        request=request, said=persons_words() or request, after_data=follows_results(), conversation=turns,
        listed=list(listed), only=only,
        clock=clock_text(), data=mask(data), records=mask(records),
    )  # fmt: skip
    return LoopState(asked=asked, replies=[], results={}, shown={})


async def run_loop(loop: Any, state: LoopState, context: LoopContext) -> Outcome:
    """Run the loop to its end, inside a node of a graph or on its own.

    A pause is passed on to the outer graph. Raises ContractError if it pauses on its own, where the pause cannot be
    stored: then set `may_pause` to False.
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
    """The two nodes of the graph, for agents whose map has them as rows, under the names `nodes`. The call's row leads
    to the model's, and the state has the keys of LoopState. See `build_loop`."""

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
        self._offered, self._system, self._names = offered(every), system_message(instructions), tuple(names)
        self._vocabulary = "\n".join([instructions, *(f"{one.name} {one.description}" for one in every)])

    async def model(self, state: LoopState, context: LoopContext) -> Command[Any]:
        """Dispatch the waiting calls; if there are none, end the run or ask the model for its next reply."""
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
        """Make the call that was dispatched to this node."""
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
        """The part of the state that a call needs; it is kept small, since it is stored."""
        if not self._changes(call):
            sources = [*(one["text"] for one in results.values()), *said_texts(state["asked"])]
            return {"call": call, "sources": sources if call["name"] == CALCULATE.name else []}
        before = [results[one["id"]] for one in calls if one["round"] < call["round"]]
        changed = [key for one in before if was_change(one) for key in one.get("targets", ())]
        asked = state["asked"]
        return {
            "call": call,
            "shown": state["shown"].get(call["id"]),
            "agreed": (state.get("agreed") or {}).get(call["id"]),
            "request": asked["said"],
            "earlier": [turn.get("said", "") for turn in asked["conversation"]],
            "listed": asked["listed"],
            "only": asked["only"],
            "after_data": bool(before) or asked["after_data"],
            "changed": changed,
        }

    async def _go_on(
        self, state: LoopState, calls: Sequence[ToolCall], results: dict[str, Any], context: LoopContext
    ) -> dict[str, Any]:
        """The `outcome`, or the model's next reply if it calls tools or has to rewrite its answer."""
        if (ended := _answered(calls, results, is_all=context.model is None)) is not None:
            return {"outcome": ended}
        messages = [one["message"] for one in state["replies"]]
        replies = [one for one in messages if isinstance(one, AIMessage)]
        if sum(one.usage_metadata["total_tokens"] for one in replies if one.usage_metadata) >= self._limits.tokens:
            return {"outcome": reported(results, "tokens")}
        number, is_again = 1 + len(replies), len(replies) < len(messages)
        turn = Turn(
            self._system, self._vocabulary, self._names, state["asked"], state["replies"], results,
            number=number, is_again=is_again, is_last=number >= self._limits.rounds,
        )  # fmt: skip
        model = context.model.bind_tools(self._offered, **({"tool_choice": "none"} if turn.is_last else {}))
        try:
            left = context.left(self._limits.seconds)
            reply = await ask_model(model, turn, left, get_stream_writer() if context.streams else None)
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


def _answered(
    calls: Sequence[ToolCall], results: Mapping[str, dict[str, Any]], *, is_all: bool = False
) -> Outcome | None:
    """The outcome if calls of the last reply are the answer, or one of them asks the person; None to continue. If there
    will be no other calls (`is_all`), they are the answer in any case."""
    if is_all and not calls:
        return presented([], results)
    last = [one for one in calls if one["round"] == calls[-1]["round"]]
    given = [results[one["id"]] for one in last]
    for one in given:
        if one.get("asks"):
            return presented([one], results, one["asks"])
    marked = [results[one["id"]] for one in last if one["is_marked"]]
    if is_all:
        return presented([one for one in given if not one.get("same_as")], results)
    # A model sees what failed, and what found nothing, before a person does.
    is_fine = all(one["ok"] or one.get("is_declined") for one in given)
    return presented(marked, results) if marked and is_fine and not any(one.get("is_empty") for one in marked) else None
