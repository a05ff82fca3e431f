"""Words for yes: what a person says who agrees to what was asked, whichever agent asked it."""

from __future__ import annotations

from collections.abc import Sequence

from signalbox.language.words import tokens, word_set

__all__ = ["PHRASES", "THANKS", "YES", "in_phrases", "reply_words"]

_SIGNS = "👍👌✅"
YES = frozenset(_SIGNS) | word_set(
    "yes yess yea yeah yep yup yah ye y aye ok okay okey oke okie k kk sure confirm confirmed approve approved agree "
    "agreed affirmative absolutely certainly definitely exactly correct right alright fine perfect go proceed true "
    "lgtm ja jep oui si sí sì sim da hai tak evet vale claro dale bien klar natürlich gerne d'accord はい да 好 好的 是"
)
"""Each of these alone is a yes."""
PHRASES = tuple(
    tuple(one.split())
    for one in (
        "do it,please do,do so,do that,make it so,by all means,of course,sounds good,sounds great,looks good,"
        "looks right,you may,sure thing,go ahead,go for it,ship it,that right,is right,is correct,is fine,is good,"
        "is ok,works for me,by me,make it happen,let do it,let go,be my guest,bien sûr,vas y"
    ).split(",")
)
"""So is each of these."""
THANKS = word_set("thanks thank thx ty cheers danke merci gracias")


def in_phrases(words: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> set[int]:
    """The places of words that stand in one of the phrases."""
    return {
        place
        for phrase in phrases
        for at in range(len(words) - len(phrase) + 1)
        if tuple(words[at : at + len(phrase)]) == phrase
        for place in range(at, at + len(phrase))
    }


def reply_words(text: str) -> list[str]:
    """The words of a reply; a sign for yes is one."""
    for sign in _SIGNS:
        text = text.replace(sign, f" {sign} ")
    text = (
        text.casefold()
        .replace("thank you", "thanks")
        .replace("thats ", "that ")
        .replace("let's", "let")
        .replace("lets ", "let ")
    )
    return [word for part in text.split() for word in (tokens(part) or ([part] if part in YES else []))]
