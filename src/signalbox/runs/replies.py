"""Messages while a run waits: a reply to its question, or a new request, which drops the question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.contract.answer import Answer
from signalbox.contract.installed import list_agents
from signalbox.runs.records import Run
from signalbox.toolbox.confirmation import asked_again, read_reply

__all__ = ["add_dropped", "dropped_words", "is_reply", "open_question"]

_LONGEST_SUBJECT = 100


def open_question(run: Run) -> dict[str, Any]:
    """The question that the next reply answers: the first one without an answer."""
    return next((one for one in run.questions if one["id"] not in run.answers), {})


def is_reply(run: Run, said: str) -> bool:
    """True if the message answers the question of a waiting run; False if it is a new request.

    Only a yes, a no or an option answers a confirmation. Any text answers a question that asks for text, or a
    confirmation with a string schema, whose agent reads the reply itself. Any text also answers questions of a map that
    is not an installed agent.
    """
    question = open_question(run)
    if question.get("kind") != "confirm" or (question.get("schema") or {}).get("type") == "string":
        return True
    return read_reply(said) != "other" or _is_option(said, question) or not _is_installed(run)


def _is_option(said: str, question: Mapping[str, Any]) -> bool:
    options = [str(one).strip(" .!\n\t").casefold() for one in question.get("options") or ()]
    text = said.strip(" .!\n\t").casefold()
    return text in options or (text.isdecimal() and 1 <= int(text) <= len(options))


def _is_installed(run: Run) -> bool:
    return any(agent.name == run.agent for agent in list_agents())


def dropped_words(run: Run) -> str:
    """The note for a new request that drops a run's questions, with what the run had already changed."""
    waiting = [one for one in run.questions if one["id"] not in run.answers]
    asked = " and ".join(f"“{_subject(one)}”" for one in waiting)
    what, them = ("question", "it") if len(waiting) == 1 else ("questions", "them")
    told = f"I dropped my {what} {asked}: nothing was changed by {them}."
    done = "; ".join(one.rstrip(".") for one in run.changes)
    return f"{told} What I had done before stays done: {done}." if done else told


def _subject(question: Mapping[str, Any]) -> str:
    """The question itself, without the note from asking it again."""
    told = asked_again({**question, "message": ""})["message"]
    lines = [
        line.strip() for line in str(question.get("message") or "").removeprefix(told).splitlines() if line.strip()
    ]
    line = next((line for line in lines if "?" in line), lines[0] if lines else "")
    return line if len(line) <= _LONGEST_SUBJECT else line[: _LONGEST_SUBJECT - 1].rstrip() + "…"


def add_dropped(answer: Answer, dropped: str) -> None:
    """Add the note about the dropped question to an answer: before its own question, otherwise at the end, and to the
    blocks."""
    if not dropped:
        return
    if answer.question is not None:
        answer.answer = f"{dropped}\n\n{answer.answer}"
        answer.question = {**answer.question, "message": f"{dropped}\n\n{answer.question.get('message', '')}"}
        return
    answer.answer = f"{answer.answer}\n\n{dropped}" if answer.answer else dropped
    if answer.error is not None:
        answer.error = {**answer.error, "suggestion": f"{answer.error['suggestion']} {dropped}".strip()}
    if any(block.get("type") in ("text", "report") for block in answer.blocks):
        answer.blocks = [*answer.blocks, {"type": "text", "text": dropped}]
