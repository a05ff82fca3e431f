"""Names, trouble and "now" in a sentence about a trouble."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from signalbox.grounding import Candidate
from signalbox.language.mentions import Mention, Values, find_mentions
from signalbox.language.synonyms import base
from signalbox.language.words import tokens

__all__ = [
    "Sentence", "find_shift", "find_trouble", "is_about_everything", "is_about_now", "names_nothing", "read_sentence",
]  # fmt: skip

_NOW = re.compile(
    r"\b(?:(?:right|just) now|currently|at (?:the moment|present|this (?:point|moment))|this (?:minute|moment)"
    r"|atm|rn|as we speak)\b|(?<=\w)[ ,]+now\b", re.I,
)  # fmt: skip
_SHIFT = re.compile(
    r"\b(?P<count>an?|the|\d+)\s+(?P<unit>minute|hour|day|week)s?\s+(?:(?P<back>earlier|before)|later|after)\b"
    r"(?!\s+yesterday)", re.I,
)  # fmt: skip
_EVERYTHING = re.compile(r"\b(?:every|any|some)(?:thing|body|one)\b|\b(?:site|shop|app|incident|outage)\b", re.I)
_TROUBLES = {
    "slow": "slow slower slowness latency lag laggy sluggish delay timeout hang crawl response langsam lent lente "
    "lento lenta lentos lentas",
    "errors": "error fail failure broken break 5xx 500 502 503 504 exception refuse reject fehler erreur errores falla "
    "fallan fallar fallaba fallaban fallo fallos",
    "down": "down unavailable unreachable dead offline outage lost flap drop disappear ausgefallen panne",
    "busy": "cpu load busy saturate hot overload full memory disk leak swap",
    "restarts": "restart crash reboot bounce oom crashloop",
}
_LINK = re.compile(r"\b(?:link|cable|circuit|wire|fibre|fiber|isis|is-is|ldp|adjacency)s?\b", re.I)
_SESSION = re.compile(r"\b(?:bgp|session|peering|neighbou?r)s?\b", re.I)
_NOUN = (
    r"(?:service|api|backend|system|app|database|cluster|host|server|router|device|pod|experiment|region|site|engine"
    r"|worker|broker|pipeline|module|component|proxy)s?\b"
)
_PEOPLE = re.compile(
    r"\s+(?:are|were|have|can|can't|cannot|could|couldn't|see|get|say|report|complain|notice|do|don't|experience|keep)\b",
    re.I,
)
_BE = (
    r"(?:is|are|was|were|has|have|had|keeps?|seems?|looks?|been|went|got|gets|goes|fails|failing|slow|down|broken"
    r"|throws?|throwing|not|ok|okay|fine|healthy|affected|hit)"
)
_ALERT = re.compile(r"(?:[A-Z][a-z]+){2,}(?:[A-Z]*\d+)?")
_NAME = re.compile(r"(?<![\w.:/-])(?=[\w.-]*[a-z])(?:[a-z]\w*(?:[-./_]\w+)+|[a-z]{2,}\d+)(?![\w:])", re.I)
_NO_NAME = re.compile(r"p?\d+|.*-(?:up|in|on|out|off|down|time)|[a-z-]+\d+(?:/\d+)+|\w(?:/\w)?", re.I)
_SIGN = rf"(?:{'|'.join(f'{_TROUBLES[one]} '.replace(' ', 's?|') for one in ('slow', 'errors')).strip('|')})"
_POSITIONS = (
    rf"(?P<name>[\w.-]+)\s+{_NOUN}(?!\s*=)",
    rf"(?:^|[,;:.]\s*|\b(?:speak|now|hey|so|please|because|that|and|but|help)\s+)(?:why |how come |since when )?"
    rf"(?:{_BE}\s+)?(?:the |our )?(?P<name>[\w.-]+)\s+(?:(?:{_SIGN}\s+)?{_BE}|{_SIGN}\s+[a-z]+ing)\b",
    r"\b(?:wrong|going on|up|off|happen(?:ed|ing|s)|problems?|issues?|trouble|errors?) (?:with|to|in|on) (?:the |our )?"
    r"(?P<name>[\w.-]+)",
)
_GENERAL = frozenset(
    "prod production platform infrastructure stuff people login logins it this that these everything anything "
    "something nothing all thing system site website shop app application page service business frontend backend end "
    "server host machine device network user customer client problem trouble issue incident alert alarm symptom cause "
    "spike increase rise high many so much one here there our the a an my me we they request traffic number rate "
    "latency response throughput queue backlog depth cpu memory disk error miss hit eviction packet load usage "
    "connection what who which how somebody someone nobody anybody root why when where now still both most some "
    "blip outage hiccup glitch degradation disruption interruption investigate analyse analyze explain please look "
    "show check find tell help figure dashboard graph metric monitoring team root-cause reason latencies work works "
    "sudden strange weird odd big huge massive random intermittent constant more new "
    "last past and or but was were is are be been router link interface switch session und oder der die le la les un "
    "une das".split()
)


class Sentence(NamedTuple):
    """A sentence among the things that there are: what has the trouble, names that nothing bears, and the kind of
    trouble."""

    subject: list[str]
    unknown: list[str]
    trouble: str


def read_sentence(text: str, candidates: Sequence[Candidate]) -> Sentence:
    """The sentence as names and trouble."""
    text = _apart(text, candidates)
    return Sentence(_subject(text, candidates), _unknown(text, candidates), find_trouble(text))


def _apart(text: str, candidates: Sequence[Candidate]) -> str:
    """The text with names apart that a dash or an arrow joins: "pe2-xrd-5" are two machines."""
    names = sorted((re.escape(one.name) for one in candidates if one.kind == "host"), key=len, reverse=True)
    either = "|".join(names)
    return (
        re.sub(rf"\b({either})\s*(?:<?-+>?|[–—/→↔])\s*({either})\b", r"\1 and \2", text, flags=re.I) if names else text
    )


def _subject(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """The things whose names stand in a text: of several, those of the kind that is named first, services before the
    rest; two machines that a link or a session joins are that link or session."""
    by_name = {(one.kind, name): one.id for one in candidates for name in (one.name, *one.aliases)}
    found = _mentioned(text, candidates)
    if not found:
        return _by_stem(_NAME.sub(" ", text), candidates)
    services = [one for one in found if one.label == "service"]
    machines = list(dict.fromkeys(one.value for one in found if one.label == "host"))
    if not services and len(machines) == 2 and (_LINK.search(text) or _SESSION.search(text)):
        kind = "link" if _LINK.search(text) and not re.search(r"\bbgp\b", text, re.I) else "session"
        return [f"{kind}:{'–'.join(sorted(machines))}"]
    chosen = services or [one for one in found if one.label == found[0].label]
    first = min(one.start for one in chosen)
    nearest = [one for one in chosen if one.start == first or not services or _is_joined(text, first, one.start)]
    return [*dict.fromkeys(by_name[(one.label, one.value)] for one in nearest)]


def _mentioned(text: str, candidates: Sequence[Candidate]) -> list[Mention]:
    labels: dict[str, list[str]] = {}
    for one in candidates:
        labels.setdefault(one.kind, []).extend((one.name, *one.aliases))
    return [one for one in find_mentions(text, Values(labels)) if _is_meant(one, text)]


def _is_meant(one: Mention, text: str) -> bool:
    """A part of a longer name is no name; and people are no thing, though one may be called as they are: "users
    complain", but "is users slow"."""
    if any(name.start() <= one.start and one.end < name.end() for name in _NAME.finditer(text)):
        return False
    return base(text[one.start : one.end].casefold()) not in _GENERAL or not _PEOPLE.match(text, one.end)


