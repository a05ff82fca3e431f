"""Free text: which words of a sentence fill a string field, by what announces them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.candidates import is_short_form
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.roles import roles_of, style_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.words import STOP, Token, stem, word_set
from signalbox.models.offline.vectors import is_known, word_rows

__all__ = ["find_leftover", "find_phrases"]

_TRIM_RIGHT = word_set(
    """the a an and or to of for with at in on by from is are be as my our please , ; . ! ? : - (
    thanks about that me it them us which just only also too it's its"""
)
# How likely what the first verb acts on is what the field asks for, by the field's role.
_STRENGTHS = {
    "task": 1.0,
    "query": 1.0,
    "thing": 1.0,
    "topic": 1.0,
    "name": 1.0,
    "body": 1.0,
    "person": 0.8,
    "organisation": 0.6,
}
_QUOTED = {"match": 0.74, "name": 0.74, "task": 0.74, "query": 0.74, "body": 0.72, "topic": 0.73, "thing": 0.73}
_KIND_STEMS = frozenset(stem(word) for word in POS["kinds"])
_MODALS = word_set("would not will do don't should could very i")
_NAMING = word_set("called named titled entitled title name")
_CONTAINER = re.compile(
    r",?\s+(?:to|on|in|into|from|off|onto) (?:my|the|our|a|this)(?: \w+){0,2}? "
    r"(?:lists?|cart|basket|to-?dos?|todo|calendar|agenda|board|backlog|tasks|reminders|notes|schedule|"
    r"planner|queue|inbox)\b.*$",
    re.IGNORECASE,
)


def find_phrases(bounds: Bounds, field: Field, *, many: bool = False) -> list[Proposal]:
    """Proposals for a string field from what announces it: its own name, its role's words, or a verb."""
    found = [*_after_cues(bounds, field, many), *_beside_name(bounds, field, many), *_in_quotes(bounds, field, many)]
    roles = roles_of(field)
    wanted = bool(roles) and roles[0][1] == 1.0 and not many and roles[0][0].name in ("task", "query", "thing")
    offered = not roles or roles[0][0].name in _STRENGTHS
    acts = bounds.opening < len(bounds.tokens) and bounds.tokens[bounds.opening].lower in POS["verbs"]
    if (field.must and offered and (roles or not many)) or (
        wanted and acts and not (roles[0][0].name == "task" and bounds.asks)
    ):
        found += _object_of_verb(bounds, field, many)
    return found


