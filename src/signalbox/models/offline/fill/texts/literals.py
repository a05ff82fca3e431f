"""Things in a sentence that show what they are by their shape: addresses, identifiers, paths, quoted names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

__all__ = ["Literal", "find_literals", "kinds_wanted", "shape_of"]

_SHAPES: tuple[tuple[str, str], ...] = (
    ("quoted", r"\"[^\"\n]{1,400}\"|«[^»\n]{1,400}»|`[^`\n]{1,400}`|(?<![\w])'[^'\n]{1,400}?'(?![\w])"),
    (
        "url",
        r"\b(?:https?|ftp|s3|git|ssh|wss?)://[^\s,;\"'<>]+[^\s,;.\"'<>!?)]|"
        r"\bwww\.[\w-]+(?:\.[\w-]+)+(?:/[^\s,;]*)?",
    ),
    (
        "street",
        r"\b\d+[a-z]?(?: [A-Z][\w.'-]*){1,3} (?i:street|st|avenue|ave|road|rd|lane|ln|drive|dr|blvd|"
        r"boulevard|way|square|court|ct|place)\b\.?",
    ),
    ("email", r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"),
    ("uuid", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"),
    (
        "ip",
        r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?![\w.]\d)|"
        r"(?<![\w:])(?:[0-9a-fA-F]{1,4}:){2,7}:?[0-9a-fA-F]{0,4}(?![\w:])",
    ),
    ("mac", r"\b[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}\b"),
    (
        "path",
        r"(?<![\w/])(?:~|\.{1,2})?/[\w.@~-][\w./@~*-]*\w/?|\b[A-Za-z]:\\[\w\\.-]+|"
        r"(?<![\w/])[\w.-]+(?:/[\w.-]+)+|(?<![\w/])[\w-]+/(?!\w)",
    ),
    (
        "file",
        r"(?<![\w.@/])[\w*-][\w.*-]*\.(?!(?:com|co|org|net|io|ai|cloud|shop|store|site|online|tech|blog|edu|gov|int|mil|info|biz|dev|app|eu|uk|de|fr|nl|ch|es|pt|se|fi|dk|ie|ca|au|nz|jp|br|"
        r"test|local|internal|example|invalid|lan)\b)(?:[A-Za-z][A-Za-z0-9]{1,4}|\d[a-z]{1,3})(?![\w@]|\.\w)",
    ),
    ("host", r"(?<![\w.@/])(?:[a-zA-Z0-9_-]+\.)+[a-zA-Z]{2,8}(?::\d+)?(?![\w@])"),
    ("version", r"(?<![\w.])v?\d+\.\d+(?:\.\d+)+(?:[-+][\w.]+)?(?![\w])|(?<![\w.])v\d+(?:\.\d+)*\b"),
    ("phone", r"(?<![\w])\+?\d[\d\s().-]{6,16}\d(?!\w)"),
    ("handle", r"(?<![\w])[@#][A-Za-z][\w-]*"),
    ("number_id", r"(?<![\w])#\s?\d+\b"),
    (
        "id",
        # An account number in groups of four, or a code of letters and digits.
        r"\b[A-Z]{2}\d\d(?: [A-Z0-9]{4}){3,7}(?: [A-Z0-9]{1,3})?\b|"
        r"(?<![\w.])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+(?:\.\d+)*)*(?![\w@])|"
        r"(?<![\w.])[A-Za-z]+[-_][A-Za-z0-9_-]+\b",
    ),
)
# A shape can only be in a text that has some sign of one of these kinds.
_SIGNS = {
    "quotes": re.compile("[\"«`']"),
    "digits": re.compile(r"\d"),
    "points": re.compile(r"[.:/\\@]"),
    "links": re.compile("[-_#]"),
}
_SIGNS_OF = {
    "quoted": ("quotes",),
    "url": ("points",),
    "street": ("digits",),
    "email": ("points",),
    "uuid": ("links",),
    "ip": ("points",),
    "mac": ("points", "links"),
    "path": ("points",),
    "file": ("points",),
    "host": ("points",),
    "version": ("digits",),
    "phone": ("digits",),
    "handle": ("points", "links"),
    "number_id": ("links",),
    "id": ("digits", "links"),
}
_ORDINAL_OR_UNIT = re.compile(r"x\d+|\d+(?:st|nd|rd|th|am|pm|[a-zµ]{1,3})|p\d\d?|q[1-4]", re.IGNORECASE)
# "A/B test", "his/her".
_EITHER = re.compile(r"[a-z]/[a-z]|and/or|s?he/s?he|his/her|yes/no|on/off|in/out", re.IGNORECASE)
# "20 MB/s" measures; it is no path.
_RATE = re.compile(r"(?:\d[\d.,]*)?[a-zµ]{1,12}/(?:s|secs?|seconds?|min|minute|h|hr|hour|d|day|week|month|year)", re.I)

_WANTED: tuple[tuple[str, str], ...] = (
    (
        "street",
        r"\b\d+[a-z]?(?: [A-Z][\w.'-]*){1,3} (?i:street|st|avenue|ave|road|rd|lane|ln|drive|dr|blvd|"
        r"boulevard|way|square|court|ct|place)\b\.?",
    ),
    ("email", r"\be-?mails?\b|\bmail address\b"),
    ("street", r"\bstreet\b|\baddress\b"),
    ("url", r"\b(?:url|uri|link|website|web site|web page|webhook|endpoint)\b"),
    ("ip", r"\bip\b|\bipv[46]\b|\bcidr\b|\bsubnet\b|\bprefix\b|\bnetworks?\b"),
    ("mac", r"\bmac\b"),
    ("host", r"\bhost(?:name)?s?\b|\bdomains?\b|\bserver\b|\bendpoint\b|\btarget\b|\bfqdn\b|\bwebsite\b"),
    ("phone", r"\bphone\b|\bcall ?back\b|\bmobile\b|\btelephone\b|\bcell\b|\bsms\b"),
    (
        "path",
        r"\bpath\b|\bfiles?\b|\bfolder\b|\bdirectory\b|\bfilename\b|\bdirectories\b|\bfolders\b|"
        r"\bpaths\b",
    ),
    ("file", r"\bfile\b|\bfiles\b|\bfilename\b|\bpath\b|\battachments?\b|\bdocument\b|\bpattern\b|\bglob\b"),
    ("version", r"\bversion\b|\brelease\b|\btag\b"),
    ("uuid", r"\buuid\b|\bguid\b|\bid\b|\bidentifier\b"),
    ("handle", r"\bhandle\b|\busername\b|\bchannel\b|\bhashtag\b|\btags?\b|\bmention\b|\bslack\b"),
    (
        "id",
        r"\b(?:id|ids|identifier|key|code|sku|reference|ref|number|serial|hostname|host|device|server|node|"
        r"ticket|issue|"
        r"machine|router|instance|order|invoice|flight|tracking|booking|slug|username|branch|build|pod|"
        r"switch|"
        r"interface|patient|case|job|batch|asset|container|isbn|iban|bic|swift|imei|ean|license|plate|vin|coupon|voucher|promo)\b",
    ),
)
_WANTED_FORMATS = {
    "email": "email",
    "idn-email": "email",
    "uri": "url",
    "url": "url",
    "iri": "url",
    "uuid": "uuid",
    "ipv4": "ip",
    "ipv6": "ip",
    "ip": "ip",
    "hostname": "host",
    "phone": "phone",
    "path": "path",
    "file-path": "path",
    "ipvanyaddress": "ip",
    "ipvanynetwork": "ip",
    "directory-path": "path",
}
_COMPILED = tuple((kind, re.compile(words)) for kind, words in _WANTED)


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal of the sentence: its kind, its value without quotes, and where it stands."""

    kind: str
    value: str
    start: int
    end: int


