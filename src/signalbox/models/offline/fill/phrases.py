"""Free text: which words of a sentence fill a string field, by what announces them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.roles import cues_of, roles_of, style_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal, Taken
from signalbox.models.offline.fill.words import STOP, Token, stem

__all__ = ["Bounds", "find_leftover", "find_phrases", "opening"]

_POLITE = re.compile(
    r"^\W*(?:(?:hey|hi|hello|ok|okay|so|yo|um|please|pls|plz|kindly|dear|there|and|then|also|now|just|good (?:morning|afternoon|evening)|"
    r"(?:can|could|would|will) (?:you|u|we|i)(?: please| pls| kindly| maybe)?|i(?:'d| would)? (?:want|like|need|love)(?: you)?(?: to)?|i wanna|i'd like|we need(?: to)?|"
    r"i need(?: to)?|i have to|let's|lets|let us|help me(?: to)?|is it possible to|are you able to|do me a favou?r and|would you mind|go ahead and|"
    r"i'm looking to|i am looking to|i'm trying to|we want to|we'd like to|i gotta|gotta|quick(?:ly)?)\b[\s,!:-]*)+",
    re.IGNORECASE,
)
_STOPS_NAME = frozenset(
    """to from in at on for with by about because saying that and called named titled as via using between during until
    since where which who when please thanks thank if so but then or regarding into per before after is are was has have
    my i we you it than over under above below within without through near around due starting pls plz thx asap
    whose tagged labelled should will cc costing not except against instead also showing only sorted ordered grouped can could""".split()
)
_STOPS_TEXT = frozenset("please thanks thank pls plz thx cheers asap".split())
_SIGNS = frozenset(",;.!?:()[]{}")
_TRIM_LEFT = frozenset("the a an my our your his her their some this that any these those to new is are was of : - , = as for its".split())
_TRIM_RIGHT = frozenset("the a an and or to of for with at in on by from is are be as my our please , ; . ! ? : - ( thanks about that me it them us which just only".split())
_PRONOUNS = frozenset("me it them him her us you i we they this that there here someone everyone one ones something anything everything mine what who which".split())
_PARTICLES = frozenset("me us up out for over off down in him her them".split())


class Bounds:
    """What a phrase may not run over: text that serves other fields, and words that announce them."""

    def __init__(self, reading: Reading, taken: Taken, fields: list[Field], frame: frozenset[str]) -> None:
        self.reading, self.taken, self.frame = reading, taken, frame
        self.tokens = reading.sentence.tokens
        self.cues = {field.path: cues_of(field) for field in fields}
        self.announcers = {
            field.path: {cue for cue, weight in self.cues[field.path].items() if weight >= 0.7} for field in fields
        }

    def blocked(self, at: int) -> bool:
        token = self.tokens[at]
        return self.taken.overlaps(token.start, token.end)

    def announces_other(self, at: int, field: Field) -> bool:
        """Whether a phrase that announces another field begins at this token."""
        return any(
            path != field.path and any(self.matches(at, cue) for cue in cues)
            for path, cues in self.announcers.items()
        )

    def matches(self, at: int, cue: tuple[str, ...]) -> bool:
        return self.tokens[at].lower == cue[0] and tuple(t.lower for t in self.tokens[at : at + len(cue)]) == cue


def find_phrases(bounds: Bounds, field: Field, *, many: bool = False) -> list[Proposal]:
    """Proposals for a string field from what announces it: its own name, its role's words, or a verb."""
    found = [*_after_cues(bounds, field, many), *_beside_name(bounds, field, many)]
    if style_of(field) in ("object", "text") or not roles_of(field):
        found += _object_of_verb(bounds, field, many)
    return found


def opening(reading: Reading) -> int:
    """The place where the request begins, after greetings and politeness."""
    found = _POLITE.match(reading.text)
    return found.end() if found else 0


