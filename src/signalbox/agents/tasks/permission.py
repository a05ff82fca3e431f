"""Whether a change to tasks runs at once or is confirmed first: the policy of effects, applied to a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signalbox.agents.tasks.state import Talk
from signalbox.language.words import tokens
from signalbox.storage import Store, Task, TaskFilter
from signalbox.toolbox.effects import Effect, Said, Thing, Verdict, decide

__all__ = ["Heard", "may_change", "may_take_back", "new_texts", "possible_things", "thing_of"]

_FREE_TEXT = ("title", "note", "description", "tags")
_LAST_CHANGE = Thing("last change", "")
_MOST = 200


@dataclass(frozen=True, slots=True)
class Heard:
    """What the person wrote, and how a call came about.

    `shown` is the list that the person had seen when they wrote. `after_data` says that results of tools had been read
    before the call, `is_read` that its words were read in the last message by code, `is_reply` that a question of yes
    or no waited when the person wrote, and `is_confirmed` that the person was shown it and said yes.
    """

    message: str = ""
    earlier: tuple[str, ...] = ()
    shown: tuple[int, ...] = ()
    after_data: bool = False
    is_read: bool = False
    is_reply: bool = False
    is_confirmed: bool = False


async def may_change(
    name: str, args: Mapping[str, Any], tasks: Sequence[Task], talk: Talk, user_id: str, heard: Heard
) -> Verdict:
    """Whether a call that adds a task or changes these runs at once."""
    if heard.is_confirmed:
        return "run"
    if heard.is_reply:
        # What is neither yes nor no to a question writes nothing: what else it may ask for is shown first.
        return "confirm"
    effect = Effect(
        is_reversible=name != "delete_task",
        targets=tuple(map(thing_of, tasks)),
        texts=tuple(new_texts(args, tasks)),
        reference=str(args.get("task") or "") if not talk.get("is_recalled") else "",
        after_data=heard.after_data,
    )
    return decide(effect, await _said(tasks, talk, user_id, heard))


async def may_take_back(
    args: Mapping[str, Any], instead: Sequence[Task], talk: Talk, user_id: str, heard: Heard
) -> Verdict:
    """Whether the last change is taken back at once, or put right with `args`, or made to another task `instead`. To
    delete that one is a change of its own. There must be a last change."""
    if heard.is_confirmed:
        return "run"
    if heard.is_reply:
        return "confirm"
    last = talk["changes"][-1]["acts"]
    changed = {number for act in last for number in act["numbers"]}
    said = await _said(instead, talk, user_id, heard)
    others = tuple(one for one in said.things if int(one.key) not in {*changed, *(task.task_id for task in instead)})
    is_told = bool(talk["spoken"]) and set(talk["spoken"]) <= changed
    effect = Effect(
        is_reversible=True,
        targets=(_LAST_CHANGE,),
        texts=tuple(new_texts(args, ())),
        reference=heard.message if heard.is_read else "",
        after_data=heard.after_data,
    )
    only = _LAST_CHANGE.key if is_told else None
    return decide(effect, Said(said.message, said.earlier, only=only, things=others))


async def _said(tasks: Sequence[Task], talk: Talk, user_id: str, heard: Heard) -> Said:
    """What the person wrote and saw, and every task that a name in it could mean."""
    things = await possible_things(tasks, (*talk["shown"], *talk["spoken"]), user_id)
    about = talk["spoken"] or talk["shown"]
    only = str(about[0]) if len(about) == 1 and not talk.get("is_recalled") else None
    # A list that tools gave in this turn is not one that the person has seen.
    places = heard.shown if heard.after_data else talk["shown"]
    return Said(heard.message, heard.earlier, tuple(map(str, places)), only, things)


async def possible_things(tasks: Sequence[Task], seen: Iterable[int], user_id: str) -> tuple[Thing, ...]:
    """Everything that a name may mean: the open tasks, those that the person has seen, and these."""
    store = Store(user_id).tasks
    open_ones = (await store.list(TaskFilter(limit=_MOST))).tasks
    shown = await store.several(list(dict.fromkeys(seen)), deleted=True)
    return tuple({one.task_id: thing_of(one) for one in (*open_ones, *shown, *tasks)}.values())


def thing_of(task: Task) -> Thing:
    """A task as the policy of effects knows it."""
    return Thing(str(task.task_id), task.title)


def new_texts(args: Mapping[str, Any], tasks: Sequence[Task]) -> list[str]:
    """The free text that a call would write, without the words that its one task has already."""
    own = set(tokens(f"{tasks[0].title} {tasks[0].description}")) if len(tasks) == 1 else set()
    written = [args[key] for key in _FREE_TEXT if args.get(key)]
    flat = [str(one) for value in written for one in (value if isinstance(value, list) else [value])]
    new = [" ".join(word for word in tokens(text) if word not in own) for text in flat]
    return [text for text in new if text]
