"""Two measures that fit a question equally well, so that only the person can say which is meant."""

from __future__ import annotations

from collections.abc import Mapping

from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.language.search import Hit

__all__ = ["rival_of"]

_EQUAL, _CERTAIN = 0.03, 0.9
_MOST, _FEW = 6, 3


def rival_of(plan: MetricsPlan, text: str, hits: Mapping[str, Hit[Offer]]) -> str | None:
    """Return another measure that fits as well as the one that a model chose without being sure: the same words speak
    of both, and none of them tells the two apart."""
    mine = hits.get(plan.measure or "")
    if plan.named or plan.less or plan.per or plan.also or mine is None or not mine.explained:
        return None
    if mine.thing.recipe or plan.confidence >= _CERTAIN or plan.continues:
        return None
    alike = [one for one in list(hits.values())[:_MOST] if one.explained == mine.explained and not one.thing.recipe]
    said = text.lower()
    for other in alike if len(alike) <= _FEW else ():
        names = [set(one.thing.key.lower().split("_")) for one in (mine, other)]
        is_told = any(word in said for word in names[0] ^ names[1] if len(word) > 2)
        if other is not mine and abs(other.score - mine.score) <= _EQUAL * mine.score and not is_told:
            return other.thing.key
    return None
