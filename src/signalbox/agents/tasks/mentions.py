"""The task that a message speaks of beside the words that a call goes by: who says "it", or nothing, may have named
what is meant in the same breath. A name that is all but whole is taken; a single word of one is a question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.tasks.naming import (
    ALL,
    ONE_BEFORE,
    OTHER,
    SOME_BEFORE,
    affirmed,
    by_own_word,
    content_words,
    is_bare,
    speaks_of,
    spoken_of,
)
from signalbox.agents.tasks.targets import Meant, Status, View
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import stem, tokens, word_set
from signalbox.storage import Task, TaskFilter, Tasks

__all__ = ["one_more", "told_by_mention", "unaccounted"]

_OF_A_CHANGE = word_set(
    "make makes move moves moved set sets change changes push put shift bring forward back postpone reschedule "
    "delay bump raise lower turn switch give need needs should must want wants would could can will got gets get "
    "better rather instead due date day time deadline hour oclock priority prio high higher highest low lowest "
    "normal medium urgent important top tag tags label labels note title name rename call called mark do does done "
    "let us we you yes yeah yep ok okay hm hmm oh wait thanks thank cheers till until by before after later earlier "
    "than so but if it he she they that this i'm i'd i'll say says said think sure still even more most very really "
    "quite also sooner asap moment add"
)
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


def unaccounted(message: str, args: Mapping[str, Any], task: Task) -> list[str]:
    """The words of a message that neither a call, nor the task that it would change, nor the change itself accounts
    for: they may name something else."""
    own = {stem(word) for word in tokens(f"{task.title} {' '.join(task.tags)} {task.description}")}
    rest = content_words(_without(message, args))
    known = _OF_A_CHANGE | ONE_BEFORE | SOME_BEFORE | ALL
    return [word for word in rest if not is_time_word(word) and word not in known and stem(word) not in own]


def one_more(message: str, args: Mapping[str, Any]) -> str | None:
    """The name of one more thing, where a message goes on with it and says no more than when it is due: "and the post
    by Friday". Else None."""
    due = str(args.get("due") or "")
    found = re.fullmatch(
        rf"\W*(?:(?:oh|and|also|plus|then)\s+)+(?P<what>[^,;.!?]+?),?\s+(?:(?:for|on|by|due|until|before)\s+)*"
        rf"{re.escape(due)}\W*(?:(?:please|pls|too|ugh|thanks|as well)\W*)*",
        message,
        re.IGNORECASE,
    )
    words = tokens(found["what"]) if found and due else []
    is_name = bool(words) and not set(words) & (_OF_A_CHANGE | ONE_BEFORE | SOME_BEFORE | OTHER)
    return found["what"] if found and is_name and content_words(found["what"]) else None


def _without(message: str, args: Mapping[str, Any]) -> str:
    """A message without what a call says of the task: that does not name it."""
    for key in _SAID_OF_IT:
        value = args.get(key)
        for one in value if isinstance(value, list) else [value]:
            message = message.replace(str(one), " … ") if one else message
    return message
