"""String fields that ask for a shape: an address, an identifier, a path, a code, or something like an example."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from signalbox.language.units import CURRENCIES
from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.figures.counted import is_bare
from signalbox.models.offline.fill.options.directions import agreement, side_of
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.literals import Literal, find_literals, kinds_wanted, shape_of
from signalbox.models.offline.fill.texts.numbered import digits_asked, find_lettered, is_label
from signalbox.models.offline.fill.texts.roles import cues_of, roles_of
from signalbox.models.offline.fill.texts.sorts import sort_of

__all__ = ["find_names", "has_shape"]

_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?([./-])\d\d?\1\d{4}")
_CODE = re.compile(r"[A-Za-z]*[A-Z0-9][\w./-]*")
_WRITTEN_NUMBER = re.compile(r"(?<![\w.$€£])#?\s?(\d{1,20})(?![\w%./-]\w|\w|%)")
_NUMBERED = re.compile(r"(?:the )?number\b(?! plate| of (?!the\b))", re.IGNORECASE)
_EDGES = " ,;:!?()[]{}\"'"
_SHORT_CODE = re.compile(r"[A-Za-z]{1,4}-?\d+")
_PARTED_CODE = re.compile(r"(?<![\w-])([A-Za-z]{1,4}) (\d{1,6})(?![\w%.:/-]\w|\w|%)")
_CODE_PARTS = re.compile(r"[A-Z0-9-]{1,8}(?: [A-Z0-9-]{1,8}){1,3}")
_PLATES = re.compile(r"\b(?:plates?|registration (?:number|mark)|post ?codes?|postal code)\b")
_OWN_SHAPES = word_set("ip host url email mac uuid")
_IDENTIFYING = word_set("system code file name label tag value")
_IDENTIFIED = word_set("id ids key number no code reference ref sku identifier serial")
_LOGIN = re.compile(r"\b(?:id|ids|identifier|number|no|code|handle|login|account|user ?name|user|e-?mail)\b")
_UNSPACED = re.compile(r"\b(?:without|no) (?:any )?(?:spaces?|blanks?|gaps?)\b", re.IGNORECASE)
_ENDING = re.compile(
    r"\b(?:end(?:s|ing|ed)?|finish(?:es|ing)|last (?:\w+ )?digits)(?: (?:in|with|on|are|is))?:? *$", re.I
)
_WWW = re.compile(r"www\.[\w.-]+")


@lru_cache(maxsize=5_000)
def has_shape(field: Field) -> bool:
    """Whether only a thing of a given shape may fill the field."""
    if field.pattern or field.format in ("email", "uri", "url", "uuid", "ipv4", "ipv6", "ipvanyaddress", "hostname"):
        return True
    if digits_asked(field.description):
        return True
    if set(field.name_words) & {"email", "emails", "url", "uri", "uuid", "ip", "phone", "currency"}:
        return True
    shown = [str(one) for one in field.examples if isinstance(one, str)]
    if shown and all(_address_kind(one) in kinds_wanted(field.about, field.format) for one in shown):
        return True
    coded = bool(shown) and all(_CODE.fullmatch(one) and any(c.isdigit() for c in one) for one in shown)
    return coded and (bool(_IDENTIFIED & set(field.name_words)) or all(map(_is_mostly_digits, shown)))


@lru_cache(maxsize=1_000)
def _address_kind(example: str) -> str:
    """The kind of address or file that an example wholly is; empty when it is none."""
    found = find_literals(example)
    whole = len(found) == 1 and found[0].value == example and found[0].kind in _OWN_SHAPES | {"file"}
    return found[0].kind if whole else ""


def _is_mostly_digits(example: str) -> bool:
    letters, digits = sum(c.isalpha() for c in example), sum(c.isdigit() for c in example)
    return digits > 1 and digits >= letters


def find_names(reading: Reading, field: Field) -> list[Proposal]:
    """Proposals for a string field by shape."""
    return [
        *_by_kind(reading, field),
        *_by_pattern(reading, field),
        *_by_parts(reading, field),
        *_by_number(reading, field),
        *_by_currency(reading, field),
        *_by_digits(reading, field),
        *find_lettered(reading, field),
    ]


def _by_kind(reading: Reading, field: Field) -> Iterator[Proposal]:
    if not reading.literals:
        return
    wanted = tuple(
        dict.fromkeys(
            [
                *kinds_wanted(field.about, field.format),
                *_shown_kinds(tuple(one for one in field.examples if isinstance(one, str))),
            ]
        )
    )
    # Of several alike the first is the one that matters.
    seen: Counter[str] = Counter()
    by_name = kinds_wanted(" ".join(field.name_words) + " . ", field.format)
    for literal in reading.literals:
        if literal.kind == "url" and "url" not in wanted and _WWW.fullmatch(literal.value):
            literal = replace(literal, kind="host")
        if literal.kind == "quoted" or literal.kind not in wanted or not _allowed(field, literal.value):
            continue
        if literal.kind == "phone" and _DATE.fullmatch(literal.value):
            continue
        if literal.kind == "id" and "street" in by_name:
            continue
        if _plain_compound(reading, field, literal) or (literal.kind == "id" and _holds_person(field)):
            continue
        base = 0.82 if literal.kind in by_name else 0.7
        base -= 0.25 * (literal.kind == "phone" and not re.match(r"\+|0\d+[-/ ]|\(|\d{3}[-.]", literal.value))
        base -= 0.25 * (literal.kind not in _OWN_SHAPES and not _like_examples(field, literal.value))
        base -= 0.02 * wanted.index(literal.kind) + 0.01 * min(seen[literal.kind], 5)
        seen[literal.kind] += 1
        value = literal.value.replace(" ", "") if _UNSPACED.search(field.description) else literal.value
        yield Proposal(field, value, literal.start, literal.end, base + _nearby(reading, field, literal))


def _holds_person(field: Field) -> bool:
    """Whether a field holds somebody's name, which no identifier is."""
    coded = set(field.name_words) & _IDENTIFIED or field.examples or _LOGIN.search(field.about)
    return sort_of(field) == "person" and not coded


