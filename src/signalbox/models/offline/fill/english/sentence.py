"""A sentence as tokens, and the small facts of English that the other modules share."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from signalbox.language.words import word_set

__all__ = [
    "DEGREES",
    "LONGEST_TEXT",
    "NEGATIONS",
    "STOP",
    "Sentence",
    "Token",
    "content_words",
    "read_sentence",
    "split_name",
    "stem",
]


# A person's sentence is short; what lies beyond this is not read, so that time stays bounded.
LONGEST_TEXT = 4_000

_TOKEN = re.compile(
    r"""\d+(?=[hm]\d) | (?<=\d)[hm](?=\d)    # 1h15m
      # 3-day, seven-day, but one-way
      | (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)(?=-(?!(?:way|off|time|sided)\b)[a-z]{3,}\b)
      | (?:mrs?|ms|dr|prof|st)\.(?=\s)          # Mrs. Jones
      | (?<![\w.])[^\W\d_]\.(?=\s?[^\W\d_]{2})   # J. Smith
      | [^\W_]+(?:['’][^\W\d_]+)+           # don't, o'brien
      | [^\W\d_]+\d[\w]*(?:[-.][\w]+)*       # web1, pe1-a
      | [^\W_]+(?:[-_./:@+][^\W_]+)+         # web-1, in_progress, a.b.c, 10.0.0.1
      | (?-i:\d{1,4}[A-E])(?!\w)              # 4B
      | \bw/o\b | \bw/                        # with, without
      | \d+(?:[.,]\d+)*                      # 1,299.99
      | [^\W_]+
      | ->|=>|→|\S""",
    re.VERBOSE | re.IGNORECASE,
)
_PARTS = re.compile(r"[A-Z]{2,}s(?![A-Za-z])|[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W\d_]+")
_OWNED = re.compile(r"['’]s\b")
_PLAIN_PARTS = re.compile(r"[^\W\d_]+|\d+")

# No word or address is as long as this; a run that is would only cost time.
_ENDLESS = re.compile(r"\S{301,}")

STOP = word_set(
    """a an and any are as at be been but by can could did do does for from get give had has have hey
    hi hello how i i'd i'm if in into is it its it's just kindly let let's like may me might my need
    of off on or our out over per please pls plz what's whats where's who's how's hows doing going there's that's
    here's gonna wanna should show so some tell than thanks thank that the their them then there
    these they this those to too up us very want was we were what when where which who whose will
    with would you your also all only about using use via make set"""
)
NEGATIONS = word_set(
    """not no never without don't dont doesn't doesnt isn't isnt aren't arent shouldn't shouldnt won't
    wont can't cant hasn't hasnt haven't havent didn't didnt wasn't wasnt weren't couldn't couldnt wouldn't cannot
    skip skips skipping disable disabled exclude excluding except omit omitting minus nor neither
    hide ignore ignoring drop avoid non off nobody none nothing neither"""
)
# Words that only grade or bound another: alone they name nothing.
DEGREES = word_set(
    """most least more less fewer best worst first last high low higher lower highest lowest few many much at both
    same other another again back home away here there once twice ever never always still yet maybe tops max min
    maximum minimum each apiece total altogether roughly approximately exactly sorry ok okay fine new old next
    own such real whole full extra further certain possible available"""
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign, where it stands, and its forms."""

    text: str
    lower: str
    stem: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """The text that is read, and its tokens in order."""

    text: str
    tokens: tuple[Token, ...]
    ends: tuple[int, ...]

    def slice(self, first: int, last: int) -> str:
        """The text from token `first` up to, not including, token `last`."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end] if last > first else ""

    def span(self, first: int, last: int) -> tuple[int, int]:
        return self.tokens[first].start, self.tokens[last - 1].end

    def index_at(self, place: int) -> int:
        """The first token that ends after `place`."""
        return bisect_right(self.ends, place)


def read_sentence(text: str) -> Sentence:
    """The tokens of a text; control characters read as blanks, so that places stay true."""
    readable = text[:LONGEST_TEXT]
    if not readable.isprintable():
        readable = "".join(c if c.isprintable() or c == "\n" else " " for c in readable)
    readable = _ENDLESS.sub(lambda run: " " * len(run.group()), readable)
    readable = readable.replace("’", "'").replace("“", '"').replace("”", '"')
    tokens = tuple(_tokens(readable))
    return Sentence(readable, tokens, tuple(token.end for token in tokens))


_SHORTHAND = {"w/": "with", "w": "with", "w/o": "without", "b/c": "because", "n": "and", "im": "i'm", "ive": "i've"}
_WISH = re.compile(r"\s+(?:like|need|love|want|prefer|rather|be|also|just)\b", re.IGNORECASE)


def _tokens(text: str) -> Iterable[Token]:
    for found in _TOKEN.finditer(text):
        word = found.group()
        lower = _SHORTHAND.get(word.lower(), word.lower())
        if lower == "id" and _WISH.match(text, found.end()):
            lower = "i'd"
        yield Token(word, lower, stem(lower), found.start(), found.end())


@lru_cache(maxsize=4_096)
def split_name(name: str) -> tuple[str, ...]:
    """The words of an identifier in lower case: enrollmentComplete, enrollment_complete, enrollment-complete."""
    name = _OWNED.sub("", name) if "'" in name or "’" in name else name
    spaced = name.replace("_", " ").replace("-", " ")
    if spaced.islower() and spaced.replace(" ", "").isalpha():
        return tuple(spaced.split())
    if spaced == spaced.lower():
        return tuple(_PLAIN_PARTS.findall(spaced))
    return tuple(part.lower() for part in _PARTS.findall(name))


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry meaning, in lower case and in order."""
    return tuple(word for word in split_name(text) if word not in STOP)


_IRREGULAR = {
    form: base
    for base, forms in {
        "run": "ran",
        "swim": "swam swum",
        "go": "went gone",
        "buy": "bought",
        "send": "sent",
        "pay": "paid",
        "sell": "sold",
        "driv": "drove driven",
        "fly": "flew flown",
        "writ": "wrote written",
        "mak": "made",
        "leav": "left",
        "break": "broke broken",
        "steal": "stole stolen theft",
        "find": "found",
        "keep": "kept",
        "meet": "met",
        "sleep": "slept",
        "spend": "spent",
        "rid": "rode ridden",
        "teach": "taught",
        "build": "built",
        "eat": "ate eaten",
        "person": "people",
        "child": "children",
        "man": "men",
        "woman": "women",
        "begin": "began begun",
        "giv": "gave given",
        "age": "aged",
        "los": "lost",
        "tell": "told",
        "tak": "took taken",
        "bring": "brought",
        "see": "saw seen",
        "win": "won",
        "hurt": "hurting",
        "grow": "grew grown",
        "use": "used uses using",
        "lend": "lent",
        "get": "got gotten",
        "hold": "held",
        "draw": "drew drawn",
        "wear": "wore worn",
        "com": "came",
        "lead": "led",
        "choos": "chose chosen",
        "catch": "caught",
        "forget": "forgot forgotten",
        "tear": "tore torn",
        "shak": "shook shaken",
        "speak": "spoke spoken",
        "sink": "sank sunk",
        "bend": "bent",
        "stick": "stuck",
        "burn": "burnt",
        "sweep": "swept",
        "fall": "fell fallen",
        "ring": "rang rung",
        "sing": "sang sung",
        "throw": "threw thrown",
        "news": "news",
    }.items()
    for form in forms.split()
}


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word without the commonest English endings; only good for comparing two words."""
    word = word.removesuffix("'s")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word[-1] not in "sdge" or not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ings", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return _mend(word[: -len(ending)], ending)
    root = word.removesuffix("e")
    return root[:-1] if root.endswith("e") and len(root) > 3 else root


def _mend(root: str, ending: str) -> str:
    """Undo a doubled letter (stopped, stop) and drop a silent e, so that all forms meet."""
    if ending in ("ings", "ing", "ed") and len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
        return root[:-1]
    if root.endswith("ie"):
        return root[:-2] + "y"
    return root.removesuffix("e") if len(root) > 3 else root
