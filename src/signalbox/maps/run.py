"""Running a map: compiled and executed, to its end or to its pause, in one call or as a stream of node events.

Nothing is stored: use `signalbox.runs` for a run that must outlive the process or be resumed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from langgraph.config import get_stream_writer
from langgraph.errors import GraphBubbleUp, InvalidUpdateError
from langgraph.types import Command

from signalbox.contract import ExecutionTracker, NodeEvent, current_tracker
from signalbox.errors import MapError, SignalboxError
from signalbox.maps.build import CompiledMap
from signalbox.maps.context import RunContext, current_run
from signalbox.maps.map_run import MapRun, open_map
from signalbox.maps.outcome import broken_off, ended
from signalbox.maps.result import MapResult
from signalbox.maps.spec import GraphSpec
from signalbox.maps.writing import current_listener, piece_of, written_piece

__all__ = ["arun_map", "astream_map", "keep_input", "run_map", "stream_map"]

Source = str | Path | GraphSpec | MapRun
Listener = Callable[[NodeEvent], None]


def run_map(
    source: Source, state: Mapping[str, Any] | None = None, *, listener: Listener | None = None, **options: Any
) -> MapResult:
    """Run a map until it ends or waits for a person.

    Options: graph, model (a LangChain chat model), data (the data folder), policy, max_steps, thread_id, and a
    checkpointer of one's own. The listener hears of every node.
    """
    run = _prepare(source, state, options)
    compiled, context, tracker = run.compiled(), run.context(), run.tracker(listener)
    with _surroundings(context, tracker):
        try:
            output = compiled.langgraph.invoke(
                _input(run, compiled), run.config(context), **_options(run), version="v2"
            )
        except (SignalboxError, InvalidUpdateError) as error:
            return broken_off(run, context, tracker, _ours(error))
        except GraphBubbleUp as pause:
            # A graph inside a graph: the one outside keeps what this one did until now.
            pause.summary = tracker.summarize("paused")  # type: ignore[attr-defined]
            raise
    return ended(run, compiled, context, tracker, output.value, output.interrupts)


async def arun_map(
    source: Source, state: Mapping[str, Any] | None = None, *, listener: Listener | None = None, **options: Any
) -> MapResult:
    """Like `run_map`, in an event loop. Inside `use_writing`, text from models is passed on as it is written."""
    run = _prepare(source, state, options)
    execute = _executed
    if current_listener.get() is not None:
        # LangGraph says of what a model writes in which of its steps that was, so each row has one of its own.
        run, execute = replace(run, stepwise=True), _overheard
    compiled, context, tracker = run.compiled(), run.context(), run.tracker(listener)
    context.streams = execute is _overheard
    with _surroundings(context, tracker):
        try:
            values, pauses = await execute(run, compiled, context, tracker)
        except (SignalboxError, InvalidUpdateError) as error:
            return broken_off(run, context, tracker, _ours(error))
    return ended(run, compiled, context, tracker, values, pauses)


async def _executed(
    run: MapRun, compiled: CompiledMap, context: RunContext, tracker: ExecutionTracker
) -> tuple[Any, Any]:
    output = await compiled.langgraph.ainvoke(_input(run, compiled), run.config(context), **_options(run), version="v2")
    return output.value, output.interrupts


async def _overheard(
    run: MapRun, compiled: CompiledMap, context: RunContext, tracker: ExecutionTracker
) -> tuple[Any, Any]:
    """As `_executed`, with models that stream to who listens, and the text that nodes write on the custom stream, such
    as the loop's. The latter also comes from graphs inside a node."""
    listener, raw, pauses = current_listener.get(), {}, []
    options = {**_options(run), "stream_mode": ["values", "messages", "custom"], "subgraphs": True}
    async for place, mode, item in compiled.langgraph.astream(_input(run, compiled), run.config(context), **options):
        piece = None
        if mode == "custom":
            node = place[0].partition(":")[0] if place else tracker.latest_node
            piece = written_piece(item, node, run.run_id)
        elif place:
            continue
        elif mode == "values":
            pauses += item.get("__interrupt__", ())
            raw.update(item)
        else:
            chunk, about = item
            piece = piece_of(chunk, about, run.graph)
        if piece is not None and listener is not None:
            listener(piece)
    return raw, _each_once(pauses)