def _after_cues(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    tokens = bounds.tokens
    for cue, weight in bounds.cues[field.path].items():
        for at in range(len(tokens)):
            if not bounds.matches(at, cue) or bounds.blocked(at):
                continue
            first = at + len(cue)
            if weight < 0.7 and _cue_of_other(bounds, field, at):
                continue
            longer = 0.02 * (len(cue) - 1)
            proposal = _take(bounds, field, first, 0.5 + 0.3 * weight + longer, many)
            if proposal:
                yield proposal


def _cue_of_other(bounds: Bounds, field: Field, at: int) -> bool:
    return bounds.announces_other(at, field)


def _beside_name(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    """"project apollo", "the apollo project", "project: apollo", "set the project to apollo"."""
    tokens, names = bounds.tokens, _spoken_names(field)
    for at, token in enumerate(tokens):
        for name in names:
            if tuple(t.stem for t in tokens[at : at + len(name)]) != name:
                continue
            after = at + len(name)
            signed = after < len(tokens) and tokens[after].text in (":", "=")
            linked = after < len(tokens) and tokens[after].lower in ("is", "to", "of", "as", "are", "should", "called", "named")
            weight = 0.9 if signed else (0.84 if linked else 0.78)
            proposal = _take(bounds, field, after + (signed or linked), weight + 0.01 * len(name), many)
            if proposal and not _verb_like(bounds, at):
                yield proposal
            if not signed and not linked and token.text and at > 0:
                yield from _before_name(bounds, field, at)


def _verb_like(bounds: Bounds, at: int) -> bool:
    return bounds.tokens[at].start <= opening(bounds.reading)


def _before_name(bounds: Bounds, field: Field, at: int) -> Iterator[Proposal]:
    """The word or two before a field's name, back to an article or preposition: "the checkout service"."""
    tokens, first = bounds.tokens, at
    while first > 0 and at - first < 3 and not bounds.blocked(first - 1):
        word = tokens[first - 1]
        if word.lower in STOP or word.lower in _STOPS_NAME or word.lower in _SIGNS or word.stem in bounds.frame:
            break
        first -= 1
    opened = first > 0 and tokens[first - 1].lower in ("the", "in", "my", "our", "on", "for", "from", "to", "of", "a", "an", "at")
    if first < at and opened:
        yield Proposal(field, _clean(bounds.reading.sentence.slice(first, at)), *bounds.reading.sentence.span(first, at), 0.76)


def _spoken_names(field: Field) -> list[tuple[str, ...]]:
    """How a person may say the field's name: whole, without its dull part, and its declared synonyms."""
    dull = {"id", "name", "text", "string", "value", "the"}
    whole = field.name_stems
    short = tuple(s for w, s in zip(field.name_words, whole, strict=True) if w not in dull)
    spoken = [tuple(stem(w) for w in synonym.lower().split()) for synonym in field.synonyms.get("", ())]
    return [name for name in dict.fromkeys([whole, short, *spoken]) if name]


def _take(bounds: Bounds, field: Field, first: int, score: float, many: bool) -> Proposal | None:
    """The phrase that begins at a token, if there is one, as a proposal."""
    tokens = bounds.tokens
    style = "list" if many else style_of(field)
    while first < len(tokens) and (tokens[first].lower in _TRIM_LEFT or (style == "text" and bounds.blocked(first))):
        first += 1
    if first >= len(tokens) or bounds.blocked(first):
        return None
    for literal in bounds.reading.literals:
        if literal.kind == "quoted" and literal.start == tokens[first].start:
            return Proposal(field, literal.value, literal.start, literal.end, score + 0.15)
    last = _end_of(bounds, field, first, style)
    while last > first and tokens[last - 1].lower in _TRIM_RIGHT:
        last -= 1
    if last <= first:
        return None
    words = [token.lower for token in tokens[first:last]]
    if all(word in _PRONOUNS or word in STOP for word in words):
        return None
    if all(token.stem in bounds.frame or token.lower in STOP for token in tokens[first:last]):
        score -= 0.25
    proper = tokens[first].text[:1].isupper() or not tokens[first].text.isalpha()
    score += 0.03 if proper and style == "name" else 0.0
    value = _clean(bounds.reading.sentence.slice(first, last))
    if not _fits(field, value) or score < 0.5:
        return None
    return Proposal(field, value, *bounds.reading.sentence.span(first, last), score)


def _end_of(bounds: Bounds, field: Field, first: int, style: str) -> int:
    at = first
    while at < len(bounds.tokens):
        token = bounds.tokens[at]
        if bounds.blocked(at) or (at > first and _ends(bounds, field, at, token, style)):
            break
        at += 1
    return at


def _ends(bounds: Bounds, field: Field, at: int, token: Token, style: str) -> bool:
    if style == "text":
        if token.lower in _STOPS_TEXT or token.text == ";" or (token.text in ".!?" and _breaks(bounds, at)):
            return True
        return token.lower not in ("and", "for", "to", "that", ":", "as", "on", "since", "by", "note", "about", "with", "of", "in", "at") and bounds.announces_other(at, field)
    if token.text in (",", "and", "&") and style == "list":
        return at + 1 >= len(bounds.tokens) or bounds.blocked(at + 1) or bounds.tokens[at + 1].lower in _STOPS_NAME - {"and"}
    if token.text in _SIGNS:
        return token.text != "." or _breaks(bounds, at)
    if token.lower in _STOPS_NAME:
        return style != "object" or bounds.announces_other(at, field) or token.lower not in ("to", "in", "with", "for", "of", "on", "and")
    return bounds.announces_other(at, field)


def _breaks(bounds: Bounds, at: int) -> bool:
    """A dot ends a sentence when a blank or nothing follows."""
    return at + 1 >= len(bounds.tokens) or bounds.tokens[at + 1].start > bounds.tokens[at].end


def _object_of_verb(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    """What the first verb acts on: "order two pizzas", "create a task to call Anna"."""
    tokens = bounds.tokens
    verb = bounds.reading.sentence.index_at(opening(bounds.reading))
    if verb >= len(tokens) or not tokens[verb].text.isalpha():
        return
    first = verb + 1
    while first < len(tokens) and (
        tokens[first].lower in _PARTICLES | _TRIM_LEFT | {"to", "about", "that", ":"} or tokens[first].stem in bounds.frame or bounds.blocked(first)
    ):
        first += 1
    roles = roles_of(field)
    strength = roles[0][1] if roles and roles[0][0].style in ("object", "text") else 0.4
    proposal = _take(bounds, field, first, 0.5 + 0.12 * strength, many)
    if proposal:
        yield proposal


def find_leftover(bounds: Bounds, field: Field) -> list[Proposal]:
    """For a field that must be filled: a run of words that nothing else explains."""
    tokens, found, at = bounds.tokens, [], bounds.reading.sentence.index_at(opening(bounds.reading))
    while at < len(tokens):
        last = at
        while last < len(tokens) and not bounds.blocked(last) and not _explained(bounds, tokens[last]):
            last += 1
        if last > at:
            value = _clean(bounds.reading.sentence.slice(at, last))
            if _fits(field, value) and any(c.isalnum() for c in value):
                length = 0.02 * min(last - at, 4)
                proper = 0.05 if tokens[at].text[:1].isupper() and at else 0.0
                found.append(Proposal(field, value, *bounds.reading.sentence.span(at, last), 0.4 + length + proper))
        at = max(last, at + 1)
    return found


def _explained(bounds: Bounds, token: Token) -> bool:
    return token.lower in STOP or token.lower in _STOPS_NAME or token.text in _SIGNS or token.stem in bounds.frame


def _clean(text: str) -> str:
    return text.strip().strip("\"'").strip(" ,;:.!?")


def _fits(field: Field, value: str) -> bool:
    if not value or len(value) < field.shortest or (field.longest is not None and len(value) > field.longest):
        return False
    if field.pattern:
        try:
            return re.search(field.pattern, value[:500]) is not None
        except re.error:
            return True
    return True
