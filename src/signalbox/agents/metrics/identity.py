"""What identifies a thing: silo B of one plant is not silo B of another, and must not be added to it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promql import selector_text
from signalbox.agents.metrics.run import ask
from signalbox.agents.metrics.slots import Slots

__all__ = ["with_identity"]

_CODE = re.compile(r"\w{1,2}|\d+|/.*")
_NO_PARENTS = frozenset({"job", "le", "quantile"})


async def with_identity(slots: Slots, live: Live) -> Slots:
    """Return the slots of a ranking, split by the labels without which several things of one name would be added up.

    A label is the name of a part if its values are found below several values of another label, and are short codes or
    are the same below each: the silos A and B of every plant, the main and the backup motor of every lift.
    """
    measure = slots.measure
    is_level = measure.type in ("gauge", "ratio") and not measure.joined
    if slots.shape != "ranking" or len(slots.by) != 1 or not is_level or len(measure.metrics) not in (1, 2):
        return slots
    own, metric = slots.by[0], measure.metrics[0]
    values = (await live.series([metric], slots.time_range))[metric].values
    pinned = {one.label for one in slots.matchers if len(one.values) == 1 and not one.negated}
    others = [
        label for label in sorted(measure.labels - _NO_PARENTS - {own} - pinned) if len(values.get(label, ())) > 1
    ]
    are_codes = all(map(_CODE.fullmatch, values.get(own, ())))
    is_joined = measure.agg == "sum" or slots.how in ("sum", "avg")
    if is_joined and not are_codes:
        return slots  # What adds up is added up by what was asked for.
    at = slots.now if slots.is_current else slots.time_range.end_time
    for label in others:
        if are_codes and await _is_place(label, own, metric, slots, at, live):
            return replace(slots, by=(label, own))
        if len(values.get(own, ())) >= len(values.get(label, ())):
            continue
        selector = selector_text(metric, slots.matchers)
        pairs = f"count by ({own}, {label}) ({selector})"
        sides = (own,) if are_codes else (own, label)
        counted = [(await ask(Query(f"min(count by ({one}) ({pairs}))", at=at), live)).curves for one in sides]
        if all(curves and curves[0].values[-1] > 1 for curves in counted):
            return replace(slots, by=(label, own))
    return slots


async def _is_place(label: str, own: str, metric: str, slots: Slots, at: datetime, live: Live) -> bool:
    """True if a label says where a whole target stands, and things of one code stand in several such places."""
    if label == "instance" or "instance" not in slots.measure.labels:
        return False
    selector = selector_text(metric, slots.matchers)
    of_targets = f"max(count by (instance) (count by (instance, {label}) ({selector})))"
    of_codes = f"max(count by ({own}) (count by ({own}, {label}) ({selector})))"
    found = [(await ask(Query(one, at=at), live)).curves for one in (of_targets, of_codes)]
    places, codes = (curves[0].values[-1] if curves else 0 for curves in found)
    return places == 1 and codes > 1