def stream_map(
    source: Source, state: Mapping[str, Any] | None = None, *, listener: Listener | None = None, **options: Any
) -> Iterator[NodeEvent | MapResult]:
    """Run a map and yield each node's events as they happen; the last item is the result."""
    run = _prepare(source, state, options)
    compiled, context, tracker = run.compiled(), run.context(), run.tracker(_to_stream(listener))
    steps = compiled.langgraph.stream(_input(run, compiled), run.config(context), **_options(run), stream_mode=_MODES)
    raw: dict[str, Any] = {}
    pauses: list[Any] = []
    while True:
        with _surroundings(context, tracker):
            try:
                mode, item = next(steps)
            except StopIteration:
                break
            except (SignalboxError, InvalidUpdateError) as error:
                yield broken_off(run, context, tracker, _ours(error))
                return
        if mode == "custom":
            yield item
        else:
            pauses += item.get("__interrupt__", ())
            raw.update(item)
    yield ended(run, compiled, context, tracker, raw, _each_once(pauses))


async def astream_map(
    source: Source, state: Mapping[str, Any] | None = None, *, listener: Listener | None = None, **options: Any
) -> AsyncIterator[NodeEvent | MapResult]:
    """Like `stream_map`, in an event loop."""
    run = _prepare(source, state, options)
    compiled, context, tracker = run.compiled(), run.context(), run.tracker(_to_stream(listener))
    steps = compiled.langgraph.astream(_input(run, compiled), run.config(context), **_options(run), stream_mode=_MODES)
    raw: dict[str, Any] = {}
    pauses: list[Any] = []
    while True:
        with _surroundings(context, tracker):
            try:
                mode, item = await anext(steps)
            except StopAsyncIteration:
                break
            except (SignalboxError, InvalidUpdateError) as error:
                yield broken_off(run, context, tracker, _ours(error))
                return
        if mode == "custom":
            yield item
        else:
            pauses += item.get("__interrupt__", ())
            raw.update(item)
    yield ended(run, compiled, context, tracker, raw, _each_once(pauses))


_INPUT = "__input__"
"""As what LangGraph stores the input of a graph, beside the names of its nodes."""


def keep_input(run: MapRun) -> None:
    """Store the state that a run starts with as its first checkpoint, to go on from. Raises MapError."""
    compiled = run.compiled()
    try:
        compiled.langgraph.update_state(run.config(run.context()), compiled.layout.start(run.state), as_node=_INPUT)
    except InvalidUpdateError as error:
        raise _ours(error) from None


_MODES: Any = ["custom", "values"]


def _prepare(source: Source, state: Mapping[str, Any] | None, options: dict[str, Any]) -> MapRun:
    run = source if isinstance(source, MapRun) else open_map(source, **options)
    return run if state is None else run.starting_with(state)


def _input(run: MapRun, compiled: CompiledMap) -> Any:
    if run.answers is None:
        return compiled.layout.start(run.state)
    return Command(resume=dict(run.answers)) if run.answers else None


def _each_once(pauses: list[Any]) -> list[Any]:
    """Parallel branches tell of their pauses one after the other, and each may be told again."""
    return list({pause.id: pause for pause in pauses}.values())


def _options(run: MapRun) -> Any:
    return {} if run.checkpointer is None else {"durability": run.durability}


def _ours(error: Exception) -> SignalboxError:
    """LangGraph's refusal of a write, in words for who wrote the map."""
    if isinstance(error, SignalboxError):
        return error
    return MapError(
        f"The state could not take what nodes wrote: {str(error).partition(' For troubleshooting')[0].strip()}",
        suggestion="Give a field that several nodes write side by side a reducer in the state class.",
    )


@contextmanager
def _surroundings(context: RunContext, tracker: ExecutionTracker) -> Iterator[None]:
    tracker_token = current_tracker.set(tracker)
    run_token = current_run.set(context)
    try:
        yield
    finally:
        current_run.reset(run_token)
        current_tracker.reset(tracker_token)


def _to_stream(listener: Listener | None) -> Listener:
    def tell(event: NodeEvent) -> None:
        if listener is not None:
            listener(event)
        get_stream_writer()(event)

    return tell