@lru_cache(maxsize=1_000)
def _shown_kinds(examples: tuple[str, ...]) -> tuple[str, ...]:
    """The kinds of literal that the examples are, where these leave no doubt."""
    found = [one for example in examples for one in find_literals(example)]
    return tuple(one.kind for one in found if one.kind in _OWN_SHAPES | {"file"})


def _plain_compound(reading: Reading, field: Field, literal: Literal) -> bool:
    """Whether "t-shirts" only looks like an identifier: it has no digit, and nothing asks for it."""
    if literal.kind != "id" or any(c.isdigit() for c in literal.value):
        return False
    if field.must and any(role.name in _IDENTIFYING for role, strength in roles_of(field) if strength > 0.8):
        return False
    return not reading.cue(field, literal.start, literal.end) and not _nearby(reading, field, literal)


def _like_examples(field: Field, value: str) -> bool:
    """Whether a value looks like one of the examples, if these have a look of their own."""
    shapes = [shape for example in field.examples if (shape := shape_of(str(example)))]
    return not shapes or any(re.fullmatch(shape, value) for shape in shapes)


def _nearby(reading: Reading, field: Field, literal: Literal) -> float:
    """More for a literal that the field's name or role announces."""
    before = reading.before(literal.start, 1)
    announced = cues_of(field).get((before[0].lower,), 0.0) if before else 0.0
    if not announced and side_of(field):
        announced = 0.8 * (agreement(field, reading.text, literal.start, literal.end) > 0)
    directed = not announced and bool({"source", "from", "origin", "cc", "bcc"} & set(field.name_words))
    named = 0.15 * _bears_initials(field, literal.value)
    return 0.2 * reading.cue(field, literal.start, literal.end) + 0.1 * announced - 0.15 * directed + named


def _bears_initials(field: Field, value: str) -> bool:
    """Whether a code begins with what the field is called for short: "PO-12" for the purchase order."""
    letters = re.match(r"[A-Za-z]{2,5}(?=[-_/#\d])", value)
    if not letters:
        return False
    said = letters.group().lower()
    return said == "".join(word[0] for word in field.name_words) or stem(said) in field.aliases


def _by_pattern(reading: Reading, field: Field) -> Iterator[Proposal]:
    shapes = [(field.pattern, 0.9)] if field.pattern else []
    if not field.pattern and not field.options:
        shapes += [(f"^{shape}$", 0.88) for example in field.examples if (shape := shape_of(str(example)))]
    for shape, score in shapes:
        try:
            compiled = re.compile(shape)
        except re.error:
            continue
        yield from _matching(reading, field, compiled, score)


@lru_cache(maxsize=5_000)
def _closeness(examples: tuple[str, ...], value: str) -> float:
    """More for a code with as many letters and digits in a row as an example has, less for one of another build."""
    builds = [_build(example) for example in examples if re.search(r"\d", example) and "." not in example]
    if not builds or _build(value) in builds:
        return 0.05 * bool(builds)
    letters = [re.sub(r"9+", "9", build) for build in builds]
    return 0.01 if re.sub(r"9+", "9", _build(value)) in letters else -0.04


def _build(value: str) -> str:
    """A code with A for each letter and 9 for each digit."""
    return re.sub(r"\d", "9", re.sub(r"[A-Za-z]", "A", value))


