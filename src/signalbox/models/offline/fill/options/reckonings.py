"""How a sum is reckoned: "20% off" is a percentage, "$5 off" a fixed amount, though neither word is said."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import split_name
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_reckoned"]

_PARTS = word_set("percent percentage pct relative proportional")
_SUMS = word_set("fixed flat absolute amount sum lump money")


def find_reckoned(reading: Reading, field: Field) -> list[Proposal]:
    """The option that the first figure of the sentence shows by its unit; figures that bound others show none."""
    kinds = _kinds(field.options)
    shown = [q for q in reading.quantities if q.dimension in kinds and not q.bound] if kinds else []
    return [Proposal(field, kinds[q.dimension], q.start, q.end, 0.8, shared=True) for q in shown[:1]]


@lru_cache(maxsize=1_000)
def _kinds(options: tuple[Any, ...]) -> dict[str, Any]:
    """The option for a part and the one for a sum of money, where a field has one of each."""
    words = [(option, set(split_name(str(option)))) for option in options]
    parts = [option for option, own in words if own & _PARTS]
    sums = [option for option, own in words if own & _SUMS and not own & _PARTS]
    return {"percent": parts[0], "money": sums[0]} if len(parts) == len(sums) == 1 else {}
