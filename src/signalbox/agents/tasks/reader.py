"""Reads the person's message. Nothing behind this file sees its text again, except the policy of effects.

A reply to a question that waits is read by code for every model. Anything else is left to a capable model in the loop,
or read once by the offline model into a plan.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from signalbox.agents.tasks import offline
from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.candidates import as_candidate, read_day_range
from signalbox.agents.tasks.definitions import plan_tools
from signalbox.agents.tasks.plan import Planned, Reading, chosen_call, ground
from signalbox.agents.tasks.prompts import plan_prompt
from signalbox.agents.tasks.state import Pending, Talk, TasksState
from signalbox.agents.tasks.talk import touched
from signalbox.agents.tasks.tools import LAST_CHANGE, preview
from signalbox.contract.summary import plain
from signalbox.grounding import View, resolve
from signalbox.language.words import tokens
from signalbox.maps.context import run_context
from signalbox.models import fills_plans
from signalbox.settings import get_settings
from signalbox.storage import Store, TaskFilter
from signalbox.toolbox import use_person
from signalbox.toolbox.confirmation import read_reply
from signalbox.toolbox.loop import start_loop

__all__ = ["as_begun", "read_choice", "read_message"]

_NAME = "tasks"
_SHOWN, _LONGEST, _LONGEST_CHOICE = 50, 120, 6


async def read_message(state: TasksState, model: Any) -> dict[str, Any]:
    """What the turn begins with: the run of the loop, and, where no capable model is to be asked, its calls."""
    talk, tasks = state["talk"], Store(state["user_id"]).tasks
    begun: dict[str, Any] = {**start_loop(state["request"], **await _surroundings(state)), "planned": True}
    if (answer := await _answer(state)) is not None:
        return {**begun, **answer}
    if not fills_plans(model):
        return {**begun, "planned": False}
    plan = await _plan(state, model)
    reading = await ground(plan, talk, tasks) if plan else Reading(said=[say.UNSURE])
    return {**begun, **await as_begun(reading, state["turn"], state["waited"], state["user_id"])}


async def _surroundings(state: TasksState) -> dict[str, Any]:
    """The conversation of the whole thread, what the person has seen, and their tasks."""
    talk = state["talk"]
    turns = list(run_context().conversation) or _turns(state["history"])
    # After another agent's answer, "it" and "the first one" are no longer what was said of tasks.
    is_ours = not turns or turns[-1]["agent"] == _NAME
    return {
        "conversation": turns,
        "listed": [str(number) for number in talk["shown"]] if is_ours else [],
        "only": _only(talk) if is_ours else None,
        "records": await _known(state),
    }


def _turns(history: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The messages of a chat as turns."""
    turns: list[dict[str, str]] = []
    for one in history:
        if one["role"] == "user" or not turns or turns[-1]["answer"]:
            turns.append({"said": "", "agent": _NAME, "answer": ""})
        turns[-1]["said" if one["role"] == "user" else "answer"] = one["content"]
    return turns


def _only(talk: Talk) -> str | None:
    """What the last answer was about, if it was about one thing: a task, or a change to several."""
    about = talk["spoken"] or talk["shown"]
    if len(about) == 1 and not talk.get("is_recalled"):
        return str(about[0])
    return LAST_CHANGE if talk["changes"] and set(about) <= set(touched(talk)) else None


async def _known(state: TasksState) -> str:
    """The person's open tasks, and others that they have just seen, a line each."""
    tasks, talk = Store(state["user_id"]).tasks, state["talk"]
    page = await tasks.list(TaskFilter(limit=_SHOWN))
    seen = await tasks.several([*talk["shown"], *talk["spoken"]][:_SHOWN], deleted=True)
    lines = []
    for one in {one.task_id: one for one in (*page.tasks, *seen)}.values():
        told = one.as_dict()
        title = " ".join(told["title"].split())
        title = title if len(title) <= _LONGEST else f"{title[:_LONGEST]}…"
        status = "deleted" if one.deleted else "done" if one.completed else "open"
        lines.append(f"#{one.task_id} | {title} | due {told['due'] or 'never'} | {told['priority']} | {status}")
    if not lines:
        return "The person has no open tasks."
    more = f"\nThere are {page.total} open tasks; list_tasks shows the others." if page.total > len(page.tasks) else ""
    return "\n".join(["The person's tasks: number | title | due | priority | state", *lines]) + more


