"""Running a map: checked, compiled, run to its end or to its pause, in one call or as a stream of node events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import Token
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from signalbox.contract import ExecutionTracker, NodeEvent, current_tracker
from signalbox.errors import RequestError, SignalboxError
from signalbox.maps import pauses
from signalbox.maps.build import VALUES, CompiledMap
from signalbox.maps.context import RunContext, current_run
from signalbox.maps.opening import MapRun, Resume, open_map
from signalbox.maps.outcome import broken_off, ended
from signalbox.maps.result import MapResult
from signalbox.maps.spec import GraphSpec

__all__ = ["aresume_map", "arun_map", "astream_map", "resume_map", "run_map", "stream_map"]


def run_map(
    source: str | Path | GraphSpec | MapRun, state: Mapping[str, Any] | None = None, **options: Any
) -> MapResult:
    """Run a map to its end, or to the point where it waits for a person.

    Options: graph, model (a LangChain chat model), data (the data folder), policy, max_steps, thread_id, and a
    checkpointer of one's own. Without one, a run that waits is kept under `SIGNALBOX_HOME`, for `resume_map`.
    """
    run = _prepare(source, state, options)
    with _kept(run) as (run, compiled):
        context, tracker = run.context(), run.tracker()
        with _surroundings(context, tracker):
            try:
                output = compiled.langgraph.invoke(_input(run), run.config(context), **_invoking(run))
            except SignalboxError as error:
                return _settled(run, broken_off(run, tracker, error))
            except GraphBubbleUp as pause:
                # A graph inside a graph: the one outside keeps what this one did until now.
                pause.summary = tracker.summarize("paused")  # type: ignore[attr-defined]
                raise
        return _settled(run, ended(run, compiled, tracker, output.value, output.interrupts))


async def arun_map(
    source: str | Path | GraphSpec | MapRun, state: Mapping[str, Any] | None = None, **options: Any
) -> MapResult:
    """As `run_map`, in an event loop."""
    run = _prepare(source, state, options)
    async with _akept(run) as (run, compiled):
        context, tracker = run.context(), run.tracker()
        with _surroundings(context, tracker):
            try:
                output = await compiled.langgraph.ainvoke(_input(run), run.config(context), **_invoking(run))
            except SignalboxError as error:
                return await _asettled(run, broken_off(run, tracker, error))
        return await _asettled(run, ended(run, compiled, tracker, output.value, output.interrupts))


def stream_map(
    source: str | Path | GraphSpec | MapRun, state: Mapping[str, Any] | None = None, **options: Any
) -> Iterator[NodeEvent | MapResult]:
    """Run a map and give each node's events as they happen; the last item is the result."""
    run = _prepare(source, state, options)
    with _kept(run) as (run, compiled):
        context, tracker = run.context(), run.tracker(_to_stream)
        steps = compiled.langgraph.stream(_input(run), run.config(context), **_streaming(run))
        raw: dict[str, Any] = {}
        while True:
            with _surroundings(context, tracker):
                try:
                    mode, item = next(steps)
                except StopIteration:
                    break
                except SignalboxError as error:
                    yield _settled(run, broken_off(run, tracker, error))
                    return
            if mode == "custom":
                yield item
            else:
                raw.update(item)
        yield _settled(run, ended(run, compiled, tracker, raw.get(VALUES), raw.get("__interrupt__")))


async def astream_map(
    source: str | Path | GraphSpec | MapRun, state: Mapping[str, Any] | None = None, **options: Any
) -> AsyncIterator[NodeEvent | MapResult]:
    """As `stream_map`, in an event loop."""
    run = _prepare(source, state, options)
    async with _akept(run) as (run, compiled):
        context, tracker = run.context(), run.tracker(_to_stream)
        steps = compiled.langgraph.astream(_input(run), run.config(context), **_streaming(run))
        raw: dict[str, Any] = {}
        while True:
            with _surroundings(context, tracker):
                try:
                    mode, item = await anext(steps)
                except StopAsyncIteration:
                    break
                except SignalboxError as error:
                    yield await _asettled(run, broken_off(run, tracker, error))
                    return
            if mode == "custom":
                yield item
            else:
                raw.update(item)
        yield await _asettled(run, ended(run, compiled, tracker, raw.get(VALUES), raw.get("__interrupt__")))


