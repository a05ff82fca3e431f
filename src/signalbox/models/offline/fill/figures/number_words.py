"""Words that speak of a numeric field: its own, those of its description, and everyday words for the same thing."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from signalbox.language.units import dimension_of
from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.english.thesaurus import stands_for
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.schema import Field

__all__ = ["forms_of", "kin_of", "vocabulary_of"]

# Each line: words that speak of one sort of number, as adjective, noun, verb or preposition.
_FAMILIES = """
duration length long last lasts lasting take takes total altogether whole spend
wait waiting pause delay gap interval apart between break cooldown quiet
retry retries attempt attempts try tries again repeat
timeout abort give longer
keep kept retain retention store
interval every each frequency
ramp rise reach climb build
warm heat preheat
fail failed failing error failure fault
height high tall
width wide broad
depth deep
weight weigh heavy
age old aged
speed fast quick
distance far away
price cost pay worth
deposit own down
income earn salary wage
fee charge
discount off reduction
loudness volume loud
watering water
remind reminder before ahead notice
birth born birthday dob
average avg mean
maximum max highest peak
minimum min lowest
heart pulse heartbeat
temperature temp
""".strip().splitlines()
_ROLES: dict[str, set[int]] = defaultdict(set)
for _number, _family in enumerate(_FAMILIES):
    for _word in _family.split():
        _ROLES[stem(_word)].add(_number)
_KIN = {
    root: frozenset(stem(word) for number in numbers for word in _FAMILIES[number].split()) - {root}
    for root, numbers in _ROLES.items()
}
_NAME, _AROUND, _DESCRIBED = 1.0, 0.7, 0.6
_KINSHIP = 0.7
_LASTING = 0.4
_HOW_LONG = re.compile(r"(?:(?:over |for |during )?how (?:long|many)|(?:\w+ )?(?:length|duration))\b", re.IGNORECASE)
# Said of any number, so that they tell nothing.
_PLAIN = frozenset(stem(word) for word in "number how many much time value amount count".split())


def vocabulary_of(field: Field) -> dict[str, float]:
    """The stems that speak of a field, with how clearly they do."""
    unit, _ = unit_of_field(field.about, field.maximum)
    return _vocabulary(unit, (*field.name_words, *field.aliases), field.within, field.described, field.description)


@lru_cache(maxsize=2_000)
def _vocabulary(
    unit: str, names: tuple[str, ...], within: tuple[str, ...], described: tuple[str, ...], description: str
) -> dict[str, float]:
    found: dict[str, float] = {}
    for weight, words in ((_DESCRIBED, described), (_AROUND, within), (_NAME, names)):
        for word in words:
            root = stem(word)
            is_unit = len(names) > 1 and any(dimension == unit for dimension, *_ in dimension_of(word))
            if word not in STOP and root not in _PLAIN and not is_unit:
                for form in forms_of(root):
                    found[form] = max(found.get(form, 0.0), weight)
    if unit == "time" and (_HOW_LONG.match(description) or {"duration", "length"} & set(names)):
        for root, weight in (("long", _DESCRIBED), ("for", _LASTING), ("over", _LASTING)):
            found[root] = max(found.get(root, 0.0), weight)
    return found


def forms_of(root: str) -> tuple[str, ...]:
    """A stem, and that of the verb that a noun is made of: preparation and prepare, inspection and inspect."""
    ending = next((ending for ending in ("ation", "ion", "ment") if root.endswith(ending)), "")
    return (root, stem(root.removesuffix(ending))) if ending and len(root) > len(ending) + 3 else (root,)


@lru_cache(maxsize=5_000)
def kin_of(root: str) -> tuple[tuple[str, float], ...]:
    """A stem and those that may stand for it in speech of numbers, with how near each is."""
    kin = _KIN.get(root, frozenset()) | stands_for(root)
    return (root, 1.0), *((other, _KINSHIP) for other in kin)
