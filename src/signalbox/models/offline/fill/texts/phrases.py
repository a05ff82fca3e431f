"""Free text: which words of a sentence fill a string field, by what announces them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import DEGREES, STOP, Token, stem
from signalbox.models.offline.fill.options.candidates import is_short_form
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.chunks import is_verb
from signalbox.models.offline.fill.texts.extents import clean, take_phrase
from signalbox.models.offline.fill.texts.literals import shape_of
from signalbox.models.offline.fill.texts.passives import find_affected
from signalbox.models.offline.fill.texts.quotes import find_quoted
from signalbox.models.offline.fill.texts.roles import roles_of, style_of
from signalbox.models.offline.fill.texts.sorts import CODED, sort_of

__all__ = ["find_phrases"]

# How likely what the first verb acts on is what the field asks for, by the field's role.
_STRENGTHS = {
    "task": 1.0,
    "query": 1.0,
    "thing": 1.0,
    "topic": 1.0,
    "name": 1.0,
    "body": 1.0,
    "problem": 1.0,
    "person": 0.8,
    "organisation": 0.6,
}
_BEFORE_OBJECTS = word_set("with for about of in at near on")
_GROUPS = word_set("team department group project service branch company city town country street room")
_TEAMS = word_set("team department group")
# A field for somebody's very words takes only what is said to be such.
_VERBATIM = re.compile(r"\b(?:word (?:for|by) word|verbatim|exact (?:words|wording|text)|literally)\b", re.IGNORECASE)
_QUOTES = re.compile(r".*\b(?:saying|says|reads|reading|message|text|body|note|wording)\b|:")
# Of "serial number 123" for a serial.
_LABELS = word_set("number no nr num code id key")
_SAID_OF = word_set("it this them")
# As a reason, these lead to a clause.
_CLAUSAL = (("as",), ("since",))
# What somebody does about a problem is no part of it.
_ATTENDING = re.compile(
    r"(?:(?:take|have|get) (?:a|another) (?:\w+ )?look (?:at|into)|look (?:at|into|after)|"
    r"check(?: on)?|fix|repair|mend|inspect|examine|"
    r"investigate|sort out|see to|deal with|attend to) (?=(?:the|this|that|my|our|an?|its?|some)\b)",
    re.IGNORECASE,
)
_NAMING = word_set("called named titled entitled title name")
_NO_NAMES = POS["verbs"] | DEGREES
_GOING_WITH = _LABELS | _SAID_OF
_PASSED_BETWEEN = POS["articles"] | POS["particles"] | {"new", ":"}
_PASSED = POS["articles"] | POS["particles"]


def find_phrases(bounds: Bounds, field: Field, *, many: bool = False) -> list[Proposal]:
    """Proposals for a string field from what announces it: its own name, its role's words, or a verb."""
    found = [*_after_cues(bounds, field, many), *_beside_name(bounds, field, many), *find_quoted(bounds, field, many)]
    if many or (field.must and style_of(field) != "text"):
        found += find_affected(bounds, field)
    roles = roles_of(field)
    wanted = bool(roles) and roles[0][1] == 1.0 and not many and roles[0][0].name in ("task", "query", "thing")
    offered = not roles or roles[0][0].name in _STRENGTHS
    acts = bounds.opening < len(bounds.tokens) and bounds.tokens[bounds.opening].lower in POS["verbs"]
    if (
        (field.must and offered and (roles or not many))
        or (wanted and acts and not (roles[0][0].name == "task" and bounds.asks))
        or (many and bounds.acts_by_option and bounds.only_list(field))
    ):
        found += _object_of_verb(bounds, field, many)
    return found


