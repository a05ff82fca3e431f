"""The task that a message speaks of beside the words that a call goes by: who says "it", or nothing, may have named
what is meant in the same breath. A name that is all but whole is taken; a single word of one is a question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.tasks.naming import ALL, affirmed, by_own_word, is_bare, speaks_of, spoken_of
from signalbox.agents.tasks.targets import Meant, Status, View
from signalbox.language.words import tokens
from signalbox.storage import TaskFilter, Tasks

__all__ = ["told_by_mention"]

_SAID_OF_IT = ("title", "note", "description", "due", "tags")
_MOST = 200


async def told_by_mention(
    found: Meant, words: str, args: Mapping[str, Any], message: str, view: View, tasks: Tasks, status: Status
) -> Meant:
    """What a call means that goes by "it" or by no words at all, where the message before that names another task than
    the one in view. Words that name something stay what they are."""
    is_several = bool(ALL & set(tokens(words)))
    if words and (is_several or not (is_bare(words) or is_bare(words, plural=True))):
        return found
    before = message[: message.casefold().rfind(words.casefold())] if words else message
    rest = affirmed(_without(before, args))
    if found.how == "one" and speaks_of(rest, found.tasks[0]):
        return found
    page = await tasks.list(TaskFilter(status=status, limit=_MOST))
    named = spoken_of(rest, page.tasks)
    if len(named) == 1:
        return Meant("one", (named[0],))
    shown = await tasks.several(list(dict.fromkeys((*view.shown, *view.spoken))))
    other = by_own_word(shown, rest)
    if other is None or found.how == "none":
        return found
    return Meant("unclear", (found.tasks[0], other)) if found.how == "one" else Meant("one", (other,))


def _without(message: str, args: Mapping[str, Any]) -> str:
    """A message without what a call says of the task: that does not name it."""
    for key in _SAID_OF_IT:
        value = args.get(key)
        for one in value if isinstance(value, list) else [value]:
            message = message.replace(str(one), " … ") if one else message
    return message
