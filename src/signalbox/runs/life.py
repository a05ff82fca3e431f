"""Starting, streaming, resuming, cancelling, listing, showing and deleting runs.

Nothing else starts one. A named run is stored as it proceeds: its thread is claimed, every node is a checkpoint, and
after a crash it continues from the last finished node. A run without a name is stored from its first pause on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.contract import NodeEvent
from signalbox.contract.summary import plain
from signalbox.errors import ConfigurationError, DatabaseError, RequestError, redact
from signalbox.maps import GraphSpec, MapResult, arun_map, astream_map, open_map, run_map, stream_map
from signalbox.maps.agents.human import TIMED_OUT, check_answer
from signalbox.maps.map_run import MapRun
from signalbox.maps.messages import tell_paused, tell_resumed
from signalbox.maps.run import keep_input
from signalbox.runs import records, threads
from signalbox.runs.checkpoints import checkpoints
from signalbox.runs.conversation import conversation_before
from signalbox.runs.gate import owned
from signalbox.runs.owners import QUEUED, on_queue
from signalbox.runs.parts import call_agent
from signalbox.runs.records import OPEN, RESUMABLE, Run
from signalbox.runs.sources import name_sources
from signalbox.runs.steps import CancelledError, Steps, forget_starts, told_again
from signalbox.runs.threads import check_name
from signalbox.runs.usage import counted, keep_usage, start_counting
from signalbox.settings import get_settings, now
from signalbox.toolbox.ledger import Call, current_ledger
from signalbox.toolbox.person import current_person, use_words

if TYPE_CHECKING:
    from signalbox.models.usage import UsageCounter

__all__ = [
    "Life",
    "accept",
    "agent_of",
    "aresume",
    "astart",
    "astream",
    "begin",
    "cancel",
    "forget",
    "go_on",
    "list_runs",
    "resume",
    "retry",
    "show",
    "start",
    "stream",
    "take_up",
]

Source = str | Path | GraphSpec | MapRun
Listener = Callable[[NodeEvent], None]
list_runs = records.list_runs
_log = logging.getLogger("signalbox.runs")


def start(
    source: Source,
    state: Mapping[str, Any] | None = None,
    *,
    thread_id: str | None = None,
    agent: str | None = None,
    listener: Listener | None = None,
    **options: Any,
) -> MapResult:
    """Run a map to its end, or to the point where it waits for a person. `thread_id` names the run, to resume it by.

    Options are those of `signalbox.maps.run_map`. Raises RequestError if a run of that thread is active or waiting.
    """
    return begin(source, state, thread_id, agent, options).carry(listener)


async def astart(
    source: Source,
    state: Mapping[str, Any] | None = None,
    *,
    thread_id: str | None = None,
    agent: str | None = None,
    listener: Listener | None = None,
    **options: Any,
) -> MapResult:
    """Like `start`, for an event loop."""
    life = await asyncio.to_thread(begin, source, state, thread_id, agent, options)
    return await life.arun(listener)


def stream(
    source: Source,
    state: Mapping[str, Any] | None = None,
    *,
    thread_id: str | None = None,
    agent: str | None = None,
    **options: Any,
) -> Iterator[NodeEvent | MapResult]:
    """Like `start`, but yield each node's events as they happen; the last item is the result."""
    life = begin(source, state, thread_id, agent, options)
    with life.kept():
        items = stream_map(life.run, listener=life.listen(None))
        while True:
            # Around each step: between two of them, other things happen in the same context.
            with life.counted():
                item = next(items)
            if isinstance(item, MapResult):
                yield life.settle(item)
                return
            yield item


async def astream(
    source: Source,
    state: Mapping[str, Any] | None = None,
    *,
    thread_id: str | None = None,
    agent: str | None = None,
    **options: Any,
) -> AsyncIterator[NodeEvent | MapResult]:
    """Like `stream`, for an event loop."""
    life = await asyncio.to_thread(begin, source, state, thread_id, agent, options)
    with life.kept():
        life.counter = await asyncio.to_thread(start_counting, life.person, life.run.run_id)
        items = astream_map(life.run, listener=life.listen(None))
        while True:
            with life.counted():
                item = await anext(items)
            if isinstance(item, MapResult):
                yield await asyncio.to_thread(life.settle, item)
                return
            yield item


