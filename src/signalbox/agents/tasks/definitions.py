"""The tools of the MCP server and of plans: what each is called, does and takes. The server offers the first group; the
second speaks of the conversation itself, and exists only in plans. What a model in the loop is offered stands in
`tools.py`.

`user_id` is injected into every call. A plan holds words and not numbers, so it has no `task_id` either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["CHANGING", "CONVERSATION", "TOOLS", "Definition", "shown_to_model", "tools_for"]

Definition = Mapping[str, Any]


def _text(about: str) -> dict[str, Any]:
    return {"type": "string", "description": about, "minLength": 1, "maxLength": 2000}


def _option(about: str, *values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values), "description": about}


def _words(about: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 60}, "description": about}


def _number(about: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 1, "maximum": 2_000_000_000, "description": about}


_PRIORITY = ("low", "normal", "high")
_USER = {"user_id": {"type": "string", "description": "User's UUID"}}
_WHICH = {
    "task": _text("the words that name the task, or refer to one shown before"),
    "task_id": _number("the task's number"),
}


def _tool(name: str, description: str, properties: Mapping[str, Any], *required: str) -> Definition:
    parameters = {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "parameters": parameters}


TOOLS: tuple[Definition, ...] = (
    _tool(
        "add_task",
        "Put a new task on the person's list",
        {
            **_USER,
            "title": {**_text("what is to be done"), "maxLength": 500},
            "description": _text("further details"),
            "due": _text("when it is due, in the person's words"),
            "priority": _option("how important it is", *_PRIORITY),
            "tags": _words("labels"),
        },
        "user_id",
        "title",
    ),
    _tool(
        "list_tasks",
        "Show the person's tasks, all or those that fit",
        {
            **_USER,
            "status": _option("open, finished, or both", "pending", "completed", "all"),
            "due": _text("a day or a range of days in the person's words"),
            "only": {
                **_option("those late, or those without a date", "overdue", "undated"),
                "enumDescriptions": {"overdue": "late, past its due date", "undated": "without a due date"},
            },
            "priority": _option("only tasks of this priority", *_PRIORITY),
            "tag": _text("only tasks with this label"),
            "query": _text("words to look for"),
            "sort": _option("the order to show them in", "due", "priority", "created", "title"),
            "page": _number("which page of a long list"),
            "page_size": {**_number("how many on a page"), "maximum": 100},
        },
        "user_id",
    ),
    _tool("get_task", "Show one task with all its details", {**_USER, **_WHICH}, "user_id"),
    _tool(
        "update_task",
        "Change an existing task: its title, due date, priority, labels or notes",
        {
            **_USER,
            **_WHICH,
            "title": {**_text("the new title"), "maxLength": 500},
            "note": _text("a detail to add to it"),
            "description": {**_text("all of its details, in place of what they were"), "minLength": 0},
            "due": _text("the new due date in the person's words"),
            "clear_due": {"type": "boolean", "description": "it has no due date any more"},
            "priority": _option("the new priority", *_PRIORITY),
            "tags": _words("labels to put on it"),
            "untag": _words("labels to take off it"),
        },
        "user_id",
    ),
    _tool("complete_task", "Mark a task as done", {**_USER, **_WHICH}, "user_id"),
    _tool("reopen_task", "Set a finished or deleted task back to open", {**_USER, **_WHICH}, "user_id"),
    _tool("delete_task", "Remove a task from the list", {**_USER, **_WHICH}, "user_id"),
    _tool("undo_change", "Take back the last change, as if it had not been made", {**_USER}, "user_id"),
)
"""What the MCP server offers."""

CONVERSATION: tuple[Definition, ...] = (
    _tool(
        "correct_change",
        "Say that the last change was wrong, and what was meant instead",
        {
            "task": _text("the words that name the task that was meant"),
            "title": _text("the title that was meant"),
            "note": _text("the detail that was meant"),
            "due": _text("the due date that was meant, in the person's words"),
            "priority": _option("the priority that was meant", *_PRIORITY),
        },
    ),
    _tool(
        "choose_task",
        "Say which of the tasks just asked about is meant",
        {"task": _text("the words that name the task, or its place")},
    ),
    _tool("other_people", "Asked for the tasks of somebody else", {}),
    _tool("small_talk", "Greetings, thanks or talk that asks for nothing", {}),
)
"""What is said of the conversation itself."""

CHANGING = frozenset(
    {
        "add_task",
        "update_task",
        "complete_task",
        "reopen_task",
        "delete_task",
        "undo_change",
        "correct_change",
        "choose_task",
    }
)
"""Those that change something, or may."""

_NOT_IN_PLANS = {"user_id", "task_id", "description", "page_size"}


def shown_to_model(definition: Definition) -> dict[str, Any]:
    """The tool as it is offered for a plan, in OpenAI's form: without what cannot be read in a message."""
    parameters = definition["parameters"]
    gone = _NOT_IN_PLANS - ({"description"} if definition["name"] == "add_task" else set())
    properties = {name: told for name, told in parameters["properties"].items() if name not in gone}
    required = [name for name in parameters["required"] if name not in gone]
    function = {**definition, "parameters": {**parameters, "properties": properties, "required": required}}
    return {"type": "function", "function": function}


def tools_for(names: Iterable[str]) -> list[dict[str, Any]]:
    """The tools of these names as a model is given them."""
    by_name = {one["name"]: one for one in (*TOOLS, *CONVERSATION)}
    return [shown_to_model(by_name[name]) for name in names]
