"""What a message must have for a change to be made at once: a word that says so. That something was done is said by a
word for it, by who did it, or by the state that it is in; a remark on a task has none of these, and is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.naming import fits_wholly, speaks_of
from signalbox.language.clauses import clauses_of
from signalbox.language.names import close
from signalbox.language.words import stem, tokens, word_set
from signalbox.storage import Task

__all__ = ["is_past", "is_said"]

_DONE = re.compile(
    r"\b(?:done|did|finish\w*|complet\w*|tick\w*|check\w*|cross\w*|mark\w*|clos\w+|sorted|handled|settled|over|ready|"
    r"wrapped|achieved|nailed|accomplished|resolved|already|strike|struck|taken care|dealt|happened|arrived|"
    r"(?:can|could|should|may) (?:go|come|be)|went (?:out|off|well|fine|through|great|ok))\b|[✓✔✅]|\bx\b",
    re.IGNORECASE,
)
_WORDS_FOR_IT = ("done", "finished", "completed", "ticked", "checked")
_STATE = re.compile(
    r"(?:\b(?:is|are|was|were|been|be|got|gets?|all|now|both)|['’](?:s|re|ve))\s+(?:\w+\s+){0,2}?(?P<state>\w+)",
    re.IGNORECASE,
)
_STATES = word_set("back out in up off away gone through sent here there")
_PAST = word_set(
    "paid bought sent got went made took wrote read ran put found gave rang met saw told brought fed cut hung swept "
    "drove built sold spoke kept left lost won lent spent had been done seen taken written given gone driven sung "
    "sang sewn dug set shut hid held heard knew led lit sat shot slept stuck taught thought threw wore woke baked "
    "let swam flew chose grew drew ate drank began bound caught dealt felt fought hit laid meant rode rose sought "
    "shook shone stole swung tore wound hurt quit split spread cost bet burnt learnt dreamt mown sown shown thrown "
    "worn flown chosen drawn eaten drunk begun undone proven booked"
)
_NO_PAST = word_set("need feed seed weed bed red shed speed exceed indeed wed bleed breed hundred naked sacred")
_I = word_set("i i've ive we we've weve me us myself")
_NOT_YET = word_set("will i'll ill we'll going gonna need must should want wanna hate love like would could can am i'm")
_LEADING = word_set("just finally also and ok okay so then oh well")
_NAME = re.compile(r"(?<=\s)[A-Z]\w+")
_RIGHTED = re.compile(r"\W*(?:i mean|no\b|sorry|rather|actually|or rather)", re.IGNORECASE)
_DELETING = re.compile(
    r"\b(?:delet\w+|remov\w+|drop\w*|bin(?:ned)?|scrap\w*|cancel\w*|rid|trash|toss|ditch\w*|kill|erase|wipe|clear\w*|lose|"
    r"nuke|chuck|junk|dump|axe|purge|scratch|strike|forget|skip|throw|shred|void|discard|clean|empty|nix|zap|"
    r"go(?:es)?|any ?more|no longer|no point|not? need\w*|n['’]t need|unnecessary|obsolete|pointless|useless|"
    r"(?:take|cross|knock|come|comes|get|is|are|was|were|been|called|call|struck|taken|right)\b[^.!?]*\boff|"
    r"(?:not|n['’]t)\b[^.!?]*\b(?:happening|going|doing|want|bother\w*|valid|relevant)|off (?:the|my) list|out)\b|"
    r"(?:is|['’]s|are) off\b",
    re.IGNORECASE,
)
_URGENT = re.compile(
    r"\b(?:prio\w*|urgent\w*|importan\w*|high\w*|low\w*|normal|medium|top|critical|asap|hurry|rush\w*|wait|whenever|matter\w*|"
    r"crucial|vital|essential|pressing|emergency|bump|raise|first|less|more|most|least|minor|trivial|big deal|ordinary|"
    r"usual|same|max\w*|min\w*|up|down|p[0-3]|star\w*|flag\w*|swap\w*|level\w*|immediate\w*|serious\w*)\b|!!|🔥",
    re.IGNORECASE,
)


def is_said(name: str, args: Mapping[str, Any], tasks: Sequence[Task], request: str) -> bool:
    """Whether a message has a word for what a call would do."""
    if name == "complete_task":
        return any(_is_done(clause, tasks) for clause in _speaking(request, tasks))
    if name == "delete_task":
        return _DELETING.search(request) is not None
    if name == "update_task" and args.get("priority") and not set(args) & {"due", "tags", "untag", "title", "note"}:
        return _URGENT.search(request) is not None
    return True


def is_past(word: str) -> bool:
    """Whether a word says of something that it was done: paid, returned."""
    return (word.endswith("ed") and len(word) > 3 and word not in _NO_PAST) or word in _PAST


def _speaking(request: str, tasks: Sequence[Task]) -> list[str]:
    """The clauses that speak of some tasks, with those right behind them, and those before one that only goes on with a
    list or puts a name right; all of a message that names none."""
    clauses = clauses_of(request)
    named = [at for at, clause in enumerate(clauses) if any(speaks_of(clause, one) for one in tasks)]
    found = {*named, *(at + 1 for at in named if at + 1 < len(clauses))}
    for at in named:
        while at > 0 and (_RIGHTED.match(clauses[at]) or any(fits_wholly(clauses[at], one) for one in tasks)):
            at -= 1
            found.add(at)
    return [clauses[at] for at in sorted(found)] or clauses


def _is_done(clause: str, tasks: Sequence[Task]) -> bool:
    words = tokens(clause)
    words = words[next((at for at, word in enumerate(words) if word not in _LEADING), 0) :]
    if not words:
        return False
    if any(close(word, one) for word in words for one in _WORDS_FOR_IT):
        return True
    if _DONE.search(clause) or is_past(words[0]):
        return True
    names = {name.casefold() for one in tasks for name in _NAME.findall(one.title)}
    if words[0] in names:
        # What somebody did whom a task is about is not that task.
        return any(is_past(found["state"].casefold()) for found in _STATE.finditer(clause))
    if is_past(words[-1]):
        return True
    if set(words) & _I and not set(words) & _NOT_YET and any(map(is_past, words)):
        return True
    own = {stem(word) for one in tasks for word in tokens(one.title)}
    if any(is_past(word) and stem(word) in own for word in words):
        return True
    states = [found["state"].casefold() for found in _STATE.finditer(clause)]
    return any(is_past(word) or word in _STATES for word in states)