def resume(
    thread_id: str,
    answer: Any = None,
    *,
    question: str | None = None,
    model: Any = None,
    force: bool = False,
    listener: Listener | None = None,
) -> MapResult:
    """Resume a waiting run with the answer to its question, or an interrupted one.

    If several questions are open, `question` is the node or id of the one that is answered; by default it is the first.
    Raises NotFoundError if there is nothing to resume, and RequestError if the answer does not fit, was already given,
    or another process has the run.
    """
    return take_up(records.find_run(thread_id, RESUMABLE), answer, question, model, force).carry(listener)


async def aresume(
    thread_id: str,
    answer: Any = None,
    *,
    question: str | None = None,
    model: Any = None,
    force: bool = False,
    listener: Listener | None = None,
) -> MapResult:
    """Like `resume`, for an event loop."""
    record = await asyncio.to_thread(records.find_run, thread_id, RESUMABLE)
    life = await asyncio.to_thread(take_up, record, answer, question, model, force)
    return await life.arun(listener)


def agent_of(thread_id: str) -> str:
    """The installed agent that the run to resume belongs to, or nothing. Raises NotFoundError."""
    return records.find_run(thread_id, RESUMABLE).agent or ""


def show(thread_id: str) -> Run:
    """The latest run of exactly this thread. Raises NotFoundError."""
    return records.find_run(thread_id)


def cancel(thread_id: str) -> Run:
    """Cancel the waiting, interrupted or active run of a thread (an active one stops before its next node), or else its
    pending run. Raises NotFoundError, and RequestError if the run has already ended."""
    run = records.latest_run(thread_id, RESUMABLE) or records.latest_run(thread_id, OPEN)
    if run is None:
        ended = records.find_run(thread_id)
        raise RequestError(
            f"The run of thread '{thread_id}' has already ended: its status is {ended.standing}.",
            suggestion="There is nothing to cancel.",
        )
    under_way = run.is_under_way
    records.cancel_run(run)
    if not under_way and not run.background:
        checkpoints(run.person, run.run_id).delete_thread(run.run_id)
    return run


def retry(thread_id: str) -> Run:
    """Continue a failed or interrupted background run from its last step: on PostgreSQL by a worker, otherwise by the
    service when it next looks for such runs. If a node failed, a new run of the thread begins before that node. Raises
    NotFoundError, and RequestError for any other run."""
    run = records.find_run(thread_id)
    if not run.background or run.standing not in ("error", "interrupted"):
        raise RequestError(
            f"The latest run of thread '{run.thread_id}' is {run.standing}. Only a failed or interrupted run of a "
            "service can be retried.",
            suggestion="Ask again instead.",
        )
    records.require_current(run)
    from signalbox.runs.copying import failed_at, fork

    if (before := failed_at(run)) is not None:
        run = fork(thread_id, before)
    if on_queue():
        from signalbox.runs.queue import enqueue

        records.reopen(run, "running", QUEUED, lambda: enqueue(run))
    else:
        records.reopen(run, "interrupted", "", lambda: None)
    return run


def forget(thread_id: str) -> int:
    """Delete everything stored for a thread: runs, checkpoints, conversation. Raises NotFoundError, RequestError."""
    run = records.find_run(thread_id)
    if run.is_under_way:
        raise RequestError(
            f"A run is active in thread '{run.thread_id}'.", suggestion="Cancel it first: signalbox runs cancel."
        )
    return len(records.remove_runs(run.thread_id))


