"""Things by words of their names, by what is true of them, and by their day: "the overdue roof jobs"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from signalbox.grounding.candidates import Ask, Candidate, NotFound, Result, some
from signalbox.grounding.scene import EXACT, Scene
from signalbox.language import references as refs
from signalbox.language.numbers import number_of
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import Word, read_words, stems_of

__all__ = ["described", "named_kinds"]

_ANY_KIND = frozenset(("one", "ones", "thing", "things", "stuff", "item", "items"))
_LONGEST, _MOST_DAYS = 4, 16
"""The most words a trait or a day may have, and the most words searched for days."""
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class _Term:
    """A part of a description, and how well it fits which candidates. A firm part must match."""

    size: int
    fits: Mapping[int, float]
    is_firm: bool
    is_trait: bool
    is_negated: bool
    is_plural: bool


def described(text: str, scene: Scene, *, kept: frozenset[str] = frozenset()) -> tuple[Result | None, bool]:
    """Return what a description means, and whether all of its words fit.

    None if none of its words identifies anything. `kept` are words to look for in names although they usually mean
    something else.
    """
    words = read_words(text)
    said = {one.word for one in words}
    several = bool(said & (refs.PLURALS | refs.ALL | refs.BOTH))
    terms = list(_terms(text, words, scene, kept)) or list(_terms(text, words, scene, named_kinds(words, scene)))
    if not terms or (all(one.is_negated for one in terms) and not several):
        return None, False
    if any(one.is_negated and not one.is_trait and not one.fits for one in terms):
        # "Everything that isn't blue" is not everything because nobody knows what is blue.
        return NotFound(text), False
    spared = {place for one in terms if one.is_negated for place in one.fits}
    spared |= {at for at, one in enumerate(scene.candidates) if said & refs.OTHER and one in scene.spoken}
    firm = [one for one in terms if one.is_firm and not one.is_negated]
    loose = [one for one in terms if not one.is_firm and not one.is_negated]
    everything = range(len(scene.candidates))
    pool = [place for place in everything if place not in spared and all(place in one.fits for one in firm)]
    best, share = _best(pool, loose)
    if share > _HALF:
        several = several or not (said & refs.SINGULARS or loose or said.isdisjoint(refs.STATES))
        several = several or (any(one.is_plural for one in terms) and not said & refs.SINGULARS)
        return _chosen(scene.at(best), words, scene, several), share == 1
    # If nothing fits but a trait, the other words say something that nobody here can know.
    is_trait_all = any(one.is_trait for one in firm) and not any(one.fits for one in loose)
    doubtful = best if share == _HALF else pool if is_trait_all else []
    if doubtful:
        return Ask(tuple(scene.at(doubtful))), False
    return NotFound(text, tuple(scene.at(_best(everything, [*firm, *loose])[0][:3]))), False


def _best(pool: Sequence[int], terms: Sequence[_Term]) -> tuple[list[int], float]:
    """The places that the terms fit best, and the share of the terms that fits them."""
    total = sum(one.size for one in terms)
    if not total or not pool:
        return list(pool), 1.0 if pool else 0.0
    scores: dict[int, tuple[float, float]] = {}
    for place in {place for one in terms for place in one.fits}.intersection(pool):
        fitting = [(one.size, one.fits[place]) for one in terms if place in one.fits]
        scores[place] = sum(size for size, _ in fitting) / total, sum(size * fit for size, fit in fitting)
    most = max(scores.values(), default=(0.0, 0.0))
    return sorted(place for place, score in scores.items() if score == most), most[0]


def _chosen(found: list[Candidate], words: Sequence[Word], scene: Scene, is_group: bool) -> Result | None:
    """The result for all matches: one, a group, or a question to the person."""
    said = {one.word for one in words}
    count = refs.said_count([one.word for one in words])
    if count is not None and count > 1 and count != len(found):
        return Ask(tuple(found))
    if is_group or count or len(found) == 1:
        return some(found, is_group=True)
    for pool, pointers in ((scene.spoken, refs.IT), (scene.shown, refs.IT | {"one"})):
        inside = [one for one in found if one in pool]
        if len(inside) == 1 and said & pointers and not said & refs.OTHER:
            return some(inside)
    closeness = {one.id: _closeness(one, words) for one in found}
    most = max(closeness.values())
    closest = [one for one in found if closeness[one.id] == most]
    return some(closest) if len(closest) == 1 else Ask(tuple(found))


def _closeness(candidate: Candidate, words: Sequence[Word]) -> tuple[int, bool]:
    """How close a name is to words that fit others too: it is exactly these words, or there are no other words."""
    own = {one.word for one in read_words(candidate.name)}
    said = {part for one in words for part in stems_of(one.word)}
    whole = all(part in said for word in own - refs.FILLING for part in stems_of(word))
    return len({one.word for one in words} & refs.KINDS & own), whole


def named_kinds(words: Sequence[Word], scene: Scene) -> frozenset[str]:
    """Return the general words that distinguish things here: "the job" may be "Job application"."""
    kinds = refs.KINDS - _ANY_KIND
    named = scene.spelt - {one.kind for one in scene.candidates}
    said = {one.word for one in words if one.word in kinds}
    return frozenset(one for one in said if one in named or stems_of(one) in scene.traits)


def _terms(text: str, words: Sequence[Word], scene: Scene, kept: frozenset[str]) -> Iterator[_Term]:
    """The parts of a description: traits, a day, a number, or words of a name."""
    at, negated, count = 0, False, refs.said_count([one.word for one in words])
    while at < len(words):
        word = words[at].word
        inside = words[at : at + _LONGEST]
        found = (_day_at(text, inside, scene) if at < _MOST_DAYS else None) or _trait_at(inside, scene)
        size, fits = found or (1, {})
        last = words[at + size - 1].word
        plural = last.endswith("s") and last not in scene.spelt
        if found:
            yield _Term(size, fits, True, True, negated, plural)
        elif (word in refs.LIGHT and word not in kept) or (count is not None and number_of(word) == count):
            at += 1
            continue
        elif word not in refs.NOT:
            for part in stems_of(word):
                yield _Term(1, scene.fitting(part), part.isdigit(), False, negated, plural)
        negated = word in refs.NOT and not found
        at += size


def _day_at(text: str, words: Sequence[Word], scene: Scene) -> tuple[int, Mapping[int, float]] | None:
    """The number of words that name a day, and the candidates of that day or with these words in their names."""
    if scene.days is None or (words[0].word in refs.LIGHT and not is_time_word(words[0].word)):
        return None
    for size in range(len(words), 0, -1):
        telling = [one.word for one in words[:size] if one.word not in refs.LIGHT]
        timed = [is_time_word(one) or one in refs.BOUNDS for one in telling]
        # "Call Friday" is more than a day. Words of time in other languages are strange to this one.
        strange = not any(timed) and not any(scene.fitting(part) for one in telling for part in stems_of(one))
        days = None
        if telling and words[size - 1].word == telling[-1] and (all(timed) or strange):
            days = scene.days(text[words[0].start : words[size - 1].end])
        if days is not None:
            whens = [(place, one.when) for place, one in enumerate(scene.candidates) if one.when]
            return size, _fits([place for place, when in whens if days[0] <= when[:10] < days[1]], telling, scene)
    return None


def _trait_at(words: Sequence[Word], scene: Scene) -> tuple[int, Mapping[int, float]] | None:
    """The number of words that name a trait, and the candidates that have it."""
    for size in range(len(words), 0, -1):
        said = [one.word for one in words[:size]]
        for last in (said[-1], said[-1].removesuffix("s")):
            stems = tuple(part for one in (*said[:-1], last) for part in stems_of(one))
            if stems in scene.traits and (size > 1 or said[0] not in refs.LIGHT - refs.KINDS):
                return size, _fits(scene.traits[stems], said, scene)
    same = refs.STATES.get(words[0].word, ())
    places = {place for one in same for place in scene.traits.get(stems_of(one), ())}
    return (1, _fits(places, [words[0].word], scene)) if same else None


def _fits(places: Sequence[int] | set[int], words: Sequence[str], scene: Scene) -> Mapping[int, float]:
    """These positions, and those of candidates with the words in their names."""
    named = [scene.fitting(part) for word in words for part in stems_of(word)]
    inside = [place for place in (named[0] if named else ()) if all(one.get(place) == EXACT for one in named)]
    return dict.fromkeys([*places, *inside], EXACT)