def _by_stem(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """The only thing whose name is a word of the text with a number: the cache, where there is cache-1."""
    stems: dict[str, list[str]] = {}
    for one in candidates:
        stems.setdefault(re.sub(r"[-_.]?\d+$", "", one.name.casefold()), []).append(one.id)
    words = ["db" if one == "database" else one for one in tokens(text) if base(one) not in _GENERAL]
    return next((stems[one] for one in words if len(stems.get(one, ())) == 1), [])


def _unknown(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """What a text calls a thing, though nothing is called so: "search-api" anywhere, "billing" in "billing is slow"."""
    known = [(one.start, one.end) for one in _mentioned(text, candidates)]
    said = [(match.start(), match[0]) for match in _NAME.finditer(text)]
    # In "HighLoad pod web-1" the pod is web-1.
    said += [(match.start("name"), match["name"])
             for pattern in _POSITIONS for match in re.finditer(pattern, text, re.I)
             if not any(start > match.end() and text[match.end() : start].isspace() for start, _ in known)]  # fmt: skip
    stems = {re.sub(r"[-_.]?\d+$", "", one.name.casefold()) for one in candidates}
    found = [
        name.strip(".-")
        for at, name in said
        if not any(start < at + len(name) and at < end for start, end in known)
        and not _NO_NAME.fullmatch(name) and not _ALERT.fullmatch(name)
        and not names_nothing(name) and name.casefold() not in stems
    ]  # fmt: skip
    return [*dict.fromkeys(found)]


def _is_joined(text: str, start: int, end: int) -> bool:
    between = text[min(start, end) : max(start, end)]
    return bool(re.search(r",|\band\b|\bor\b|&|\bbetween\b", between))


def find_trouble(text: str) -> str:
    """The kind of symptom that a text names first: slow, errors, down, busy or restarts; empty if none."""
    said = [base(one) for one in tokens(_NAME.sub(" ", text))]
    known = {base(word): kind for kind, words in _TROUBLES.items() for word in words.split()}
    return next((known[word] for word in said if word in known), "")


def find_shift(text: str) -> timedelta | None:
    """How far a follow-up moves from the time of the turn before: "an hour earlier" is -1 hour. None if it does not."""
    found = _SHIFT.search(text)
    if not found:
        return None
    count = int(found["count"]) if found["count"].isdigit() else 1
    return timedelta(**{f"{found['unit'].casefold()}s": -count if found["back"] else count})


def is_about_everything(text: str) -> bool:
    """True if the text says that it means no thing in particular, also after a question about one."""
    return bool(_EVERYTHING.search(text))


def is_about_now(text: str) -> bool:
    """True if the text says that it means this moment."""
    return bool(_NOW.search(text))


def names_nothing(words: str) -> bool:
    """True if words name no thing, but only a trouble, or everything."""
    known = {base(word) for words in _TROUBLES.values() for word in words.split()} | {base(one) for one in _GENERAL}
    return all(base(one) in known for one in tokens(words))