def _after_cues(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    for at, cue, weight in bounds.occurrences(field):
        if weight < 0.7 and bounds.announces_other(at, field):
            continue
        if cue == (":",) and at and bounds.names_other(bounds.tokens[at - 1], field) and not field.must:
            continue
        if cue == (":",) and at and bounds.in_literal(at - 1):
            weight = 1.0
        score = 0.5 + 0.3 * weight + 0.02 * (len(cue) - 1) + bounds.rooted(at, field)
        # What looks like none of the examples is less likely to be meant.
        score -= 0.15 if field.examples and style_of(field) == "name" else 0.0
        proposal = _take(bounds, field, at + len(cue), score, many, bounds.tokens[at].start, cue[-1] in _NAMING)
        if proposal:
            yield proposal


def _beside_name(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    """ "project apollo", "the apollo project", "project: apollo", "set the project to apollo"."""
    tokens, names = bounds.tokens, _spoken_names(field)
    for at in range(len(tokens)):
        for name in names:
            if tuple(t.stem for t in tokens[at : at + len(name)]) != name and not (
                len(name) == 1
                and len(tokens[at].text) > 1
                and tokens[at].lower not in STOP
                and _shortens(tokens[at].lower, field.name_words[-1])
            ):
                continue
            after = at + len(name)
            signed = after < len(tokens) and tokens[after].text in (":", "=")
            linked = (
                after < len(tokens)
                and tokens[after].lower in POS["links"]
                and (tokens[after].lower != "to" or bounds.sets)
            )
            weight = 0.92 if signed else (0.85 if linked else 0.79)
            proposal = (
                None
                if at <= bounds.opening and not signed
                else _take(bounds, field, after + (signed or linked), weight + 0.01 * len(name), many, tokens[at].start)
            )
            if proposal:
                yield proposal
            if not signed:
                yield from _before_name(bounds, field, at, after)


def _shortens(word: str, name: str) -> bool:
    """Whether a word is a usual short form of a name: "db", "env"; a word of its own is not."""
    return is_short_form(word, name) and (len(word) <= 3 or not is_known(word))


def _before_name(bounds: Bounds, field: Field, at: int, after: int) -> Iterator[Proposal]:
    """The word or two before a field's name, back to an article or preposition: "the checkout service"."""
    tokens, first = bounds.tokens, at
    while first > 0 and at - first < 3 and not bounds.blocked(first - 1):
        word = tokens[first - 1]
        if word.lower in STOP or word.lower in POS["stops"] or not word.text[0].isalnum() or word.stem in bounds.frame:
            break
        first -= 1
    opened = first > 0 and tokens[first - 1].lower in POS["openers"]
    if first < at and opened and tokens[first].lower not in POS["verbs"]:
        span = bounds.sentence.span(first, at)
        yield Proposal(field, clean(bounds.sentence.slice(first, at)), *span, 0.81, lead=span[0])


def _in_quotes(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    """What stands in quotes is a name or a text, even when nothing announces it."""
    roles = roles_of(field)
    score = max((_QUOTED.get(role.name, 0.0) for role, strength in roles[:2] if strength > 0.8), default=0.0)
    score = max(score, 0.66 if field.must else 0.0)
    for literal in bounds.reading.literals:
        if literal.kind == "quoted" and score and not many and fits(field, literal.value):
            yield Proposal(field, literal.value, literal.start, literal.end, score + 0.05 * field.must, running=True)


def _spoken_names(field: Field) -> list[tuple[str, ...]]:
    """How a person may say the field's name: whole, without its dull part, and its declared synonyms."""
    dull = {"id", "name", "text", "string", "value", "the", "to", "from"}
    whole = field.name_stems
    short = tuple(s for w, s in zip(field.name_words, whole, strict=True) if w not in dull)
    spoken = [tuple(stem(w) for w in synonym.lower().split()) for synonym in field.synonyms.get("", ())]
    directed = {"to", "from"} & set(field.name_words)
    return [
        name for name in dict.fromkeys([whole, *([] if directed else [short]), *spoken]) if name and name != ("to",)
    ]


def _take(
    bounds: Bounds, field: Field, first: int, score: float, many: bool, lead: int, naming: bool = False
) -> Proposal | None:
    """The phrase that begins at a token, if there is one, as a proposal."""
    tokens, style = bounds.tokens, "list" if many else style_of(field)
    first = _skip_openers(bounds, field, first, style)
    roles = roles_of(field)
    while roles and roles[0][0].name == "thing" and first < len(tokens) and bounds.blocked(first):
        first += 1
    if first >= len(tokens) or (style != "text" and bounds.blocked(first)):
        return None
    if style != "text" and (
        (tokens[first].lower in POS["verbs"] and tokens[first - 1].lower == "to") or bounds.measured(first, style)
    ):
        return None
    for literal in bounds.reading.literals:
        if literal.kind == "quoted" and literal.start == tokens[first].start and fits(field, literal.value):
            return Proposal(field, literal.value, literal.start, literal.end, score + 0.15, lead=lead, running=True)
    address = bounds.literal_at(first)
    if style == "name" and address and fits(field, address.value):
        return Proposal(field, address.value, address.start, address.end, score + 0.03, lead=lead)
    pieces = (
        _text_pieces(bounds, field, first, naming) if style == "text" else _name_pieces(bounds, field, first, style)
    )
    if not pieces:
        return None
    words = [token for a, b in pieces for token in tokens[a:b]]
    if _says_nothing(bounds, field, words, first, style, score > 0.9):
        return None
    if (
        style != "text"
        and bounds.names_other(tokens[first], field)
        and len(words) + (tokens[first] is not words[0]) > 1
    ):
        score -= 0.2
    if all(token.stem in bounds.frame or token.lower in STOP or stem(token.lower) in _KIND_STEMS for token in words):
        score -= 0.25
    elif style != "text" and all(token.stem in bounds.rivals(field) or token.lower in STOP for token in words):
        score -= 0.25 if score < 0.8 else 0.1
    proper = words[0].text[:1].isupper() or not words[0].text.isalpha()
    value = clean(_CONTAINER.sub("", " ".join(bounds.sentence.slice(a, b) for a, b in pieces)))
    score += 0.03 if proper and style == "name" else 0.0
    if not fits(field, value) or score < 0.5:
        return None
    return Proposal(
        field,
        value,
        words[0].start,
        words[-1].end,
        score,
        lead=lead,
        pieces=tuple(bounds.sentence.span(a, b) for a, b in pieces),
        running=style == "text",
    )


def _skip_openers(bounds: Bounds, field: Field, first: int, style: str) -> int:
    """Past articles and the like; a text that says something keeps its article."""
    tokens = bounds.tokens
    roles = roles_of(field)
    keeps = style == "text" and bool(roles) and roles[0][0].name in ("body", "reason")
    skipped = POS["links"] | {":", "-", ",", "="} if keeps else POS["articles"] | {":", "-", ",", "="}
    while first < len(tokens) and (
        (
            tokens[first].lower in skipped
            and not (style == "list" and first + 1 < len(tokens) and tokens[first + 1].text == ",")
            and not (tokens[first].text[0].isupper() and first > bounds.opening)
        )
        or (style == "text" and (bounds.blocked(first, firm=True) or bounds.announces(first, field)))
    ):
        first += 1
    return first


def _says_nothing(bounds: Bounds, field: Field, words: list[Token], first: int, style: str, signed: bool) -> bool:
    if all(word.lower in POS["pronouns"] or word.lower in STOP for word in words) and not signed:
        return True
    if style == "text":
        return False
    roles = roles_of(field)
    if words[-1].lower in POS["containers"]:
        return True
    if roles and roles[0][0].name == "exclusion" and words[0].lower in STOP:
        return True
    person = bool(roles) and roles[0][0].name == "person"
    article = first > 0 and bounds.tokens[first - 1].lower in ("a", "an", "the")
    return person and article and words[0].text.islower()


def _name_pieces(bounds: Bounds, field: Field, first: int, style: str) -> list[tuple[int, int]]:
    tokens, last = bounds.tokens, first
    while (
        last < len(tokens)
        and not bounds.blocked(last)
        and not (style != "list" and bounds.timed(last))
        and not (last > first and _ends(bounds, field, last, style))
    ):
        last += 1
    last = _trim(tokens, first, last)
    roles = roles_of(field)
    placed = bool(roles) and roles[0][0].name in ("place", "system", "organisation")
    while last - first > 1 and (
        tokens[last - 1].stem in field.name_stems or (placed and tokens[last - 1].lower in field.described)
    ):
        last -= 1
    if roles and roles[0][0].name in ("person", "place", "organisation"):
        first = _proper_tail(tokens, first, last)
    if roles and roles[0][0].name in ("name", "system", "code"):
        first, last = _identifier(tokens, first, last)
    return [(first, last)] if last > first else []


def _proper_tail(tokens: tuple[Token, ...], first: int, last: int) -> int:
    """Of "son Leo" only the name, when plain words lead to words with capitals."""
    capital = next((at for at in range(first, last) if tokens[at].text[0].isupper()), first)
    return (
        capital if all(token.text[0].isupper() or not token.text.isalpha() for token in tokens[capital:last]) else first
    )


def _identifier(tokens: tuple[Token, ...], first: int, last: int) -> tuple[int, int]:
    """Of "test checkout_flow" only what is written as an identifier, when the rest is plain words."""
    marked = [
        at
        for at in range(first, last)
        if not tokens[at].text.isalpha() and any(c.isalpha() for c in tokens[at].text) and "'" not in tokens[at].text
    ]
    plain = all(token.text.islower() for at, token in enumerate(tokens[first:last], first) if at not in marked)
    return (marked[0], marked[0] + 1) if len(marked) == 1 and plain and last - first > 1 else (first, last)


def _trim(tokens: tuple[Token, ...], first: int, last: int) -> int:
    while last > first and tokens[last - 1].lower in _TRIM_RIGHT:
        last -= 1
    return last


def _text_pieces(bounds: Bounds, field: Field, first: int, naming: bool) -> list[tuple[int, int]]:
    """The text from a token on, without what was announced for other fields."""
    tokens = bounds.tokens
    pieces: list[tuple[int, int]] = []
    at = first
    while at < len(tokens):
        if bounds.blocked(at, firm=True):
            at += 1
            continue
        last = at
        while (
            last < len(tokens)
            and not bounds.blocked(last, firm=True)
            and not (last > first and _ends(bounds, field, last, "named" if naming else "text"))
        ):
            last += 1
        if last > at:
            pieces.append((at, last))
        if last < len(tokens) and not bounds.blocked(last, firm=True):
            break
        if pieces and not _goes_on(bounds, last, field):
            break
        at = max(last, at + 1)
    return _trim_pieces(bounds, pieces)


def _goes_on(bounds: Bounds, at: int, field: Field) -> bool:
    """Whether a text goes on behind a piece that serves another field: "call Bob [tomorrow] about the contract"."""
    while at < len(bounds.tokens) and bounds.blocked(at, firm=True):
        at += 1
    roles = roles_of(field)
    if roles and roles[0][0].name in ("body", "reason"):
        return True
    return at < len(bounds.tokens) and bounds.tokens[at].lower in POS["inner"] | {"about", "regarding"}


def _trim_pieces(bounds: Bounds, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without a last part that only mentions another field's option after a comma, or is a mere link."""
    tokens = bounds.tokens
    trimmed: list[tuple[int, int]] = []
    for first, last in pieces:
        last = _trim(tokens, first, last)
        while last > first and bounds.mentioned(last - 1):
            last = _trim(tokens, first, last - 1)
            while last > first and tokens[last - 1].lower in _MODALS:
                last = _trim(tokens, first, last - 1)
        if last > first and not (
            trimmed and all(t.lower in STOP or not t.text[0].isalnum() for t in tokens[first:last])
        ):
            trimmed.append((first, last))
    return trimmed


def _ends(bounds: Bounds, field: Field, at: int, style: str) -> bool:
    token = bounds.tokens[at]
    if bounds.opens_other(at, field) or (style != "text" and token.text in "\"'`«"):
        return True
    if style in ("text", "named"):
        if token.lower in POS["polite"] or token.text == ";" or (token.text in ".!?" and bounds.breaks(at)):
            return True
        return (style == "named" or token.lower not in POS["weak"]) and bounds.announces_other(at, field)
    if token.lower in (",", "and", "&", "or", "/") and style == "list":
        return at + 1 >= len(bounds.tokens) or bounds.blocked(at + 1) or _turns(bounds, at + 1)
    if not token.text[0].isalnum():
        return token.text in ",;:!?()[]{}=|" or (token.text in ".-–" and bounds.breaks(at))
    if token.lower == "and" and at + 1 < len(bounds.tokens) and _turns(bounds, at + 1):
        return True
    if token.text.islower() and token.text.endswith(("ed", "ing")) and _follows_stop(bounds, at):
        return style != "object"
    if token.lower in POS["stops"]:
        return style != "object" or bounds.announces_other(at, field) or token.lower not in POS["inner"]
    return bounds.announces_other(at, field)


def _follows_stop(bounds: Bounds, at: int) -> bool:
    return at + 1 < len(bounds.tokens) and bounds.tokens[at + 1].lower in POS["stops"] - {"and", "or"}


def _turns(bounds: Bounds, at: int) -> bool:
    """Whether the list is over, and something else is said: "and with ...", "and mark her"."""
    tokens = bounds.tokens
    if tokens[at].lower in POS["stops"] - {"and", "or"}:
        return True
    following = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    return tokens[at].lower in POS["verbs"] and following in POS["pronouns"] | POS["articles"] | POS["stops"]


def _object_of_verb(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    """What the first verb acts on: "order two pizzas", "create a task to call Anna"."""
    tokens, first = bounds.tokens, bounds.opening
    if first >= len(tokens):
        return
    roles = roles_of(field)
    strength = _STRENGTHS.get(roles[0][0].name, 0.0) * roles[0][1] if roles else 0.4
    tasked = bool(roles) and roles[0][0].style == "text" and roles[0][1] > 0.8
    commands = POS["commands"] if tasked else POS["verbs"]
    if tokens[first].lower in commands or tokens[first].stem in bounds.frame:
        first = _past_command(bounds, first + 1)
    proposal = _take(bounds, field, first, 0.5 + 0.12 * strength, many, tokens[min(first, len(tokens) - 1)].start)
    if proposal:
        yield proposal


def _past_command(bounds: Bounds, first: int) -> int:
    """Past "me a new task to", or only "the"."""
    tokens = bounds.tokens
    at = first
    while at < len(tokens) and at - first < 7:
        token = tokens[at]
        if (
            token.lower
            in (
                "to",
                "about",
                "that",
                ":",
                "called",
                "named",
                "titled",
                "saying",
                "for",
                "because",
                "as",
                "since",
                "where",
                "when",
                "-",
            )
            and at > first
            and (_is_kind(bounds, tokens[at - 1]) or bounds.blocked(at - 1))
        ):
            return at + 1
        if not (token.lower in POS["articles"] | POS["particles"] or _is_kind(bounds, token) or bounds.blocked(at)):
            break
        at += 1
    while first < len(tokens) and (
        tokens[first].lower in POS["articles"] | POS["particles"] | {"new", ":"}
        or bounds.blocked(first, firm=True)
        or _heads(bounds, first)
    ):
        first += 1
    return first


def _heads(bounds: Bounds, at: int) -> bool:
    """Whether a word only says the kind, and the thing itself follows: "task buy milk", "contact pete"."""
    following = bounds.tokens[at + 1] if at + 1 < len(bounds.tokens) else None
    if following is not None and following.lower in ("moved", "is", "was", "has", "will"):
        return False
    if following is None or not _is_kind(bounds, bounds.tokens[at]) or bounds.blocked(at):
        return False
    return following.text[0] in "\"'«`" or (
        following.text[0].isalnum() and following.lower not in POS["stops"] and not bounds.blocked(at + 1)
    )


def _is_kind(bounds: Bounds, token: Token) -> bool:
    """Whether a word only says what kind of thing is asked for: a task, a ticket, a new reminder."""
    return token.lower in POS["kinds"] or token.stem in bounds.frame or token.lower == "new"


def find_leftover(bounds: Bounds, field: Field) -> list[Proposal]:
    """For a field that must be filled: a run of words that nothing else explains."""
    tokens, found, at = bounds.tokens, [], bounds.opening
    if at < len(tokens) and tokens[at].lower in POS["verbs"]:
        at += 1
    while at < len(tokens):
        last = at
        while (
            last < len(tokens)
            and not bounds.blocked(last)
            and not bounds.timed(last)
            and not _explained(bounds, tokens[last])
        ):
            if last and tokens[last - 1].lower in ("and", ",", "then", "or") and _turns(bounds, last):
                break
            last += 1
        first, until = _identifier(tokens, at, last) if last > at and style_of(field) == "name" else (at, last)
        if last > at:
            value = clean(bounds.sentence.slice(first, until))
            if fits(field, value) and any(c.isalnum() for c in value):
                length = 0.02 * min(last - at, 4)
                proper = 0.05 if tokens[at].text[:1].isupper() else 0.0
                proper += 0.1 * _kinship(value, field)
                found.append(Proposal(field, value, *bounds.sentence.span(at, last), 0.4 + length + proper))
        at = max(last, at + 1)
    return found


def _kinship(value: str, field: Field) -> float:
    """How near in meaning a text is to what the field speaks of."""
    telling = tuple(word for word in (*field.name_words, *field.described) if len(word) > 2)[:8]
    words = tuple(word for word in value.split() if word.isalpha())[:4]
    return max(0.0, float((word_rows(words) @ word_rows(telling).T).max())) if words and telling else 0.0


def _explained(bounds: Bounds, token: Token) -> bool:
    if (
        token.lower in STOP
        or token.lower in POS["stops"]
        or token.lower in POS["pronouns"]
        or not token.text[0].isalnum()
    ):
        return True
    return token.stem in bounds.frame or token.lower in POS["kinds"]


def clean(text: str) -> str:
    """The text without quotes and punctuation around it."""
    return text.strip().strip("\"'").strip(" ,;:.!?")


def fits(field: Field, value: str) -> bool:
    """Whether a text obeys the field's length and pattern."""
    if (
        not any(c.isalnum() for c in value)
        or len(value) < field.shortest
        or (field.longest is not None and len(value) > field.longest)
    ):
        return False
    try:
        return not field.pattern or re.search(field.pattern, value[:500]) is not None
    except re.error:
        return True
