"""The conversation that a run is lent: the latest turns of its thread, of all agents, as a model is shown them."""

from __future__ import annotations

from signalbox.maps.context import Conversation
from signalbox.runs.threads import Turn, list_turns

__all__ = ["conversation_before"]

_MOST_TURNS, _LONGEST_TEXT, _MOST_CHARACTERS = 12, 2_000, 24_000
# No digits: what is written here must not name a task, nor support a figure in an answer.
_LEFT_OUT = {"said": "", "agent": "", "answer": "(Earlier turns are left out.)"}
_CUT = " … (the rest is left out)"


def conversation_before(thread_id: str, run_id: str = "") -> Conversation:
    """The turns of a thread of the person who asks, oldest first, each `{"said", "agent", "answer"}`, without those of
    this run: it is given the same conversation when it is resumed. Long texts are cut and old turns left out, and the
    conversation says so."""
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
    return {"said": _cut(turn.said), "agent": turn.agent, "answer": _cut(turn.answer)}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - len(_CUT)] + _CUT
