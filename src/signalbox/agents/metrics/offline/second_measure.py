"""A second measure: to divide by, to take away, or to show beside the first; and pairs of what is and what may be."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from signalbox.agents.metrics.candidates import Values, matchers_of
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import Wanted, find_offer, measure_for, narrowed, selector_template
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Matcher, Measure
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.vocabulary import GOALS, MARKS, PORTIONS
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import read_words, split_name

__all__ = [
    "Second", "beside", "beyond_goal", "is_goal", "is_portion", "is_same_kind", "narrowed_to", "pair_of",
    "second_offer",
]  # fmt: skip

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


async def second_offer(words: str, live: Live, first: Offer) -> Offer:
    """Return the measure that words name: by its name, or as search finds it. Raises MetricNotFoundError."""
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


async def beside(offer: Offer, plan: MetricsPlan, live: Live, within: TimeRange, wanted: Wanted) -> Second:
    """Return a second measure with the conditions of the plan that it has labels for."""
    measure, series = await measure_for(offer, live, within, wanted)
    values = Values(series.values, measure.labels, _help(measure, live))
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


def is_goal(name: str) -> bool:
    """True if a measure says by its name how much there may or should be."""
    return bool(GOALS & _words(name))


def is_portion(name: str) -> bool:
    """True if a measure says by its name how much is taken of what there is."""
    return bool(PORTIONS & _words(name))


async def pair_of(offer: Offer, live: Live, within: TimeRange) -> tuple[Offer, Offer] | None:
    """Return what there is and what there may be of it at most, if the offer is a gauge that is one of the two. Their
    names differ only by the words that say so."""
    mine, _ = await measure_for(offer, live, within)
    if mine.type != "gauge" or len(mine.metrics) > 1:
        return None
    gauges = [one for one in live.offers.values() if one.family and not one.recipe and one.family.type == "gauge"]
    found = [(shared, one) for one in gauges if (shared := _kinship(_words(mine.name), _words(one.key)))]
    for shared, other in sorted(found, key=lambda one: -one[0]):
        pair = (other, offer) if _is_whole_of(mine.name, other.key) else (offer, other)
        things = [(await measure_for(one, live, within))[0].labels - _NO_THINGS for one in pair]
        # One word in common says little: then both must be of the very same things.
        if things[0] == things[1] or (shared >= 2 and things[1] <= things[0]):
            return pair
    return None


def beyond_goal(part: Measure, whole: Measure, *, above: bool) -> Measure:
    """Return by how much each thing is beyond its own goal: levels above their limit, stock below its reorder point."""
    on = ", ".join(sorted(whole.labels & part.labels))
    other = f"on ({on}) group_left () {selector_template(whole.name)}"
    return replace(
        part, title=f"{part.title} less {whole.title}", metrics=(part.name, whole.name), is_difference=True,
        agg="max" if above else "min", promql=f"$agg by ($by) ({selector_template(part.name)} - {other})",
    )  # fmt: skip


def _help(measure: Measure, live: Live) -> str:
    return live.names[measure.name].help if measure.name in live.names else ""


def _words(name: str) -> set[str]:
    return {base(word) for word in split_name(name)}


def _kinship(own: set[str], theirs: set[str]) -> float:
    """How many words two names share, if the others make them halves of a pair; else 0."""
    mine, other = own - theirs, theirs - own
    is_of_goal = any(more & GOALS and more <= GOALS | MARKS for more in (mine, other))
    # Spaces taken are a part of the spaces: the same name with a word less.
    is_portion = (not other and len(mine) == 1) or (not mine and other <= PORTIONS)
    is_pair = (is_of_goal or is_portion) and bool(own & theirs) and own != theirs
    return len(own & theirs) - 0.1 * len(mine | other) if is_pair else 0.0


def _is_whole_of(name: str, other: str) -> bool:
    """True if the first of two measures says how much there may be of the second."""
    own, theirs = _words(name), _words(other)
    return bool(GOALS & (own - theirs)) or (not GOALS & (theirs - own) and bool(PORTIONS & (theirs - own)))
