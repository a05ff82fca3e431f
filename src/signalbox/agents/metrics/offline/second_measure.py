"""A second measure: to divide by, to take away, or to show beside the first."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from signalbox.agents.metrics.candidates import Values, matchers_of
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import Wanted, find_offer, measure_for, narrowed
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Matcher, Measure
from signalbox.agents.metrics.state import TimeRange
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import read_words, split_name

__all__ = ["RESTS", "Second", "beside", "is_same_kind", "narrowed_to", "second_offer"]

RESTS = frozenset("free spare vacant unused missing remaining left available".split())
"""Words for what is not taken of what there is."""
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