@dataclass
class Life:
    """A run in progress and its record; without a record it is not stored, or not yet."""

    run: MapRun
    record: Run | None = None
    agent: str | None = None
    keeps: bool = True
    settled: bool = False
    present: Callable[[MapResult], dict[str, Any]] | None = None
    """Makes what is stored of a result besides its output: its Answer."""
    finish: Callable[[], None] | None = None
    """Stores more in the transaction in which the run ends or pauses."""
    steps: Steps | None = None
    person: str = field(default_factory=current_person)
    words: str | None = None
    """What the person said, if known."""
    counter: UsageCounter | None = None
    """Counts the use of models, until it is stored."""
    changes: list[str] = field(default_factory=list)
    """The changes that it and its calls make from now on, one line each."""

    def carry(self, listener: Listener | None = None) -> MapResult:
        """Execute the run until it ends or pauses, and store the outcome."""
        with self.kept():
            with self.counted():
                result = run_map(self.run, listener=self.listen(listener))
            return self.settle(result)

    async def arun(self, listener: Listener | None = None) -> MapResult:
        """Like `carry`, for an event loop."""
        with self.kept():
            if get_settings().model_person_tokens or get_settings().model_run_tokens:
                # What has been used until now is looked up.
                self.counter = await asyncio.to_thread(start_counting, self.person, self.run.run_id)
            with self.counted():
                result = await arun_map(self.run, listener=self.listen(listener))
            settling = asyncio.create_task(asyncio.to_thread(self.settle, result))
            try:
                return await asyncio.shield(settling)
            except asyncio.CancelledError:
                # How the run came out is being written down: that is not left half done.
                await asyncio.wait([settling])
                raise

    @contextmanager
    def kept(self) -> Iterator[None]:
        """While the run executes: if it is interrupted in any way, it can be continued."""
        try:
            yield
        except BaseException:
            self._keep_usage()
            if self.keeps and not self.settled:
                self._break_off()
            raise

    @contextmanager
    def counted(self) -> Iterator[None]:
        """While nodes run: counts their use of models against the budgets, and notes what they change."""
        if self.counter is None:
            self.counter = start_counting(self.person, self.run.run_id)
        with counted(self.counter), use_words(self.words), _noted(self.changes):
            yield

    def _keep_usage(self) -> None:
        """Store the use of models; for a run that is not stored, only what counts towards budgets."""
        counter, self.counter = self.counter, None
        if counter is not None and (counter.charged or (self.record is not None and counter.calls)):
            keep_usage(self.person, self.run.run_id, counter)

    def _break_off(self) -> None:
        if self.record is not None:
            self.record.status = "interrupted"
            records.store(self.record)
        else:
            self.run.checkpointer.delete_thread(self.run.run_id)

    def listen(self, listener: Listener | None) -> Listener | None:
        """The listener for all nodes; if the run is stored as it proceeds, it gets a node's end once that is stored."""
        steps = self.steps
        if steps is None or listener is None:
            return listener

        def tell(event: NodeEvent) -> None:
            if event.kind == "end":
                steps.tell_later(partial(listener, event))
            else:
                listener(event)

        return tell

    def settle(self, result: MapResult) -> MapResult:
        """Store the outcome of the run: a waiting one can be resumed, an ended one leaves its summary."""
        result.agent = self.agent or ""
        self._keep_usage()
        name_sources(result, self.agent)
        if not self.keeps:
            return result
        if result.status == "needs_input":
            self._keep_waiting(result)
        else:
            self._keep_ended(result)
        self.settled = True
        return result

    def _keep_waiting(self, result: MapResult) -> None:
        record = self.record or replace(Run.of(self.run, self.agent), said=self.words or "")
        record.status, record.questions = "waiting", plain(result.questions)
        record.summary = result.summary.to_dict()
        record.result = self._presented(result)
        # What waits in the middle of a node is called again when it goes on.
        record.changes = list(dict.fromkeys([*record.changes, *self.changes]))
        if self.record is None:
            record.owner = ""
            records.claim(record)
        else:
            self._store(record)
        for question in result.questions:
            if question.get("id") not in record.answers:
                tell_paused(question, record.thread_id, self.run.folder, self.run.data)

    def _keep_ended(self, result: MapResult) -> None:
        if self.record is not None:
            record = self.record
            cancelled = (result.error or {}).get("error_type") == CancelledError.error_type
            record.status = "cancelled" if cancelled else "completed" if result.status == "completed" else "error"
            record.questions, record.summary = [], result.summary.to_dict()
            record.result = {"error": result.error, "output": plain(result.output), **self._presented(result)}
            self._store(record)
        if self.record is None or not self.record.background:
            self.run.checkpointer.delete_thread(self.run.run_id)

    def _store(self, record: Run) -> None:
        with owned(record.person):
            if records.store(record) and self.finish is not None:
                self.finish()

    def _presented(self, result: MapResult) -> dict[str, Any]:
        return {"answer": plain(self.present(result))} if self.present is not None else {}


