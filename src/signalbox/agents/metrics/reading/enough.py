"""Whether a reading says enough of what a text is about, or leaves what matters unexplained."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.agents.metrics.reading import cues
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.question_words import Word, identifiers
from signalbox.agents.metrics.reading.readings import Reading
from signalbox.agents.metrics.recipes import Recipes
from signalbox.agents.metrics.vocabulary import HOW, alike, base, is_of_measures, label_kind
from signalbox.language.vectors import is_known

__all__ = ["is_enough", "misses_measure", "resembles_measure"]

_LEAST = 0.45
_SURE = 0.8
_KIN = 0.65
_SENTENCE = re.compile(
    r"\W*(?:what|who|whose|why|where|when|which|how|tell|write|say|sing|explain|translate|can|could|do|does|did|is|are|"
    r"was|were|will|should|would|may|i|you|we)\b",
    re.IGNORECASE,
)
# Nothing else stands for these: CPU usage is no answer to a CPU's temperature.
_MEASURED = frozenset(map(base, "temperature humidity voltage power pressure weight price revenue".split()))
_HEAD_ENDS = re.compile(
    r"\b(?:for|on|in|at|of|from|by|per|to|during|with|without|across|when|where|which|that)\b", re.IGNORECASE
)


def is_enough(best: Reading, others: Sequence[Reading], text: str, words: Sequence[Word]) -> bool:
    """Whether the measure is called for by a word of weight, and what comes first is not left unexplained."""
    sure = {
        word: best.fit.explained.get(word.start, 0.0)
        for word in words
        if word.weight >= 0.3 or best.fit.candidate.bound
    }
    is_called = any(one >= _SURE for one in sure.values())
    is_hinted = sum(one >= _KIN for one in sure.values()) > 1 and not best.left
    is_called = is_called or _is_only_kin(best, others, words)
    total = sum(word.weight for word in words) or 1.0
    if not (is_called or is_hinted) or 1 - sum(word.weight for word in best.left) / total < _LEAST:
        return False
    head = _head(text, words)
    unexplained = [word for word in head if word in best.left]
    if not unexplained:
        return True
    return (
        len(unexplained) < len(head)
        and not _is_of_another(best, text, unexplained)
        and not _is_one_of_many(best, others)
    )


def _is_only_kin(best: Reading, others: Sequence[Reading], words: Sequence[Word]) -> bool:
    """Whether nothing but the measure is near in meaning to all words of weight: sales, where only orders are."""
    heavy = [word.start for word in words if word.weight >= 1]
    near = [one for one in others if all(one.fit.explained.get(start, 0.0) >= _KIN for start in heavy)]
    return bool(heavy) and near == [best]


def misses_measure(best: Reading, text: str, recipes: Recipes) -> bool:
    """Whether a word is left that means a measure by itself: failures, where the metric has only durations."""
    measures = [name for name in recipes.recipes if " " not in name]
    wordings = {wording for recipe in recipes.recipes.values() for wording in recipe.words}
    left = [text[word.start : word.end].lower() for word in best.left]
    # "How hot" asks for a temperature, but "how long" may also be about a queue.
    if any(word in HOW and word != "long" for word in left):
        return True
    if any(base(word) in _MEASURED for word in left):
        return True
    return any(word in wordings or alike(word, name) >= _KIN for word in left for name in measures)


def resembles_measure(asked: Asked, text: str, words: Sequence[Word]) -> bool:
    """Whether anything in the text is as in questions about figures: a time, a form of answer, a word of measures."""
    # A bare noun is taken for the name of a metric; what is asked in a sentence may be about anything.
    is_name = _SENTENCE.match(text) is None
    is_asked = is_name or asked.is_time_said or cues.is_figurative(text) or bool(identifiers(text))
    return is_asked or any(is_of_measures(word.text) or label_kind(word.text) for word in words)


def _is_one_of_many(best: Reading, others: Sequence[Reading]) -> bool:
    """Whether metrics that fit as well leave the same unexplained: nobody knows then which of them is meant, if any."""
    if best.fit.candidate.bound is not None or best.fit.named > 0.6:
        return False
    rivals = [
        one for one in others if one is not best and one.fit.candidate.bound is None and one.score > best.score - 0.1
    ]
    return any(set(one.left) >= set(best.left) for one in rivals)


def _is_of_another(best: Reading, text: str, unexplained: Sequence[Word]) -> bool:
    """Whether a name that nothing explains stands right before the measure, as in the connections of another server."""
    core = set(best.fit.core())
    bound = best.fit.candidate.bound
    guessed = bound is not None and bound.metrics[0] != bound.variant.metrics[0]
    for word in unexplained:
        gap = re.match(r"\s+", text[word.end :])
        if label_kind(word.text):
            continue
        if gap and word.end + gap.end() in core and (guessed or not is_known(word.text)):
            return True
    return False


def _head(text: str, words: Sequence[Word]) -> list[Word]:
    """The words of weight before the first preposition that follows any: what the question is about."""
    heavy = [word for word in words if word.weight >= 1]
    if not heavy:
        return []
    end = _HEAD_ENDS.search(text, heavy[0].start)
    return [word for word in heavy if end is None or word.start < end.start()]
