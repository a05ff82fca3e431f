"""One wish of a request, taken apart: which verb rules, which words carry meaning, what is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from signalbox.language.words import stem, tokens, word_set
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.verbs import FAMILIES, IMPLIED, NOUNISH, PHRASES, READING, VAGUE, base_of, families_of
from signalbox.models.offline.wording import content_start, mask, strip_padding

__all__ = ["DONE", "NOT_ALONE", "OBJECTS", "OPENERS", "Part", "may_be_verb", "read_part"]

_STATING = re.compile(
    r"(?:the|this|that|my|our|it|i|we|there)\b[^?]*?\b(?:is|are|was|were|has|have|had|am|looks?|seems?|sounds?)\b|i'm\b|we're\b"
)
_TELLING = re.compile(
    r"(?i)\S\s+(?:is|are|was|were|has|had|looks?|seems?|sounds?|isn't|aren't|won't|can't|couldn't|didn't|wasn't)\b|\w'(?:s|re)\s"
)
_COMPOUND = re.compile(r"[a-z]{4,}[-_.]\w+\s+(?!(?:the|my|our|this|that|it|them|a|an)\b)")
_HAVING = re.compile(
    r"(?:(?:do|does|have|has) (?:we|you|they|it|the \w+(?: \w+)?)(?: still)? (?:have|got|stock|carry|sell)\b"
    r"|(?:(?:have|has) (?:we|you|they) )?(?:still )?got (?:any|some|enough|more)\b[^.;]*\?"
    r"|(?:how (?:much|many)|is there|are there|any)\b[^.;]*\b(?:left|remain(?:s|ing)?|in stock|on hand)\b)"
)
_ARITHMETIC = re.compile(r"\d\s*(?:[+*×÷^]|plus|minus|times|divided by)\s*\(?\s*\d|\d\s+[-/]\s+\d")
_PLURAL = re.compile(r"[a-z][a-hj-rtv-z]s\b")
_ALL = re.compile(r"\b(?:all|every|list)\b")
_MANY = re.compile(
    r"(?:(?:what|which|any|show|list|get|see|give|all|every|how many|me|my|the|do|i|have|are|there|is|of|"
    r"our|new)\s+)*"
    r"(?!whats\b)(?:[\w-]+\s+){0,2}?(?!whats\b)[a-z]{2,}(?<!s)(?<!u)(?<!i)s\b"
)

_CODE = re.compile(r"\b[^\s]{0,80}?(?:[/\\@_*=]|[^\W\d]\.[^\W\d]|[^\W\d]-?\d|\d-?[^\W\d])\S{0,80}")
_CODE_SIGN = re.compile(r"[/\\@_*=.\d]")
OPENERS = word_set("whats what which who whose when where why how is are was were do does did has have will am should")
NOT_ALONE = word_set("is are what which how who where many need done next off directions vs versus new")
_DETERMINERS = word_set(
    "a an the my your our his her its their this that these those some any all every each no of in on"
)


_PROMPTS = word_set("to please pls you u and me someone somebody anybody anyone we i")
_SUBJECTS = word_set("i you we they u the my any all these those our your people")
_ALWAYS = frozenset({"look", "check", "play", "open", "start", "work", "see", "reply", "answer", "pull", "push"})
_LINKING = word_set(
    "before after while until till since because although though unless once during like near behind beside without "
    "except despite between against through throughout around under above below inside outside beyond per via"
)
_PAST = word_set(
    "took gave went came saw got had made said told found left kept brought bought sent paid lost broke felt met ran "
    "sold ate drank caught taught did knew grew drew fell held stood wrote spoke chose drove flew threw"
)
_INTENDING = word_set("going trying planning looking hoping wanting needing wishing asking")
DONE = ("ed", "sent", "brought", "taken", "put", "made", "done")
_WISHED = frozenset({"create", "buy", "search", "move", "update"})
_UNWISHED = frozenset({"delete", "stop"})
_WANTING = re.compile(
    r"(?P<no>(?:n't|not|no longer|never)\s+)?\b(?:be\s+)?"
    r"(?P<verb>wants?|needs?|wanted|needed|requires?|(?<=would )like|(?<='d )like)\b(?!\s+to\b)(?=\s+\w)"
)
_ALLOWED = re.compile(
    r"\w\s+(?:can|may|must|should|has to|have to)\s+(?:now\s+|be\s+|please\s+)*(?P<verb>[a-z]{4,})\b(?!.*\?)"
)
_PASSIVE = re.compile(
    r"\S\s+(?:can|may|must|should|could|has to|have to|needs? to|ought to|to)\s+"
    r"(?:now\s+|please\s+|also\s+|all\s+|both\s+)*be\s+(?P<deed>[a-z]+(?:ed|en|wn|ung|t|de|id|ld|ne)\b.*)"
)
_TAKES = re.compile(
    r"(?!(?:it|that|this|which|what|who|how|there|i|we|you|he|she|they)\b)(?:mr |mrs |ms |dr )?[^\W\d]+(?: [^\W\d]+)? "
    r"(?:(?:can|could|will|should|shall|may) (?:take|have|get|do)|takes|gets)\b(?!.*\?)"
)
_OFF = re.compile(
    r"[^?]*(?:(?:n't|not|cannot|cant|wont) (?:go ahead|happen|take place|be held)|"
    r"\w (?:is|are) (?:off|cancelled|canceled))\W*$"
)
_AWAY = re.compile(r"[^?]*(?:n't|not|cannot|cant|wont|wasnt) (?:come|make it|attend|be (?:there|coming|here)|there)\b")
_TO_A_FIGURE = re.compile(r"(?:drop|cut|bring|take|turn|knock|get)\b[^,;]*\bto \d[\d.,]*\s*(?:%|°?[a-z]+)?\W*$")
_TO_A_PLACE = re.compile(r"(?:take|bring|carry|get)\b[^,;]*\b(?:down|up|over|out|across|along) (?:in)?to\b")
_GOES = re.compile(
    r"(?!(?:i|we|you|he|she|they|who|what|where|how|do|does)\b)[^,;?]*\S "
    r"(?:(?:has|have|needs?|ought) to go|(?:should|must|can|may|will) go|goes) (?:in|on|back )?to\b(?!.*\?)"
    r"|(?!(?:what|which|who|where)\b)[^,;?]*\S belongs? (?:in|into|on|to|under)\b(?!.*\?)"
)
_PLACING = word_set("in into on onto to from at for with")
OBJECTS = word_set("the my our this that these those it them him her me us all every both")
_PLAIN_VERBS = frozenset(verb for verbs in FAMILIES.values() for verb in verbs) - NOUNISH - STOP - NOT_ALONE
_BY_HEAD: dict[str, list[tuple[list[str], frozenset[str]]]] = {}
for _said, _families in PHRASES.items():
    _BY_HEAD.setdefault(_said.split()[0], []).append((_said.split()[1:], frozenset(_families)))
for _tails in _BY_HEAD.values():
    _tails.sort(key=lambda tail: -len(tail[0]))
_RELATING = frozenset({"to", "of", "for", "on", "in", "from", "at", "by", "with", "about"})
_OPENING = _PROMPTS | OPENERS
_NEVER_VERBS = STOP | NOUNISH | _LINKING | _PAST
_NOUNISH_OR_SMALL = NOUNISH | STOP
_SOMETIMES = NOUNISH - _ALWAYS


@dataclass(frozen=True)
class Part:
    """One wish of a request: its words as typed, and what they say about what to do."""

    text: str
    verb: str
    families: frozenset[str]
    words: tuple[str, ...]
    many: bool = False
    first: str = ""
    pairs: tuple[str, ...] = ()
    queried: bool = False
    states: bool = False
    indirect: bool = False

    @property
    def asks(self) -> bool:
        """Whether it is a question rather than a demand."""
        return self.verb in OPENERS

    @cached_property
    def tells(self) -> bool:
        """Whether it says how things are: neither a demand nor a question."""
        return not (self.families or self.queried) and bool(_TELLING.search(self.text))

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The words that were typed, without those that the verb implies."""
        typed = set(tokens(self.text))
        return tuple(word for word in self.words if word in typed)

    @property
    def vague(self) -> bool:
        """Whether the verb fits many deeds: put, make, go."""
        return self.verb in VAGUE

    @property
    def reads(self) -> bool:
        return not self.families or bool(self.families & READING)


