"""The plan of the offline model: what it reads once in a message, made into calls of the tools, and asked about where
code doubts the reading. This file alone imports `offline/`; calls that another model makes never come here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.answers import settled
from signalbox.agents.tasks.changing import Done, Person, confirm
from signalbox.agents.tasks.definitions import CHANGING
from signalbox.agents.tasks.offline.against import says_left, speaks_against, speaks_of_undoing
from signalbox.agents.tasks.offline.asked import has_reason, is_named, learn, read_asked
from signalbox.agents.tasks.offline.evidence import is_said
from signalbox.agents.tasks.offline.grounding import unheard_quotes, whole_words
from signalbox.agents.tasks.offline.guesses import borne_out, guesses_of
from signalbox.agents.tasks.offline.mood import asks, weighs
from signalbox.agents.tasks.offline.together import is_torn, read_together
from signalbox.agents.tasks.readings import is_anothers, read_whole
from signalbox.agents.tasks.state import TasksState
from signalbox.language.words import tokens
from signalbox.storage import Store, Task

__all__ = ["SETTLED", "doubts", "learn", "read_asked", "read_plan", "settle", "whole_call"]

SETTLED, GUESSED, DOUBTED = "answer-", "answer-guess-", "answer-guess-other-"
"""What the ids of calls begin with that code has settled, of those that it made of a model's guesses, and of a guess
that is not the likeliest."""
_ON_TASKS = ("add_task", "update_task", "complete_task", "reopen_task", "delete_task")
_GOING_ON = frozenset("and also too same only just other rest".split())
"""What goes on with what was said before: the other one too, only the first."""
_NEAR = 3
_DELETE = re.compile(r"\b(?:delete|remove) (?:it|that|this|them)\b", re.IGNORECASE)

Call = tuple[str, dict[str, Any]]


async def settle(state: TasksState) -> AIMessage | None:
    """The call that a message of few words is, without the model."""
    call = await settled(state["request"], state["talk"], state["user_id"])
    return _message(call, f"{SETTLED}{state['turn']}") if call else None


async def read_plan(reply: AIMessage, state: TasksState) -> AIMessage:
    """The model's reply with the calls that the message means by it: read together, or the guess that tasks and talk
    bear out."""
    if reply.tool_calls:
        return await _together(reply, state)
    guesses = guesses_of(reply)
    if not guesses or state["done"]:
        return reply
    meant = await borne_out(guesses, state)
    if meant is not None:
        return _message((meant.name, meant.args), f"{GUESSED if meant.is_likeliest else DOUBTED}{state['turn']}")
    return reply if all(one.get("missing") for one in guesses) else AIMessage(say.UNSURE)


async def _together(reply: AIMessage, state: TasksState) -> AIMessage:
    calls = [(one["name"], dict(one["args"] or {})) for one in reply.tool_calls]
    meant = await read_together(calls, state["request"], Store(state["user_id"]).tasks)
    if meant == calls:
        return reply
    # Read so, the message is settled: a model that looks at it again would find what was left out.
    made = [
        {"name": name, "args": args, "id": f"{SETTLED}{state['turn']}-{state['iterations']}-{at}", "type": "tool_call"}
        for at, (name, args) in enumerate(meant)
    ]
    return reply.model_copy(update={"tool_calls": made})


def _message(call: Call, number: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": call[0], "args": call[1], "id": number, "type": "tool_call"}])


def whole_call(name: str, args: Mapping[str, Any], request: str) -> Call:
    """A call with all of the words that belong to it in the message."""
    return read_whole(name, whole_words(name, args, request), request)


async def doubts(
    call: Call, number: str, calls: Sequence[Call], meant: list[Task], asked: list[str], state: TasksState,
    person: Person,
) -> tuple[Done | None, int]:  # fmt: skip
    """The question or the refusal that a doubtful reading leads to, and None where nothing speaks against it; with how
    many tasks went unnamed so far. `calls` are all of the message."""
    name, args = call
    talk, request = state["talk"], state["request"]
    given = next((one for at, one in calls if at == name), args)
    if name in _ON_TASKS and is_anothers(request, given, [one.title for one in meant]):
        return Done(say.NOT_YOURS, talk), state["unnamed"]
    if name in _ON_TASKS and is_torn(calls):
        return Done(say.UNSURE, talk), state["unnamed"]
    # Of "all except these", the words before the exception are those that name.
    naming = str(args.get("task") or "").partition(" except ")[0]
    unnamed = [one for one in meant if not is_named(one, naming, request)]
    in_view = {*talk["shown"], *talk["spoken"]}
    is_free = not unnamed or (state["unnamed"] + len(unnamed) <= 1 and unnamed[0].task_id in in_view)
    is_settled = number == f"{SETTLED}{state['turn']}" or name == "choose_task"
    if name in CHANGING and not ((is_settled or has_reason(name, asked)) and is_free):
        return await _held(call, meant, state, person), state["unnamed"]
    # A call that names none is on what was spoken of.
    spoken = meant or await Store(state["user_id"]).tasks.several(talk["spoken"][:1])
    if _is_doubtful(call, number, calls, spoken, meant, state):
        return await _held(call, spoken, state, person), state["unnamed"]
    return None, state["unnamed"] + len(unnamed)


async def _held(call: Call, tasks: list[Task], state: TasksState, person: Person) -> Done:
    """A change that may not be what was asked for, as a question."""
    name, args = call
    talk = state["talk"]
    if name in ("choose_task", "correct_change"):
        question = talk["pending"]["question"] if talk["pending"] else ""
        return Done(question or "Nothing was changed. What would you like me to do?", talk)
    if not tasks and name not in ("add_task", "undo_change"):
        return Done("Nothing was changed. Which task do you mean?", talk)
    return await confirm(name, args, tasks if name in _ON_TASKS and name != "add_task" else (), talk, person)


def _is_doubtful(
    call: Call, number: str, calls: Sequence[Call], tasks: list[Task], named: list[Task], state: TasksState
) -> bool:
    """Whether a change must be asked about: a guess, or one that the message speaks against or says more than."""
    name, args = call
    if name == "undo_change":
        answer = state["history"][-1]["content"] if state["history"] else ""
        changed = [one for act in state["talk"]["changes"][-1:] for made in act["acts"] for one in made["numbers"]]
        return bool(changed) and not speaks_of_undoing(state["request"], answer, changed)
    if name == "correct_change":
        request = state["request"]
        return (set(args) == {"task"} and says_left(request)) or asks(request, args) or weighs(request, args)
    if name not in _ON_TASKS:
        return False
    is_plain = name == "delete_task" and _DELETE.search(state["request"]) is not None
    is_told = name not in ("add_task", "delete_task") or is_plain
    is_guess = number.startswith(DOUBTED) or (number.startswith(GUESSED) and not is_told)
    # What code has settled has its word in the talk before.
    is_guess = is_guess or not (number == f"{SETTLED}{state['turn']}" or _has_word(name, args, tasks, state))
    # A call that names none may still find one that the message mentions.
    is_open = bool(tasks) or name == "add_task" or not args.get("task")
    is_against = is_open and (is_guess or speaks_against(name, args, tasks, named, state["request"]))
    return is_against or _is_half_heard(calls, state)


def _has_word(name: str, args: Mapping[str, Any], tasks: list[Task], state: TasksState) -> bool:
    """Whether there is a word for a change: in the message, in the question that waits, or in what it goes on with."""
    pending = state["talk"]["pending"]
    if is_said(name, args, tasks, state["request"]) or (pending is not None and pending["name"] == name):
        return True
    before = [one["content"] for one in state["history"] if one["role"] == "user"][-_NEAR:]
    return bool(_GOING_ON & set(tokens(state["request"]))) and any(is_said(name, args, tasks, one) for one in before)


def _is_half_heard(calls: Sequence[Call], state: TasksState) -> bool:
    """Whether the calls of this message leave out what the person put in quotes."""
    made = [*calls, *((one["name"], dict(one["args"] or {})) for one in state["done"])]
    whole = [whole_words(name, args, state["request"]) for name, args in made]
    return bool(unheard_quotes(whole, state["request"]))