def resume_map(thread_id: str, answer: Any = None, *, model: Any = None, force: bool = False) -> MapResult:
    """Go on with a run that waits, with the answer to its question. Another process may have started it.

    Raises NotFoundError where no such run waits, and RequestError where the question cannot take the answer.
    """
    paused, answer = pauses.claim(thread_id, answer, force=force)
    try:
        return run_map(_continued(paused, answer, model))
    except BaseException:
        pauses.release(paused.thread_id)
        raise


async def aresume_map(thread_id: str, answer: Any = None, *, model: Any = None, force: bool = False) -> MapResult:
    """As `resume_map`, in an event loop."""
    paused, answer = await asyncio.to_thread(pauses.claim, thread_id, answer, force=force)
    try:
        return await arun_map(_continued(paused, answer, model))
    except BaseException:
        await asyncio.to_thread(pauses.release, paused.thread_id)
        raise


def _continued(paused: pauses.PausedRun, answer: Any, model: Any) -> MapRun:
    return MapRun(
        paused.graph, paused.folder, paused.graphs, {}, paused.data, model, paused.policy, paused.max_steps,
        paused.thread_id, earlier=paused.summary, resume=Resume(answer, paused.question.get("id")),
    )  # fmt: skip


@contextmanager
def _kept(run: MapRun) -> Iterator[tuple[MapRun, CompiledMap]]:
    """The run and its graph; with a checkpointer, where it may wait and was given none."""
    compiled = run.compiled()
    if run.checkpointer is not None or run.depth or not compiled.pauses:
        yield run, compiled
        return
    _require_free(run)
    with pauses.saver() as saver:
        run = replace(run, checkpointer=saver, keeps=True)
        yield run, run.compiled()


@asynccontextmanager
async def _akept(run: MapRun) -> AsyncIterator[tuple[MapRun, CompiledMap]]:
    compiled = run.compiled()
    if run.checkpointer is not None or run.depth or not compiled.pauses:
        yield run, compiled
        return
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    await asyncio.to_thread(_require_free, run)
    async with AsyncSqliteSaver.from_conn_string(str(pauses.database())) as saver:
        saver.serde = pauses.Serializer()
        run = replace(run, checkpointer=saver, keeps=True)
        yield run, run.compiled()


def _require_free(run: MapRun) -> None:
    """Raise RequestError where a new run would take the name of one that waits."""
    if run.resume is None and pauses.is_waiting(run.thread_id):
        raise RequestError(
            f"A run already waits as thread '{run.thread_id}'.", suggestion="Resume it, or give this one another name."
        )


def _settled(run: MapRun, result: MapResult) -> MapResult:
    """A run that waits is remembered; one that ended is forgotten."""
    if run.keeps:
        if result.status == "needs_input":
            pauses.remember(run, result)
        else:
            pauses.forget(run.thread_id)
    return result


async def _asettled(run: MapRun, result: MapResult) -> MapResult:
    """As `_settled`. The database is not waited for in the loop: another run of the loop may hold it."""
    return await asyncio.to_thread(_settled, run, result) if run.keeps else result


def _prepare(
    source: str | Path | GraphSpec | MapRun, state: Mapping[str, Any] | None, options: dict[str, Any]
) -> MapRun:
    run = source if isinstance(source, MapRun) else open_map(source, **options)
    return replace(run, state=dict(state)) if state is not None else run


def _input(run: MapRun) -> Any:
    if run.resume is None:
        return {VALUES: dict(run.state)}
    name = run.resume.question_id
    return Command(resume={name: run.resume.value} if name else run.resume.value)


def _durability(run: MapRun) -> Literal["sync", "exit"] | None:
    """Where a pause is all that must be kept, it is written when it comes; a checkpointer of one's own gets all."""
    if run.checkpointer is None:
        return None
    return "exit" if run.keeps else "sync"


def _invoking(run: MapRun) -> Any:
    return {"output_keys": VALUES, "version": "v2", "durability": _durability(run)}


def _streaming(run: MapRun) -> Any:
    return {"stream_mode": ["custom", "values"], "durability": _durability(run)}


@contextmanager
def _surroundings(context: RunContext, tracker: ExecutionTracker) -> Iterator[None]:
    tracker_token: Token[Any] = current_tracker.set(tracker)
    run_token: Token[Any] = current_run.set(context)
    try:
        yield
    finally:
        current_run.reset(run_token)
        current_tracker.reset(tracker_token)


def _to_stream(event: NodeEvent) -> None:
    from langgraph.config import get_stream_writer

    get_stream_writer()(event)
