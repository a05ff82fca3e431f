"""A second measure: to divide by, to take away, or to show beside the first; and what holds or limits the first."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from signalbox.agents.metrics.candidates import Values, matchers_of
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import Wanted, find_offer, measure_for, narrowed
from signalbox.agents.metrics.offers import Offer, is_plain
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Matcher, Measure
from signalbox.agents.metrics.state import TimeRange
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.units import dimension_of
from signalbox.language.words import read_words, split_name

__all__ = [
    "RESTS", "SPARE", "WHOLES", "Second", "beside", "is_beside_whole", "is_same_kind", "names_whole", "narrowed_to",
    "pair_of", "says_spare", "says_taken", "second_offer",
]  # fmt: skip

RESTS = frozenset("free spare vacant unused missing remaining left available".split())
"""Words for what is not taken of what there is."""
SPARE = frozenset("free spare vacant unused".split())
"""Those that always speak of room: the milk left in a tank is its level, and the litres free are not."""
WHOLES = tuple("capacity size total max maximum limit quota".split())
"""How gauges say by their names that they are a whole, or a limit, that another gauge is a part of; the plainest
first."""
_AT_MOST = {*WHOLES, "most"}
_PORTIONS = {*RESTS, "avail", "used", "taken", "occupied", "busy", "booked", "filled", "active"}
_NO_THINGS = frozenset({"job", "instance"})
_NEAR = 0.85


@dataclass(frozen=True, slots=True)
class Second:
    """A second measure, narrowed by what of the plan it has labels for."""

    offer: Offer
    measure: Measure
    matchers: tuple[Matcher, ...]
    values: Values

    def labels_with(self, measure: Measure, values: Values) -> frozenset[str]:
        """Return the labels by which both measures tell the same things apart; the hosts of one may be none of the
        other's."""
        known = [(label, values.values.get(label), self.values.values.get(label)) for label in measure.labels]
        return frozenset(
            one for one, mine, theirs in known if one in self.measure.labels and {*(mine or ())} & {*(theirs or ())}
        )


async def second_offer(words: str, live: Live, first: Offer, within: TimeRange) -> Offer:
    """Return the measure that words name: by its name, as what the first is a part of, or as search finds it. Raises
    MetricNotFoundError."""
    if {word for word, *_ in read_words(words)} - FILLERS - {*WHOLES} == set():
        if pair := await pair_of(first, live, within):
            return pair[1]
        raise MetricNotFoundError(
            f'Nothing on this server says what "{words}" of {first.title} is.', suggestion="Name the metric itself."
        )
    if words in live.offers or words in live.names or "_" in words:
        return find_offer(words, live)
    hits = [hit for hit in (await asyncio.to_thread(live.index.search, words, 6)).hits if hit.explained]
    said = {base(word) for word, *_ in read_words(words) if word not in FILLERS}
    told = {base(word) for hit in hits[:1] for word in hit.explained}
    if not hits or len(said & told) * 2 < len(said):
        raise MetricNotFoundError(
            f'No metric for "{words}" was found on this server.', suggestion="Name the metric itself."
        )
    best = [hit.thing for hit in hits if hit.score >= _NEAR * hits[0].score and hit.explained >= hits[0].explained]
    # Of several that fit, one of the first measure's own type and name.
    type_, own = (first.family.type if first.family else ""), {*map(base, split_name(first.key))}
    ranked = sorted(best, key=lambda one: -len(own & {*map(base, split_name(one.key))}))
    alike = [one for one in ranked if one.family and one.family.type == type_ and one.key != first.key]
    return best[0] if best[0].key == first.key or not alike or best[0].recipe else alike[0]


def names_whole(words: str, whole: Offer) -> bool:
    """True if words name nothing but a whole, or no more than that it is one: its capacity."""
    own = {base(word) for word in _words(_metric_of(whole))}
    said = [word for word, *_ in read_words(words) if word in WHOLES or word not in FILLERS]
    # A metric that is written out is divided by as it is.
    return "_" not in words and all(word in WHOLES or base(word) in own for word in said)


def is_beside_whole(offer: Offer, text: str) -> bool:
    """True if a question holds a measure against a whole, whose word the measure does not have: of its capacity."""
    said = {word for word, *_ in read_words(text)} & {"capacity", "limit", "quota"}
    return bool(said) and not {*WHOLES} & _words(_metric_of(offer))