async def _answer(state: TasksState) -> dict[str, Any] | None:
    """What the message says to the question that waits: a yes, a no, or a choice; None where it is something else."""
    pending = state["waited"]
    if pending is None:
        return None
    read = read_reply(state["request"])
    if read == "no":
        return {"decision": "no", "said": [say.NOTHING], "talk": {**state["talk"], "pending": None}}
    if read == "yes" and pending["kind"] == "confirm":
        which = {"task_ids": pending["numbers"]} if pending["numbers"] else {}
        begun = await as_begun(Reading([Planned(pending["name"], {**pending["args"], **which})]), state["turn"])
        return {**begun, "decision": "yes", "agreed": dict.fromkeys(begun["notes"], pending["shown"])}
    chosen = await _choice_in(state["request"], pending, state["user_id"])
    if chosen is None:
        return None
    return await as_begun(Reading([chosen], is_choice=True), state["turn"], pending, state["user_id"])


async def read_choice(reply: Any, pending: Pending, user_id: str) -> Planned | str | None:
    """What a reply says to the question which task is meant: the call that waits, made to the task it names; `no`; or
    None where it names none of those offered."""
    if read_reply(reply) == "no":
        return "no"
    said = reply.get("data") or reply.get("action") or "" if isinstance(reply, Mapping) else reply
    return await _choice_in(str(said), pending, user_id)


async def _choice_in(text: str, pending: Pending, user_id: str) -> Planned | None:
    if pending["kind"] != "choose" or not text.strip():
        return None
    offered = await Store(user_id).tasks.several(pending["numbers"], deleted=True)
    options = say.options(offered)
    if text.strip() in options:
        text = f"#{offered[options.index(text.strip())].task_id}"
    if not offered or len(tokens(text)) > _LONGEST_CHOICE:
        return None
    view = View(tuple(str(one.task_id) for one in offered), offered=True)
    found = resolve(text, [as_candidate(one) for one in offered], view, days=read_day_range)
    return chosen_call(pending, found, "")


async def as_begun(reading: Reading, key: str, pending: Pending | None = None, user_id: str = "") -> dict[str, Any]:
    """The state with the calls of a reading, as if a model had made them. Their ids begin with `key`. Who
    chooses the task has agreed to the change, if they were told when it is a deletion."""
    named = {f"{key}-{at}": one for at, one in enumerate(reading.calls)}
    calls = [{"name": one.name, "args": one.args, "id": own, "type": "tool_call"} for own, one in named.items()]
    agreed = {}
    is_told = pending is not None and (pending["name"] != "delete_task" or say.TO_DELETE in pending["text"])
    if reading.is_choice and is_told:
        with use_person(user_id):
            agreed = {own: plain((await preview(one.name, one.args)).as_question()) for own, one in named.items()}
    return {
        "replies": [{"message": AIMessage("", tool_calls=calls)}] if calls else [],
        "notes": {own: {key: getattr(one, key) for key in ("is_unsure", "reference")} for own, one in named.items()},
        "agreed": agreed,
        "said": reading.said,
        "choice": reading.choice,
        "decision": "choice" if reading.is_choice else None,
        "iterations": 1,
    }


async def _plan(state: TasksState, model: Any) -> list[Planned]:
    """The calls that the offline model reads in the message."""
    talk = state["talk"]
    pending = talk["pending"]
    is_choice = pending is not None and pending["kind"] == "choose"
    also = "choose_task" if is_choice else "correct_change" if talk["changes"] and pending is None else ""
    bound = model.bind_tools(plan_tools(also))
    before = [SystemMessage(plan_prompt()), *_said_before(state)]
    seconds = float(state["limits"].get("timeout") or get_settings().model_timeout)

    async def ask(text: str) -> AIMessage:
        async with asyncio.timeout(seconds):
            reply: AIMessage = await bound.ainvoke([*before, HumanMessage(text)])
        return reply

    return await offline.read(state["request"], talk, Store(state["user_id"]).tasks, ask)


def _said_before(state: TasksState) -> list[BaseMessage]:
    """The texts of the conversation before this turn, without the offer to undo, which tells nothing of the tasks."""
    return [
        HumanMessage(one["content"])
        if one["role"] == "user"
        else AIMessage(one["content"].removesuffix(say.UNDO).rstrip())
        for one in state["history"]
    ]