def _parted(reading: Reading, field: Field, shape: re.Pattern[str], score: float) -> Iterator[Proposal]:
    """A code of letters and digits that the person parts with a blank where the field has none: "xy 204"."""
    if not reading.has_digits:
        return
    shown = tuple(one for one in map(str, field.examples) if _SHORT_CODE.fullmatch(one))
    if not shown:
        return
    sizes = {sum(c.isascii() and c.isalpha() for c in one) for one in shown}
    for found in _PARTED_CODE.finditer(reading.text):
        sign = "-" if "-" in shown[0] else ""
        value = f"{found[1].upper()}{sign}{found[2]}"
        alike = any(one.lower().startswith(found[1].lower()) for one in shown)
        said = alike or (found[1].lower() not in STOP and (found[1].isupper() or not is_known(found[1].lower())))
        if said and len(found[1]) in sizes and shape.search(value):
            yield Proposal(field, value, found.start(), found.end(), score + _closeness(shown, value))


def _matching(reading: Reading, field: Field, shape: re.Pattern[str], score: float) -> Iterator[Proposal]:
    yield from _parted(reading, field, shape, score)
    shown = tuple(map(str, field.examples))
    for found in re.finditer(r"\S+", reading.text):
        raw = found.group()
        word = raw.strip(_EDGES).removesuffix(".")[:200]
        if not word or word in ("I", "A") or (value := _fitting(shape, word)) is None:
            continue
        if (not field.pattern and _DATE.fullmatch(word)) or not _telling(field, word):
            continue
        start = found.start() + raw.find(word)
        if word.isdigit() and not _may_label(reading, field, start, start + len(word)):
            continue
        strange = word.isdigit() and bool(shown) and _build(word) not in map(_build, shown) and not field.pattern
        if strange and not reading.cue(field, start, start + len(word)):
            continue
        bonus = 0.08 * reading.cue(field, start, start + len(word)) + 0.06 * _shares_stem(field, value)
        bonus += _closeness(shown, value)
        yield Proposal(field, value, start, start + len(word), score + bonus - 0.02 * (value != word))


def _fitting(shape: re.Pattern[str], word: str) -> str | None:
    """A word as a shape takes it: as it is, without the sign before a number, or a code in other letters."""
    if shape.search(word):
        return word
    if word.isalpha():
        return None
    cases = (word.upper(), word.lower()) if any(c.isdigit() for c in word) else ()
    return next((one for one in (word.lstrip("#"), *cases) if shape.search(one)), None)


def _by_parts(reading: Reading, field: Field) -> Iterator[Proposal]:
    """A code of several parts, taken whole: by a pattern or example with blanks, or as plates and postcodes are."""
    if field.options or not (shapes := _part_shapes(field)):
        return
    words = list(re.finditer(r"\S+", reading.text))
    for size in (4, 3, 2):
        for at in range(len(words) - size + 1):
            start, end = words[at].start(), words[at + size - 1].end()
            said = reading.text[start:end].rstrip(_EDGES + ".")
            value = said.lstrip(_EDGES)
            start, end = start + len(said) - len(value), start + len(said)
            fits = next((one for one in (value, value.upper()) for s in shapes if s.fullmatch(one)), None)
            plain = any(
                (part.islower() and is_known(part) and len(part) > 2)
                or (part.lower() in STOP and not (part.isupper() and len(part) > 1))
                or re.fullmatch(r"\d+(?:st|nd|rd|th)", part.lower())
                for part in value.split()
            )
            if fits and not plain and any(c.isdigit() for c in fits):
                yield Proposal(field, fits, start, end, 0.93 + 0.01 * size + 0.2 * reading.cue(field, start, end))


@lru_cache(maxsize=5_000)
def _part_shapes(field: Field) -> list[re.Pattern[str]]:
    """Patterns for codes with blanks inside."""
    if field.pattern:
        try:
            return [re.compile(field.pattern)] if re.search(r" |\\s", field.pattern) else []
        except re.error:
            return []
    shown = [str(one) for one in field.examples if _CODE_PARTS.fullmatch(str(one)) and not str(one).isdigit()]
    shapes = [" ".join(map(_part_shape, one.split())) for one in shown if re.search(r"[A-Z]", one)]
    if _PLATES.search(field.about):
        shapes += [r"(?=\S*\d)(?=\S*[A-Z])[A-Z0-9]{2,4} [A-Z0-9]{2,4}"]
    return [re.compile(shape) for shape in shapes]


