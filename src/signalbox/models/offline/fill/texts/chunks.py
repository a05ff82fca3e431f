"""The pieces of a sentence that no closed value explains: names, noun phrases and texts in quotes, each whole."""

from __future__ import annotations

from dataclasses import dataclass

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.everyday import CITIES
from signalbox.models.offline.fill.english.lexicon import (
    AUXILIARIES,
    BASE_VERBS,
    FIRST_NAMES,
    KINSHIP,
    is_past,
    is_verb_form,
)
from signalbox.models.offline.fill.english.name_endings import bearer_of
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import DEGREES, STOP, Token
from signalbox.models.offline.fill.texts.sorts import asks_work, is_common, is_occupation

__all__ = ["Chunk", "ends_full_name", "find_chunks", "is_verb", "tells_of_noun"]

_LONGEST_RUN = 24
_BRIDGES = word_set("of the de van von der den la le du di da del al & 's")
_CONTRACTED = ("'d", "'ll", "'ve", "'re", "'m")
_INSIDE_TITLES = word_set("for and in on with to")
_PLACING = word_set("in on at by from to into onto with for near under behind inside during")
_IDIOMS = frozenset(
    tuple(row.split())
    for row in (
        "in charge,in total,in advance,in person,in time,in stock,in need,in case,in short,in general,in addition,"
        "on time,"
        "on purpose,on top,on board,on hand,on foot,on request,by hand,by mistake,by chance,at home,at once,at last,"
        "for sure,for free,for good,for example,of course,as usual,as possible"
    ).split(",")
)
_LATIN = ("us", "a", "um", "is", "ii", "ae", "ens", "ans", "or", "ur")
# What a measure is of: "24 metres long".
_EXTENTS = word_set("long wide high tall deep thick old away apart heavy broad across early late ago worth")
# Forms that are nothing but verbs.
_PAST = word_set(
    """went became came took gave got said told knew began broke forgot kept brought bought sent wrote fell stood ran
    held met paid sold sat slept spoke spent stole struck swam taught thought threw understood wore won drove ate drank
    flew froze grew hid hung led rang rose sang sank shook stuck swore tore woke caught dealt meant heard built
    goes comes gets gives brings sends becomes keeps lets wants arrives departs exceeds contains includes receives
    requires belongs happens seems lies tells says"""
)
_PARTICIPLES = word_set("gone taken done stolen given brought sold sent broken torn lost")
_PARTICLES = word_set("away off out up down back")
_AROUND_NOUNS = STOP | POS["stops"] | POS["articles"] | _PARTICLES
_PARTNERS = word_set("co co. sons son daughters partners company associates brothers friends")
_DETERMINERS = word_set("the a an my our your his her their this these those")
_ALL = word_set("it them everything all both each every")
_BEFORE_VERBS = (
    word_set("to i we you he she they it who which that please pls plz and then also just never not us me him her them")
    | AUXILIARIES
)
_GREETED = word_set("morning afternoon evening day night")
_NEVER = (
    STOP
    | DEGREES
    | POS["stops"]
    | POS["pronouns"]
    | POS["polite"]
    | POS["articles"]
    | AUXILIARIES
    | word_set(
        "hi hello hey hiya dear greetings morning afternoon evening cheers regards ta ok okay sorry yes no "
        "asap fyi btw "
        "name's outside opposite beside behind along across beyond inside against towards toward past onto off "
        "alongside beneath worth something anything nothing everything"
    )
)
_NAMED = FIRST_NAMES | CITIES
_SMALL = STOP | POS["stops"]
_NO_VERBS = _NEVER | FIRST_NAMES
_LEADING_ON = _BEFORE_VERBS - {"and", "that"}
_DETERMINING = _DETERMINERS | _ALL
_LINKING = _BRIDGES | _INSIDE_TITLES
_REQUESTED = POS["kinds"] | POS["blanks"] | POS["verbs"] | KINSHIP
_BLANKS = POS["kinds"] | POS["blanks"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens `first` up to `last` that belong together. Kinds: quoted, code, proper, small, plain and mixed.

    `small` are words in small letters that may be a name; `mixed` are plain words with a name among them.
    """

    first: int
    last: int
    kind: str
    value: str
    start: int
    end: int


def find_chunks(bounds: Bounds) -> list[Chunk]:
    """All chunks, left to right; a name behind plain words is a chunk of its own."""
    found: list[Chunk] = []
    at = 0
    while at < len(bounds.tokens):
        solid = _solid(bounds, at)
        if solid is not None:
            found.append(solid)
            at = max(solid.last, at + 1)
            continue
        last = _run(bounds, at)
        if last > at:
            found += _parts(bounds, at, last)
        at = max(last, at + 1)
    return found


def _solid(bounds: Bounds, at: int) -> Chunk | None:
    """A text in quotes or a code that begins at a token."""
    start = bounds.tokens[at].start
    for one in bounds.reading.literals:
        if (
            one.start == start
            and one.kind not in ("phone", "version")
            and not bounds.taken.overlaps(one.start, one.end)
        ):
            kind = "quoted" if one.kind == "quoted" else "code"
            if kind == "code" and not any(c.isdigit() or c in "@/._" for c in one.value):
                continue
            last = bounds.sentence.index_at(one.end - 1) + 1
            return Chunk(at, last, kind, one.value, one.start, one.end)
    return None


def _run(bounds: Bounds, first: int) -> int:
    """Where the run of words that begins at a token ends."""
    tokens, last = bounds.tokens, first
    while last < min(len(tokens), first + _LONGEST_RUN) and (last == first or _solid(bounds, last) is None):
        if not _is_word(bounds, last):
            joins = last > first and _bridges(bounds, last)
            if not joins:
                break
        last += 1
    return last


def _bridges(bounds: Bounds, at: int) -> bool:
    """Whether a small word stands inside a name: "House of Cards"."""
    tokens = bounds.tokens
    if tokens[at].lower in ("of", "the") and ends_full_name(bounds, at):
        return False
    ahead = at + 1
    while ahead < len(tokens) and tokens[ahead].lower in _BRIDGES and ahead - at < 2:
        ahead += 1
    if tokens[at].lower in ("and", "&") and at + 1 < len(tokens) and tokens[at + 1].lower in _PARTNERS:
        return _named(bounds, at - 1)
    if tokens[at].lower in _INSIDE_TITLES and at + 1 < len(tokens):
        led = _named(bounds, at - 1) and bounds.tokens[at - 1].lower not in _NAMED
        return led and _named(bounds, at + 1) and _is_plain_noun(bounds, at + 1)
    return (
        tokens[at].lower in _BRIDGES
        and ahead < len(tokens)
        and _named(bounds, at - 1)
        and _named(bounds, ahead)
        and _is_word(bounds, ahead)
    ) or (tokens[at].lower in _BRIDGES and tokens[at - 1].lower in _BRIDGES and at > 1 and _bridges(bounds, at - 1))


def ends_full_name(bounds: Bounds, last: int) -> bool:
    """Whether somebody's first name and surname end here: Ann Lee "of the Mill Club" is Ann Lee."""
    return (
        last > 1
        and bounds.tokens[last - 2].lower in FIRST_NAMES
        and _named(bounds, last - 2)
        and _named(bounds, last - 1)
    )


def _is_plain_noun(bounds: Bounds, at: int) -> bool:
    """Whether a word would be a common one without its capital, and so belongs to a title: "Art for Kids"."""
    return is_common(bounds.tokens[at].lower) and _is_word(bounds, at) and not bounds.opens_part(at)


def _named(bounds: Bounds, at: int) -> bool:
    return bounds.tokens[at].text[0].isupper()


def _is_word(bounds: Bounds, at: int) -> bool:
    token = bounds.tokens[at]
    if bounds.blocked(at) or bounds.timed(at) or not token.text[0].isalnum() or bounds.in_quotes(at):
        return False
    if bounds.in_quantity(at) and not _counts_in_name(bounds, at):
        return False
    if token.text[0].isdigit():
        # A number ends a name ("Pier 7"), or is taken by a field that measures.
        return at > 0 and _named(bounds, at - 1) and bounds.tokens[at - 1].text.isalpha()
    if at and (bounds.tokens[at - 1].lower, token.lower) in _IDIOMS:
        return False
    if token.lower == "good" and at + 1 < len(bounds.tokens) and bounds.tokens[at + 1].lower in _GREETED:
        return False
    if at > 1 and bounds.tokens[at - 1].text == "-" and bounds.tokens[at - 1].start == bounds.tokens[at - 2].end:
        # The end of "two-way" is no word of its own.
        return bounds.tokens[at - 1].end < token.start
    if token.lower in _EXTENTS and any(q.last == at and q.dimension for q in bounds.reading.quantities):
        return False
    if _named(bounds, at) and not bounds.opens_part(at):
        return token.lower != "i" and not token.lower.endswith(_CONTRACTED)
    if token.lower in _NEVER or token.lower.endswith(_CONTRACTED) or is_verb(bounds, at):
        return False
    return at == 0 or not tells_of_noun(bounds, at)


def _counts_in_name(bounds: Bounds, at: int) -> bool:
    """Whether a number in words is part of a name, as its capital and that of the word before it say."""
    return at > 0 and _named(bounds, at) and _named(bounds, at - 1) and not bounds.opens_part(at - 1)


def is_verb(bounds: Bounds, at: int) -> bool:
    """Whether a word acts as a verb where it stands."""
    token = bounds.tokens[at]
    if token.lower in AUXILIARIES or token.text in _PAST or _takes_object(bounds, at) or _demands(bounds, at):
        return True
    if not (is_verb_form(token.lower) or token.lower in POS["verbs"]) or (
        _named(bounds, at) and not bounds.opens_part(at)
    ):
        return False
    if at <= bounds.begins or bounds.opens_part(at):
        following = bounds.tokens[at + 1].lower if at + 1 < len(bounds.tokens) else ""
        if token.lower.endswith("s") and token.lower not in BASE_VERBS | POS["verbs"] and following in _PLACING:
            # Nobody is told "visits": they are several.
            return False
        return not token.lower.endswith("ing") or following in STOP or not following.isalpha()
    before = bounds.tokens[at - 1]
    after = bounds.tokens[at + 1].lower if at + 1 < len(bounds.tokens) else ""
    if before.lower in _BEFORE_VERBS or (_named(bounds, at - 1) and before.text.isalpha()):
        return True
    if token.text.endswith("s") and _is_code(before):
        # "K-12 shows an error."
        return True
    if token.text.islower() and is_past(token.lower) and after in _PLACING:
        return True
    if token.text.islower() and token.lower.endswith("s") and _is_subject(bounds, at - 1):
        return True
    if token.lower in BASE_VERBS and any(q.first == at + 1 and q.dimension for q in bounds.reading.quantities):
        # "For a stew take 500 g of beef."
        return True
    if before.text in (",", ";") and (after in _SMALL or after.isdigit()):
        return token.lower in BASE_VERBS or (token.lower[:-1] in BASE_VERBS and token.lower.endswith("s"))
    # In the middle of plain words only what an object follows: "they in the office use the lift".
    objects = after in POS["pronouns"] or after in POS["articles"] or after == "to"
    return objects and before.lower not in POS["articles"] and not token.lower.endswith("ing")


def tells_of_noun(bounds: Bounds, at: int) -> bool:
    """Whether a participle behind a noun ends it: "I want the piano moved", "a bike stolen in May"."""
    word, before = bounds.tokens[at], bounds.tokens[at - 1]
    told = word.lower in _PARTICIPLES or (len(word.text) > 5 and word.text.endswith("ed") and is_past(word.lower))
    if not told or not word.text.islower() or not before.text.isalpha() or before.lower in _AROUND_NOUNS:
        return False
    following = bounds.tokens[at + 1] if at + 1 < len(bounds.tokens) else None
    ends = following is None or not following.text[0].isalnum() or bounds.blocked(at + 1) or bounds.timed(at + 1)
    return ends or (following is not None and following.lower in _AROUND_NOUNS)


def _is_subject(bounds: Bounds, at: int) -> bool:
    """Whether a code stands here, which does what follows: "pump P-7 shows E2"."""
    token = bounds.tokens[at]
    coded = token.text[0].isalpha() and any(c.isdigit() for c in token.text)
    return coded or (bounds.in_literal(at) and not bounds.in_quotes(at))


def _takes_object(bounds: Bounds, at: int) -> bool:
    """Whether any word at all is a verb, because of who stands before it and what behind: "Ann glazes the pots"."""
    token = bounds.tokens[at]
    if at == bounds.begins and token.text.isalpha() and at + 1 < len(bounds.tokens):
        # "Roll the carpet out": what opens a request before an article is a verb.
        known = is_known(token.lower) and token.lower not in _NO_VERBS
        return known and bounds.tokens[at + 1].lower in _DETERMINERS
    if not token.text.islower() or not token.text.isalpha() or at == 0 or at + 1 >= len(bounds.tokens):
        return False
    before = bounds.tokens[at - 1]
    acted = (_named(bounds, at - 1) and before.text.isalpha()) or before.lower in _LEADING_ON
    return acted and bounds.tokens[at + 1].lower in _DETERMINERS and token.lower not in _NEVER


def _demands(bounds: Bounds, at: int) -> bool:
    """Whether any word at all that opens a sentence is a demand, because of what stands behind it: "Dim the lamps"."""
    if not (at <= bounds.begins or bounds.opens_part(at)) or at + 2 >= len(bounds.tokens):
        return False
    token, following, thing = bounds.tokens[at : at + 3]
    # But "Rex the Boxer".
    demanded = following.text in _DETERMINING and not thing.text[0].isupper()
    return demanded and token.text.isalpha() and token.lower not in _NO_VERBS


def _is_code(token: Token) -> bool:
    return any(c.isdigit() for c in token.text) and any(c.isalpha() for c in token.text)


def _parts(bounds: Bounds, first: int, last: int) -> list[Chunk]:
    """A run as chunks: plain words and the name behind them apart, and both together."""
    tokens = bounds.tokens
    while last > first and (tokens[last - 1].lower in _BRIDGES or _is_dull(bounds, last - 1)):
        last -= 1
    while first < last and _is_dull(bounds, first):
        first += 1
    if first == last:
        return []
    capital = next((at for at in range(first, last) if _named(bounds, at) and not bounds.opens_part(at)), None)
    if capital is None:
        if (trade := _end_of_trade(bounds, first, last)) < last:
            return [*_parts(bounds, first, trade), *_parts(bounds, trade, last)]
        words = tokens[first:last]
        proper = bounds.cased and all(word.text.istitle() for word in words) and _opens_name(bounds, first, last)
        proper = proper or _is_city(words) or (words[0].lower in FIRST_NAMES and len(words) > 1 and not bounds.cased)
        strange = words[:-1] if len(words) > 1 and bearer_of(words[-1].text) else words
        small = not bounds.cased and not any(is_common(word.lower) for word in strange)
        return [_chunk(bounds, first, last, "proper" if proper else ("small" if small else "plain"))]
    if capital + 1 < last and _named(bounds, capital + 1) and bounds.titles(tokens[capital]):
        capital += 1
    end = capital
    while end < last and (_named(bounds, end) or tokens[end].lower in _LINKING or tokens[end].text[0].isdigit()):
        end += 1
    while end > capital + 1 and tokens[end - 1].lower in _BRIDGES:
        end -= 1
    end += end == last - 1 == capital + 1 and _is_strange(tokens[end])
    opens = bounds.opens_part(first) and _named(bounds, first) and capital == first + 1
    opening = opens and not _is_request(bounds, first)
    # "FAQ" and "PCs" are common nouns as often as names.
    letters = tokens[capital].text.removesuffix("s")
    short = letters.isupper() and 1 < len(letters) + (letters == tokens[capital].text) < 6 and end == capital + 1
    short = short and not opening
    name = _chunk(bounds, first if opening else capital, end, "plain" if short else "proper")
    found = [name]
    if (first, last) != (name.first, name.last):
        if tokens[first].lower not in KINSHIP:
            found.append(_chunk(bounds, first, last, "mixed"))
        if last > end:
            found += _parts(bounds, end, last)
    return found


def _end_of_trade(bounds: Bounds, first: int, last: int) -> int:
    """Of "baker ely", without capitals, where the trade ends and a name begins; the end where nothing parts them."""
    if bounds.cased or not any(map(asks_work, bounds.fields)):
        return last
    parted = (at for at in range(first + 1, last) if is_occupation(bounds.tokens[at - 1].text))
    return next((at for at in parted if not is_common(bounds.tokens[at].lower)), last)


def _is_strange(token: Token) -> bool:
    """Whether a word in small letters is no English one, as the second of a botanical name."""
    return token.text.islower() and token.text[3:].endswith(_LATIN) and not is_common(token.lower)


def _is_framed(bounds: Bounds, token: Token) -> bool:
    """Whether a word is one of the schema's own, and not a name that only sounds like it: Record, but not Recorde."""
    return token.stem in bounds.frame and (token.lower == token.stem or is_known(token.lower))


def _is_dull(bounds: Bounds, at: int) -> bool:
    """Whether a word in small letters only says what the schema speaks of."""
    token = bounds.tokens[at]
    if not token.text.islower() and not bounds.opens_part(at):
        return False
    if _named(bounds, at) and at + 1 < len(bounds.tokens) and _named(bounds, at + 1):
        return _is_framed(bounds, token) or token.lower in _BLANKS
    return token.stem in bounds.frame or token.lower in _BLANKS or bounds.nearly_frame(token)


def _is_city(words: tuple[Token, ...]) -> bool:
    return len(words) == 1 and words[0].lower in CITIES


def _opens_name(bounds: Bounds, first: int, last: int) -> bool:
    """Whether words with capitals that open a sentence are a name: two of them, a first name, or one who acts."""
    if _is_common(bounds.tokens[first]):
        return False
    if last - first > 1 or bounds.tokens[first].lower in FIRST_NAMES or not bounds.opens_part(first):
        return True
    following = bounds.tokens[last] if last < len(bounds.tokens) else None
    if following is None or following.text in (",", ":", ";", "(", "-", "'s"):
        return True
    if following.text == "by" and last + 1 < len(bounds.tokens) and _named(bounds, last + 1):
        # "Irises by Van Gogh"
        return not bounds.timed(last + 1)
    return following.lower in AUXILIARIES or is_verb(bounds, last)


def _is_common(token: Token) -> bool:
    """Whether a word that opens a sentence is rather a common word than the beginning of a name."""
    return token.lower not in FIRST_NAMES and (is_verb_form(token.lower) or is_known(token.lower))


def _is_request(bounds: Bounds, at: int) -> bool:
    """Whether a word that opens a sentence asks for something or names a field, so that the name begins behind it."""
    token = bounds.tokens[at]
    if token.lower in FIRST_NAMES:
        return False
    dull = _is_framed(bounds, token) or token.lower in _REQUESTED
    return dull or is_verb_form(token.lower)


def _chunk(bounds: Bounds, first: int, last: int, kind: str) -> Chunk:
    start, end = bounds.sentence.span(first, last)
    value = bounds.sentence.slice(first, last)
    if kind == "proper" and value.endswith(("'s", "\u2019s")):
        value, end = value[:-2], end - 2
    return Chunk(first, last, kind, value, start, end)
