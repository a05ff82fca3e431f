"""Results in words: what was done, made from what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.due import spoken_due
from signalbox.storage import Change, Task

__all__ = [
    "NOTHING",
    "NOT_YOURS",
    "OPEN_ONLY",
    "STILL_OPEN",
    "TALK",
    "TO_DELETE",
    "UNDO",
    "UNSURE",
    "WAITS",
    "about",
    "ask_another",
    "ask_back",
    "ask_correction",
    "ask_rename",
    "ask_undo",
    "ask_whether",
    "ask_which",
    "changed_since",
    "done_before",
    "dropped",
    "failed_after",
    "gone_since",
    "listed",
    "neither",
    "not_chosen",
    "not_found",
    "nothing_done",
    "said_of",
]

NOTHING = "All right, nothing was changed."
NOT_YOURS = "I can only see and keep your own tasks, never somebody else's."
UNSURE = (
    "I am not sure what you would like, so nothing was changed. Which task do you mean, and what should happen to it?"
)
WAITS = "The rest waits for your answer."
OPEN_ONLY = "Finished tasks are not shown."
TALK = "Happy to help. Tell me what to write down, show or change."
TO_DELETE = "To delete one: "
STILL_OPEN = "My question which task you mean is still open."
UNDO = 'Say "undo" to take it back.'
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
_PAST = {
    "complete_task": "completed",
    "reopen_task": "reopened",
    "delete_task": "deleted",
    "add_task": "added",
    "undo_change": "taken back",
}
_RECORDED = {
    "added": "Added",
    "deleted": "Deleted",
    "completed": "Done:",
    "reopened": "Open again:",
    "updated": "Changed",
    "restored": "Back on the list:",
}
_UNDONE = {
    "added": "not added",
    "deleted": "back on the list",
    "completed": "open again",
    "reopened": "done again",
    "updated": "as it was",
    "restored": "deleted again",
}


def failed_after(error: str) -> str:
    """What is said where a model failed after something was done."""
    return f"Then the model failed: {error} Nothing else was done."


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


def ask_which(tasks: Sequence[Task], name: str = "") -> str:
    """The question which task is meant, with the choices; a choice of what to delete says so."""
    if not tasks:
        return "Which task do you mean?"
    lines = [f"{number}. {one.title} (#{one.task_id}{_hint(one)})" for number, one in enumerate(tasks, start=1)]
    return "\n".join([f"{TO_DELETE if name == 'delete_task' else ''}Which one do you mean?", *lines])


def _hint(task: Task) -> str:
    told = about(task.as_dict())
    return f", {told}" if told else ""


def ask_whether(name: str, args: Mapping[str, Any], tasks: Sequence[Task]) -> str:
    """The question whether something should really be done, with all it would be done to."""
    given = _given(args)
    if name == "add_task":
        beside = f" ({given})" if given else ""
        return f"Add the task '{args.get('title', '')}'{beside}? Please say yes or no."
    if name == "undo_change":
        return "Take back the last change? Please say yes or no."
    those = ", ".join(f"#{one.task_id} {one.title}" for one in tasks)
    what = "this task" if len(tasks) == 1 else f"these {len(tasks)} tasks"
    if name == "update_task":
        alike = ", ".join(filter(None, (_new_title(args), given)))
        new = _before_and_after(args, tasks[0]) if len(tasks) == 1 else alike
        those = f"{those}: {new}" if new else those
    return f"{_VERBS.get(name, 'Change')} {what}? {those}. Please say yes or no."


def ask_undo(changes: Sequence[Change]) -> str:
    """The question whether these changes should be taken back."""
    return f"Take back the last change? {done_before(changes)} Please say yes or no."


def _given(args: Mapping[str, Any]) -> str:
    """What a call says of a task beside its title."""
    said = {**args, "due": "no date" if args.get("clear_due") else args.get("due")}
    told = [(key, said.get(key)) for key in ("due", "priority", "tags", "untag", "note", "description")]
    return ", ".join(f"{key} {', '.join(map(str, one)) if isinstance(one, list) else one}" for key, one in told if one)


def _new_title(args: Mapping[str, Any]) -> str:
    return f"title '{args['title']}'" if args.get("title") else ""


def _before_and_after(args: Mapping[str, Any], task: Task) -> str:
    was = task.as_dict()
    told = [f"title '{was['title']}' → '{args['title']}'"] if args.get("title") else []
    told += [f"due {was['due'] or 'never'} → {args['due']}"] if args.get("due") else []
    told += [f"priority {was['priority']} → {args['priority']}"] if args.get("priority") else []
    told += [f"description '{was['description']}' → '{args['description']}'"] if args.get("description") else []
    rest = _given({key: value for key, value in args.items() if key not in ("due", "priority", "description")})
    return ", ".join([*told, *([rest] if rest else [])])


def done_before(changes: Sequence[Change]) -> str:
    """What a step has done that is repeated after a crash."""
    return " ".join(f"{_RECORDED[one.what]} #{one.task.task_id} {one.task.title}." for one in changes)


def nothing_done(name: str) -> str:
    """That a change was not made: nothing was deleted."""
    return f"nothing was {_PAST.get(name, 'changed')}"


def neither(name: str) -> str:
    """What is said to a reply that is no answer to a question of yes or no."""
    return f"That was neither yes nor no, so {nothing_done(name)}."


def not_chosen(name: str) -> str:
    """What is said to a reply that names none of the tasks to choose from."""
    return f"I cannot tell which one you mean, so {nothing_done(name)}."


def dropped(name: str) -> str:
    """That a question was given up for a new request."""
    return f"I took that as a new request and dropped my question: {nothing_done(name)}."


def changed_since(tasks: Sequence[Task]) -> str:
    """That tasks are not what they were when a question was asked."""
    those = ", ".join(f"#{one.task_id} {one.title}{_hint(one)}" for one in tasks)
    return f"This has changed since I asked. It is now: {those}."


def gone_since(name: str) -> str:
    """That there is nothing left of what a question was about."""
    return f"What I asked about is no longer there, so {nothing_done(name)}."


def ask_correction(args: Mapping[str, Any], last: str, tasks: Sequence[Task]) -> str:
    """The question whether to put the last change right, or to make it to other tasks instead."""
    new = ", ".join(filter(None, (_new_title(args), _given(args))))
    if not tasks:
        return f"Change what I did last{f' ({new})' if new else ''}? Please say yes or no."
    those = ", ".join(f"#{one.task_id} {one.title}" for one in tasks)
    verb = _VERBS.get(last, "Change").casefold()
    return f"Take back the last change and {verb} {those} instead{f' ({new})' if new else ''}? Please say yes or no."


def ask_another(twin: Task, args: Mapping[str, Any]) -> str:
    """The question whether to add what is there already."""
    beside = f" ({given})" if (given := _given(args)) else ""
    return f"You have #{twin.task_id} {twin.title} already. Add it once more{beside}? Please say yes or no."


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
