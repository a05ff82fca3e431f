"""Short lists of everyday words that a field may mean without listing them: languages and colours."""

from __future__ import annotations

from signalbox.models.offline.fill.words import word_list, word_set

__all__ = ["words_for"]

_LISTS: dict[frozenset[str], tuple[str, ...]] = {
    frozenset({"language", "lang"}): word_list(
        """english german french spanish italian portuguese dutch polish russian ukrainian czech greek
        turkish arabic hebrew hindi chinese mandarin cantonese japanese korean vietnamese thai
        swedish danish norwegian finnish hungarian romanian bulgarian latin swahili persian urdu
        bengali indonesian malay catalan croatian serbian"""
    ),
    word_set("color colour colors colours"): word_list(
        """red green blue yellow orange purple violet pink brown black white grey gray silver gold
        beige turquoise magenta cyan navy teal maroon cream ivory"""
    ),
}


def words_for(name_words: tuple[str, ...]) -> tuple[str, ...]:
    """The everyday values of a field of this name; none for most."""
    for names, values in _LISTS.items():
        if names & set(name_words):
            return values
    return ()
