"""Which words of a question a plan holds, which of them speak of its measure, and what is left."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.labels import own_words
from signalbox.agents.metrics.offline.second_measure import RESTS
from signalbox.agents.metrics.plan import HOW, KINDS, ORDERS, SCOPES, SIDES, MetricsPlan
from signalbox.agents.metrics.vocabulary import LABEL_WORDS, label_kind
from signalbox.language.mentions import Mention
from signalbox.language.names import close
from signalbox.language.synonyms import ASKED, FILLERS, LIGHT, alike, base
from signalbox.language.time.stretches import is_time_word
from signalbox.language.units import dimension_of
from signalbox.language.vectors import is_known
from signalbox.language.words import read_words, split_name, stem

__all__ = [
    "FULL",
    "LEAVES_OUT",
    "NEGATIONS",
    "OF_SCHEMA",
    "check_certain",
    "decisive",
    "end_of",
    "measure_fits",
    "places_of",
    "strange_in",
    "uncovered",
    "unexplained",
]

_LONGEST = 400
_GAP = r"[\s,]+"
_ALIKE, _SAME = 0.6, 0.8
"""How alike a word must be to one of a name, and to one of a help text or of what things are called."""
_BEHIND = re.compile(
    r"\s+(?:(?:\w+ed|lost|made|sold)\s+)?(?:through|at|in|on|about|with|near|under|behind|from|across|by)\b", re.I
)
_SHORTEST, _MOST = 3, 8
OF_SCHEMA = frozenset(
    base(word)
    for options in (KINDS, HOW, ORDERS, SIDES, SCOPES)
    for about in (*options, *options.values())
    for word, *_ in read_words(about)
)
NEGATIONS = frozenset(
    """not never no none without neither nor isn aren wasn weren don doesn didn cannot hasn haven won isnt arent wasnt
    werent dont doesnt didnt cant""".split()
)
"""Words that turn a question round, as they are when a word ends at its apostrophe."""
_NAME = re.compile(
    r"[\"“`][^\"”`]{1,80}[\"”`]|(?<![\w./-])(?:-?\d[\w.,:%/-]*|[A-Za-z][\w.]*(?:[-_/:][\w.]+)+"
    r"|(?<=[a-z,] )[A-Z][\w-]+|\b[a-z]{1,3}[A-Z]\w*)"
)
_UNREAD = re.compile(
    r"\b(?:(?P<not>not|never|none|neither|nor|no(?! (?:more|less|fewer|later)\b)|\w+n['’]t|cannot)"
    r"|(?P<out>without|except|excluding|ignoring|besides|unless|other than)"
    r"|(?P<since>since(?! when)|until|before)|(?P<than>(?<!rather )(?<!other )than)|while|whenever|as long as"
    r"|because|due to|during|after|recently|lately)\b"
    r"(?:\s+[^\s,.;?!]+){0,3}", re.I,
)  # fmt: skip
"""Words that turn a question round, or that begin a condition or a time."""
_COMPARING = ("comparison", "threshold", "forecast")
LEAVES_OUT = re.compile(
    r"\b(?:without|except(?: for)?|excluding|ignoring|besides|other than|apart from|not counting|leaving out)\s+"
    r"(?:(?:the|any|all|those)\s+)?", re.I,
)  # fmt: skip
_OF_THIS = re.compile(r"\s+(?:of|from)\s+(?:the\s+|our\s+|all\s+)?(?P<name>[a-z]{3,})", re.I)
_DOES = re.compile(r"\b(?:do|does|did|can|could)\b", re.I)
_ENDS = re.compile(r"\W*(?:$|(?:at|in|on|now|right|today|yesterday|during|over|for|since)\b)", re.I)
_BEEN = re.compile(r"\b(?:is|are|was|were|been|being|got|gets?)\s+(?=[a-z])", re.I)
_WITH_OBJECT = re.compile(r"\s+(?:the|an?|most|least|more|less|too|so|our|their|its|all)\b", re.I)
_SUPERLATIVE = re.compile(r"[a-z]{3,}est")
_ANYTHING = frozenset("people persons folks items pieces units things".split())
_ANYWHERE = re.compile(r"(?:any|every|some|no)(?:where|thing|one|body)$")
_LENGTH_ASKED = re.compile(r"\W*how (?:long|many (?:minutes|hours|days|weeks))\b", re.I)
_OF = re.compile(r"\b(?:of|for|via|from)\s+(?:the\s+|our\s+|an?\s+)?(?P<name>[a-zA-Z]{3,})", re.I)
_OF_SUCH = re.compile(r"\b(?:from|by|for|of)\s+(?:the\s+|our\s+)?(?P<such>[a-z]{3,})\s+(?P<kind>[a-z]{3,})\b")
_EVERY = frozenset(map(base, "all every each the any our both these those different single other".split()))
_NAMED = re.compile(r"\b(?:of|for|via|from|on|at)\s+(?:the\s+|our\s+)?$", re.I)
FULL = frozenset("full fuller fullest emptier emptiest".split())
"""Words that ask how much is taken of all there is."""
_OF_WHOLE = FULL | frozenset("free spare vacant unused available fit fits".split())
"""Words that ask for what is taken, or not, of all there is: another measure than what there is."""
_PLAIN_ESTS = frozenset(
    "latest test rest request guest interest forest harvest west invest contest nearest protest digest ingest manifest "
    "honest modest arrest suggest quest zest crest".split()
)
_LOW = frozenset(
    map(stem, """low small cold cool light short dry weak quiet young shallow empty few cheap thin narrow calm rare
        scarce near soft dim dark new recent early slim close faint gentle tiny little poor lean clean pure
        idle slack""".split())
)  # fmt: skip
"""Adjectives, without their endings, of which more is less of what is measured."""
_LIGHT = 0.45
_BY_UNIT = 0.5
"""So much a unit says of what is measured: the most kg."""
_MOSTLY = 3.0
"""So many times as much that is strange as is explained says that something else is asked for."""
_ASKING = frozenset({"what", "who", "which", "that"})
_OF_STATES = ("status", "result")
"""Kinds of labels whose words speak of any state."""


def end_of(word: str) -> str:
    """Return which end a superlative or comparative asks for, highest or lowest; empty for any other word. What is
    slow or fast depends on what is measured."""
    plain = re.fullmatch(r"([a-z]{2,}?)(?:i?e(?:st|r))", word)
    if plain is None or word in _PLAIN_ESTS or plain[1] in ("slow", "fast", "quick"):
        return ""
    root = plain[1][:-1] if plain[1][-1] == plain[1][-2] else plain[1]
    return "lowest" if {stem(one) for one in (plain[1], root, f"{plain[1]}y", f"{plain[1]}e")} & _LOW else "highest"


def places_of(plan: MetricsPlan, text: str) -> list[tuple[int, int]]:
    """Return where the words of a plan stand in the question."""
    texts = [plan.named, plan.bound, plan.lasting, plan.time, plan.against, plan.per, plan.less, plan.also, plan.unit]
    texts += [*plan.filters, *plan.excluded, *plan.split_by, *plan.percentiles, str(plan.top or "")]
    spelt = [_GAP.join(map(re.escape, re.split(_GAP, one.strip()))) for one in texts if one.strip()]
    found = [re.finditer(rf"(?<!\w){one}(?!\w)", text, re.I) for one in spelt]
    return [one.span() for some in found for one in some]


def measure_fits(
    plan: MetricsPlan, text: str, offer: Offer, things: Iterable[str] = (), elsewhere: Collection[str] = ()
) -> bool:
    """True if the question may well speak of this measure. `things` are the names of its labels and values, and
    `elsewhere` the words that search explains by any measure of the server.

    A rare word right before those of the measure says that another one is meant: the florbulator rate. Otherwise one
    word of the measure that is not used of everything, as "rate" is, must be in the question, and not only behind
    another that says what is measured: people through the door.
    """
    known, own = _known(offer, things), own_words(offer)
    explained = strange = told_of = 0.0
    # Which turnstiles: what it is split by may also be what is measured.
    for word, start, end, is_compound in _telling(plan.model_copy(update={"split_by": []}), text, known, known):
        weight, meant = _weight(word, known), ASKED.get(word, word)
        if _is_known(meant, own) or _is_known(meant, known, _SAME):
            explained, told_of = max(explained, weight), told_of + weight
            continue
        if weight == 1.0 and not told_of and _BEHIND.match(text[end:]):
            return False
        is_rare = not is_known(word) and word not in elsewhere
        is_rare = is_rare and not any(close(word, one) for one in (*FILLERS, *known))
        if is_compound and (is_rare or text[start:end].isupper()):
            return False
        strange += weight
    if _units_in(text) & _units_in(offer.title):
        explained, told_of = 1.0, told_of + _BY_UNIT
    return strange == 0.0 or (explained == 1.0 and strange < _MOSTLY * told_of)


def _units_in(text: str) -> set[tuple[str, str]]:
    """The units that words name, each with its dimension."""
    return {(dimension, unit) for word, *_ in read_words(text) for dimension, unit, _ in dimension_of(word)}


def uncovered(
    plan: MetricsPlan, text: str, offer: Offer, labels: Iterable[str], names: Sequence[str],
    mentions: Iterable[Mention] = (),
) -> tuple[str, ...]:  # fmt: skip
    """Return what the plan says it leaves out, and the names and conditions that no part of the query explains.
    `mentions` are the things of the server that stand in the question."""
    said = text[:_LONGEST]
    covered, known, told = places_of(plan, said), own_words(offer), _known(offer, labels)

    def is_free(start: int, end: int) -> bool:
        return not any(start < last and end > first for first, last in covered)

    def is_own(words: str) -> bool:
        spoken = {base(word) for word, *_ in read_words(words)}
        return bool(spoken) and spoken <= known

    found = [one for one in plan.not_covered if one.strip() and one.lower() in said.lower() and not is_own(one)]
    for one in _NAME.finditer(said):
        words = one[0].strip('.,:?!"“”`')
        timed = all(map(is_time_word, words.split())) and (words.isalpha() or words[:1].isdigit())
        is_small = timed or words.lower() in FILLERS or bool(dimension_of(words))
        if words and is_free(*one.span()) and not is_small and not is_own(words):
            found.append(words)
    things = [one for one in mentions if one.end <= len(said) and is_free(one.start, one.end)]
    meant = [said[one.start : one.end] for one in things if not one.value.isdecimal()]
    strange = [one for one in meant if not one.isalpha() or _is_strange(one, told)]
    found += [one for one in (*names, *strange) if not is_own(one)]
    found = [one for one in found if not any(one in words for words in plan.filters)]
    ends = (
        plan.kind in ("ranking", "extreme")
        or plan.order
        or plan.how in ("highest", "lowest")
        or plan.top
        or plan.percentiles
        or plan.bound
    )
    for word, start, end in read_words(said):
        is_end = not ends and _SUPERLATIVE.fullmatch(word) and word not in _PLAIN_ESTS
        if is_end and is_free(start, end):
            found.append(word)
    kept = [one for one in dict.fromkeys(found) if not any(one != other and one in other for other in found)]
    return tuple(kept[:_MOST])


def check_certain(
    plan: MetricsPlan, text: str, offer: Offer, names: Collection[str], left: Sequence[str], *,
    is_state: bool = False, knows_not: bool = False,
) -> None:  # fmt: skip
    """Raise InvalidQueryError for a negation, condition or time that no part of the plan holds. If something is judged,
    nothing may be `left`. Of a question about states, which knows what a negation means, every word must be explained
    by the measure or by the `names` of its labels, values and states. `knows_not` says
    that a negation is part of the measure."""
    said = text[:_LONGEST]
    texts = [plan.time, plan.against, plan.bound, plan.lasting, *plan.filters, *plan.excluded, *plan.split_by]
    if not all(one.casefold() in said.casefold() for one in texts):
        return  # A plan in other words than those of the question cannot be held against them.
    covered = places_of(plan, said)
    named = places_of(plan.model_copy(update={"bound": "", "time": "", "against": ""}), said)
    words = []
    for one in _UNREAD.finditer(said):
        is_held = any(one.start() < b and one.end() > a for a, b in (named if one["not"] or one["than"] else covered))
        is_turned = bool(one["not"] or one["out"]) and bool(plan.excluded or plan.less or plan.kind == "share")
        is_turned = is_turned or (one["since"] is not None and bool(_LENGTH_ASKED.match(said)))
        is_turned = is_turned or (one["than"] is not None and bool(plan.kind in _COMPARING or plan.less or plan.per))
        is_known = is_turned or ((is_state or knows_not) and bool(one["not"]))
        words += [] if is_held or is_known else [one[0]]
    known = _known(offer, names)
    if not (plan.less or plan.per or plan.kind == "forecast"):
        asked = _OF_WHOLE - {*names}
        spoken = [one for one in read_words(said) if one.word in asked and base(one.word) not in known]
        words += [one.word for one in spoken if not any(one.start < b and one.end > a for a, b in covered)]
    if is_state or plan.kind == "threshold" or plan.bound:
        words += left
    if is_state:
        words += strange_in(plan, said, names, offer)
        words += [one.word for one in read_words(said) if _is_other_kind(one.word, names, known)]
    if words:
        raise InvalidQueryError(
            f'It is not clear what "{words[0]}" means here.', suggestion="Ask without it, or in other words."
        )


def strange_in(plan: MetricsPlan, text: str, names: Collection[str], offer: Offer | None = None) -> list[str]:
    """Return words of a question that neither the plan, a measure nor these names explain."""
    known = _known(offer, names) if offer else frozenset(base(one) for name in names for one in split_name(name))
    return [word for word, *_ in _telling(plan, text, known, known) if _is_strange(word, known)]


def _is_other_kind(word: str, names: Collection[str], known: frozenset[str]) -> bool:
    """True if a word asks for a kind of label that a measure of states does not have: which version is live."""
    kind = label_kind(word)
    if kind is None or kind in _OF_STATES or _is_known(word, known):
        return False
    return not {*LABEL_WORDS[kind]} & {*names}


def decisive(plan: MetricsPlan, text: str, offer: Offer, labels: Iterable[str]) -> list[tuple[str, bool]]:
    """Return words that no part of the query explains, and that stand where they may change what is meant, with whether
    they surely do: of softener, fax uploads, diesel price, were refunded, of zeus-9."""
    said = text[:_LONGEST]
    covered = places_of(plan, said)
    named = [
        (one[0].strip('.,:?!"“”`'), *one.span(), True)
        for one in _NAME.finditer(said)
        if _NAMED.search(said[: one.start()])
    ]
    named = [one for one in named if one[0][:1].isalpha() and not (one[0].isalpha() and is_time_word(one[0]))]
    own = own_words(offer)
    kinds = {kind for one in labels if (kind := label_kind(one))}
    for one in _OF_SUCH.finditer(said):
        # From new customers: a condition, where nothing tells customers apart.
        if (kind := label_kind(one["kind"])) and kind not in kinds and base(one["such"]) not in {*own, *_EVERY}:
            named.append((one["such"], *one.span("such"), True))
    placed = _placed(plan, said, _known(offer, labels), own)
    taken = [*covered, *((first, last) for _, first, last, _ in named)]
    found = [one for one in named if not any(one[1] < last and one[2] > first for first, last in covered)]
    found += [one for one in placed if not any(one[1] < last and one[2] > first for first, last in taken)]
    return [(word, is_firm) for word, _, _, is_firm in found]


def unexplained(words: str, offer: Offer) -> tuple[str, ...]:
    """Return the words for a second measure that have nothing to do with it."""
    known = _known(offer, ())
    said = (word for word, *_ in read_words(words) if "_" not in words and word not in RESTS)
    return tuple(word for word in said if _is_strange(word, known))


def _placed(
    plan: MetricsPlan, text: str, told: frozenset[str], own: frozenset[str]
) -> Iterator[tuple[str, int, int, bool]]:
    """The words that nothing explains and that stand where they change what is meant: of softener, fax uploads, diesel
    price, were refunded. Right behind the measure they often say nothing new: passengers transported; the last is False
    for them."""
    of, been = {one.start("name") for one in _OF.finditer(text)}, {one.end() for one in _BEEN.finditer(text)}
    for word, start, end, is_before in _telling(plan, text, told, own):
        before = read_words(text[:start])[-1:]
        is_behind = bool(before) and start - before[0].end == 1 and not label_kind(before[0].word)
        is_head = is_behind and _is_known(before[0].word, own) and not _WITH_OBJECT.match(text[end:])
        is_done = start in been and word.endswith(("ed", "en"))
        is_verb = bool(_DOES.search(text[:start])) and bool(_ENDS.match(text[end:]))
        if is_verb:
            continue  # How many keys does it hold?
        is_firm = start in of or is_before or is_done
        whose = _OF_THIS.match(text[end:])
        is_firm = is_firm or (whose is not None and _is_known(whose["name"], own))  # The noise of the fans.
        if (is_firm or is_head) and word not in RESTS and word not in _ANYTHING and _is_strange(word, told):
            yield text[start:end], start, end, is_firm


def _is_strange(word: str, known: frozenset[str]) -> bool:
    return _weight(word.lower(), known) == 1.0 and not _is_known(word.lower(), known)


def _telling(
    plan: MetricsPlan, text: str, known: frozenset[str], own: frozenset[str]
) -> Iterator[tuple[str, int, int, bool]]:
    """The words that would say what is measured, outside of what the plan holds, with their places and whether they
    stand right before a word of the measure and after no word for a kind of things, as a verb does."""
    covered = places_of(plan, text) + ([one.span() for one in LEAVES_OUT.finditer(text)] if plan.excluded else [])
    words = read_words(text[:_LONGEST])
    for at, (word, start, end) in enumerate(words):
        weight = _weight(word, known)
        if any(start < last and end > first for first, last in covered) or not weight:
            continue
        after = words[at + 1][0] if at + 1 < len(words) and words[at + 1][1] - end <= 1 else ""
        if after == "than" and word.endswith("er"):
            continue  # Older than a day says on which side of the bound.
        if word in ASKED and at and words[at - 1][0] in ("how", "most", "least"):
            continue  # How long, and least busy, ask for a measure and name none.
        before = words[at - 1] if at else None
        is_verb = before is not None and (
            bool(label_kind(before[0]) or before[0] in _ASKING)
            or any(before[1] < last and before[2] > first for first, last in covered)
        )
        yield word, start, end, bool(after) and not label_kind(after) and _is_known(after, own) and not is_verb


def _weight(word: str, known: frozenset[str]) -> float:
    """How much a word says of what is measured: nothing if it is small, of time, a unit, or says how to answer."""
    if len(word) < _SHORTEST or not word[0].isalpha() or word in FILLERS or word in NEGATIONS or _ANYWHERE.match(word):
        return 0.0
    is_end = _SUPERLATIVE.fullmatch(word) and word not in _PLAIN_ESTS
    is_small = is_end or base(word) in OF_SCHEMA or is_time_word(word) or label_kind(word) or dimension_of(word)
    return 0.0 if is_small and base(word) not in known else _LIGHT if base(word) in LIGHT else 1.0


def _known(offer: Offer, things: Iterable[str]) -> frozenset[str]:
    told = [word for word, *_ in read_words(f"{offer.about} {offer.family.help if offer.family else ''}")]
    told += [part for thing in things for part in split_name(thing)]
    return own_words(offer) | frozenset(base(word) for word in told if word not in FILLERS)


def _is_known(word: str, known: frozenset[str], least: float = _ALIKE) -> bool:
    return base(word) in known or any(alike(word, other) >= least for other in known)
