"""What the person's own words ask for, read apart from the conversation.

A change that a plan asks for must have a reason in the person's last message. What is not found there, the person is
asked about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from signalbox.agents.tasks.definitions import CHANGING
from signalbox.agents.tasks.offline.guesses import guesses_of
from signalbox.language.words import stem, tokens
from signalbox.models import load_chat_model
from signalbox.storage import Task

__all__ = ["has_reason", "is_named", "learn", "read_asked"]

_learned: set[tuple[str, ...]] = set()
_STRICT = frozenset({"delete_task", "undo_change"})
_LIGHT = frozenset("the a an my to of for and or in on at with by is it up buy get do go make call".split())


async def read_asked(request: str, before: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]) -> list[str]:
    """The tools that the message asks for, or may, after the turn `before` it."""
    reply = await _reader().bind_tools(list(tools)).ainvoke([*before, HumanMessage(request)])
    return [call["name"] for call in reply.tool_calls] or [one["name"] for one in guesses_of(reply)]


async def learn(tools: Sequence[Mapping[str, Any]]) -> None:
    """Let the reader learn its examples for these tools, once: that takes longer than an iteration may."""
    told = tuple(str(tool["function"]["name"]) for tool in tools)
    if told not in _learned:
        await _reader().bind_tools(list(tools)).ainvoke([HumanMessage("hello")])
        _learned.add(told)


@cache
def _reader() -> Any:
    return load_chat_model("offline", examples=Path(__file__).parents[1] / "examples.jsonl")


def has_reason(name: str, asked: Sequence[str]) -> bool:
    """Whether the person's words give a reason for a call: deleting must be what they say; for other changes it is
    enough that they ask for a change."""
    if name not in CHANGING or name in asked:
        return True
    return name not in _STRICT and any(one in CHANGING and one not in _STRICT for one in asked)


def is_named(task: Task, words: str, request: str) -> bool:
    """Whether the person's message speaks of a task: by the words of the call, its number, or a word of its title."""
    said = request.casefold()
    if words and words.strip().casefold() in said:
        return True
    if re.search(rf"(?<!\d){task.task_id}(?!\d)", said):
        return True
    spoken = {stem(word) for word in tokens(request)}
    return any(stem(word) in spoken for word in tokens(task.title) if word not in _LIGHT)