def _after_cues(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    needed = any(leaf.must and leaf.kind == "string" for leaf in bounds.leaves)
    quoting = _is_verbatim(field.description)
    for at, cue, weight in bounds.occurrences(field):
        if quoting and not _QUOTES.match(" ".join(cue)):
            continue
        if cue == ("no",) and CODED & set(field.name_words) and not _has_digit(bounds, at + 1):
            # No VAT is no number.
            continue
        if cue in _CLAUSAL and style_of(field) == "text" and not _opens_clause(bounds, at + 1):
            continue
        if cue == ("in",) and sort_of(field) == "thing" and bounds.tokens[at + 1 : at + 2] and _places(bounds, at + 1):
            continue
        if weight < 0.7 and at + 1 < len(bounds.tokens) and bounds.leads_on(at, field):
            weight = 1.0
        if bounds.distant(at + len(cue)):
            if sort_of(field) != "place":
                continue
            weight = 1.0
        if weight < 0.7 and (bounds.announces_other(at, field) or (many and cue == ("and",))):
            continue
        if weight < 0.7 and not field.must and not many and not _looks_named(bounds, at + len(cue), field):
            continue
        if cue == (":",) and at and bounds.names_other(bounds.tokens[at - 1], field) and not field.must:
            continue
        if cue == (":",) and at and field.must and bounds.in_literal(at - 1):
            weight = 1.0
        score = 0.5 + 0.3 * weight + 0.02 * (len(cue) - 1) + bounds.rooted(at, field)
        score += 0.04 if many and cue == ("with",) else 0.0
        # "It comes with ..." for "What comes with it".
        score += 0.08 if at and bounds.tokens[at - 1].stem in field.words and cue[0] in POS["inner"] else 0.0
        # A small word that serves many roles says little for a field that may stay empty.
        score -= 0.1 if not field.must and not many and weight < 0.9 and cue[0] in POS["inner"] and needed else 0.0
        # What looks like none of the examples is less likely to be meant.
        score -= 0.15 if style_of(field) == "name" and _looks_fixed(field) else 0.0
        proposal = take_phrase(bounds, field, at + len(cue), score, many, bounds.tokens[at].start, cue[-1] in _NAMING)
        if proposal:
            yield proposal


@lru_cache(maxsize=2_000)
def _is_verbatim(description: str) -> bool:
    return _VERBATIM.search(description) is not None


def _has_digit(bounds: Bounds, at: int) -> bool:
    """Whether a code with a digit stands here, behind a dot or colon at most."""
    return any(c.isdigit() for token in bounds.tokens[at : at + 2] for c in token.text)


def _opens_clause(bounds: Bounds, at: int) -> bool:
    """Whether somebody does or is something here: "as the pump leaks", but not "as absent"."""
    for place in range(at, min(at + 7, len(bounds.tokens))):
        token = bounds.tokens[place]
        if token.text in ",;.!?":
            return False
        if token.lower in POS["pronouns"] or (place > at and is_verb(bounds, place)):
            return True
    return False


def _looks_fixed(field: Field) -> bool:
    """Whether the examples have a look of their own, or are plain words such as options are."""
    return bool(field.examples) and all(shape_of(str(one)) or str(one).islower() for one in field.examples)


def _places(bounds: Bounds, at: int) -> bool:
    """Whether "in" leads to where something is, and not to what it is made in: "in the cellar", but "in leather"."""
    return bounds.tokens[at].lower in ("the", "my", "our", "your", "his", "her", "their")


def _looks_named(bounds: Bounds, at: int, field: Field) -> bool:
    """Whether a name may begin at a token though little announces it: it is no verb, and a person has a capital."""
    if style_of(field) != "name":
        return True
    first = at
    while at < len(bounds.tokens) and bounds.tokens[at].lower in POS["articles"]:
        at += 1
    if at >= len(bounds.tokens) or bounds.tokens[at].lower in _NO_NAMES:
        return False
    plain = bounds.tokens[at].text.islower() and bounds.tokens[at].text.isalpha()
    return not plain or (at == first and roles_of(field)[0][0].name not in ("person", "organisation"))


def _beside_name(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    """ "project apollo", "the apollo project", "project: apollo", "set the project to apollo"."""
    tokens, names = bounds.tokens, [*_spoken_names(field), *_head_alone(bounds, field)]
    single = any(len(name) == 1 for name in names)
    for at, token in enumerate(tokens):
        short = single and len(token.text) > 1 and token.lower not in STOP
        short = short and _shortens(token.lower, field.name_words[-1])
        for name in names:
            said = token.stem == name[0] and tuple(t.stem for t in tokens[at : at + len(name)]) == name
            if not said and not (short and len(name) == 1):
                continue
            after = at + len(name)
            after += _has_label(bounds, field, after)
            signed = after < len(tokens) and tokens[after].text in (":", "=")
            linked = (
                after < len(tokens)
                and tokens[after].lower in POS["links"]
                and (tokens[after].lower != "to" or bounds.sets)
            )
            weight = 0.92 if signed else (0.85 if linked else 0.79)
            weight -= 0.06 if after < len(tokens) and tokens[after].text == "," else 0.0
            if (told := _end_of_owner(bounds, after)) is not None:
                after, linked, weight = told, True, 0.92
            before = [] if signed else list(_before_name(bounds, field, at, after))
            owned = bool(before) and after < len(tokens) and tokens[after].lower == "of"
            proposal = (
                None
                if owned or (at <= bounds.begins and not (signed or _is_told(bounds, after)))
                else take_phrase(
                    bounds, field, after + (signed or linked), weight + 0.01 * len(name), many, tokens[at].start
                )
            )
            if proposal:
                yield proposal
            yield from _quoted_after(bounds, field, after)
            yield from before


def _is_told(bounds: Bounds, at: int) -> bool:
    """Whether a field's name goes on with what it is: "colours are red and blue"."""
    return at < len(bounds.tokens) and bounds.tokens[at].lower in ("is", "are")


def _has_label(bounds: Bounds, field: Field, at: int) -> bool:
    """Whether a word behind a field's name only goes with it: "serial number 12", "tag it urgent", "subject line:"."""
    if at + 1 < len(bounds.tokens) and bounds.tokens[at + 1].text in ":=" and bounds.tokens[at].text in field.described:
        return True
    if at + 1 >= len(bounds.tokens) or bounds.tokens[at].lower not in _GOING_WITH:
        return False
    return bounds.tokens[at + 1].text[0].isalnum() and bounds.tokens[at + 1].lower not in ("and", "or")


def _end_of_owner(bounds: Bounds, at: int) -> int | None:
    """Of "owner of the red house is Ann" the place of "is", where the value follows; None where nothing is told so."""
    if at + 2 >= len(bounds.tokens) or bounds.tokens[at].lower not in ("of", "for"):
        return None
    for place in range(at + 2, min(at + 8, len(bounds.tokens) - 1)):
        if bounds.tokens[place].lower in ("is", "was", "are", "were"):
            return place
        if bounds.tokens[place].text in ",;.!?:":
            break
    return None


def _quoted_after(bounds: Bounds, field: Field, at: int) -> Iterator[Proposal]:
    """A text in quotes behind a colon that closes what the field's name begins: "note for the cook: ..."."""
    for colon in range(at + 1, min(at + 7, len(bounds.tokens) - 1)):
        if bounds.tokens[colon].text == ":":
            literal = next((q for q in bounds.reading.quoted if q[0] == bounds.tokens[colon + 1].start), None)
            if literal is not None and field.kind == "string":
                value = clean(bounds.reading.text[literal[0] + 1 : literal[1] - 1])
                yield Proposal(field, value, *literal, 0.95, lead=bounds.tokens[at - 1].start, running=True)
            return


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


@lru_cache(maxsize=5_000)
def _spoken_names(field: Field) -> tuple[tuple[str, ...], ...]:
    """How a person may say the field's name: whole, without its dull part, and its declared synonyms."""
    dull = {"id", "name", "names", "text", "string", "value", "values", "the", "to", "from"}
    whole = field.name_stems
    short = tuple(s for w, s in zip(field.name_words, whole, strict=True) if w not in dull)
    spoken = [tuple(stem(w) for w in synonym.lower().split()) for synonym in field.synonyms.get("", ())]
    spoken += [(nickname,) for nickname in field.nicknames]
    spoken += [(stem(word),) for word in field.described[:1] if word in _GROUPS]
    # "Person or team that is told".
    spoken += [(stem(word),) for word in field.described[1:3] if word in _TEAMS and " or " in field.description]
    if field.kind == "array" and field.described[:1] and field.described[0].endswith("s"):
        # "Keywords of the talk" for topics.
        spoken.append((stem(field.described[0]),))
    if field.within and field.name_words == ("name",):
        spoken.append(tuple(stem(word) for word in field.within))
    directed = {"to", "from"} & set(field.name_words)
    names = dict.fromkeys([whole, *([] if directed else [short]), *spoken])
    return tuple(name for name in names if name and name != ("to",))


def _head_alone(bounds: Bounds, field: Field) -> list[tuple[str, ...]]:
    """The last word of a longer name, where it is the name of a group and no other field has it: the team."""
    head = field.name_words[-1] if len(field.name_words) > 1 else ""
    shared = any(field.name_stems[-1] in leaf.words for leaf in bounds.leaves if leaf.path != field.path) if head else 1
    return [] if shared or head not in _GROUPS else [field.name_stems[-1:]]


def _object_of_verb(bounds: Bounds, field: Field, many: bool) -> Iterator[Proposal]:
    """What the first verb acts on: "order two pizzas", "create a task to call Anna"."""
    tokens, first = bounds.tokens, bounds.opening
    if first >= len(tokens):
        return
    roles = roles_of(field)
    strength = _STRENGTHS.get(roles[0][0].name, 0.0) * roles[0][1] if roles else 0.4
    if many and bounds.acts_by_option:
        first = bounds.begins + 1
    tasked = bool(roles) and roles[0][0].style == "text" and roles[0][1] > 0.8
    told = tasked and roles[0][0].name in ("body", "problem")
    commands = POS["commands"] if tasked else POS["verbs"]
    if told and not bounds.blocked(bounds.begins, firm=True):
        first = bounds.begins
    if tasked:
        first = _past_colon(bounds, first)
    if told and (attending := _ATTENDING.search(bounds.reading.text, tokens[first].start)):
        first = bounds.sentence.index_at(attending.end())
    acts = not tasked and first == bounds.begins and is_verb(bounds, first)
    if acts or tokens[first].lower in commands or tokens[first].stem in bounds.frame:
        first = _past_command(bounds, first + 1)
    if not tasked and first + 1 < len(tokens) and tokens[first].lower in _BEFORE_OBJECTS:
        first += 1
    proposal = take_phrase(bounds, field, first, 0.5 + 0.12 * strength, many, tokens[min(first, len(tokens) - 1)].start)
    if proposal:
        yield proposal


def _past_colon(bounds: Bounds, first: int) -> int:
    """Behind a colon that ends words for other fields, as in "urgent: the pump leaks"; else where it was."""
    tokens = bounds.tokens
    for at in range(first + 1, min(first + 10, len(tokens) - 2)):
        if tokens[at].text == ":" and bounds.breaks(at):
            return at + 1 if any(bounds.blocked(before) for before in range(first, at)) else first
        if tokens[at].text in ".!?;":
            break
    return first


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
        if not (token.lower in _PASSED or _is_kind(bounds, token) or bounds.blocked(at)):
            break
        at += 1
    while first < len(tokens) and (
        tokens[first].lower in _PASSED_BETWEEN or bounds.blocked(first, firm=True) or _heads(bounds, first)
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
