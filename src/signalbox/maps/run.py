"""Running a map: checked, compiled, run to its end or to its pause, in one call or as a stream of node events."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import Token
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from signalbox.contract import ExecutionSummary, ExecutionTracker, NodeEvent, current_tracker
from signalbox.errors import MapError, RequestError, SignalboxError
from signalbox.maps import pauses
from signalbox.maps.build import VALUES, CompiledMap, compile_map
from signalbox.maps.cells import parse_names
from signalbox.maps.check import require_sound
from signalbox.maps.context import RunContext, current_run
from signalbox.maps.findings import did_you_mean
from signalbox.maps.policies import find_policy
from signalbox.maps.read import read_map
from signalbox.maps.result import MapResult
from signalbox.maps.spec import GraphSpec
from signalbox.settings import get_settings

__all__ = [
    "MapRun",
    "aresume_map",
    "arun_map",
    "astream_map",
    "open_map",
    "resume_map",
    "run_map",
    "stream_map",
]


@dataclass(frozen=True, slots=True)
class Resume:
    """The answer with which a run that waits goes on, and which of its questions it answers."""

    value: Any
    question_id: str | None = None


@dataclass(slots=True)
class MapRun:
    """One run, ready to start: the graph, its surroundings and what it starts with."""

    graph: GraphSpec
    folder: Path
    graphs: Mapping[str, GraphSpec] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    data: Path | None = None
    model: Any = None
    policy: str | None = None
    max_steps: int | None = None
    thread_id: str = ""
    run_id: str = ""
    depth: int = 0
    checkpointer: Any = None
    keeps: bool = False
    earlier: ExecutionSummary | None = None
    resume: Resume | None = None

    def __post_init__(self) -> None:
        self.thread_id = self.thread_id or uuid.uuid4().hex
        self.run_id = self.run_id or uuid.uuid4().hex

    @property
    def chosen_policy(self) -> str | None:
        """The success policy that someone chose: the caller, or the first row of the graph."""
        named = self.policy or self.graph.entry.context.get("success_policy")
        return str(named) if named else None

    def compiled(self) -> CompiledMap:
        """The graph, compiled for this run."""
        return compile_map(self.graph, self.folder, checkpointer=self.checkpointer)

    def tracker(self, listener: Any = None) -> ExecutionTracker:
        """The tracker of this run."""
        critical = parse_names(self.graph.entry.context.get("critical_nodes"))
        policy = find_policy(self.chosen_policy or get_settings().success_policy, self.folder, critical)
        tracker = ExecutionTracker(self.graph.name, policy, listener)
        if self.earlier is not None:
            tracker.continue_from(self.earlier)
        return tracker

    def context(self) -> RunContext:
        """What the run lends to its nodes."""
        settings = get_settings()
        limit = self.max_steps or self.graph.entry.context.get("max_steps") or settings.max_steps
        return RunContext(
            folder=self.folder,
            data=self.data or settings.data or self.folder / "data",
            model=self.model,
            thread_id=self.thread_id,
            max_steps=int(limit),
            depth=self.depth,
            graphs=self.graphs or {self.graph.name: self.graph},
            graph=self.graph,
        )

    def config(self, context: RunContext) -> Any:
        """LangGraph's settings: the limit on steps is ours, which counts nodes, so its own never comes first."""
        config = {"recursion_limit": context.max_steps + 100}
        # Without a checkpointer there is no thread. Inside another graph, LangGraph finds the thread by itself, and
        # keeps the child's pause with the parent's.
        if self.checkpointer is None or self.depth:
            return config
        return {**config, "configurable": {"thread_id": self.thread_id}}


def open_map(source: str | Path | GraphSpec, graph: str | None = None, **options: Any) -> MapRun:
    """A run of a map: a `GraphSpec`, a CSV file, or `FILE.csv::Graph`. The map is checked first.

    Raises MapReadError, MapCheckError, or MapError where a file holds several graphs and none is named.
    """
    if isinstance(source, GraphSpec):
        folder = source.source.parent if source.source else Path.cwd()
        run = MapRun(source, folder.resolve(), {source.name: source}, **options)
        require_sound(source, run.folder, run.graphs)
        return run
    path, _, named = str(source).partition("::")
    document = read_map(path)
    chosen = choose_graph(document.graphs, graph or named, path)
    run = MapRun(chosen, document.path.resolve().parent, document.graphs, **options)
    require_sound(chosen, run.folder, run.graphs, document)
    return run


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
                return _settled(run, _failed(run, tracker, error))
            except GraphBubbleUp as pause:
                # A graph inside a graph: the one outside keeps what this one did until now.
                pause.summary = tracker.summarize("paused")  # type: ignore[attr-defined]
                raise
        return _settled(run, _finished(run, compiled, tracker, output.value, output.interrupts))


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
                return await _asettled(run, _failed(run, tracker, error))
        return await _asettled(run, _finished(run, compiled, tracker, output.value, output.interrupts))


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
                    yield _settled(run, _failed(run, tracker, error))
                    return
            if mode == "custom":
                yield item
            else:
                raw.update(item)
        yield _settled(run, _finished(run, compiled, tracker, raw.get(VALUES), raw.get("__interrupt__")))


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
                    yield await _asettled(run, _failed(run, tracker, error))
                    return
            if mode == "custom":
                yield item
            else:
                raw.update(item)
        yield await _asettled(run, _finished(run, compiled, tracker, raw.get(VALUES), raw.get("__interrupt__")))


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


