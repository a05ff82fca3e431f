"""How far a phrase runs: from the word where it begins to the one that ends it, and what is left when trimmed."""

from __future__ import annotations

import re

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.endings import ends_phrase
from signalbox.models.offline.fill.english.lexicon import KINSHIP
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import DEGREES, STOP, Token, stem
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.chunks import is_verb
from signalbox.models.offline.fill.texts.quotes import fits, shuns_quotes
from signalbox.models.offline.fill.texts.roles import roles_of, style_of
from signalbox.models.offline.fill.texts.running import text_pieces, trim
from signalbox.models.offline.fill.texts.sorts import is_common, refit, sort_of

__all__ = ["SORTS", "clean", "identifier", "past_town", "take_phrase"]

# "the post of clerk", "the city of Rome": the noun only says what kind of thing follows.
SORTS = word_set("post position role job city town village name title kind type sort colour color subject brand")
# Of "roll it back", "scale it down" and the like.
_PARTICLES = word_set("back down up off out away over again")
_ANYBODY = word_set("everybody everyone anybody anyone nobody someone somebody")
_ANYTHING = word_set("something anything nothing everything")
_KIND_STEMS = frozenset(stem(word) for word in POS["kinds"])
_CONTAINER = re.compile(
    r",?\s+(?:to|on|in|into|from|off|onto) (?:my|the|our|a|this)(?: \w+){0,2}? "
    r"(?:lists?|cart|basket|to-?dos?|todo|calendar|agenda|board|backlog|tasks|reminders|notes|schedule|"
    r"planner|queue|inbox)\b.*$",
    re.IGNORECASE,
)
_OPENING_ARTICLES = POS["articles"] | {":", "-", ",", "="}
_OPENING_LINKS = POS["links"] | {":", "-", ",", "="}
_SMALL = POS["stops"] | STOP
_FRAMING = STOP | DEGREES | POS["kinds"] | POS["polite"]


def take_phrase(
    bounds: Bounds, field: Field, first: int, score: float, many: bool, lead: int, naming: bool = False
) -> Proposal | None:
    """The phrase that begins at a token, if there is one, as a proposal."""
    style = "list" if many else style_of(field)
    first = _skip_openers(bounds, field, first, style)
    roles = roles_of(field)
    if roles and roles[0][0].name == "thing":
        first = bounds.past_portion(first)
    if not _may_begin(bounds, field, first, style):
        return None
    if solid := _take_solid(bounds, field, first, score, lead, style):
        return solid
    pieces = (
        text_pieces(bounds, field, first, naming)
        if style == "text"
        else _name_pieces(bounds, field, first, style, naming)
    )
    words = [token for a, b in pieces for token in bounds.tokens[a:b]]
    if not words or _says_nothing(bounds, field, words, first, style, score > (0.7 if style == "text" else 0.9)):
        return None
    score = _weigh_names(bounds, field, words, first, score, style)
    if style != "text":
        score = _weigh_look(bounds, field, words, pieces, score, style)
    value = clean(_CONTAINER.sub("", " ".join(bounds.sentence.slice(a, b) for a, b in pieces)))
    if not fits(field, value) or score < 0.5:
        return None
    spans = tuple(bounds.sentence.span(a, b) for a, b in pieces)
    start, end = words[0].start, words[-1].end
    return Proposal(field, value, start, end, score, lead=lead, pieces=spans, running=style == "text")


def _may_begin(bounds: Bounds, field: Field, first: int, style: str) -> bool:
    """Whether a phrase for a field may begin at a token."""
    tokens = bounds.tokens
    if first >= len(tokens) or (style != "text" and bounds.blocked(first)) or bounds.in_quotes(first):
        return False
    if style == "name" and tokens[first].text in POS["inner"] and tokens[first - 1].text not in ":=":
        return False
    if style != "text" and tokens[first].text in ("no", "not"):
        return False
    acts = tokens[first].lower in POS["verbs"] and tokens[first - 1].lower == "to"
    if style != "text" and (acts or bounds.measured(first, style)):
        return False
    quoted = any(start == tokens[first].start for start, _ in bounds.reading.quoted)
    named = tokens[first - 1].stem in field.name_stems if first else False
    return not quoted or named or not shuns_quotes(field, bounds.leaves)


def _take_solid(bounds: Bounds, field: Field, first: int, score: float, lead: int, style: str) -> Proposal | None:
    """A text in quotes or an address is taken whole."""
    start = bounds.tokens[first].start
    for literal in bounds.reading.literals:
        if literal.kind == "quoted" and literal.start == start and fits(field, literal.value):
            return Proposal(field, literal.value, literal.start, literal.end, score + 0.15, lead=lead, running=True)
    address = bounds.literal_at(first)
    if style == "name" and address and fits(field, address.value):
        return Proposal(field, address.value, address.start, address.end, score + 0.03, lead=lead)
    return None


