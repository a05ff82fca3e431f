"""A choice between a share and a sum, which the number itself tells: "20% off" is a percentage, "$5 off" an amount."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from signalbox.models.offline.fill.english.words import split_name, word_set
from signalbox.models.offline.fill.figures.units import CURRENCIES
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_share_or_sum"]

_SHARES = word_set("percent percentage pct relative %")
_SUMS = word_set("amount fixed absolute flat sum money cash currency")


def find_share_or_sum(reading: Reading, field: Field) -> Iterator[Proposal]:
    """Proposals for such a choice by the unit of each number; one that is only a bound tells little."""
    share, total = _sides(field)
    if share is None or total is None:
        return
    for quantity in reading.quantities:
        option = {"percent": share, "money": total}.get(quantity.dimension)
        if option is not None:
            score = 0.6 if quantity.bound else 0.88
            yield Proposal(field, option, quantity.start, quantity.end, score, shared=True)


@lru_cache(maxsize=2_000)
def _sides(field: Field) -> tuple[object, object]:
    """The one option that is a share and the one that is a sum; None where there is none or are several."""
    words = [(option, set(split_name(str(option)))) for option in field.options]
    shares = [option for option, said in words if said & _SHARES]
    sums = [option for option, said in words if said & _SUMS or said & CURRENCIES.keys()]
    return (shares[0] if len(shares) == 1 else None), (sums[0] if len(sums) == 1 else None)