@lru_cache(maxsize=1024)
def read_part(text: str, verbs: frozenset[str] = frozenset()) -> Part:
    """The verb, its families and the words that carry meaning; `verbs` are stems that are verbs in first place."""
    bare = strip_padding(text)
    plain = mask(bare).lower().replace("’", "'")
    words = tokens(plain)
    content = content_start(bare) or 0
    ruling = tokens(plain[:content]) if content else []
    verb, families = _ruling_verb(plain, ruling or words)
    if words and stem(words[0]) in verbs and not families_of(words[0]):
        verb, families = words[0], frozenset({stem(words[0])})
    said = plain[:content] if ruling else plain
    spoken = tokens(_CODE.sub(" ", said) if _CODE_SIGN.search(said) else said)
    phrase = _phrase(ruling or words) or _phrase(
        [base_of(verb), *words[words.index(verb) + 1 :]] if verb in words else []
    )
    part_of_verb = {verb, *(phrase[2] if phrase else ())}
    empty, root = STOP | part_of_verb, stem(verb)
    carrying = tuple(
        dict.fromkeys(w for w in spoken if w not in empty and (base := stem(w)) not in STOP and base != root)
    )
    if _asks_for_state(words):
        carrying = (*carrying, "status")
    if verb in IMPLIED:
        carrying = (*carrying, IMPLIED[verb])
    if _HAVING.match(plain) and (verb in OPENERS or not families):
        carrying = (*carrying, "stock")
    if _AWAY.match(plain):
        carrying = (*carrying, "absent", "excuse")
    if _ARITHMETIC.search(plain):
        carrying = (*carrying, "arithmetic", "calculate")
    pairs = tuple(a + b for a, b in pairwise(words[:40]))
    queried = not families and bare.endswith("?")
    states = not queried and bool(_STATING.match(plain))
    many, first, indirect = _asks_for_many(plain), words[0] if words else "", _is_indirect(verb, words)
    return Part(bare, verb, families, carrying, many, first, pairs, queried, states, indirect)


