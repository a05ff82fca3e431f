"""Results in words: what was done, made from what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.due import spoken_due
from signalbox.storage import Task

__all__ = [
    "LET_GO",
    "NOT_YOURS",
    "OPEN_ONLY",
    "TALK",
    "UNSURE",
    "WAITS",
    "about",
    "ask_another",
    "ask_back",
    "ask_rename",
    "ask_whether",
    "ask_which",
    "listed",
    "not_found",
    "said_of",
]

LET_GO = "Then nothing was changed. What would you like me to do instead?"
NOT_YOURS = "I can only see and keep your own tasks, never somebody else's."
UNSURE = (
    "I am not sure what you would like, so nothing was changed. Which task do you mean, and what should happen to it?"
)
WAITS = "The rest waits for your answer."
OPEN_ONLY = "Finished tasks are not shown."
TALK = "Happy to help. Tell me what to write down, show or change."
_DONE = {
    "complete_task": "Done",
    "reopen_task": "Open again",
    "delete_task": "Deleted",
    "add_task": "Added",
    "update_task": "Changed",
}
_VERBS = {
    "complete_task": "Complete",
    "reopen_task": "Reopen",
    "delete_task": "Delete",
    "update_task": "Change",
    "add_task": "Add",
}
_UNDONE = {
    "added": "not added",
    "deleted": "back on the list",
    "completed": "open again",
    "reopened": "done again",
    "updated": "as it was",
    "restored": "deleted again",
}


def about(task: Mapping[str, Any]) -> str:
    """What a task has beside its title, for a person; nothing where there is nothing to say."""
    parts = [f"due {spoken_due(task['due'])}"] if task.get("due") else []
    parts += [f"{task['priority']} priority"] if task.get("priority") not in (None, "normal") else []
    parts += [" ".join(f"#{tag}" for tag in task["tags"])] if task.get("tags") else []
    parts += ["done"] if task.get("completed") else []
    return ", ".join(parts)


def listed(result: Mapping[str, Any], what: str = "task") -> str:
    """A page of tasks: each on a line of its own, with its number."""
    tasks, total = result["tasks"], result["total"]
    if not tasks:
        return "There is no such task." if what != "task" else "You have no open tasks."
    head = f"{'There is' if total == 1 else 'There are'} {total} {what}{'' if total == 1 else 's'}:"
    lines = [f"- #{one['task_id']} {one['title']}" + (f" ({about(one)})" if about(one) else "") for one in tasks]
    if result["pages"] > 1:
        lines.append(f"Page {result['page']} of {result['pages']}.")
    return "\n".join([head, *lines])


def said_of(name: str, results: Sequence[Mapping[str, Any]], before: Sequence[Task] = ()) -> str:
    """What was done to tasks."""
    if name == "get_task":
        return "\n\n".join(_details(one) for one in results)
    if name == "undo_change":
        undone = [f"#{one['task_id']} {one['title']} is {_UNDONE[one['what']]}" for one in results]
        return f"Taken back: {'; '.join(undone)}."
    if name == "update_task":
        pairs = zip(before, results, strict=True)
        told = [f"#{new['task_id']} {new['title']}: {_difference(old, new)}" for old, new in pairs]
        return f"Changed {'; '.join(told)}."
    if name == "add_task":
        only = results[0]
        return f"Added #{only['task_id']} {only['title']}" + (f" ({about(only)})." if about(only) else ".")
    those = ", ".join(f"#{one['task_id']} {one['title']}" for one in results)
    return f"{_DONE[name]}: {those}."


def _details(task: Mapping[str, Any]) -> str:
    told = ", ".join(filter(None, (task["status"], about({**task, "completed": False}))))
    return f"#{task['task_id']} {task['title']}: {told}." + (
        f"\n{task['description']}" if task.get("description") else ""
    )


def _difference(old: Task, new: Mapping[str, Any]) -> str:
    was = old.as_dict()
    told = []
    for name in ("title", "due", "priority", "tags", "description"):
        if was[name] != new[name]:
            told.append(_changed(name, was[name], new[name]))
    return ", ".join(told) or "nothing was different"


def _changed(name: str, old: Any, new: Any) -> str:
    if name == "title":
        return f"renamed from '{old}'"
    if name == "due":
        return f"due {spoken_due(new)}" if new else "no due date any more"
    if name == "tags":
        return f"tags {', '.join(new) or 'none'}"
    return f"{name} {new}" if name == "priority" else "note added"


def ask_which(tasks: Sequence[Task]) -> str:
    """The question which task is meant, with the choices."""
    if not tasks:
        return "Which task do you mean?"
    lines = [f"{number}. {one.title} (#{one.task_id}{_hint(one)})" for number, one in enumerate(tasks, start=1)]
    return "\n".join(["Which one do you mean?", *lines])


def _hint(task: Task) -> str:
    told = about(task.as_dict())
    return f", {told}" if told else ""


def ask_whether(name: str, args: Mapping[str, Any], tasks: Sequence[Task]) -> str:
    """The question whether something should really be done, with all it would be done to."""
    if name == "add_task":
        return f"Add the task '{args.get('title', '')}'? Please say yes or no."
    if name == "undo_change":
        return "Take back the last change? Please say yes or no."
    those = ", ".join(f"#{one.task_id} {one.title}" for one in tasks)
    what = "this task" if len(tasks) == 1 else f"these {len(tasks)} tasks"
    return f"{_VERBS.get(name, 'Change')} {what}? {those}. Please say yes or no."


def ask_another(twin: Task) -> str:
    """The question whether to add what is there already."""
    return f"You have #{twin.task_id} {twin.title} already. Add it once more? Please say yes or no."


def ask_back(gone: Sequence[Task]) -> str:
    """The question whether what was deleted should be back."""
    those = ", ".join(f"#{one.task_id} {one.title}" for one in gone)
    return f"{those} {'is' if len(gone) == 1 else 'are'} deleted. Put back on the list? Please say yes or no."


def ask_rename(task: Task, title: str) -> str:
    """The question whether a task should have another title."""
    return f"Rename #{task.task_id} {task.title} to '{title}'? Please say yes or no."


def not_found(words: str, near: Sequence[Task]) -> str:
    """That no task fits, with those that come near."""
    told = f"I find no task for '{words}'." if words else "I do not know which task you mean."
    if near:
        told += " Did you mean " + " or ".join(f"#{one.task_id} {one.title}" for one in near) + "?"
    return told
