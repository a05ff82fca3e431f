"""Common nouns of two words, taken whole: "spider plant" for a plant, "vitamin C"."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.roles import roles_of
from signalbox.models.offline.fill.texts.sorts import sort_of

__all__ = ["as_compound"]

_MARK = re.compile(r"[A-Z]\d{0,2}")


def as_compound(bounds: Bounds, proposal: Proposal) -> Proposal:
    """A proposal that ends in a common noun with the word behind it, where that completes the noun."""
    at = bounds.sentence.index_at(proposal.end - 1) + 1
    if at >= len(bounds.tokens) or bounds.blocked(at) or not bounds.tokens[at - 1].text.islower():
        return proposal
    if not (_is_head(bounds, proposal.field, at) or _is_mark(bounds, proposal.field, at)):
        return proposal
    end = bounds.tokens[at].end
    return replace(proposal, value=bounds.reading.text[proposal.start : end], end=end, pieces=())


def _is_head(bounds: Bounds, field: Field, at: int) -> bool:
    """Whether the field's own name stands here and is what the noun before it is: a rubber plant is a plant.

    Only where examples show that common nouns are asked for; else it is rather a label: "the checkout service".
    """
    shown = [str(one) for one in field.examples]
    if not shown or not all(one.islower() and one.isalpha() for one in shown):
        return False
    if roles_of(field) or sort_of(field) not in ("thing", "title") or not field.name_words:
        return False
    following = bounds.tokens[at + 1].text if at + 1 < len(bounds.tokens) else "."
    named = bounds.tokens[at].text.removesuffix("s") == field.name_words[-1]
    return named and not following[0].isupper() and not following[0].isdigit() and following not in (":", "=")


def _is_mark(bounds: Bounds, field: Field, at: int) -> bool:
    """Whether a letter tells one of several kinds apart, as that of a vitamin."""
    marks = _MARK.fullmatch(bounds.tokens[at].text) and bounds.tokens[at].text != "I"
    return bool(marks) and sort_of(field) in ("thing", "title") and bounds.tokens[at - 1].stem not in field.name_stems
