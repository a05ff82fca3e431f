"""Names, trouble and "now" in a sentence about a trouble."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.grounding import Candidate
from signalbox.language.mentions import Mention, Values, find_mentions
from signalbox.language.synonyms import base
from signalbox.language.words import tokens

__all__ = ["find_subject", "find_trouble", "find_unknown", "is_about_now", "names_nothing"]

_NOW = re.compile(
    r"\b(?:(?:right|just) now|currently|at the moment|at present|this (?:very )?(?:minute|moment))\b", re.I
)
_TROUBLES = {
    "slow": "slow slower slowness latency lag laggy sluggish delay timeout hang crawl response",
    "errors": "error fail failure broken break 5xx 500 503 exception refuse reject",
    "down": "down unavailable unreachable dead offline outage lost flap drop disappear",
    "busy": "cpu load busy saturate hot overload full memory disk leak swap",
    "restarts": "restart crash reboot oom crashloop",
}
_LINK = re.compile(r"\b(?:link|cable|circuit|wire|fibre|fiber|isis|is-is|adjacency)s?\b", re.I)
_SESSION = re.compile(r"\b(?:bgp|session|peering|neighbou?r)s?\b", re.I)
_NOUN = r"(?:service|api|backend|system|app|database|cluster|host|server|router|device|pod|experiment)s?\b"
_NAME = re.compile(r"[^\W\d][\w.]*(?:[-/][\w.]+)+")
_MARKED = re.compile(rf"\s*{_NOUN}", re.I)
_CALLED = re.compile(rf"([\w.-]+)\s+{_NOUN}", re.I)
_SUBJECT = re.compile(
    r"^(?:so |hey,? |please )?(?:(?:why|how come|since when) (?:is|are|was|were|has|have|did|does)?\s*)?(?:the |our )?"
    r"([\w.-]+) (?:is|are|was|were|has|have|had|keeps?|seems?|been|failing|slow|down|broken|throwing|not)\b",
    re.I,
)
_WHY = re.compile(
    r"\bwhy (?:does |do |did )?(?:the |our )?([\w.-]+) "
    r"(?:lag|fail|hang|crash|break|broke|die|stop|restart|drop|flap|time)\w*\b",
    re.I,
)
_ROLES = {"RR": r"(?:route )?reflectors?|rrs?", "PE": r"pes|provider edges?", "P": r"core routers?",
          "CE": r"ces|customer (?:edges?|routers?)"}  # fmt: skip
_GENERAL = frozenset(
    "prod production platform infrastructure stuff people login logins it this that these everything anything "
    "something all thing system site website shop app application page service "
    "server host machine device network user customer problem trouble issue incident alert alarm symptom cause spike "
    "increase rise high many so much one here there our the a an my we they request traffic number rate".split()
)


_ASKING = frozenset("why what who which how there something someone anybody customers people root".split())


def find_subject(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """The things whose names stand in a text: of several, those of the kind that is named first, services before the
    rest; two machines that a link or a session joins are that link or session."""
    labels: dict[str, list[str]] = {}
    by_name: dict[tuple[str, str], str] = {}
    for one in candidates:
        for name in (one.name, *one.aliases):
            labels.setdefault(one.kind, []).append(name)
            by_name[(one.kind, name)] = one.id
    found = [one for one in find_mentions(text, Values(labels)) if _is_meant(one, text)]
    if not found:
        return _by_role(text, candidates) or _by_stem(text, candidates)
    services = [one for one in found if one.label == "service"]
    machines = list(dict.fromkeys(one.value for one in found if one.label == "host"))
    if not services and len(machines) == 2 and (_LINK.search(text) or _SESSION.search(text)):
        kind = "link" if _LINK.search(text) and not re.search(r"\bbgp\b", text, re.I) else "session"
        return [f"{kind}:{'–'.join(sorted(machines))}"]
    chosen = services or [one for one in found if one.label == found[0].label]
    first = min(one.start for one in chosen)
    nearest = [one for one in chosen if one.start == first or not services or _is_joined(text, first, one.start)]
    return [*dict.fromkeys(by_name[(one.label, one.value)] for one in nearest)]


def _is_meant(one: Mention, text: str) -> bool:
    """A plain word that also is a general one, such as "users", is a thing only where it is called so: "the users
    service"."""
    return base(text[one.start : one.end].casefold()) not in _GENERAL or bool(_MARKED.match(text, one.end))


def _by_role(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """The routers of a role that the text names."""
    roles = {role.casefold() for role, words in _ROLES.items() if re.search(rf"\b(?:{words})\b", text, re.I)}
    return [one.id for one in candidates if roles & one.traits]


def _by_stem(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """The only thing whose name is a word of the text with a number: the cache, where there is cache-1."""
    stems: dict[str, list[str]] = {}
    for one in candidates:
        stems.setdefault(re.sub(r"[-_.]?\d+$", "", one.name.casefold()), []).append(one.id)
    words = ["db" if one == "database" else one for one in tokens(text) if base(one) not in _GENERAL]
    return next((stems[one] for one in words if len(stems.get(one, ())) == 1), [])


def find_unknown(text: str) -> str:
    """The word that a text uses for a thing, though nothing is called so: "billing" in "billing is slow" and in "the
    billing service"; empty if none."""
    said = [match[1] for match in (_CALLED.search(text), _SUBJECT.search(text), _WHY.search(text)) if match]
    return next((one for one in said if not names_nothing(one) and one.casefold() not in _ASKING), "")


def _is_joined(text: str, start: int, end: int) -> bool:
    between = text[min(start, end) : max(start, end)]
    return bool(re.search(r",|\band\b|\bor\b|&|\bbetween\b", between))


def find_trouble(text: str) -> str:
    """The kind of symptom that a text names first: slow, errors, down, busy or restarts; empty if none."""
    said = [base(one) for one in tokens(_NAME.sub(" ", text))]
    known = {base(word): kind for kind, words in _TROUBLES.items() for word in words.split()}
    return next((known[word] for word in said if word in known), "")


def is_about_now(text: str) -> bool:
    """True if the text says that it means this moment."""
    return bool(_NOW.search(text))


def names_nothing(words: str) -> bool:
    """True if words name no thing, but only a trouble, or everything."""
    known = {base(word) for kind in _TROUBLES.values() for word in kind.split()} | {base(one) for one in _GENERAL}
    return all(base(one) in known for one in tokens(words))
