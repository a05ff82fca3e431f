"""What a question may be about: every metric of the server and every recipe that it can serve, by how well they fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import mul

from signalbox.agents.metrics.reading.live import Family, Live
from signalbox.agents.metrics.reading.question_words import Word
from signalbox.agents.metrics.recipes import Bound, Recipe, Recipes, bind_variant
from signalbox.agents.metrics.vocabulary import FILLERS, alike, base, name_words

__all__ = ["Candidate", "Fit", "fit_words", "list_candidates"]

_SURE = 0.8
_HELP = 0.65
_NAME_BONUS = 0.35
_RECIPE_BONUS = 0.12
_LEAST_BONUS = 0.05
_PLACE = 0.02
_LAST_PLACE = 7
_ASKED = 0.12
_WORD = 0.03
# What a name ends in, but for its unit, is what the metric counts or measures.
_HEAD = 0.05
_UNITS = frozenset(
    "bytes bits seconds milliseconds minutes ms ratio percent celsius hertz volts amperes watts joules meters".split()
)
# What is slow or fast takes long or short.
_SLOWNESS = frozenset(map(base, ("slow", "fast")))
_TAKES_TIME = frozenset("time duration latency seconds milliseconds ms rtt delay".split())
# What took time also took place: of these a histogram has the count.
_COUNTED = frozenset(map(base, ("requests", "calls", "operations")))
_HIDDEN_TYPES = ("_info", "_created", "_timestamp")


@dataclass(frozen=True)
class Candidate:
    """A metric, or a recipe bound to metrics. `words` are the telling ones of its name, `told` those of its help."""

    words: tuple[str, ...]
    told: frozenset[str]
    metrics: tuple[str, ...]
    family: Family | None = None
    recipe: str = ""
    bound: Bound | None = None
    wordings: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Fit:
    """How a candidate explains the words: how sure each is (by its place in the text), and a score."""

    candidate: Candidate
    explained: dict[int, float] = field(default_factory=dict)
    named: float = 0.0
    bonus: float = 0.0

    def core(self) -> list[int]:
        """Where the words start that the measure itself explains beyond doubt."""
        return [start for start, sure in self.explained.items() if sure >= _SURE]


def list_candidates(live: Live, recipes: Recipes) -> list[Candidate]:
    """Every metric, and every recipe with every set of metrics that it fits; kept as long as the server is."""
    known = live.kept.get("candidates")
    if known is None or known[0] is not recipes:
        known = live.kept["candidates"] = (recipes, _list(live, recipes))
    return known[1]


def _list(live: Live, recipes: Recipes) -> list[Candidate]:
    plain = [
        Candidate(family.words, family.told, _carriers(family), family=family)
        for family in live.families.values()
        if not family.name.endswith(_HIDDEN_TYPES)
    ]
    return [*plain, *_from_recipes(live, recipes)]


def fit_words(
    candidate: Candidate, words: Sequence[Word], live: Live, said: Sequence[Word] | None = None
) -> Fit | None:
    """How the candidate fits; None for a recipe that nothing in the text calls for.

    `said` are all words of the text, where `words` are only those about the measure.
    """
    if candidate.bound is None:
        return _fit_name(candidate, words, live)
    wording = _best_wording(candidate, words)
    if not wording:
        return None
    fit = _fit_name(candidate, words, live)
    explained = dict(fit.explained)
    for start in (*wording, *_other_places(candidate, words)):
        explained[start] = 1.0
    total = sum(word.weight for word in words)
    worded = sum(word.weight for word in words if explained.get(word.start, 0.0) >= _SURE) / total if total else 1.0
    place = _PLACE * min(candidate.bound.place, _LAST_PLACE)
    extra = (
        _WORD * len(wording)
        + max(_RECIPE_BONUS * worded, _LEAST_BONUS)
        - place
        + _ASKED * _asks_for(candidate.bound, said or words)
    )
    # A recipe is named by its wording, as far as that is what the question speaks of; its metric's name adds a little.
    return Fit(candidate, explained, 0.85 * worded + 0.15 * fit.named, extra)


def _fit_name(candidate: Candidate, words: Sequence[Word], live: Live) -> Fit:
    explained: dict[int, float] = {}
    words = [word for word in words if word.weight or word.text not in FILLERS]
    for word in words:
        sure = max((alike(word.text, part) for part in candidate.words), default=0.0)
        if base(word.text) in _SLOWNESS and _TAKES_TIME & set(candidate.words):
            sure = max(sure, _SURE)
        if base(word.text) in _COUNTED and candidate.family and candidate.family.type in ("histogram", "summary"):
            sure = max(sure, _SURE)
        helped = _HELP if base(word.text) in candidate.told else 0.0
        if max(sure, helped) > 0 and (word.weight or sure >= 0.97):
            explained[word.start] = max(sure, helped)
    weights = [live.weight(part) for part in candidate.words]
    nearest = [max((alike(word.text, part) for word in words), default=0.0) for part in candidate.words]
    named = sum(map(mul, weights, nearest)) / (sum(weights) or 1.0)
    head = next((part for part in reversed(candidate.words) if part not in _UNITS), "")
    is_headed = any(word.weight and alike(word.text, head) >= _SURE for word in words)
    return Fit(candidate, explained, named, _HEAD if is_headed and candidate.bound is None else 0.0)


def _best_wording(candidate: Candidate, words: Sequence[Word]) -> list[int]:
    """Where the words of the recipe's best wording start; empty where none is there whole."""
    best: list[int] = []
    weight = 0.0
    for wording in candidate.wordings:
        found = _places_of(wording, words)
        value = sum(0.1 + word.weight for word in words if word.start in found) + 0.01 * _exactness(wording, words)
        if value > weight:
            best, weight = found, value
    return best


