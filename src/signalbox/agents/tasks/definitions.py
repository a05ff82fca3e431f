"""The tools: what each is called, does and takes, in one table that serves everyone.

MCP clients and the contract's functions get `TOOLS` as they stand, with `user_id`, and name a task by its number or in
words. A capable model gets `loop_parameters`: it was shown the tasks and gives their numbers. A plan gets `plan_tools`:
it holds words, and says some things of the conversation itself. Nobody chooses whose tasks they are: `user_id` is
injected into every call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CHANGING", "READING", "TOOLS", "Definition", "loop_parameters", "plan_tools"]

Definition = Mapping[str, Any]


def _text(about: str, longest: int = 2000) -> dict[str, Any]:
    return {"type": "string", "description": about, "minLength": 1, "maxLength": longest}


def _option(about: str, *values: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "enum": list(values), "description": about, **more}


def _words(about: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 60}, "description": about}


def _number(about: str, most: int = 2_000_000_000) -> dict[str, Any]:
    return {"type": "integer", "minimum": 1, "maximum": most, "description": about}


def _tool(name: str, description: str, /, *required: str, **properties: Any) -> Definition:
    parameters = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return {"name": name, "description": description, "parameters": parameters}


def _own(name: str, description: str, /, *required: str, **properties: Any) -> Definition:
    """A tool for one person's tasks."""
    user = {"type": "string", "description": "User's UUID"}
    return _tool(name, description, "user_id", *required, user_id=user, **properties)


_PRIORITY = ("low", "normal", "high")
_WHICH = {
    "task": _text("the words that name the task, or refer to one shown before"),
    "task_id": _number("the task's number"),
}

TOOLS: tuple[Definition, ...] = (
    _own(
        "add_task",
        "Create a new task for the user",
        "title",
        title={"type": "string", "description": "Task title"},
        description={"type": "string", "description": "Optional description"},
        due=_text("when it is due, in the person's words"),
        priority=_option("how important it is", *_PRIORITY),
        tags=_words("labels"),
    ),
    _own(
        "list_tasks",
        "Show the person's tasks, all or those that fit",
        status=_option("open, finished, or both", "pending", "completed", "all"),
        due=_text("a day or a range of days in the person's words"),
        only=_option(
            "those late, or those without a date", "overdue", "undated",
            enumDescriptions={"overdue": "late, past its due date", "undated": "without a due date"},
        ),
        priority=_option("only tasks of this priority", *_PRIORITY),
        tag=_text("only tasks with this label"),
        query=_text("words to look for"),
        sort=_option("the order to show them in", "due", "priority", "created", "title"),
        page=_number("which page of a long list"),
        page_size=_number("how many on a page", 100),
    ),
    _own("get_task", "Show one task with all its details", **_WHICH),
    _own(
        "update_task",
        "Change an existing task: its title, due date, priority, labels or notes",
        **_WHICH,
        title=_text("the new title", 500),
        note=_text("a detail to add to it"),
        description={**_text("all of its details, in place of what they were"), "minLength": 0},
        due=_text("the new due date in the person's words"),
        clear_due={"type": "boolean", "description": "it has no due date any more"},
        priority=_option("the new priority", *_PRIORITY),
        tags=_words("labels to put on it"),
        untag=_words("labels to take off it"),
    ),
    _own("complete_task", "Mark a task as done", **_WHICH),
    _own("reopen_task", "Set a finished or deleted task back to open", **_WHICH),
    _own("delete_task", "Remove a task from the list", **_WHICH),
    _own(
        "undo_change",
        "Take back the last change, as if it had not been made",
        task_id=_number("only what was done to this task"),
    ),
)  # fmt: skip
READING = ("list_tasks", "get_task")
CHANGING = tuple(one["name"] for one in TOOLS if one["name"] not in READING)

_CONVERSATION: tuple[Definition, ...] = (
    _tool("other_people", "Asked for the tasks of somebody else"),
    _tool("small_talk", "Greetings, thanks or talk that asks for nothing"),
    _tool(
        "correct_change",
        "Say that the last change was wrong, and what was meant instead",
        task=_text("the words that name the task that was meant"),
        title=_text("the title that was meant"),
        note=_text("the detail that was meant"),
        due=_text("the due date that was meant, in the person's words"),
        priority=_option("the priority that was meant", *_PRIORITY),
    ),
    _tool(
        "choose_task",
        "Say which of the tasks just asked about is meant",
        task=_text("the words that name the task, or its place"),
    ),
)
_NOT_IN_PLANS, _NOT_IN_LOOP = {"user_id", "task_id", "page_size"}, {"user_id", "task", "page_size"}
_ADDED = {"title": _text("what is to be done", 500), "description": _text("further details")}
_ISO = "2026-11-20, or 2026-11-20T15:00 with an hour"
_ISO_DAYS = "a day (2026-11-20) or a range of days (2026-11-16/2026-11-22)"


def loop_parameters(definition: Definition) -> dict[str, Any]:
    """The parameters for a model that was shown the tasks: numbers and dates instead of words."""
    parameters = _without(definition, _NOT_IN_LOOP)
    properties = parameters["properties"]
    if "task_id" in properties:
        every = {"type": "array", "items": _number("a task's number"), "minItems": 1, "maxItems": 100}
        properties["task_ids"] = {**every, "description": "instead of task_id: all that the same is to be done to"}
    if "due" in properties:
        properties["due"] = _text(_ISO_DAYS if definition["name"] == "list_tasks" else _ISO)
    return parameters


def plan_tools(also: str = "") -> list[dict[str, Any]]:
    """The tools for a plan in OpenAI's form, in the words that the offline model has learned, with one more of the
    conversation where it can be meant: `choose_task` after a question, `correct_change` after a change."""
    offered = (*TOOLS, *(one for one in _CONVERSATION if one["name"] in ("other_people", "small_talk", also)))
    return [{"type": "function", "function": _for_plan(one)} for one in offered]


def _for_plan(definition: Definition) -> Definition:
    if definition["name"] != "add_task":
        return {**definition, "parameters": _without(definition, {*_NOT_IN_PLANS, "description"})}
    parameters = _without(definition, _NOT_IN_PLANS)
    parameters["properties"] |= _ADDED
    return {**definition, "description": "Put a new task on the person's list", "parameters": parameters}


def _without(definition: Definition, names: set[str]) -> dict[str, Any]:
    parameters = definition["parameters"]
    properties = {name: told for name, told in parameters["properties"].items() if name not in names}
    return {
        **parameters,
        "properties": properties,
        "required": [one for one in parameters["required"] if one in properties],
    }