def choose_graph(graphs: Mapping[str, GraphSpec], name: str, path: str) -> GraphSpec:
    """The graph of that name, or the only one there is. Raises MapError that lists them."""
    if name in graphs:
        return graphs[name]
    if name:
        raise MapError(f"{path} has no graph '{name}'.", suggestion=did_you_mean(name, graphs))
    if len(graphs) == 1:
        return next(iter(graphs.values()))
    listed = "\n".join(f"  {path}::{graph}" for graph in graphs)
    raise MapError(f"{path} holds {len(graphs)} graphs:\n{listed}", suggestion="Name the one to run.")


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


def _failed(run: MapRun, tracker: ExecutionTracker, error: SignalboxError) -> MapResult:
    """The run broke off: what its nodes did until then is kept in the summary."""
    summary = tracker.summarize("error")
    summary.graph_success = False
    state: dict[str, Any] = dict(run.state)
    for node in tracker.node_executions:
        outputs = run.graph.node(node.node_name).outputs
        if node.success and node.output is not None and len(outputs) == 1 and "=" not in outputs[0]:
            state[outputs[0]] = node.output
        elif node.success and isinstance(node.output, Mapping):
            state.update({name: node.output[name] for name in outputs if name in node.output})
    failed = [node.error for node in tracker.node_executions if node.error]
    state |= {"errors": [*failed, error.user_message], "last_action_success": False, "graph_success": False}
    return MapResult(
        run.graph.name, "error", _with_summary(state, summary), summary, run.thread_id, run.run_id,
        error=error.as_dict(),
    )  # fmt: skip


def _finished(
    run: MapRun, compiled: CompiledMap, tracker: ExecutionTracker, values: Mapping[str, Any] | None, pauses: Any
) -> MapResult:
    state = dict(values or {})
    _warn_contested(run, compiled, tracker)
    if pauses:
        return _paused(run, tracker, state, pauses)
    last = _last_output(tracker)
    summary = tracker.summarize("completed", last)
    unhandled = _unhandled(run, summary)
    failed = not summary.graph_success if run.chosen_policy else unhandled is not None
    if failed:
        summary.status = "error"
    state["graph_success"] = summary.graph_success
    state["__policy_success"] = summary.graph_success
    error = _policy_error(run, unhandled) if failed else None
    return MapResult(
        run.graph.name,
        "error" if failed else "completed",
        _with_summary(state, summary),
        summary,
        run.thread_id,
        run.run_id,
        error=error,
        usage=tracker.usage,
    )


def _paused(run: MapRun, tracker: ExecutionTracker, state: dict[str, Any], pauses: Any) -> MapResult:
    summary = tracker.summarize("paused", _last_output(tracker))
    first = pauses[0]
    asked = first.value if isinstance(first.value, Mapping) else {"message": str(first.value)}
    question = {"kind": "clarify", "options": [], "schema": {}, **asked, "id": first.id, "waiting": len(pauses)}
    return MapResult(
        run.graph.name, "needs_input", _with_summary(state, summary), summary, run.thread_id, run.run_id,
        question=question,
    )  # fmt: skip


def _with_summary(state: dict[str, Any], summary: ExecutionSummary) -> dict[str, Any]:
    state.pop("__next_node", None)
    return {**state, "__execution_summary": summary}


def _last_output(tracker: ExecutionTracker) -> Any:
    ended = [node for node in tracker.node_executions if node.success]
    return ended[-1].output if ended else None


def _unhandled(run: MapRun, summary: ExecutionSummary) -> Any:
    """The first node that failed with no Failure_Next or routing function to take care of it."""
    for node in summary.node_executions:
        if node.success is False:
            spec = run.graph.node(node.node_name)
            if not spec.failure_next and not any(t.startswith("func:") for t in spec.edge):
                return node
    return None


def _policy_error(run: MapRun, unhandled: Any) -> dict[str, str]:
    if unhandled is not None:
        return {
            "error_type": "node_failed",
            "message": unhandled.error or f"{unhandled.node_name} failed.",
            "suggestion": f"Give '{unhandled.node_name}' a Failure_Next to handle it, or mend its cause.",
        }
    return {
        "error_type": "policy",
        "message": f"The success policy '{run.chosen_policy}' says that the run failed.",
        "suggestion": "The summary shows every node's result.",
    }


def _warn_contested(run: MapRun, compiled: CompiledMap, tracker: ExecutionTracker) -> None:
    ran = {node.node_name for node in tracker.node_executions if node.success}
    for field_name, pairs in sorted(compiled.contested.items()):
        rows = sorted({row for pair in pairs if all(run.graph.nodes[r].name in ran for r in pair) for row in pair})
        names = [run.graph.nodes[row].name for row in rows]
        if names:
            tracker.warn(
                f"{' and '.join(names)} ran side by side and write '{field_name}'; the value of {names[-1]}, "
                "whose row comes last, is kept."
            )