def _weigh_names(bounds: Bounds, field: Field, words: list[Token], first: int, score: float, style: str) -> float:
    """Less for words that rather name other fields, or only what the schema is for."""
    if style != "text" and len(words) > 1 and bounds.names_other(words[-1], field):
        score -= 0.2
    opener = bounds.tokens[first]
    if style != "text" and bounds.names_other(opener, field) and len(words) + (opener is not words[0]) > 1:
        score -= 0.2
    if all(token.stem in bounds.frame or token.lower in STOP or stem(token.lower) in _KIND_STEMS for token in words):
        return score - 0.25
    if style != "text" and all(token.stem in bounds.rivals(field) or token.lower in STOP for token in words):
        return score - (0.25 if score < 0.8 else 0.1)
    return score


def _weigh_look(
    bounds: Bounds, field: Field, words: list[Token], pieces: list[tuple[int, int]], score: float, style: str
) -> float:
    """More for words that look like what the field asks for, less for those that belong to their neighbours."""
    first, last = pieces[0][0], pieces[-1][1]
    if bounds.complements(first):
        score -= 0.25
    proper = words[0].text[:1].isupper() or not words[0].text.isalpha()
    common = is_common(words[-1].lower) and not words[-1].text[0].isupper()
    if style == "name" and common and bounds.modifies(last):
        score -= 0.2
    score += 0.03 if proper and style == "name" else 0.0
    if score >= 0.9:
        return score
    before = bounds.tokens[first - 1].lower if first else ""
    return refit(field, _first_item(words) if style == "list" else words, bounds.cased, score, before)


def _first_item(words: list[Token]) -> list[Token]:
    """The words of a list up to its first comma or "and"."""
    end = next(
        (at for at, word in enumerate(words) if word.lower in (",", "and", "&", "or", "/", "+", "plus", "as") and at),
        len(words),
    )
    return words[:end]


def _skip_openers(bounds: Bounds, field: Field, first: int, style: str) -> int:
    """Past articles and the like; a text that says something keeps its article."""
    tokens = bounds.tokens
    roles = roles_of(field)
    keeps = style == "text" and bool(roles) and roles[0][0].name in ("body", "reason", "problem")
    skipped = _OPENING_LINKS if keeps else _OPENING_ARTICLES
    if keeps and 0 < first < len(tokens) and tokens[first].lower == "been":
        first += 1
    while first < len(tokens) and (
        (tokens[first].lower in POS["polite"] and style == "text")
        or (
            tokens[first].lower in skipped
            and not (style == "list" and first + 1 < len(tokens) and tokens[first + 1].text == ",")
            and not (tokens[first].text[0].isupper() and first > bounds.opening)
        )
        or (
            style == "text"
            and (
                bounds.blocked(first, firm=True)
                or (bounds.announces(first, field) and tokens[first].lower not in ("i", "we"))
            )
        )
    ):
        first += 1
    return first + _is_title(bounds, field, first, style)


def _is_title(bounds: Bounds, field: Field, at: int, style: str) -> bool:
    """Whether a word only says what the name behind it is to the field: the guest of "guest ann lee"."""
    if style != "name" or at + 1 >= len(bounds.tokens) or bounds.blocked(at) or bounds.blocked(at + 1):
        return False
    token, following = bounds.tokens[at], bounds.tokens[at + 1]
    named = token.text.islower() and token.stem in field.name_stems
    return named and following.text[0].isalpha() and following.lower not in _SMALL


def _says_nothing(bounds: Bounds, field: Field, words: list[Token], first: int, style: str, signed: bool) -> bool:
    if all(word.lower in POS["pronouns"] or word.lower in STOP for word in words) and not signed:
        return True
    if (words[0].lower in _ANYBODY or (words[-1].lower in _ANYTHING and style != "text")) and not signed:
        return True
    if all(word.lower in KINSHIP or word.lower in STOP for word in words) and sort_of(field) != "person":
        return True
    if not any(c.isalpha() for word in words for c in word.text) and style == "text":
        return True
    if style == "list" and all(word.stem in field.words for word in words):
        return True
    if style == "text":
        return not signed and all(_is_frame(bounds, word) for word in words)
    if words[0].text in POS["pronouns"] and not signed:
        return True
    if all(word.lower in DEGREES or word.lower in STOP or word.lower in POS["blanks"] for word in words):
        return True
    roles = roles_of(field)
    if words[-1].lower in POS["containers"]:
        return True
    if roles and roles[0][0].name == "exclusion" and words[0].lower in STOP:
        return True
    person = bool(roles) and roles[0][0].name == "person"
    article = first > 0 and bounds.tokens[first - 1].lower in ("a", "an", "the")
    return person and article and words[0].text.islower()