def find_literals(text: str) -> list[Literal]:
    """All literals, left to right; the most telling shape wins where several fit."""
    found: list[Literal] = []
    signs = frozenset(kind for kind, sign in _SIGNS.items() if sign.search(text))
    if not signs:
        return found
    for match in _finder(signs).finditer(text):
        kind, value = str(match.lastgroup), match.group()
        if kind == "quoted":
            value = value[1:-1].strip()
        elif (kind == "id" and _ORDINAL_OR_UNIT.fullmatch(value)) or (
            kind == "path" and (_is_rate(text, match.start(), value) or _EITHER.fullmatch(value))
        ):
            continue
        elif kind == "number_id":
            value = value.lstrip("# ")
        elif kind == "path":
            value = value.rstrip(".")
        if value:
            found.append(Literal(kind, value, match.start(), match.end()))
    return found


@cache
def _finder(signs: frozenset[str]) -> re.Pattern[str]:
    """A pattern for all shapes that a text with such signs can hold."""
    shapes = [(kind, shape) for kind, shape in _SHAPES if not signs.isdisjoint(_SIGNS_OF[kind])]
    return re.compile("|".join(f"(?P<{kind}>{shape})" for kind, shape in shapes))


def _is_rate(text: str, start: int, value: str) -> bool:
    if not _RATE.fullmatch(value):
        return False
    return value[0].isdigit() or text[:start].rstrip()[-1:].isdigit()


@lru_cache(maxsize=2_000)
def kinds_wanted(about: str, form: str) -> tuple[str, ...]:
    """The kinds of literal that a field asks for, by its format or else by its words; best first."""
    if form in _WANTED_FORMATS:
        return (_WANTED_FORMATS[form],)
    name, _, description = about.partition(" . ")
    by_name = [kind for kind, words in _COMPILED if words.search(name)]
    by_description = [kind for kind, words in _COMPILED if words.search(description)]
    if "phone" in by_name:
        # The number of a phone is no other code.
        by_description = [kind for kind in by_description if kind != "id"]
    return tuple(dict.fromkeys([*by_name, *by_description]))


@lru_cache(maxsize=2_000)
def shape_of(example: str) -> str:
    """A pattern for things that look like the example: PROJ-123 gives letters, hyphen, digits."""
    if len(example) > 60 or " " in example:
        return ""
    if re.fullmatch(r"[a-z]+\d*(?:-[a-z]+\d*)+", example):
        return r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+"
    if ported := re.fullmatch(r"([A-Za-z]+)\d+(?:/\d+)+", example):
        return rf"[A-Za-z]{{1,{len(ported[1]) + 4}}}\d+(?:/\d+){{1,3}}"
    if re.fullmatch(r"v?\d+(?:\.\d+)+", example):
        return r"v?\d+(?:\.\d+)+(?:-[\w.]+)?"
    if re.fullmatch(r"[a-z]+(?:/[a-z]+)+", example):
        return "/".join([r"[A-Za-z0-9][\w.-]*"] * (example.count("/") + 1))
    if re.fullmatch(r"[A-Z][a-z]+(?:/[A-Z][a-z]+)+", example):
        return "/".join([r"[A-Z][A-Za-z_-]+"] * (example.count("/") + 1))
    pieces = []
    for run in re.findall(r"[A-Z]+|[a-z]+|\d+|.", example):
        if run[0].isdigit():
            pieces.append(r"\d+")
        elif run.isalpha():
            pieces.append(f"[A-Za-z]{{1,{len(run) + (1 if len(run) == 1 else 4)}}}")
        else:
            pieces.append(re.escape(run))
    return "".join(pieces) if any(not piece.startswith("[") for piece in pieces) else ""
