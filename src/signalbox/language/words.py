"""Words: splitting text and identifiers, and cutting off endings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "Word",
    "fold",
    "read_words",
    "spellings",
    "split_name",
    "stem",
    "stems_of",
    "tokens",
    "word_list",
    "word_set",
]

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHORT = 300
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_BARE_WORD = re.compile(r"[^\W_]+")
_RUN = re.compile(r"[^\W\d_]+|\d+")
_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


def tokens(text: str) -> list[str]:
    """The words of a text in lower case; a possessive ending is dropped."""
    return list(_short_tokens(text)) if len(text) <= _SHORT else _read_tokens(text)


def _read_tokens(text: str) -> list[str]:
    found = _TOKEN.findall(text.lower().replace("’", "'"))
    return [word[:-2] if word.endswith("'s") else word for word in found]


# While one request is read, the same few stretches of it are taken apart again and again.
_short_tokens = lru_cache(maxsize=256)(_read_tokens)


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """A text without case, accents and typographic differences."""
    if text.isascii():
        return text.casefold()
    split = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(sign for sign in split if not unicodedata.combining(sign))
    return unicodedata.normalize("NFKC", kept)


def spellings(text: str) -> set[str]:
    """A text, and its spelling without umlauts: Müller is Mueller."""
    return {text} if text.isascii() else {text, text.translate(_UMLAUTS)}


class Word(NamedTuple):
    """A folded word of a text, with its position."""

    word: str
    start: int
    end: int


def read_words(text: str) -> list[Word]:
    """The folded words of a text, in order."""
    return [Word(fold(one[0]), one.start(), one.end()) for one in _BARE_WORD.finditer(text)]


@lru_cache(maxsize=16384)
def stems_of(word: str) -> tuple[str, ...]:
    """The stems of a folded word, split where letters and digits meet.

    In scripts without spaces, each sign is a stem.
    """
    found: list[str] = []
    for run in _RUN.findall(word):
        if _SIGN.search(run):
            found += [sign for sign in run if not "\u3040" <= sign <= "\u309f"] or [run]
        else:
            found.append(run.lstrip("0") or "0" if run.isdigit() else stem(run))
    return tuple(found)


def word_list(words: str) -> tuple[str, ...]:
    """The words of a table in order, written with blanks between them."""
    return tuple(words.split())


def word_set(words: str) -> frozenset[str]:
    """The words of a table, written with blanks between them."""
    return frozenset(words.split())


@lru_cache(maxsize=4096)
def split_name(name: str) -> tuple[str, ...]:
    """The words of an identifier: snake_case, camelCase, dotted or dashed."""
    return tuple(tokens(_CAMEL.sub(" ", name).replace("_", " ")))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its English ending; good enough to match plural and singular, call and calling."""
    if len(word) <= 3 or not word.isascii():
        return word
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + rest
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) >= 3 and re.search("[aeiouy]", root):
            return _undouble(root)
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _undouble(root: str) -> str:
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
        return root[:-1]
    return root[:-1] if root.endswith("e") and len(root) > 4 else root