def _is_indirect(verb: str, words: list[str]) -> bool:
    """Whether the verb is what somebody else wants or has to do: Ann wants to see the flat."""
    at = words.index(verb) if verb in words else 0
    return at > 2 and words[at - 1] == "to" and words[0] not in _OPENING and not families_of(words[0])


def _asks_for_state(words: list[str]) -> bool:
    """How is X, is X up: what state a thing is in."""
    return (words[:1] == ["how"] and words[1:2] in (["is"], ["are"])) or (
        words[:1] in (["is"], ["are"]) and words[1:2] not in (["there"], ["it"], ["the"], ["my"]) and len(words) <= 4
    )


def _asks_for_many(plain: str) -> bool:
    return bool(_ALL.search(plain) or (_PLURAL.search(plain) and _MANY.match(plain)))


def _ruling_verb(plain: str, words: list[str]) -> tuple[str, frozenset[str]]:
    if not words:
        return "", frozenset()
    if _TO_A_FIGURE.match(plain):
        return words[0], frozenset({"update"})
    if _TO_A_PLACE.match(plain):
        return words[0], frozenset({"move", "update"})
    if _GOES.match(plain):
        return next((word for word in words if word.startswith("belong")), "go"), frozenset({"move", "send", "update"})
    if _OFF.match(plain) and not families_of(words[0]):
        return "cancel", frozenset({"delete", "stop"})
    passive = _PASSIVE.search(plain)
    if passive and not (families_of(words[0]) - {"create", "apply"}) and words[0] not in OPENERS:
        deed = tokens(passive["deed"])
        found = _phrase([base_of(deed[0]), *deed[1:]])
        families = found[1] if found and found[0] == base_of(deed[0]) else families_of(base_of(deed[0]))
        if families:
            return deed[0], families
    if _TAKES.match(plain) and not families_of(words[0]):
        return "take", frozenset({"assign", "buy", "create"})
    phrase = _phrase(words)
    if phrase and (words[0] not in OPENERS or phrase[0] == words[0]):
        return phrase[0], phrase[1]
    first = words[0]
    if first == "let" and words[1:2] and words[1] not in ("me", "us", "it"):
        return first, frozenset({"approve", "assign", "send"})
    if first == "leave" and words[1:2] in (["a"], ["an"]):
        return first, frozenset({"create", "send"})
    if first == "have" and not plain.endswith("?"):
        return _caused(words)
    if first == "new" and len(words) > 1 and not plain.endswith("?") and not _asks_for_many(plain):
        return first, frozenset({"create"})
    if first in OPENERS and not (first == "do" and words[1:2] and words[1] not in _SUBJECTS):
        return _question(words)
    adjective = first.endswith("ed") and plain.endswith("?")
    if first not in NOT_ALONE and not (adjective or _is_noun_here(first, words[1:2]) or _COMPOUND.match(plain)):
        families = families_of(first, typos=True)
        if families:
            return first, families
    for at, (before, word) in enumerate(pairwise(words)):
        if before == "to" and at and words[at - 1].endswith("ing") and words[at - 1] not in _INTENDING:
            continue
        if (
            families_of(word) >= {"complete"}
            and word.endswith(("done", "ed"))
            and before in ("is", "are", "as", "be", "was")
        ):
            return word, frozenset({"complete"})
        bent = word.endswith(("ed", "ing")) or (word.endswith("s") and not word.endswith("ss"))
        last = word == words[-1] and before not in _DETERMINERS
        if not bent and (last or before in _PROMPTS) and word not in _NOUNISH_OR_SMALL and families_of(word):
            return word, families_of(word)
        if before in ("to", "please", "you", "and", "pls") and word not in NOT_ALONE and families_of(word):
            return word, families_of(word)
    if words[-1] in ("done", "finished", "completed", "complete"):
        return words[-1], frozenset({"complete"})
    allowed = _ALLOWED.search(plain)
    if allowed and families_of(allowed["verb"]):
        return allowed["verb"], families_of(allowed["verb"])
    wanted = _WANTING.search(plain)
    if wanted:
        return stem(wanted["verb"]), _UNWISHED if wanted["no"] else _WISHED
    if first in _PLACING:
        return next(((word, families_of(word)) for word in words if word in _PLAIN_VERBS), ("", frozenset()))
    if words[1:2] and words[1] in OBJECTS and may_be_verb(first):
        return first, frozenset({stem(first)})
    return "", frozenset()


