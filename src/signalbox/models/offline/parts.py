"""A request, taken apart: what is quoted, what is padding, which verb rules, and where one wish ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from signalbox.models.offline.lexicon import IMPLIED, NOUNISH, PADDING, PHRASES, READING, STOP, families_of
from signalbox.models.offline.words import stem, tokens, word_set

__all__ = [
    "QUOTED",
    "Clause",
    "Part",
    "content_start",
    "coordinations",
    "mask",
    "opens_content",
    "read_part",
    "split_request",
    "strip_padding",
]

_ARITHMETIC = re.compile(r"\d\s*(?:[+*×÷^]|plus|minus|times|divided by)\s*\(?\s*\d|\d\s+[-/]\s+\d")
FILLER = "\u00a4"
_MANY = re.compile(
    r"^(?:(?:what|which|any|show|list|get|see|give|all|every|how many|me|my|the|do|i|have|are|there|is|of|"
    r"our|new)\s+)*"
    r"(?:[\w-]+\s+){0,2}?[a-z]{2,}(?<!s)(?<!u)(?<!i)s\b|\ball\b|\bevery\b|\blist\b"
)

_CODE = re.compile(r"\b[^\s]{0,80}?(?:[/\\@_*=]|[^\W\d]\.[^\W\d]|[^\W\d]-?\d|\d-?[^\W\d])\S{0,80}")
QUOTED = re.compile(
    r'```.*?```|"[^"\n]*"|“[^”]*”|«[^»]*»|`[^`\n]*`|(?<![\w])\'(?:[^\'\n]|(?<=\w)\'(?=\w))*\'(?!\w)|(?m:^>.*$)',
    re.DOTALL,
)
_PADDING = tuple(re.compile(pattern, re.IGNORECASE) for pattern in PADDING)
_TRAILING = re.compile(
    r"(?i)[\s,]*\b(?:please|pls|plz|thanks(?: a lot| so much| in advance)?|thank you(?: very much| so "
    r"much)?|thx|ty|cheers|"
    r"for me|if you can|if possible|asap|will you|would you|when you can|when you get a chance|ok\??)\s*[.!?]*$"
)
_SENTENCE = re.compile(
    r"(?<=[^\W\d_])(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bst)(?<!\bno)(?<!\bvs)(?<!\bprof)(?<!\betc)(?<!\be\.g)[.](?=\s+\S)"
    r"|(?<=\d)[.](?=\s+[A-Z])|[!?;](?=\s|$)|\n+",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"(?i)[\s,]*\b(?:and then|after that|afterwards|and after that|then|and finally|and also|as well as|also)\b\s*"
)
_JOINT = re.compile(r"(?i)\s*,\s*(?:and|plus|but)\s+|\s+(?:and|plus|&|but)\s+|\s*,\s*")
_CONTENT = re.compile(
    r"(?i)\b(?:remind (?:me|us|him|her|them|\w+) (?:to|about|that)|reminder (?:to|about|for me to)|"
    r"(?:task|todo|to-do|item|note)s?"
    r"(?: (?:called|named|for me))?(?: to|:| that| saying)|note (?:that|to self)|saying|says|(?<!you "
    r")(?<!\bi )(?<!to )say|that reads|telling (?:\w+ )+?(?:to|that)|"
    r"tell (?:\w+) (?:to|that)|let (?:\w+) know(?: that)?|with the (?:text|message|body|words|note|"
    r"content)|(?:message|text|body|"
    r"content|subject|title|description)(?::| is))\s"
)
_COLON = re.compile(r"[^\s:]+\s+[^:\n]*\S:\s")
_OPENERS = word_set("whats what which who whose when where why how is are was were do does did has have will am should")
_NOT_ALONE = word_set("is are what which how who where many need done next off directions vs versus new")
_DETERMINERS = word_set(
    "a an the my your our his her its their this that these those some any all every each no of in on"
)


_PROMPTS = word_set("to please pls you u and me someone somebody anybody anyone we i")
_SUBJECTS = word_set("i you we they u the my any all these those our your people")
_ALWAYS = frozenset({"look", "check", "play", "open", "start", "work", "see", "reply", "answer", "pull", "push"})
_RELATING = frozenset({"to", "of", "for", "on", "in", "from", "at", "by", "with", "about"})


@dataclass(frozen=True)
class Clause:
    """A stretch of the request; one that does not begin a sentence may belong to the one before."""

    start: int
    end: int
    fresh: bool


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

    @property
    def asks(self) -> bool:
        """Whether it is a question rather than a demand."""
        return self.verb in _OPENERS or self.verb == "whats"

    @property
    def reads(self) -> bool:
        return not self.families or bool(self.families & READING)


def mask(text: str) -> str:
    """The text with quoted passages filled in, of the same length: they may be arguments, never instructions."""
    return QUOTED.sub(lambda m: FILLER * len(m.group()), text)


def strip_padding(text: str) -> str:
    """The text without greetings, politeness and the like at either end."""
    text = text.strip(" \t\n,;-–—")
    while True:
        shorter = text
        for pattern in _PADDING:
            found = pattern.match(shorter)
            if found and found.end() < len(shorter):
                shorter = shorter[found.end() :]
        trail = _TRAILING.search(shorter)
        if trail and trail.start() > 0:
            shorter = shorter[: trail.start()]
        shorter = shorter.strip(" \t\n,;-–—")
        if shorter == text:
            return text
        text = shorter


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
    spoken = tokens(_CODE.sub(" ", said))
    carrying = tuple(dict.fromkeys(w for w in spoken if w not in STOP and stem(w) != stem(verb)))
    if verb in IMPLIED:
        carrying = (*carrying, IMPLIED[verb])
    if _ARITHMETIC.search(plain):
        carrying = (*carrying, "arithmetic", "calculate")
    pairs = tuple(a + b for a, b in pairwise(words[:40]))
    return Part(bare, verb, families, carrying, _asks_for_many(plain), words[0] if words else "", pairs)


def _asks_for_many(plain: str) -> bool:
    return bool(_MANY.search(plain))


def _ruling_verb(plain: str, words: list[str]) -> tuple[str, frozenset[str]]:
    if not words:
        return "", frozenset()
    phrase = _phrase(words)
    if phrase:
        return phrase
    first = words[0]
    if first in _OPENERS and not (first == "do" and words[1:2] and words[1] not in _SUBJECTS):
        return _question(words)
    if first not in _NOT_ALONE and not (first in NOUNISH - _ALWAYS and words[1:2] and words[1] in _RELATING):
        families = families_of(first, typos=True)
        if families:
            return first, families
    for before, word in pairwise(words):
        if word in ("done", "finished", "completed") and before in ("is", "are", "as", "be", "was"):
            return word, frozenset({"complete"})
        bent = word.endswith(("ed", "ing")) or (word.endswith("s") and not word.endswith("ss"))
        last = word == words[-1] and before not in _DETERMINERS
        if not bent and (last or before in _PROMPTS) and word not in NOUNISH | STOP and families_of(word):
            return word, families_of(word)
        if before in ("to", "please", "you", "and", "pls") and word not in _NOT_ALONE and families_of(word):
            return word, families_of(word)
    if words[-1] in ("done", "finished", "completed", "complete"):
        return words[-1], frozenset({"complete"})
    if first in ("i", "we") and len(words) > 2 and words[1] in ("need", "want"):
        return words[1], frozenset({"create", "buy", "search"})
    return "", frozenset()


def _phrase(words: list[str]) -> tuple[str, frozenset[str]] | None:
    """A verb of several words; the particle may stand up to five words after the verb (turn the lights off)."""
    stems = [word if word in ("is", "i'm") else stem(word) for word in words[:9]]
    for phrase, families in PHRASES.items():
        head, *tail = phrase.split()
        if head not in stems[:4]:
            continue
        at = stems.index(head)
        rest = words[at + 1 : at + 1 + len(tail) + 5]
        together = rest[: len(tail)] == tail or len(tail) == 1 or "mark" in phrase
        if together and _in_order(tail, rest) and not (tail[-1] == "on" and _is_place(words, at + 1, "on")):
            return head, frozenset(families)
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


def split_request(text: str, verbs: frozenset[str] = frozenset()) -> list[Clause]:
    """The clauses of a request, in order; `verbs` are words that begin a wish here, beside the common ones."""
    masked = mask(text)
    cuts: list[tuple[int, int, bool]] = [(m.start(), m.end(), True) for m in _SENTENCE.finditer(masked)]
    cuts += [(m.start(), m.end(), False) for m in _THEN.finditer(masked) if m.start() > 0]
    cuts += [(m.start(), m.end(), False) for m in _JOINT.finditer(masked) if _verb_follows(masked[m.end() :], verbs)]
    clauses: list[Clause] = []
    start, fresh = 0, True
    for begin, end, sentence in [*sorted(cuts), (len(text), len(text), True)]:
        if begin < start:
            fresh = fresh or sentence
            continue
        if text[start:begin].strip(" ,.;:!?"):
            clauses.append(Clause(start, begin, fresh))
            fresh = sentence
        else:
            fresh = fresh or sentence
        start = end
    return clauses


def opens_content(text: str) -> bool:
    """Whether the clause has begun something to be written down, so that what follows may be part of it."""
    return content_start(text) is not None


def content_start(text: str) -> int | None:
    """Where something to be written down begins: after a colon, `saying`, `remind me to` and the like."""
    masked = mask(text) + " "
    found = _CONTENT.search(masked) or _COLON.match(masked)
    return found.end() if found else None


def _verb_follows(rest: str, verbs: frozenset[str]) -> bool:
    words = tokens(strip_padding(rest[:120]))
    if not words:
        return False
    first, second = words[0], words[1] if len(words) > 1 else ""
    if stem(first) in verbs and second:
        return True
    if first in _OPENERS and first not in ("is", "are", "has", "have", "will"):
        return True
    if first == "remind" or (first in ("i", "let") and second):
        return first != "i"
    if first in _NOT_ALONE or first.endswith("ing") or not families_of(first):
        return False
    return first not in NOUNISH or bool(second and (second in STOP or second not in ("and", "or")))


def coordinations(text: str) -> list[list[str]]:
    """Ways to read `a, b and c` inside a clause as several clauses: each way is a list of clauses, one an element."""
    masked = mask(text)
    ways = []
    for match in re.finditer(r"(?i)(?:\s*,\s*(?:and|plus)?\s+|\s+(?:and|plus|&|as well as)\s+)", masked):
        ways.append((match.start(), match.end()))
    joined = re.search(r"(?i)\s(?:and|plus|&|as well as)\s", masked)
    if not ways or len(ways) > 12 or (not joined and len(ways) < 2):
        return []
    return _distribute(text, masked, ways)


_BOUND = re.compile(
    r"(?i)\s+(?:to|from|in|on|at|for|with|of|into|by|about|as|via|using|between|since|until|before|after|during|over|"
    r"tomorrow|today|tonight|yesterday|now|right|next|last|this)\b|[,.:;?!](?=\s|$)|$"
)
_LEFT = re.compile(
    r"(?i)(?:^|\s)(?:to|from|in|on|at|for|with|of|into|by|about|as|via|using|between|my|the|a|an|is|are|me|:|both)\s+"
)


def _distribute(text: str, masked: str, joints: list[tuple[int, int]]) -> list[list[str]]:
    """Each element in turn in the place of the whole enumeration; the first may begin at several places."""
    first, last = joints[0][0], joints[-1][1]
    bound = _BOUND.search(masked, last + 1)
    right = bound.start() if bound else len(text)
    middles = [text[a:b].strip() for (_, a), (b, _) in pairwise(joints)]
    tail = text[last:right].strip()
    starts = sorted({m.end() for m in _LEFT.finditer(masked, 0, first)} | {_after_verb(text, first)}, reverse=True)
    ways = []
    for start in starts:
        if start >= first:
            continue
        elements = [text[start:first].strip(), *middles, tail]
        if all(elements):
            ways.append([f"{text[:start]}{element}{text[right:]}" for element in elements])
    return ways


def _after_verb(text: str, limit: int) -> int:
    space = text.find(" ", 0, limit)
    return space + 1 if space >= 0 else 0
