"""`tools`: one call of the loop; or the next call of a plan, looked at and made, one at a time, so that a paused run
makes none twice."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import interrupt

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.acting import act, decide
from signalbox.agents.tasks.answers import read_decision
from signalbox.agents.tasks.changing import Done, Person, repeated
from signalbox.agents.tasks.conversation import offered_tools
from signalbox.agents.tasks.definitions import CHANGING, CONVERSATION, TOOLS, tools_for
from signalbox.agents.tasks.errors import TEXTS, ToolNotFoundError, text_for
from signalbox.agents.tasks.model_node import said_before
from signalbox.agents.tasks.permission import Heard
from signalbox.agents.tasks.plan import doubts, read_asked, whole_call
from signalbox.agents.tasks.state import Pending, Talk, TasksState
from signalbox.agents.tasks.targets import View, find_meant
from signalbox.agents.tasks.task_loop import call_in_loop
from signalbox.errors import SignalboxError, redact
from signalbox.storage import Store, Task
from signalbox.toolbox import ToolInfo
from signalbox.toolbox.confirmation import OPTIONS
from signalbox.toolbox.policy import Policy, check

__all__ = ["after_tools", "tools_node"]

_log = logging.getLogger("signalbox.agents.tasks")
_ON_TASKS = ("update_task", "complete_task", "reopen_task", "delete_task")


async def tools_node(state: TasksState) -> Any:
    """The call that the loop has sent here, or the first call of a plan that has no result yet, made or asked about. A
    run that can wait does so in a step of its own: what was shown is stored by then, and an answer is to that and to
    nothing newer."""
    if "call" in state:
        return await call_in_loop(state)
    call = next(one for one in _calls(state) if one["id"] not in _answered(state))
    offered = offered_tools(state["talk"])
    read: dict[str, Any] = {"wanted": state["wanted"], "unnamed": state["unnamed"]}
    try:
        done = await _next(call, state, read)
    except SignalboxError as error:
        _log.error("Tool execution error (%s): %s", call["name"], redact(error.user_message))
        is_unknown = isinstance(error, ToolNotFoundError)
        done = Done(TEXTS["ValidationError"] if is_unknown else text_for(error), state["talk"], failed=True)
    if _is_waiting(done, state):
        return {"talk": done.talk, "paused": done.text, **read}
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
    return {"messages": [message], "talk": done.talk, "done": [*state["done"], told], "paused": None, **read}


def after_tools(state: TasksState) -> Literal["tools", "model"]:
    """The next call of a plan, or back to the model."""
    if "call" in state:
        return "model"
    return "tools" if any(one["id"] not in _answered(state) for one in _calls(state)) else "model"


def _calls(state: TasksState) -> list[dict[str, Any]]:
    last = next(one for one in reversed(state["messages"]) if isinstance(one, AIMessage) and one.tool_calls)
    return [{**one, "id": one.get("id") or f"call-{at}"} for at, one in enumerate(last.tool_calls)]


def _answered(state: TasksState) -> set[str]:
    return {one.tool_call_id for one in state["messages"] if isinstance(one, ToolMessage)}


async def _next(call: Mapping[str, Any], state: TasksState, read: dict[str, Any]) -> Done:
    """What comes of the call: of the answer that the run waits for, of the one that the message is, or of itself."""
    if state.get("paused") is not None:
        return await _resumed(state)
    decision = state["decision"] if not state["done"] else None
    if decision == "choice":
        return await act("choose_task", call["args"], state["talk"], _person(state), confirmed=True)
    if decision is not None and state["waited"] is not None:
        return await decide(decision, state["waited"], state["talk"], _person(state))
    return await _called(call, state, read)


async def _called(call: Mapping[str, Any], state: TasksState, read: dict[str, Any]) -> Done:
    """A call of a plan, if it can be made. What is doubtful about it is asked first; `read` keeps what was read of the
    message for that."""
    talk, person = state["talk"], _person(state)
    name, args = call["name"], _checked(call["name"], dict(call["args"] or {}))
    if name in CHANGING and (before := await repeated(name, args, talk, person)) is not None:
        return before
    name, args = whole_call(name, args, state["request"])
    meant = await _targets(name, args, talk, state)
    if name in CHANGING and (waiting := _asked_now(state)) and {one.task_id for one in meant} & waiting:
        # What has just been asked about waits for the answer.
        return Done(say.WAITS, talk)
    if read["wanted"] is None and name in CHANGING:
        tools = tools_for(offered_tools(talk))
        read["wanted"] = await read_asked(state["request"], said_before(state)[-2:], tools)
    calls = [(one["name"], dict(one["args"] or {})) for one in _calls(state)]
    held, read["unnamed"] = await doubts(
        (name, args), str(call["id"]), calls, meant, read["wanted"] or [], state, person
    )
    if held is not None:
        return held
    return await act(name, args, talk, person)


def _asked_now(state: TasksState) -> set[int]:
    """The tasks of the question that this message has come to already."""
    pending = state["talk"]["pending"]
    is_new = pending is not None and any(one["asks"] == pending["question"] for one in state["done"])
    return set(pending["numbers"]) if is_new and pending is not None else set()


def _is_reply(waited: Pending | None) -> bool:
    """Whether a question about an existing task waited. What else is said to one about a new task may complete it."""
    return waited is not None and waited["kind"] == "confirm" and waited["name"] != "add_task"


def _person(state: TasksState, message: str | None = None) -> Person:
    """Who asks, with what they wrote. What tools gave back before a call is data that came in from outside."""
    at = next(place for place, one in reversed(list(enumerate(state["messages"]))) if getattr(one, "tool_calls", None))
    heard = Heard(
        message=state["request"] if message is None else message,
        shown=tuple(state["seen"]),
        earlier=tuple(one["content"] for one in state["history"] if one["role"] == "user"),
        after_data=any(isinstance(one, ToolMessage) for one in state["messages"][:at]),
        is_read=bool(state["planned"]),
        is_reply=_is_reply(state["waited"]),
    )
    seconds = float(state["limits"].get("timeout", 30.0))
    return Person(state["user_id"], state["turn"], len(state["done"]), seconds, heard)


def _checked(name: str, args: dict[str, Any]) -> dict[str, Any]:
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
    """The tasks that the words of a call mean, where that is clear."""
    if name not in _ON_TASKS:
        return []
    tasks = Store(state["user_id"]).tasks
    if args.get("task_id") is not None:
        return await tasks.several([args["task_id"]])
    if not args.get("task"):
        return []
    found = await find_meant(str(args["task"]), View(tuple(talk["shown"]), tuple(talk["spoken"])), tasks)
    return list(found.tasks) if found.how in ("one", "several") else []


def _is_waiting(done: Done, state: TasksState) -> bool:
    """Whether the run can wait for an answer, and there is a question that has one."""
    pending = done.talk["pending"]
    if not state["may_pause"] or pending is None or (pending["kind"] == "choose" and not pending["numbers"]):
        return False
    return state.get("paused") is not None or pending != state["talk"]["pending"]


async def _resumed(state: TasksState) -> Done:
    """What comes of the answer to the question that the run waits for. One that is none is told so and asked again."""
    talk = state["talk"]
    pending = talk["pending"]
    if pending is None:
        return Done(say.NOTHING, talk)
    is_choice = pending["kind"] == "choose"
    options = pending["question"].split("\n")[1:] if is_choice else list(OPTIONS)
    kind = "clarify" if is_choice else "confirm"
    answer = interrupt({"kind": kind, "message": state["paused"], "options": options})
    said = answer.get("data") or answer.get("action") or "" if isinstance(answer, Mapping) else answer
    person = _person(state, str(said))
    decision = read_decision(answer, pending)
    if decision is not None:
        return await decide(decision, pending, talk, person)
    if not is_choice:
        return Done(f"{say.neither(pending['name'])} {pending['question']}", talk)
    text = str(said).strip()
    chosen = {"task": text.partition(". ")[0] if text[:1].isdigit() else text}
    done = await act("choose_task", chosen, talk, person, confirmed=True) if text else Done("", talk)
    if done.talk["pending"] == pending:
        return Done(f"{say.not_chosen(pending['name'])} {pending['question']}", talk)
    return done
