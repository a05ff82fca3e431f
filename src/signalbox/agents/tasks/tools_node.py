"""`tools`: the next call of the model, looked at and made; one at a time, so that a paused run makes none twice."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import interrupt

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.acting import act
from signalbox.agents.tasks.against import says_left, speaks_against, speaks_of_undoing
from signalbox.agents.tasks.answers import agrees
from signalbox.agents.tasks.asked import has_reason, is_named, read_asked
from signalbox.agents.tasks.changing import Done, Person
from signalbox.agents.tasks.conversation import offered_tools
from signalbox.agents.tasks.definitions import CHANGING, CONVERSATION, TOOLS
from signalbox.agents.tasks.errors import TEXTS, ToolNotFoundError, text_for
from signalbox.agents.tasks.evidence import is_said
from signalbox.agents.tasks.grounding import unheard_quotes, whole_words
from signalbox.agents.tasks.model_node import DOUBTED, GUESSED, SETTLED, said_before
from signalbox.agents.tasks.mood import asks, weighs
from signalbox.agents.tasks.readings import is_anothers, read_whole
from signalbox.agents.tasks.state import Talk, TasksState
from signalbox.agents.tasks.targets import View, find_meant
from signalbox.agents.tasks.together import Call, is_torn
from signalbox.errors import SignalboxError, redact
from signalbox.language.words import tokens
from signalbox.storage import Store, Task
from signalbox.toolbox import ToolInfo
from signalbox.toolbox.policy import Policy, check

__all__ = ["after_tools", "tools_node"]

_log = logging.getLogger("signalbox.agents.tasks")
_ON_TASKS = ("add_task", "update_task", "complete_task", "reopen_task", "delete_task")
_APPROVED = frozenset(("true", "approve"))
"""What a program or a button says for yes."""
_GOING_ON = frozenset("and also too same only just other rest".split())
"""What goes on with what was said before: the other one too, only the first."""
_NEAR = 3
_DELETE = re.compile(r"\b(?:delete|remove) (?:it|that|this|them)\b", re.IGNORECASE)
_NO = frozenset("no n false reject cancel none neither".split())


async def tools_node(state: TasksState) -> dict[str, Any]:
    """The first call of the model that has no result yet, made or asked about."""
    call = next(one for one in _calls(state) if one["id"] not in _answered(state))
    offered = [tool["function"]["name"] for tool in offered_tools(state["talk"])]
    asked = state["asked"]
    if asked is None and call["name"] in CHANGING:
        asked = await read_asked(state["request"], said_before(state)[-2:], offered_tools(state["talk"]))
    done, unnamed = await _guarded(call, state, asked or [])
    answer = _paused(done, state)
    if answer is not None:
        done = await _resumed(done, answer, state)
    pending = done.talk["pending"]
    told = {
        "name": call["name"],
        "args": redact(call["args"]),
        "result": done.result,
        "changed": done.changed,
        "asks": pending["question"] if pending is not None and pending["question"] in done.text else None,
        "offered": state["done"][0]["offered"] if state["done"] else offered,
    }
    message = ToolMessage(
        done.text, tool_call_id=call["id"], name=call["name"], status="error" if done.failed else "success"
    )
    return {
        "messages": [message], "talk": done.talk, "done": [*state["done"], told], "asked": asked, "unnamed": unnamed,
    }  # fmt: skip


def after_tools(state: TasksState) -> Literal["tools", "model"]:
    """The next call, or back to the model."""
    return "tools" if any(one["id"] not in _answered(state) for one in _calls(state)) else "model"


def _calls(state: TasksState) -> list[dict[str, Any]]:
    last = next(one for one in reversed(state["messages"]) if isinstance(one, AIMessage) and one.tool_calls)
    return [{**one, "id": one.get("id") or f"call-{at}"} for at, one in enumerate(last.tool_calls)]


def _read(state: TasksState) -> list[Call]:
    """The calls of the message, as the model made them."""
    return [(one["name"], dict(one["args"] or {})) for one in _calls(state)]


def _answered(state: TasksState) -> set[str]:
    return {one.tool_call_id for one in state["messages"] if isinstance(one, ToolMessage)}


async def _guarded(call: Mapping[str, Any], state: TasksState, asked: list[str]) -> tuple[Done, int]:
    """The call, if it can be made and the person's words give a reason; and how many tasks went unnamed so far."""
    name, args, talk = call["name"], dict(call["args"] or {}), state["talk"]
    person = _person(state)
    try:
        args = whole_words(name, _checked(name, args, talk), state["request"])
        name, args = read_whole(name, args, state["request"])
        meant = await _targets(name, args, talk, state)
        if name in _ON_TASKS and is_anothers(state["request"], call["args"] or {}, [one.title for one in meant]):
            return Done(say.NOT_YOURS, talk), state["unnamed"]
        if name in _ON_TASKS and is_torn(_read(state)):
            return Done(say.UNSURE, talk), state["unnamed"]
        if name in CHANGING and (waiting := _asked_now(state)) and {one.task_id for one in meant} & waiting:
            # What has just been asked about waits for the answer.
            return Done(say.WAITS, talk), state["unnamed"]
        # Of "all except these", the words before the exception are those that name.
        naming = str(args.get("task") or "").partition(" except ")[0]
        unnamed = [one for one in meant if not is_named(one, naming, state["request"])]
        in_view = {*talk["shown"], *talk["spoken"]}
        is_free = not unnamed or (state["unnamed"] + len(unnamed) <= 1 and unnamed[0].task_id in in_view)
        if name in CHANGING and not (has_reason(name, asked) and is_free):
            _log.warning("A change that the person did not ask for was held back: %s", name)
            return _held(name, args, meant, talk), state["unnamed"]
        # A call that names none is on what was spoken of.
        spoken = meant or await Store(state["user_id"]).tasks.several(talk["spoken"][:1])
        if _is_doubtful(name, args, spoken, meant, str(call["id"]), state):
            return _held(name, args, spoken, talk), state["unnamed"]
        done = await act(name, args, talk, person)
        return done, state["unnamed"] + len(unnamed)
    except SignalboxError as error:
        _log.error("Tool execution error (%s): %s", name, redact(error.user_message))
        known = isinstance(error, ToolNotFoundError)
        return Done(TEXTS["ValidationError"] if known else text_for(error), talk, failed=True), state["unnamed"]