def _other_places(candidate: Candidate, words: Sequence[Word]) -> list[int]:
    """Where words stand that mean the same recipe once more: "traffic, in requests"."""
    return [start for wording in candidate.wordings for start in _places_of(wording, words)]


def _exactness(wording: tuple[str, ...], words: Sequence[Word]) -> float:
    return sum(max((alike(word.text, part) for word in words), default=0.0) for part in wording) / len(wording)


def _places_of(wording: tuple[str, ...], words: Sequence[Word]) -> list[int]:
    """Where each word of the wording stands, each in a place of its own; empty where one is missing."""
    places: list[int] = []
    for part in wording:
        free = (word for word in words if word.start not in places and not word.is_name)
        near = (word.start for word in free if alike(word.text, part) >= _SURE)
        place = next(near, None)
        if place is None:
            return []
        places.append(place)
    return places


def _asks_for(bound: Bound, words: Sequence[Word]) -> int:
    return int(any(alike(word.text, part) >= _SURE for part in bound.variant.words for word in words))


def _from_recipes(live: Live, recipes: Recipes) -> Iterator[Candidate]:
    names = [name for family in live.families.values() for name in family.names]
    for title, recipe in recipes.recipes.items():
        wordings = tuple(tuple(wording.split()) for wording in recipe.words)
        seen: set[tuple[str, ...]] = set()
        for bound in _bounds(recipe, names):
            # A pattern that comes late also fits what an earlier variant knows better.
            if bound.metrics not in seen or bound.variant.metrics[0] == bound.metrics[0]:
                seen.add(bound.metrics)
                words = _words_of_all(bound.metrics)
                told = frozenset(word for name in bound.metrics for word in _told(name, live))
                yield Candidate(words, told, bound.metrics, None, title, bound, wordings)


def _words_of_all(metrics: Sequence[str]) -> tuple[str, ...]:
    """The words that all the names have: reads and writes together are not named by a word for one of them."""
    first, *others = map(name_words, metrics)
    return tuple(part for part in dict.fromkeys(first) if all(part in other for other in others))


def _bounds(recipe: Recipe, names: Iterable[str]) -> Iterator[Bound]:
    known = tuple(names)
    for place, variant in enumerate(recipe.variants):
        yield from bind_variant(variant, place, known)


def _told(name: str, live: Live) -> frozenset[str]:
    family = live.families.get(name) or live.families.get(name.rpartition("_")[0])
    return family.told if family else frozenset()


def _carriers(family: Family) -> tuple[str, ...]:
    """The metric whose series show the labels: of a histogram the one with the fewest."""
    count = f"{family.name}_count"
    return (count,) if count in family.names else family.names[:1]