def may_be_verb(word: str) -> bool:
    """Whether a word with an object after it may be a verb in the imperative that is not known here."""
    return word not in _NEVER_VERBS and not word.endswith(("s", "ing", "ed"))


def _caused(words: list[str]) -> tuple[str, frozenset[str]]:
    """What `have it sent`, `have a room` wish for: the deed that others do, or that one gets the thing."""
    deed = next((word for word in words[2:] if word.endswith(DONE) and word not in NOUNISH and families_of(word)), "")
    return (deed, families_of(deed)) if deed else ("need", _WISHED)


def _is_noun_here(first: str, following: list[str]) -> bool:
    """Whether a first word that may be a verb is a noun: in the plural, or with a preposition after it."""
    if first.endswith("s") and stem(first) != first and stem(first) in NOUNISH:
        return True
    return first in _SOMETIMES and bool(following) and following[0] in _RELATING


def _phrase(words: list[str]) -> tuple[str, frozenset[str], frozenset[str]] | None:
    """A verb of several words; the particle may stand up to five words after the verb (turn the lights off)."""
    stems = [word if word in ("is", "i'm") else stem(word) for word in words[:9]]
    for at, head in enumerate(stems[:4]):
        for tail, families in _BY_HEAD.get(head, ()):
            rest = words[at + 1 : at + 6 + len(tail)]
            together = rest[: len(tail)] == tail or len(tail) == 1 or head == "mark"
            if together and _in_order(tail, rest) and not (tail[-1] == "on" and _is_place(words, at + 1, "on")):
                return head, families, frozenset(tail)
    return None


def _is_place(words: list[str], start: int, particle: str) -> bool:
    """Whether the particle begins a place (on my list) rather than ending the verb (turn it on)."""
    at = words.index(particle, start)
    return at > start and words[at + 1 : at + 2] != [] and words[at + 1] in _DETERMINERS


def _in_order(needles: list[str], words: list[str]) -> bool:
    rest = iter(words)
    return all(needle in rest for needle in needles)


def _question(words: list[str]) -> tuple[str, frozenset[str]]:
    """A question reads, unless it asks whether something may be done."""
    families = frozenset({"list", "get", "search", "check"})
    if words[:2] == ["how", "many"]:
        families |= {"count"}
    if words[0] == "where":
        families |= {"track"}
    return words[0], families
