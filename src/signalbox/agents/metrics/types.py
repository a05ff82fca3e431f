"""What a metric is whose type the server does not say: its samples tell a counter from a gauge."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.offers import Family
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.vocabulary import base

__all__ = ["with_type"]

_SPAN = "1d"
# A gauge goes down about as often as up; a counter goes down only where its process starts anew.
_MOST_FALLS = 0.005
_FEWEST_CHANGES = 30
# What is there at a moment, or is a moment itself, may grow for days and is no counter.
_LEVELS = frozenset(
    map(base, """used free available size capacity depth length age uptime time timestamp boot offset level limit max
        min current active open pending version usage ratio percent celsius speed temperature humidity pressure voltage
        price latency duration per score""".split())
)  # fmt: skip
# These are a level only as what a name ends in: mysql_global_status_queries counts queries.
_LEVEL_HEADS = frozenset(map(base, ("state", "status")))


async def with_type(family: Family, live: Live, at: datetime) -> Family:
    """The family, as a counter where its type was a guess and its samples only ever rise."""
    words = tuple(map(base, family.words))
    is_level = bool(_LEVELS & set(words)) or bool(_LEVEL_HEADS.intersection(words[-1:]))
    if not family.is_guessed or family.type != "gauge" or is_level:
        return family
    if family.name not in live.rising:
        live.rising[family.name] = await _rises(family.name, live, at)
    return replace(family, type="counter") if live.rising[family.name] else family


async def _rises(name: str, live: Live, at: datetime) -> bool:
    selector = selector_text(name)
    changes = f"sum(changes({selector}[{_SPAN}]))"
    try:
        found = await live.client.query(f"sum(resets({selector}[{_SPAN}])) / ({changes} >= {_FEWEST_CHANGES})", at)
    except InvalidQueryError:
        return False
    return bool(found.curves) and found.curves[0].values[-1] <= _MOST_FALLS
