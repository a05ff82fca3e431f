"""The root that words of one family share: rent and rental, insure and insurance, allergy and allergic."""

from __future__ import annotations

from functools import lru_cache

from signalbox.models.offline.fill.english.lexicon import is_verb_form

__all__ = ["root_of", "same_root"]

# Longest first; each with the fewest letters that must be left.
_ENDINGS = (
    ("ation", 4),
    ("atur", 4),
    ("ment", 3),
    ("anc", 4),
    ("enc", 4),
    ("abl", 4),
    ("ibl", 4),
    ("ery", 5),
    ("ion", 4),
    ("ur", 4),
    ("at", 5),
    ("ag", 5),
    ("ic", 5),
    ("al", 4),
    ("y", 5),
)


@lru_cache(maxsize=5_000)
def root_of(word: str) -> str:
    """A stem without the ending that makes a noun or an adjective of it."""
    for ending, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            root = word[: -len(ending)]
            if ending == "al" and not (is_verb_form(root) or is_verb_form(root + "e")):
                continue
            return _single(root)
    return _single(word)


def _single(root: str) -> str:
    return root[:-1] if root.endswith("ll") else root


def same_root(a: str, b: str) -> bool:
    """Whether two stems are of one family of words."""
    return a == b or (a[:3] == b[:3] and (root_of(a) == root_of(b) or a + "y" == b or b + "y" == a))