def _is_doubtful(
    name: str, args: Mapping[str, Any], tasks: list[Task], named: list[Task], number: str, state: TasksState
) -> bool:
    """Whether a change must be asked about: a guess, or one that the message speaks against or says more than."""
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
    return is_against or _is_half_heard(state)


def _asked_now(state: TasksState) -> set[int]:
    """The tasks of the question that this message has come to already."""
    pending = state["talk"]["pending"]
    is_new = pending is not None and any(one["asks"] == pending["question"] for one in state["done"])
    return set(pending["numbers"]) if is_new and pending is not None else set()


def _has_word(name: str, args: Mapping[str, Any], tasks: list[Task], state: TasksState) -> bool:
    """Whether there is a word for a change: in the message, in the question that waits, or in what it goes on with."""
    pending = state["talk"]["pending"]
    if is_said(name, args, tasks, state["request"]) or (pending is not None and pending["name"] == name):
        return True
    before = [one["content"] for one in state["history"] if one["role"] == "user"][-_NEAR:]
    return bool(_GOING_ON & set(tokens(state["request"]))) and any(is_said(name, args, tasks, one) for one in before)


def _is_half_heard(state: TasksState) -> bool:
    """Whether the calls of this message leave out what the person put in quotes."""
    calls = [(one["name"], dict(one["args"] or {})) for one in (*_calls(state), *state["done"])]
    whole = [whole_words(name, args, state["request"]) for name, args in calls]
    return bool(unheard_quotes(whole, state["request"]))