def says_taken(offer: Offer) -> bool:
    """True if a measure says by its name how much is taken."""
    return bool((_PORTIONS - {*RESTS, "avail"}) & _words(_metric_of(offer)))


def says_spare(offer: Offer) -> bool:
    """True if a measure says by its name how much is not taken."""
    return bool({*RESTS, "avail"} & _words(_metric_of(offer)))


async def pair_of(offer: Offer, live: Live, within: TimeRange) -> tuple[Offer, Offer] | None:
    """Return a level and its capacity, or whatever else is a part and its whole, if the offer is one of the two: gauges
    in one unit and of the same things, that share words of their names. None if there is none, or none stands out."""
    found: dict[tuple[int, ...], list[tuple[Offer, Offer]]] = {}
    own = _words(_metric_of(offer))
    for other in [one for one in live.offers.values() if any(word in _metric_of(one) for word in own)]:
        for part, whole in ((offer, other), (other, offer)):
            mine, theirs = _words(_metric_of(part)), _words(_metric_of(whole))
            place = _place_of_whole(part, whole) if other.key != offer.key else None
            if place is not None and await _are_of_same_things(part, whole, live, within):
                found.setdefault((-len(mine & theirs), len(mine ^ theirs), place), []).append((part, whole))
    best = found[min(found)] if found else []
    return best[0] if len(best) == 1 else None


def _place_of_whole(part: Offer, whole: Offer) -> int | None:
    """How plainly the one offer is called the whole of the other, the smaller the plainer; None if it is not."""
    mine, theirs = _words(_metric_of(part)), _words(_metric_of(whole))
    if not mine & theirs or {*WHOLES} & (mine - theirs):
        return None
    if not theirs - mine and mine - theirs <= _PORTIONS:
        return len(WHOLES)  # Lockers taken are a part of the lockers.
    named = [WHOLES.index(one) for one in WHOLES if one in theirs - mine]
    told, own = ({word for word, *_ in read_words(one.family.help if one.family else "")} for one in (whole, part))
    return next(iter(named), len(WHOLES) + 1 if _AT_MOST & (told - own) else None)


async def _are_of_same_things(part: Offer, whole: Offer, live: Live, within: TimeRange) -> bool:
    first, second = [(await measure_for(one, live, within))[0] for one in (part, whole)]
    if not first.type == second.type == "gauge" or first.unit != second.unit or len(first.metrics) > 1:
        return False
    things = [one.labels - _NO_THINGS or one.labels for one in (first, second)]
    return things[1] <= things[0] and bool(things[1]) == bool(things[0])


def _metric_of(offer: Offer) -> str:
    """The metric that an offer reads as it is; empty for any other way of computing it."""
    is_computed = any(not is_plain(one) for one in offer.bounds)
    return offer.metrics[0] if offer.family and len(offer.metrics) == 1 and not is_computed else ""


def _words(name: str) -> set[str]:
    """The words of a name, without units."""
    return {word for word in split_name(name) if not dimension_of(word)}


async def beside(offer: Offer, plan: MetricsPlan, live: Live, within: TimeRange, wanted: Wanted) -> Second:
    """Return a second measure with the conditions of the plan that it has labels for."""
    measure, series = await measure_for(offer, live, within, wanted)
    values = Values(series.values, measure.labels)
    said, out = ([one for words in some for one in values.find(words) or ()] for some in (plan.filters, plan.excluded))
    return Second(offer, measure, matchers_of(said, out), values)


def narrowed_to(measure: Measure, matchers: list[Matcher]) -> Measure:
    """Return the measure with conditions that the other side does not have, and that its title names."""
    told = ", ".join(f"{'not ' if one.negated else ''}{' or '.join(one.values)}" for one in matchers)
    return replace(narrowed(measure, matchers), title=f"{measure.title} ({told})") if told else measure


def is_same_kind(first: Measure, second: Measure) -> None:
    """Raise InvalidQueryError if one measure cannot be taken from the other."""
    kinds = [(one.type == "counter", one.unit.partition("/")[0].removeprefix("1")) for one in (first, second)]
    if kinds[0] != kinds[1]:
        raise InvalidQueryError(
            f"{first.title[:1].upper()}{first.title[1:]} and {second.title} are of different kinds: neither can be "
            "taken away from the other.",
            suggestion="Name two measures of one kind and one unit.",
        )