@contextmanager
def _noted(changes: list[str]) -> Iterator[None]:
    """Note what the calls in this block change."""
    ledger = current_ledger()
    before = ledger.listener

    def hear(call: Call, ended: bool) -> None:
        if ended and call.ok and call.is_change and call.summary:
            changes.append(redact(call.summary))
        if before is not None:
            before(call, ended)

    ledger.listener = hear
    try:
        yield
    finally:
        ledger.listener = before


def begin(
    source: Source,
    state: Mapping[str, Any] | None,
    thread_id: str | None,
    agent: str | None,
    options: dict[str, Any],
    about: Mapping[str, Any] | None = None,
    drops: Run | None = None,
    then: Callable[[Run], None] = lambda record: None,
) -> Life:
    """A new run. A named one claims its thread, and never sees what an earlier run left there.

    `about` are fields of its record: owner, background, said, metadata, for_run, route, stream_modes, dropped. `drops`
    is the thread's waiting run, which ends, with its question dropped. `then` is called in the transaction that claims
    the run."""
    name = check_name(thread_id) if thread_id else ""
    run = source if isinstance(source, MapRun) else open_map(source, **options)
    run = replace(run, state=dict(state if state is not None else run.state), thread_id=name or run.thread_id)
    words = (about or {}).get("said")
    if agent is not None:
        run = replace(run, conversation=conversation_before(name, run.run_id) if name else (), call_agent=call_agent)
    compiled = run.compiled()
    if run.checkpointer is not None or not (name or compiled.pauses):
        return Life(run, agent=agent, keeps=False, words=words)
    try:
        about = about or {}
        record = replace(Run.of(run, agent, about.get("owner")), **about) if name else None
        steps = Steps(current_person(), run.run_id, record.owner) if record else None
        saver = checkpoints(current_person(), run.run_id).with_steps(steps, compiled.layout.classes)
    except (ConfigurationError, DatabaseError) as error:
        if name or agent is None:
            raise
        _log.warning("The run cannot be kept, should it wait: %s", error.user_message)
        return Life(run, agent=agent, keeps=False, words=words)
    run = replace(run, checkpointer=saver, checkpoint_as=run.run_id, durability="sync" if name else "exit")
    if steps is None or record is None:
        return Life(run, agent=agent, words=words)

    def kept() -> None:
        keep_input(run)
        then(record)

    records.claim(record, kept, drops)
    if drops is not None and not drops.background:
        checkpoints(drops.person, drops.run_id).delete_thread(drops.run_id)
    run = replace(run, answers={}, noted=steps.hear)
    return Life(run, record, agent, steps=steps, words=words)


def take_up(record: Run, answer: Any, question: str | None, model: Any, force: bool) -> Life:
    """Claim a waiting or interrupted run, ready to be continued."""
    accept(record, answer, question, force=force)
    return go_on(record, model)


