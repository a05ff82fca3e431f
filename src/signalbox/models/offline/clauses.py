"""Where one wish of a request ends and the next begins, and the ways to read `a, b and c`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from signalbox.language.vectors import is_known
from signalbox.language.words import stem, tokens, word_set
from signalbox.models.offline.parts import DONE, NOT_ALONE, OBJECTS, OPENERS, may_be_verb, read_part
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.verbs import NOUNISH, PHRASES, families_of
from signalbox.models.offline.wording import mask, strip_padding

__all__ = ["Clause", "coordinations", "first_code", "joints_of", "split_request"]

_SENTENCE = re.compile(
    r"(?<=[^\W\d_])(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bst)(?<!\bno)(?<!\bvs)(?<!\bprof)(?<!\betc)(?<!\be\.g)[.](?=\s+\S)"
    r"|(?<=\d)[.](?=\s+[A-Z])|[!?;](?=\s|$)|\n+",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"(?i)[\s,]*\b(?:and then|after that|afterwards|and after that|then|and finally|and also|as well as|also)\b\s*"
)
_JOINT = re.compile(r"(?i)\s*,\s*(?:and|plus|but)\s+|\s+(?:and|plus|&|but)\s+|\s*,\s*")
_BOUND = re.compile(
    r"(?i)\s+(?:to|from|in|on|at|for|with|of|into|by|about|as|via|using|between|is|are|was|were|has|have|had|since|until|before|after|during|over|"
    r"tomorrow|today|tonight|yesterday|now|right|next|last|this)\b|[,.:;?!](?=\s|$)|$"
)
_LEFT = re.compile(
    r"(?i)(?:^|\s)(?:to|from|in|on|at|for|with|of|into|by|about|as|via|using|between|my|the|a|an|is|are|me|both|whether)\s+"
    r"|:\s+"
)


_CODES = re.compile(
    r"(?<!\w)((?=[\w-]*[A-Za-z#])#?[\w-]*\d[\w-]*)(?:(?:\s*,\s*|\s*,?\s+(?:and|&)\s+)(?=[\w-]*[A-Za-z#])#?[\w-]*\d[\w-]*(?!\w))+"
)
_DIGIT = re.compile(r"\d")
_BETWEEN = re.compile(r"(?i)\bbetween\s+(?:(?!\band\b)[^,;])*$")
_MOST_JOINTS = 4
_REMARK = re.compile(r"(?i)(?:^|(?<=[.!?]))[^:.!?]*\b(?:is|are|was|were|has|have|had|things?)\b[^:.!?]*(?P<cut>:\s+)")
_RELATIVE = re.compile(r"(?i)(?:which|who|whose|where|when)\b")
_ASKED = re.compile(r"(?i)(?:is|are|has|have|was|were) (?:there|the|my|our|any|it|they)\b[^.;]*\?")
_CODE_LAST = re.compile(r"(?:(?P<label>[^\W\d_]+)\s+)?(?P<code>(?<![\w.])[\w#/.-]*\d[\w/-]*)$")
_CODE_FIRST = re.compile(r"(?:(?P<label>[^\W\d_]+)\s+)?(?P<code>[\w#/-]*\d(?:[\w/-]|\.(?=\w))*)")
_DEED = re.compile(r"(?i)(?!of |for |to |in |with |both )[a-z]+ (?:it|them|him|her)\b")
_LABELLED = re.compile(r"(?P<label>[^\W\d_]+)\s+[\w#.-]*\d")
_AND = re.compile(r"(?i)\s(?:and|plus|&|\+|as well as)\s")
_PERSON = re.compile(r"[A-Z][a-z'-]+(?: [A-Z][a-z'-]+)*")
_REASONS = word_set("because i'm we're it's i've we've they're")
_SUBJECTS = word_set("i we it they he she")
_AFTER_PARTICIPLES = word_set("on in by at to for with from as into")
_AUXILIARIES = word_set("can't cannot couldn't won't am is are was were don't didn't have has isn't aren't")
_BEFORE_VERBS = _SUBJECTS | {"you", "the"}


@dataclass(frozen=True)
class Clause:
    """A stretch of the request; one that does not begin a sentence may belong to the one before."""

    start: int
    end: int
    fresh: bool


def split_request(text: str, verbs: frozenset[str] = frozenset()) -> list[Clause]:
    """The clauses of a request, in order; `verbs` are words that begin a wish here, beside the common ones."""
    masked = mask(text)
    cuts: list[tuple[int, int, bool]] = [
        (m.start() + (m.group() == "?"), m.end(), True) for m in _SENTENCE.finditer(masked)
    ]
    cuts += [(m.start(), m.end(), False) for m in _THEN.finditer(masked) if m.start() > 0]
    cuts += [(m.start(), m.end(), False) for m in _JOINT.finditer(masked) if _begins_wish(masked, m, verbs)]
    cuts += [
        (m.start("cut"), m.end(), True) for m in _REMARK.finditer(masked) if _verb_follows(masked[m.end() :], verbs)
    ]
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


def _begins_wish(masked: str, joint: re.Match[str], verbs: frozenset[str]) -> bool:
    """Whether a wish of its own follows a joint; after a mere comma, `which` tells of what stands before."""
    rest = masked[joint.end() :]
    if joint.group().strip() == "," and _RELATIVE.match(rest):
        return False
    if (label := _LABELLED.match(rest)) and re.search(
        rf"\S\s+{label['label']}s?\s+[\w#.-]*\d", masked[: joint.start()]
    ):
        return False
    return _verb_follows(rest, verbs) or bool(_ASKED.match(rest))


def _verb_follows(rest: str, verbs: frozenset[str]) -> bool:
    words = tokens(strip_padding(rest[:120]))
    if not words:
        return False
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in _REASONS or (first in _SUBJECTS and second in _AUXILIARIES):
        return True
    if first == "have" and second in ("it", "them", "him", "her") and words[2:] and words[2].endswith(DONE):
        return True
    if (stem(first) in verbs and second) or (first == "have" and second not in _BEFORE_VERBS):
        return True
    if first in OPENERS and first not in ("is", "are", "has", "have", "will"):
        return True
    if first == "remind" or (first in ("i", "let") and second):
        return first != "i"
    if first in NOT_ALONE or first.endswith("ing") or (first.endswith("ed") and second in _AFTER_PARTICIPLES):
        return False
    if not families_of(first):
        return f"{first} {second}" in PHRASES or (second in OBJECTS and may_be_verb(first) and is_known(first))
    return first not in NOUNISH or bool(second and (second in STOP or second not in ("and", "or")))


def _has_verb(text: str) -> bool:
    return bool(read_part(text).families) or len(text.split()) > 6


def coordinations(text: str) -> list[list[str]]:
    """Ways to read `a, b and c` inside a clause as several clauses: each way is a list of clauses, one an element."""
    masked = mask(text)
    ways = []
    for match in re.finditer(r"(?i)(?:\s*,\s*(?:and|plus)?\s+|\s+(?:and|plus|&|\+|as well as)\s+)", masked):
        if not _BETWEEN.search(masked, 0, match.start()) and not _DEED.match(masked, match.end()):
            ways.append((match.start(), match.end()))
    joined = [match.start() for match in _AND.finditer(masked)]
    if joined:
        ways = [way for way in ways if way[0] <= joined[-1]]
    if not ways or len(ways) > 12 or (not joined and len(ways) < 2 and _has_verb(masked)):
        return []
    return _distribute(text, masked, ways)


def first_code(text: str) -> str:
    """The text with only the first of several codes in a row: A-5 for A-5, A-7 and A-9."""
    return _CODES.sub(r"\1", text) if _DIGIT.search(text) else text


def joints_of(text: str) -> list[tuple[int, int]]:
    """Where a comma or an `and` joins two stretches of at least three words."""
    found = [joint.span() for joint in _JOINT.finditer(mask(text))]
    return [(a, b) for a, b in found if len(text[:a].split()) > 2 and len(text[b:].split()) > 2][:_MOST_JOINTS]


def _distribute(text: str, masked: str, joints: list[tuple[int, int]]) -> list[list[str]]:
    """Each element in turn in the place of the whole enumeration; the first may begin at several places."""
    first, last = joints[0][0], joints[-1][1]
    bound = _BOUND.search(masked, last + 1)
    right = bound.start() if bound else len(text)
    middles = [text[a:b].strip() for (_, a), (b, _) in pairwise(joints)]
    tail = text[last:right].strip()
    starts = sorted(
        {m.end() for m in _LEFT.finditer(masked, 0, first)} | {_after_verb(text, first), _after_plural(masked, first)},
        reverse=True,
    )
    ways = _codes_each(text, masked, joints) + _names_each(text, joints)
    for start in starts:
        if start >= first:
            continue
        before = text[:start].split()[-1:]
        again = before[0] + " " if before else " "
        elements = [text[start:first].strip(), *(one.removeprefix(again) for one in (*middles, tail))]
        if all(elements):
            ways.append([f"{text[:start]}{element}{text[right:]}" for element in elements])
    return ways


def _codes_each(text: str, masked: str, joints: list[tuple[int, int]]) -> list[list[str]]:
    """The way to read an enumeration of numbers or codes: nothing but these varies."""
    edges = [0, *(end for _, end in joints)]
    ends = [*(start for start, _ in joints), len(text)]
    first = _CODE_LAST.search(masked, 0, ends[0])
    others = [_CODE_FIRST.match(masked, begin, end) for begin, end in zip(edges[1:], ends[1:], strict=True)]
    if not first or not all(found and found["label"] in (None, first["label"]) for found in others):
        return []
    codes = [first["code"], *(found["code"] for found in others if found)]
    last = others[-1]
    return [[f"{text[: first.start('code')]}{code}{text[last.end() :]}" for code in codes]] if last else []


def _names_each(text: str, joints: list[tuple[int, int]]) -> list[list[str]]:
    """The way to read names that a text begins with: Ann, Bob and Carl Gray | are coming."""
    edges = [0, *(end for _, end in joints)]
    found = [_PERSON.match(text, edge) for edge in edges]
    names = [one.group() for one in found if one]
    last = found[-1]
    ends = [start for start, _ in joints]
    if (
        last is None
        or len(names) < len(found)
        or any(one and one.end() != end for one, end in zip(found, ends, strict=False))
    ):
        return []
    return [[f"{name}{text[last.end() :]}" for name in names]]


def _after_plural(masked: str, limit: int) -> int:
    """Where the name begins that follows a noun in the plural: the hosts | alpha and beta."""
    found = re.search(r"[a-z]{3}s\s+(?=\S+$)", masked[:limit])
    return found.end() if found else limit


def _after_verb(text: str, limit: int) -> int:
    space = text.find(" ", 0, limit)
    return space + 1 if space >= 0 else 0
