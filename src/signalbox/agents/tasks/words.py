"""What a person is told: every sentence of the room, made from what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.due import spoken_due
from signalbox.storage import Change, Task

NOTHING = "All right, nothing was changed."
NOT_YOURS = "I can only see and keep your own tasks, never somebody else's."
UNSURE = (
    "I am not sure what you would like, so nothing was changed. I can write tasks down, show, change, finish and "
    "delete them, and take the last change back."
)
WAITS = "The rest waits for your answer."
OPEN_ONLY = "Finished tasks are not shown."
TALK = "Happy to help. Tell me what to write down, show or change."
NO_TITLE = "What should the new task be called?"
NOTHING_TO_CORRECT = "There is nothing to correct. What would you like me to do?"
TO_DELETE = "To delete one: "
CHANGED = "This has changed since you were asked, and nothing was done.\n\n"
STILL_OPEN = "My question which task you mean is still open."
UNDO = 'Say "undo" to take it back.'
_DONE = {"complete_task": "Done", "reopen_task": "Open again", "delete_task": "Deleted"}
_VERBS = {"complete_task": "Complete", "reopen_task": "Reopen", "delete_task": "Delete", "update_task": "Change"}
_PAST = {
    "complete_task": "completed", "reopen_task": "reopened", "delete_task": "deleted", "add_task": "added",
    "undo_change": "taken back",
}  # fmt: skip
_RECORDED = {
    "added": "Added", "deleted": "Deleted", "completed": "Done:", "reopened": "Open again:", "updated": "Changed",
    "restored": "Back on the list:",
}  # fmt: skip
_UNDONE = {
    "added": "not added", "deleted": "back on the list", "completed": "open again", "reopened": "done again",
    "updated": "as it was", "restored": "deleted again",
}  # fmt: skip
_LISTS = {"pending": "open task", "completed": "finished task", "all": "task"}
_YES_OR_NO = "Please say yes or no."


def names(tasks: Sequence[Task]) -> str:
    """Tasks by number and title, in one line."""
    return ", ".join(f"#{one.task_id} {one.title}" for one in tasks)


def about(task: Mapping[str, Any]) -> str:
    """What a task has beside its title; empty where there is nothing to say."""
    parts = [f"due {spoken_due(task['due'])}"] if task.get("due") else []
    parts += [f"{task['priority']} priority"] if task.get("priority") not in (None, "normal") else []
    parts += [" ".join(f"#{tag}" for tag in task["tags"])] if task.get("tags") else []
    parts += ["done"] if task.get("completed") else []
    return ", ".join(parts)


def listed(result: Mapping[str, Any], status: str, narrowed: Mapping[str, Any]) -> str:
    """A page of tasks, each on a line of its own with its number, and which tasks were looked for."""
    tasks, total = result["tasks"], result["total"]
    sought = f"\nShown: {', '.join(f'{name} {value}' for name, value in narrowed.items())}." if narrowed else ""
    if not tasks:
        return f"There is no {_LISTS[status]}{' that fits' if narrowed else ''}.{sought}"
    what = f"{_LISTS[status]}{'' if total == 1 else 's'}"
    lines = [f"- #{one['task_id']} {one['title']}{_in_brackets(about(one))}" for one in tasks]
    if result["pages"] > 1:
        lines.append(f"Page {result['page']} of {result['pages']}.")
    return "\n".join([f"There {'is' if total == 1 else 'are'} {total} {what}:", *lines]) + sought


def said_of(name: str, results: Sequence[Mapping[str, Any]], before: Sequence[Task] = ()) -> str:
    """What was done to tasks, or what they are."""
    those = ", ".join(f"#{one['task_id']} {one['title']}" for one in results)
    match name:
        case "get_task":
            return "\n\n".join(map(_details, results))
        case "undo_change":
            undone = [f"#{one['task_id']} {one['title']} is {_UNDONE[one['what']]}" for one in results]
            return f"Taken back: {'; '.join(undone)}."
        case "update_task":
            pairs = zip(before, results, strict=True)
            told = [f"#{new['task_id']} {new['title']}: {_difference(old, new)}" for old, new in pairs]
            return f"Changed {'; '.join(told)}."
        case "add_task":
            note = f"note '{results[0]['description']}'" if results[0].get("description") else ""
            return f"Added {those}{_in_brackets(', '.join(filter(None, (about(results[0]), note))))}."
        case _:
            return f"{_DONE[name]}: {those}."


def is_so_already(name: str, tasks: Sequence[Task]) -> str:
    """What is said where there is nothing to do; empty where there is."""
    are = f"{names(tasks)} {'is' if len(tasks) == 1 else 'are'}"
    if name == "complete_task" and all(one.completed for one in tasks):
        return f"{are} done already."
    if name == "reopen_task" and not any(one.completed or one.deleted for one in tasks):
        return f"{are} open already."
    return ""


def _details(task: Mapping[str, Any]) -> str:
    told = ", ".join(filter(None, (task["status"], about({**task, "completed": False}))))
    note = f"\n{task['description']}" if task.get("description") else ""
    return f"#{task['task_id']} {task['title']}: {told}.{note}"


def _difference(old: Task, new: Mapping[str, Any]) -> str:
    was = old.as_dict()
    changed = [name for name in ("title", "due", "priority", "tags", "description") if was[name] != new[name]]
    return ", ".join(_changed(name, was[name], new[name]) for name in changed) or "nothing was different"


def _changed(name: str, old: Any, new: Any) -> str:
    match name:
        case "title":
            return f"renamed from '{old}'"
        case "due":
            return f"due {spoken_due(new)}" if new else "no due date any more"
        case "tags":
            return f"tags {', '.join(new) or 'none'}"
        case "description":
            added = str(new).removeprefix(str(old)).strip()
            return f"note '{added}'" if added else "note removed"
        case _:
            return f"{name} {new}"


def _in_brackets(told: str) -> str:
    return f" ({told})" if told else ""


def ask_which(tasks: Sequence[Task], name: str = "") -> str:
    """The question which task is meant, with the choices. A choice of what to delete says so."""
    return "\n".join([f"{TO_DELETE if name == 'delete_task' else ''}Which one do you mean?", *options(tasks)])


def options(tasks: Sequence[Task]) -> list[str]:
    """The choices of a question which task is meant."""
    hints = [f", {told}" if (told := about(one.as_dict())) else "" for one in tasks]
    pairs = enumerate(zip(tasks, hints, strict=True), 1)
    return [f"{at}. {one.title} (#{one.task_id}{hint})" for at, (one, hint) in pairs]


def ask_whether(name: str, args: Mapping[str, Any], tasks: Sequence[Task]) -> str:
    """The question whether something should really be done, with all it would be done to."""
    if name == "add_task":
        return f"Add the task '{args.get('title', '')}'{_in_brackets(_given(args, 'title'))}? {_YES_OR_NO}"
    what = "this task" if len(tasks) == 1 else f"these {len(tasks)} tasks"
    new = _before_and_after(args, tasks[0]) if len(tasks) == 1 else _given(args)
    told = f": {new}" if name == "update_task" and new else ""
    return f"{_VERBS[name]} {what}? {names(tasks)}{told}. {_YES_OR_NO}"


def ask_undo(changes: Sequence[Change]) -> str:
    """The question whether these changes should be taken back."""
    return f"Take back the last change? {done_before(changes)} {_YES_OR_NO}"


def ask_another(twin: Task, args: Mapping[str, Any]) -> str:
    """The question whether to add what is there already."""
    return f"You have {names([twin])} already. Add it once more{_in_brackets(_given(args, 'title'))}? {_YES_OR_NO}"


def _given(args: Mapping[str, Any], *without: str) -> str:
    """What a call says of a task."""
    title = f"'{args['title']}'" if args.get("title") else ""
    said = {**args, "title": title, "due": "no date" if args.get("clear_due") else args.get("due")}
    told = [(key, said.get(key)) for key in ("title", "due", "priority", "tags", "untag", "note", "description")]
    return ", ".join(
        f"{key} {', '.join(map(str, one)) if isinstance(one, list) else one}"
        for key, one in told
        if one and key not in without
    )


def _before_and_after(args: Mapping[str, Any], task: Task) -> str:
    was = task.as_dict()
    told = [f"title '{was['title']}' → '{args['title']}'"] if args.get("title") else []
    told += [f"due {was['due'] or 'never'} → {args['due']}"] if args.get("due") else []
    told += [f"priority {was['priority']} → {args['priority']}"] if args.get("priority") else []
    told += [f"description '{was['description']}' → '{args['description']}'"] if args.get("description") else []
    return ", ".join(filter(None, [*told, _given({**args, "due": ""}, "title", "priority", "description")]))


def done_before(changes: Sequence[Change]) -> str:
    """What a step has done that is repeated after a crash."""
    return " ".join(f"{_RECORDED[one.what]} #{one.task.task_id} {one.task.title}." for one in changes)


def not_found(words: str, near: Sequence[Task]) -> str:
    """That no task fits, with those that come near."""
    told = f"I find no task for '{words}'." if words else "I do not know which task you mean."
    return told + (f" Did you mean {' or '.join(names([one]) for one in near)}?" if near else "")


def neither(name: str) -> str:
    """What is said to a reply that is no answer to a question of yes or no."""
    return f"That was neither yes nor no, so {_nothing_done(name)}."


def not_chosen(name: str) -> str:
    """What is said to a reply that names none of the tasks to choose from."""
    return f"I cannot tell which one you mean, so {_nothing_done(name)}."


def dropped(name: str) -> str:
    """That a question was given up for a new request."""
    return f"I took that as a new request and dropped my question: {_nothing_done(name)}."


def _nothing_done(name: str) -> str:
    return f"nothing was {_PAST.get(name, 'changed')}"


def failed_after(error: str) -> str:
    """What is said where a model failed after something was done."""
    return f"Then the model failed: {error} Nothing else was done."