def accept(
    record: Run,
    answer: Any = None,
    question: str | None = None,
    *,
    force: bool = False,
    owner: str = "",
    then: Callable[[Run], None] = lambda record: None,
) -> None:
    """Claim a waiting or interrupted run for this `owner`. The answer is checked and stored first. `then` is called in
    the same transaction."""
    if not record.is_aside and not record.is_queued:
        with owned(record.person) as held:
            threads.take(held, record.thread_id)
    if record.status == "unreadable":
        raise RequestError(
            f"The record of thread '{record.thread_id}' is corrupt.", suggestion="Delete it: signalbox runs forget."
        )
    records.require_idle(record, force=force)
    records.require_current(record)
    given = _given(record, answer, question)
    waited, since = record.status == "waiting", record.updated_at
    if waited:
        record.dropped = ""  # it was told with the question
    with owned(record.person):
        records.take_over(record, given, owner)
        if told := told_again(record):
            records.add_warning(record, f"The run was interrupted. {told}")
        forget_starts(record)
        then(record)
    if waited:
        _tell_resumed(record, given, since)


def go_on(record: Run, model: Any) -> Life:
    """An accepted run, ready to continue from its last checkpoint."""
    steps = Steps(record.person, record.run_id, record.owner)
    run = record.map_run(model=model, earlier=record.so_far(), checkpoint_as=record.run_id, answers={})
    if record.agent:
        before = conversation_before(record.thread_id, record.run_id)
        run = replace(run, conversation=before, call_agent=call_agent)
    saver = checkpoints(record.person, record.run_id).with_steps(steps, run.compiled().layout.classes)
    run = replace(run, checkpointer=saver, noted=steps.hear)
    run = replace(run, answers=_pending(run, record))
    words = "\n".join([record.said, *map(str, record.answers.values())]) if record.said else None
    return Life(run, record, record.agent, steps=steps, words=words)


def _given(record: Run, answer: Any, named: str | None) -> dict[str, Any]:
    """The checked answer by the id of its question; empty for a run that only has to continue."""
    open_questions = [question for question in record.questions if question["id"] not in record.answers]
    if not open_questions or (record.status != "waiting" and answer is None):
        return _given_before(record, answer)
    asked = _asked(open_questions, named)
    expires = record.expires_at(asked)
    answer = TIMED_OUT if expires is not None and now() >= expires else answer
    if answer is None:
        raise RequestError(f"The run waits: {asked.get('message', '')}", suggestion="Answer with --value.")
    check_answer(asked, answer)
    return {str(asked["id"]): answer}


def _given_before(record: Run, answer: Any) -> dict[str, Any]:
    """An interrupted run continues with the answer it was given: a different one is refused."""
    if answer is None or answer in record.answers.values():
        return {}
    if record.answers:
        told = list(record.answers.values())[-1]
        raise RequestError(
            f"The run of thread '{record.thread_id}' was answered before it was interrupted: {told!r}.",
            suggestion="That answer stays. Continue without --value, or cancel the run.",
        )
    raise RequestError(
        f"The run of thread '{record.thread_id}' was interrupted and has no question.",
        suggestion="Continue without --value.",
    )


def _asked(questions: list[dict[str, Any]], named: str | None) -> dict[str, Any]:
    """The question to answer: the first, or the one named by its node or id."""
    if named is None:
        return questions[0]
    for question in questions:
        if named in (question.get("id"), question.get("node")):
            return question
    listed = ", ".join(str(question.get("node") or question.get("id")) for question in questions)
    raise RequestError(f"The run asks nothing called '{named}'.", suggestion=f"It asks: {listed}.")


def _pending(run: MapRun, record: Run) -> dict[str, Any]:
    """The given answers that the run has not consumed yet."""
    if not record.answers:
        return {}
    waiting = run.compiled().langgraph.get_state(run.config(run.context())).interrupts
    return {pause.id: record.answers[pause.id] for pause in waiting if pause.id in record.answers}


def _tell_resumed(record: Run, given: Mapping[str, Any], since: str) -> None:
    from datetime import datetime

    data = Path(record.data) if record.data else None
    for question in record.questions:
        if question["id"] in given:
            moment = datetime.fromisoformat(since)
            tell_resumed(question, record.thread_id, Path(record.folder), data, given[question["id"]], moment)