def _person(state: TasksState) -> Person:
    seconds = float(state["limits"].get("timeout", 30.0))
    return Person(state["user_id"], state["turn"], len(state["done"]), seconds, state["request"])


def _checked(name: str, args: dict[str, Any], talk: Talk) -> dict[str, Any]:
    """The arguments, if the tool takes them. Raises ToolNotFoundError and ToolArgumentsError."""
    found = next((one for one in (*TOOLS, *CONVERSATION) if one["name"] == name), None)
    if found is None:
        raise ToolNotFoundError(f"There is no tool '{name}'.")
    parameters = {
        **found["parameters"],
        "required": [one for one in found["parameters"]["required"] if one != "user_id"],
    }
    given = {key: value for key, value in args.items() if value is not None}
    return check(ToolInfo(name, "", parameters), given, Policy())


async def _targets(name: str, args: Mapping[str, Any], talk: Talk, state: TasksState) -> list[Task]:
    """The tasks that a changing call would touch, for who asks whether the person spoke of them."""
    if name not in _ON_TASKS or name == "add_task":
        return []
    tasks = Store(state["user_id"]).tasks
    if args.get("task_id") is not None:
        return await tasks.several([args["task_id"]])
    if not args.get("task"):
        return []
    found = await find_meant(str(args["task"]), View(tuple(talk["shown"]), tuple(talk["spoken"])), tasks)
    return list(found.tasks) if found.how in ("one", "several") else []


def _held(name: str, args: Mapping[str, Any], tasks: list[Task], talk: Talk) -> Done:
    """A change that nobody asked for, as a question."""
    if name in ("answer_yes", "choose_task", "correct_change"):
        question = talk["pending"]["question"] if talk["pending"] else ""
        return Done(question or "Nothing was changed. What would you like me to do?", talk)
    if not tasks and name != "add_task" and name != "undo_change":
        return Done("Nothing was changed. Which task do you mean?", talk)
    told = say.ask_whether(name, args, tasks)
    kept = {key: value for key, value in args.items() if key != "user_id"}
    pending: Any = {
        "kind": "confirm", "name": name, "args": kept, "numbers": [one.task_id for one in tasks], "question": told,
    }  # fmt: skip
    # Who goes on about "it" means what was asked about.
    spoken = [one.task_id for one in tasks] if name != "undo_change" and tasks else talk["spoken"]
    return Done(told, {**talk, "spoken": spoken, "pending": pending})


def _paused(done: Done, state: TasksState) -> Any:
    """Where the run can wait: the answer to a question that has just come up; None where there is none."""
    pending = done.talk["pending"]
    is_new = pending is not None and pending != state["talk"]["pending"]
    is_open = pending is not None and pending["kind"] == "choose" and not pending["numbers"]
    if not state["may_pause"] or not is_new or is_open or pending is None:
        return None
    choices = pending["kind"] == "choose"
    options = done.text.split("\n")[1:] if choices else ["yes", "no"]
    return interrupt({"kind": "clarify" if choices else "confirm", "message": pending["question"], "options": options})


async def _resumed(asked: Done, answer: Any, state: TasksState) -> Done:
    """What the person answered to a question: a choice among the options, or yes or no."""
    said = str(answer.get("data") or answer.get("action") or answer) if isinstance(answer, Mapping) else str(answer)
    said = said.strip().casefold()
    person = _person(state)
    first = (tokens(said) or [""])[0]
    pending = asked.talk["pending"]
    if first in _NO:
        return await act("answer_no", {}, asked.talk, person)
    if pending is not None and pending["kind"] == "confirm":
        is_yes = said in _APPROVED or agrees(said)
        return await act("answer_yes" if is_yes else "answer_no", {}, asked.talk, person)
    by_text = said.partition(". ")[0] if said[:1].isdigit() else said
    return await act("choose_task", {"task": by_text}, asked.talk, person)
