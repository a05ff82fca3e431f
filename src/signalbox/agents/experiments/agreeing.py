"""Whether a reply agrees to what was shown. What is done may not be undone, so a yes is made of words for yes alone.

Every word must agree, be polite, or name what was asked about; one word more ("if", "later", "Anna first") is a
reason to ask again. No list of conditions could be complete; a list of words that set none is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.asked import STATUS_OF
from signalbox.agents.experiments.names import without
from signalbox.agents.experiments.plan import ACTIONS
from signalbox.language.agreeing import PHRASES, THANKS, YES, in_phrases, reply_words
from signalbox.language.words import stem, tokens, word_set

__all__ = ["agrees", "is_plain", "is_yes", "refuses", "says_anew"]

_SHRUG = (("why", "not"),)
"""Said beside a yes, and none by itself."""
_MEANT = {
    "create": word_set("make build"),
    "start": word_set("launch fire kick begin resume run roll"),
    "stop": word_set("pause"),
    "archive": word_set("shelve stash"),
    "delete": word_set("bin trash erase wipe remove"),
    "include": word_set("add"),
}
"""What people say for an action: who is asked about that one agrees by it."""
_BEHIND_YES = {"delete": word_set("drop scrap kill nuke ditch toss zap"), "stop": word_set("halt end freeze kill")}
"""What may end the talk as well: these agree behind a yes only."""
_PARTICLES = word_set("up off away down out in")
"""What goes with such a word: fire it up."""
_BESIDE = THANKS | word_set(
    "please pls plz then now it this that one the a so and on for just do let i i'm am we we're me by certain happy "
    "good great cool all experiment very much many bitte por favor"
)
"""Words that may stand beside a yes: they neither ask nor set a condition."""
_NO = word_set("no n nope nah not don't dont never cancel stop wait abort reject rejected false nein non hold")
_LATER = word_set("later time begin or")
"""Of what actions are described by, what may speak of another time."""
_LONGEST = 8
_ENDINGS = (("never", "mind"), ("forget", "it"), ("forget", "that"), ("leave", "it"), ("let", "it", "go"))
_ANEW = (
    ("start", "over"), ("start", "again"), ("start", "afresh"), ("begin", "again"), ("from", "scratch"),
    ("from", "the", "beginning"), ("start", "from", "zero"),
)  # fmt: skip


def agrees(text: str, pending: Mapping[str, Any]) -> bool:
    """Whether a reply says that what was shown shall be done: now, and without a condition."""
    fields = pending["fields"]
    names = [str(fields[key]) for key in ("experiment_name", "new_name", "user_id") if fields.get(key)]
    action = str(fields.get("action") or "")
    words, own = reply_words(without(text, names)), _own_words(action)
    meant, behind_yes = _MEANT.get(action, frozenset()), _BEHIND_YES.get(action, frozenset())
    beside = YES | _BESIDE | meant | behind_yes
    if set(words) & (meant | behind_yes):
        beside |= _PARTICLES
    in_phrase = in_phrases(words, PHRASES)
    harmless = in_phrase | in_phrases(words, _SHRUG)
    is_other = any(at not in harmless and word not in beside and stem(word) not in own for at, word in enumerate(words))
    if "?" in text or is_other or tuple(words) in _ENDINGS:
        return False
    # The action's own name is a yes as well; "stop" may mean the agent.
    own_yes = {stem(word) for word in words} & own - _BESIDE - _NO
    return bool(in_phrase or set(words) & (YES | meant) or own_yes)


def is_yes(text: str) -> bool:
    """Whether a text is words for yes and nothing else."""
    words = reply_words(text)
    return bool(words) and set(words) <= YES and "?" not in text


def is_plain(text: str) -> bool:
    """Whether a text is nothing but a yes, a no or a thank you, or nothing at all: by itself it asks for nothing."""
    words = reply_words(text)
    is_no_order = set(words) <= YES | THANKS | (_NO - {"stop", "cancel"})
    return is_no_order or tuple(words) in _ENDINGS or says_anew(text)


def refuses(text: str, action: str = "") -> bool:
    """Whether a reply is a plain no; where that is also what was asked about ("stop"), it is none."""
    words = reply_words(text)
    is_short = 0 < len(words) <= 2 and words[0] in _NO - {action}
    return is_short or tuple(words) in _ENDINGS


def says_anew(text: str) -> bool:
    """Whether a reply wants to begin once more from the beginning."""
    words = reply_words(text)
    return words in (["restart"], ["reset"]) or bool(len(words) <= _LONGEST and in_phrases(words, _ANEW))


def _own_words(action: str) -> set[str]:
    """What an action is called: by its name; what moves or removes an experiment also as it is described."""
    told = ACTIONS[action] if action in (*STATUS_OF, "delete") else ""
    return {stem(word) for word in tokens(f"{action.replace('_', ' ')} {told}")} - _LATER
