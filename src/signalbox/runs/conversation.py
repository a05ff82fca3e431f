"""The conversation of a thread: what a run receives of it, and what is stored for the next run."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from signalbox.contract import Agent
from signalbox.contract.answer import Answer, uncited
from signalbox.contract.installed import list_agents
from signalbox.errors import ConfigurationError, DatabaseError
from signalbox.maps.context import Conversation
from signalbox.runs.threads import Turn, add_turn, list_turns

__all__ = ["conversation_before", "memory_of", "remember", "turn_before"]

_log = logging.getLogger("signalbox.runs")

_MOST_TURNS, _LONGEST_TEXT, _MOST_CHARACTERS = 12, 2_000, 24_000
# No digits: what is written here must not name a task, nor support a figure in an answer.
_LEFT_OUT = {"said": "", "agent": "", "answer": "(Earlier turns are left out.)"}
_CUT = " … (the rest is left out)"


def conversation_before(thread_id: str, run_id: str = "") -> Conversation:
    """The turns of a thread of the current person, oldest first, each `{"said", "agent", "answer"}`, without those of
    this run, so that it gets the same conversation when it is resumed. Long texts are cut and old turns left out, with
    a note."""
    turns = [turn for turn in list_turns(thread_id, _MOST_TURNS + 1, but_of=run_id) if turn.said or turn.answer]
    kept: list[dict[str, str]] = []
    room = _MOST_CHARACTERS
    for turn in reversed(turns):
        told = _told(turn)
        room -= sum(map(len, told.values()))
        if room < 0 or len(kept) == _MOST_TURNS - (len(turns) > _MOST_TURNS):
            return (dict(_LEFT_OUT), *reversed(kept))
        kept.append(told)
    return tuple(reversed(kept))


def _told(turn: Turn) -> dict[str, str]:
    # In the next run the same ids of evidence are those of other calls.
    return {"said": _cut(turn.said), "agent": turn.agent, "answer": _cut(uncited(turn.answer))}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - len(_CUT)] + _CUT


def turn_before(agent: Agent, thread: str) -> dict[str, Any] | None:
    """What is remembered of the previous turn in this thread, by any agent of the same map. For an agent that hands
    requests over: what was last said to another agent, and who answered."""
    turns = list_turns(thread)
    if agent.hands_over is not None:
        said = [turn for turn in turns if turn.agent != agent.name]
        return {"agent": said[-1].agent, "said": said[-1].said, "answer": said[-1].answer} if said else None
    kin = {other.name for other in list_agents() if other.map == agent.map}
    callers = {other.name for other in list_agents() if other.hands_over is not None}
    for turn in reversed(turns):
        if turn.remembered is None:
            continue
        if turn.agent in kin:
            return turn.remembered
        parts: dict[str, Any] = (turn.remembered.get("parts") or {}) if turn.agent in callers else {}
        if found := sorted(kin & parts.keys()):
            return dict(parts[found[0]])
    return None


def memory_of(agent: Agent, answer: Answer) -> dict[str, Any] | None:
    """What an agent remembers of a turn that completed, failed after a change, or was refused although its subject is
    known; otherwise None."""
    error = answer.state.get("error")
    is_kept = isinstance(error, Mapping) and bool(error.get("after_change") or error.get("goes_on"))
    if answer.status != "completed" and not is_kept:
        return None
    return {key: answer.state.get(key) for key in agent.remembers} | answer.kept


def remember(agent: Agent, answer: Answer, said: str, *, is_named: bool) -> None:
    """Store the turn and what the agent remembers of it. If that fails, a question without a named thread is still
    answered."""
    text = f"{answer.answer}{_options(answer.question)}"
    told = {"run_id": answer.run_id or "", "agent": answer.agent or "", "said": said, "answer": text}
    try:
        add_turn(answer.thread_id or "", **told, remembered=memory_of(agent, answer))
    except (ConfigurationError, DatabaseError) as error:
        if is_named:
            raise
        _log.warning("The turn was not kept: %s", error.user_message)


def _options(question: Mapping[str, Any] | None) -> str:
    """The numbered options of a question, since the reply may be "the second one"."""
    options = (question or {}).get("options") or ()
    if (question or {}).get("kind") == "confirm" or not options:
        return ""
    return "\n" + "\n".join(f"{number}. {one}" for number, one in enumerate(options, 1))