def _is_frame(bounds: Bounds, word: Token) -> bool:
    """Whether a word tells nothing of its own: it is small, acts, names the schema, or serves another field."""
    at = bounds.sentence.index_at(word.start)
    if bounds.blocked(at):
        return True
    if word.text[0].isupper() and not bounds.opens_part(at):
        return False
    small = word.lower in _FRAMING or not word.text[0].isalnum()
    return small or word.stem in bounds.frame or is_verb(bounds, at)


def _past_sort(bounds: Bounds, first: int) -> int:
    """Behind "the post of" and the like, where the value itself begins."""
    tokens = bounds.tokens
    if first + 2 >= len(tokens) or tokens[first].lower not in SORTS or tokens[first + 1].lower != "of":
        return first
    return first + 2 + (tokens[first + 2].lower in POS["articles"] and first + 3 < len(tokens))


def _name_pieces(bounds: Bounds, field: Field, first: int, style: str, naming: bool) -> list[tuple[int, int]]:
    first = _past_sort(bounds, first)
    tokens, last = bounds.tokens, first
    while (
        last < len(tokens)
        and not bounds.blocked(last)
        and (style == "list" or naming or not bounds.timed(last))
        and not (last > first and ends_phrase(bounds, field, last, style))
    ):
        last += 1
    last = trim(tokens, first, last)
    while last - first > 1 and tokens[last - 1].text in _PARTICLES:
        last = trim(tokens, first, last - 1)
    roles = roles_of(field)
    placed = bool(roles) and roles[0][0].name in ("place", "system", "organisation", "role", "label")
    while last - first > 1 and (
        (
            (tokens[last - 1].stem in field.name_stems or tokens[last - 1].stem in map(stem, field.within))
            and not _is_written_name(tokens, last - 1)
        )
        or (placed and tokens[last - 1].text in field.described)
    ):
        last -= 1
    if {"address", "street"} & set(field.name_words) and bounds.numbered(last):
        last += 1
    if "address" in field.name_words:
        last = past_town(bounds, first, last)
    if roles and roles[0][0].name in ("person", "place", "organisation"):
        first = _proper_tail(tokens, first, last)
    if not roles or roles[0][0].name in ("name", "system", "code"):
        first, last = identifier(tokens, first, last)
    return [(first, last)] if last > first else []


def _is_written_name(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a word is part of a name, as its capital and that of the word before it say: "Mill Court"."""
    return tokens[at].text.istitle() and tokens[at - 1].text[0].isupper()


def past_town(bounds: Bounds, first: int, last: int) -> int:
    """The end of a whole address: a town behind the comma belongs to it when no other field holds the town."""
    tokens = bounds.tokens
    towns = any({"city", "town"} & set(leaf.name_words) for leaf in bounds.leaves)
    numbered = any(token.text[0].isdigit() for token in tokens[first:last])
    while not towns and numbered and last + 1 < len(tokens) and tokens[last].text == ",":
        at = last + 1
        while at < len(tokens) and tokens[at].text[0].isupper() and not bounds.blocked(at) and not bounds.timed(at):
            at += 1
        if at == last + 1:
            break
        last = at
    return last


def _proper_tail(tokens: tuple[Token, ...], first: int, last: int) -> int:
    """Of "son Leo" only the name, when plain words lead to words with capitals."""
    capital = next((at for at in range(first, last) if tokens[at].text[0].isupper()), first)
    if any(not token.text.isalpha() or token.lower in ("and", "or") for token in tokens[first:capital]):
        return first
    return (
        capital if all(token.text[0].isupper() or not token.text.isalpha() for token in tokens[capital:last]) else first
    )


def identifier(tokens: tuple[Token, ...], first: int, last: int) -> tuple[int, int]:
    """Of "test checkout_flow" only what is written as an identifier, when the rest is plain words."""
    marked = [
        at
        for at in range(first, last)
        if not tokens[at].text.rstrip(".").isalpha()
        and any(c.isalpha() for c in tokens[at].text)
        and "'" not in tokens[at].text
    ]
    plain = all(token.text.islower() for at, token in enumerate(tokens[first:last], first) if at not in marked)
    return (marked[0], marked[0] + 1) if len(marked) == 1 and plain and last - first > 1 else (first, last)


def clean(text: str) -> str:
    """The text without quotes and punctuation around it."""
    return text.strip().strip("\"'").strip(" ,;:.!?")
