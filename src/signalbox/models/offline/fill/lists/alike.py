"""Items that are told alike: what stands at the same place in one item as a value in another is such a value."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.english.sentence import STOP, Sentence, Token
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["complete_alike"]

Item = dict[str, Proposal]
_SMALL = STOP | PARTS_OF_SPEECH["stops"] | PARTS_OF_SPEECH["verbs"] | PARTS_OF_SPEECH["articles"]


def complete_alike(sentence: Sentence, free: Iterable[Field], items: list[Item]) -> list[Item]:
    """Fill a single word beside an anchor that has a value in another item: blue in "a red coat and a blue hat"."""
    for field in free:
        having = [item for item in items if field.path in item]
        lacking = [item for item in items if field.path not in item]
        for model, item in product(having[:1], lacking):
            if (found := _beside(sentence, model, field.path, item)) is not None:
                value = Proposal(field, found.text, found.start, found.end, model[field.path].score)
                items = [{**one, field.path: value} if one is item else one for one in items]
    return items


def _beside(sentence: Sentence, model: Item, path: str, item: Item) -> Token | None:
    """The word that stands before the same field's value in the other item as the one does in the model."""
    value = model[path]
    for other, anchor in model.items():
        between = sentence.text[value.end : anchor.start]
        if other == path or other not in item or anchor.start < value.end or between.strip() or not between:
            continue
        at = sentence.index_at(item[other].start)
        word = sentence.tokens[at - 1] if at else None
        serves = word is None or any(p.start < word.end and word.start < p.end for p in item.values())
        if word is not None and not serves and word.text.isalpha() and word.lower not in _SMALL:
            return word
    return None