def _part_shape(part: str) -> str:
    """Letters or digits about as long as those of the example; where it mixes them, any mixture."""
    if "-" not in part and re.search(r"\d", part) and re.search(r"[A-Z]", part):
        return rf"(?=\S*\d)(?=\S*[A-Z])[A-Z0-9]{{2,{len(part) + 1}}}"
    runs = re.findall(r"[A-Z]+|\d+|-", part)
    return "".join("-" if r == "-" else f"{'[A-Z]' if r.isalpha() else '[0-9]'}{{1,{len(r) + 1}}}" for r in runs)


def _may_label(reading: Reading, field: Field, start: int, end: int) -> bool:
    """Whether digits may be a label: the field is named, or the number measures, bounds and counts nothing."""
    if reading.cue(field, start, end) or (field.pattern and not _is_loose(field.pattern)):
        return True
    if any(phrase.start <= start and end <= phrase.end for phrase in reading.times):
        return False
    number = next((q for q in reading.quantities if q.start <= start < q.end), None)
    return number is None or is_bare(reading, number)


@lru_cache(maxsize=1_000)
def _is_loose(pattern: str) -> bool:
    """Whether a pattern takes plain words and plain numbers alike, and so proves nothing."""
    return bool(re.search(pattern, "word")) and bool(re.search(pattern, "8"))


def _telling(field: Field, word: str) -> bool:
    """A pattern that any plain word would fit proves nothing by itself."""
    return not word.isalpha() or word.isupper() or not re.search(field.pattern or "^$", "word")


def _shares_stem(field: Field, value: str) -> bool:
    """Whether a value begins with the letters of an example: eth1 like eth0."""
    letters = value.lower().rstrip("0123456789/:.-_")
    return letters.isalpha() and any(str(example).lower().startswith(letters) for example in field.examples)


def _by_number(reading: Reading, field: Field) -> Iterator[Proposal]:
    """A plain number for an identifier that is written as text: "order 4411"."""
    if not reading.has_digits:
        return
    shown = [str(one) for one in field.examples]
    told = bool(_NUMBERED.match(field.description)) and (not shown or any(one[:1].isdigit() for one in shown))
    coded = bool(shown) and all(_CODE.fullmatch(one) and any(c.isdigit() for c in one) for one in shown)
    # "line 18", "platform 4": a number right behind the name of a field for text.
    named = sort_of(field) == "thing" and not has_shape(field)
    if field.pattern or not (told or coded or named or set(field.name_words) & _IDENTIFIED):
        return
    for found in _WRITTEN_NUMBER.finditer(reading.text):
        cue = reading.cue(field, found.start(), found.end())
        hashed = "#" in found.group()
        if not hashed and not _may_label(reading, field, found.start(1), found.end(1)):
            continue
        before = reading.before(found.start(), 1)
        behind = told and bool(before) and (before[0].stem in field.words or before[0].lower in ("the", "number"))
        if any(one.start < found.start(1) < one.end for one in reading.literals if one.kind in ("id", "path")):
            continue
        if not told and not set(field.name_words) & _IDENTIFIED:
            measures = any(q.start == found.start(1) and q.end > q.number_end for q in reading.quantities)
            if cue < 0.9 or (not coded and (measures or not is_label(reading, found.start(1), found.end(1)))):
                continue
        if behind and not (cue or hashed):
            yield Proposal(field, found[1], found.start(1), found.end(1), 0.55)
        elif cue or hashed or (field.must and len(found[1]) > 3):
            yield Proposal(field, found[1], found.start(1), found.end(1), 0.6 + 0.3 * cue + 0.1 * hashed)


def _by_digits(reading: Reading, field: Field) -> Iterator[Proposal]:
    """A number of just as many digits as the description asks for, told as an ending or standing for nothing else."""
    if not (size := digits_asked(field.description)) or field.pattern:
        return
    for found in re.finditer(rf"(?<![\w.,$€£-])\d{{{size}}}(?![\w%]|[.,:/-]\d)", reading.text):
        ends = bool(_ENDING.search(reading.text, 0, found.start()))
        if ends or reading.cue(field, *found.span()) or (field.must and _may_label(reading, field, *found.span())):
            yield Proposal(field, found.group(), *found.span(), 1.05 if ends else 0.9)


def _by_currency(reading: Reading, field: Field) -> Iterator[Proposal]:
    if "currency" not in field.name_words:
        return
    for token in reading.sentence.tokens:
        if code := CURRENCIES.get(token.lower):
            yield Proposal(field, code, token.start, token.end, 0.85, shared=True)
        elif re.fullmatch(r"[A-Z]{3}", token.text):
            yield Proposal(field, token.text, token.start, token.end, 0.7)


def _allowed(field: Field, value: str) -> bool:
    if field.longest is not None and len(value) > field.longest:
        return False
    try:
        return not field.pattern or re.search(field.pattern, value) is not None
    except re.error:
        return True
