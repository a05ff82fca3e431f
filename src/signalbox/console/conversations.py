"""The conversations of a person: which there are, and what was said in each, with every step and answer as it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from signalbox.console.turn import Turn, shown_reply, take
from signalbox.runs.events import list_events
from signalbox.runs.records import Run, get_run, latest_run, list_runs
from signalbox.runs.threads import list_threads, list_turns, require_own
from signalbox.toolbox.person import use_person

__all__ = ["list_conversations", "open_conversation"]

_MOST = 40
_LONGEST_TITLE = 60


def list_conversations(person: str) -> list[tuple[str, str]]:
    """The threads of a person, the latest first: what was said first in each, and its id."""
    with use_person(person):
        told = [(_title(one.thread_id, one.metadata), one.thread_id) for one in list_threads(_MOST)]
    return [(_short(title), thread) for title, thread in told if title]


def _title(thread: str, metadata: dict[str, Any]) -> str:
    if metadata.get("title"):
        return str(metadata["title"])
    runs = [run for run in list_runs(thread_id=thread) if run.said]
    if runs:
        return runs[0].said
    turns = list_turns(thread)
    return turns[0].said if turns else ""


def _short(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1]}…"


def open_conversation(person: str, thread: str) -> tuple[list[Turn], Run | None]:
    """What was said in a thread, and the run of it that is under way, which the last turn then is of.

    A run of the service left its events, which tell every step of it; of any other the answer is known. Raises
    NotFoundError for another's thread.
    """
    with use_person(person):
        require_own(thread)
        told = [run for run in list_runs(thread_id=thread) if run.background]
        heads = [run for run in told if not run.for_run]
        parts = [(run.started_at, _told(run, told)) for run in heads]
        known = {run.run_id for run in told}
        for kept in list_turns(thread):
            if kept.run_id not in known:
                answer = _kept_answer(kept.run_id) or {"agent": kept.agent, "answer": kept.answer}
                parts.append((kept.at, [Turn(kept.said, answer=answer, agent=kept.agent)]))
        turns = [turn for _, some in sorted(parts, key=lambda part: part[0]) for turn in some]
        running = latest_run(thread, ("running",))
    if running is None or not running.is_under_way:
        for turn in turns:
            turn.is_stopped = not turn.answer
        return turns, None
    return turns, running


def _told(head: Run, runs: list[Run]) -> list[Turn]:
    """The turns of a request: the first, and one for each question on its way that was answered."""
    replies = {key: value for run in runs for key, value in run.answers.items()}
    return list(_replayed(head, replies))


def _replayed(head: Run, replies: dict[str, Any]) -> Iterator[Turn]:
    turn = Turn(head.said, agent=head.agent or head.name)
    for event in list_events(head.run_id):
        if turn.is_over and event.kind == "metadata":
            yield turn
            reply = replies.get(str(turn.question.get("id")), "")
            turn = Turn(shown_reply(turn.question, reply), agent=turn.agent)
        take(turn, event)
    if not turn.is_over and head.status == "cancelled":
        turn.is_stopped = True
    yield turn


def _kept_answer(run_id: str) -> dict[str, Any] | None:
    run = get_run(run_id)
    answer = (run.result or {}).get("answer") if run is not None else None
    return answer if isinstance(answer, dict) else None
