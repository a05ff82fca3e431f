"""Things by number, by their place in what was shown, from one to another, and by pronouns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from signalbox.grounding.candidates import Ask, Candidate, NotFound, Result, Several, members, some
from signalbox.grounding.descriptions import described, named_kinds
from signalbox.grounding.scene import Scene
from signalbox.language import references as refs
from signalbox.language.names import key_of
from signalbox.language.numbers import NUMBERS, number_of
from signalbox.language.words import read_words

__all__ = ["by_number", "by_place", "by_pronoun", "by_range"]


def by_number(text: str, scene: Scene) -> Result | None:
    """Return the things with these ids, or else at these places. None if the words are not just numbers.

    If options were offered, a bare number is first taken as a position; "#2" never is.
    """
    words = read_words(text)
    marks = {one.word for one in words} & (refs.MARKS | refs.KINDS) - {"one"}
    said = [one.word for one in words if one.word not in refs.FILLING | refs.MARKS | refs.KINDS]
    said = said or [one.word for one in words if one.word == "one" and marks]
    numbers = [number_of(one) for one in said if one.isdecimal() or marks or scene.view.offered]
    if not said or len(numbers) < len(said) or None in numbers or refs.said_count([one.word for one in words]):
        return None
    found: list[Candidate] = []
    for number in numbers:
        own = scene.by_id(str(number))
        placed = _at(number or 0, 1, scene.view.shown, scene) if "#" not in text else None
        if placed and (own is None or (scene.view.offered and not marks - refs.OPTION)):
            found += placed
        elif own is not None:
            found.append(own)
        else:
            return NotFound(text)
    return some(found)


def by_place(text: str, scene: Scene) -> Result | None:
    """Return the things at these places of what was shown, or of those shown that other words describe.

    None if the words name no place.
    """
    words = read_words(text)
    places = refs.places_named([one.word for one in words])
    if not places:
        return None
    known = frozenset((*refs.PLACES, *refs.FEW, *NUMBERS)) - refs.LIGHT
    rest = [one for one in words if one.word not in refs.LIGHT | known and not one.word[0].isdecimal()]
    whole, fits = described(text, scene, kept=known) if rest or scene.days else (None, False)
    if fits:
        return whole
    shown: Sequence[str] = scene.view.shown
    if rest:
        # "All" makes it a group, of which the place is one.
        pool, _ = described(f"all {' '.join(text[one.start : one.end] for one in rest)}", scene)
        shown = [one for one in shown if one in {other.id for other in members(pool)}]
        if not shown:
            return Ask(pool.candidates) if isinstance(pool, Several) else some(members(pool)) or NotFound(text)
    found: list[Candidate] = []
    for place, count in places:
        if place == 0 and scene.shown and len(shown) % 2 == 0:
            return Ask(tuple(scene.of_ids(shown)))
        inside = _at(place or len(shown) // 2 + 1, count, shown, scene)
        if inside is None:
            return NotFound(text)
        found += inside
    return some(found)


def _at(place: int, count: int, shown: Sequence[str], scene: Scene) -> list[Candidate] | None:
    """The things from a place on, or the last ones; None if one of them is not there."""
    start = place - 1 if place > 0 else len(shown) + place - (count - 1 if place == -1 else 0)
    found = scene.of_ids(shown[start : start + count]) if start >= 0 else []
    return found if len(found) == count else None


def by_pronoun(text: str, scene: Scene) -> Result | None:
    """Return what "it", "them", "the other one", "all" or "my tasks" mean. None if other words describe things."""
    words = read_words(text)
    said, count = {one.word for one in words}, refs.said_count([one.word for one in words])
    points = bool(said & (refs.IT | refs.THEM))
    if said - refs.LIGHT - set(NUMBERS) - {str(count)} or (not points and named_kinds(words, scene)):
        return None
    everything = scene.candidates
    several = bool(count or said & (refs.THEM | refs.ALL | refs.PLURALS | refs.OTHERS))
    pools = [one for one in (scene.spoken, scene.shown) if one]
    if said & refs.OTHER:
        wholes = (scene.shown, everything) if said & refs.ALL or not scene.shown else (scene.shown,)
        pools = [rest for whole in wholes if (rest := [one for one in whole if one not in scene.spoken])]
    elif said & refs.THEM or "ones" in said or (said & refs.ALL and points):
        pools = sorted(pools, key=lambda one: len(one) == 1) or ([everything] if said & refs.ALL else [])
    elif several:
        pools = [*pools, everything] if count else [everything]
    elif said & (refs.IT | refs.SINGULARS) or not text:
        pools = [scene.spoken] if scene.view.spoken else pools or ([everything] if len(everything) == 1 else [])
    else:
        return None
    counted = [one for one in pools if count in (None, len(one))]
    pool = next(iter(counted or pools), [])
    if (several and counted) or len(pool) == 1:
        return some(pool, is_group=bool(said & (refs.ALL | refs.PLURALS | refs.OTHERS))) or NotFound(text)
    return Ask(tuple(pool)) if pool else NotFound(text)


def by_range(text: str, scene: Scene, exact: Callable[[str], Result | None]) -> Result | None:
    """Return the things from one to another, by their numbers or by their order in what was shown.

    None if the words are not a range: each end must be one existing thing.
    """
    between = refs.BETWEEN.fullmatch(text)
    ends = list(between.groups()) if between else refs.THROUGH.split(refs.FROM.sub("", text, count=1), maxsplit=1)
    if len(ends) != 2 or any(place < -1 for place, _ in refs.places_named([one.word for one in read_words(text)])):
        return None
    first, last = (members(by_place(end, scene)) for end in ends)
    if len(first) == len(last) == 1 and {*first, *last} <= set(scene.shown):
        return some(_from_to(first[0], last[0], scene.shown), is_group=True)
    # The xrds 1-4 begin with xrd 1, and xrd-1 to 4 end with xrd-4.
    numbered = re.fullmatch(r"(.*?)s?(\W*)(\d+)", ends[0].strip())
    stem = f"{numbered[1]}{numbered[2]}" if numbered else ""
    first = members(exact(ends[0])) or members(exact(f"{stem}{numbered[3]}") if numbered else None)
    last = members(exact(ends[1])) or members(exact(f"{stem}{ends[1].strip()}"))
    if len(first) == 1 and numbered and not last:
        return NotFound(ends[1].strip())
    return some(_between(first[0], last[0], scene), is_group=True) if len(first) == len(last) == 1 else None


def _between(first: Candidate, last: Candidate, scene: Scene) -> Sequence[Candidate]:
    """The things from one to another by the numbers of their ids or names; else by their order, if both were shown."""
    for field in ("id", "name") if not scene.view.offered else ():
        ends = {one.id: key_of(getattr(one, field)).strip("|").rpartition("|") for one in scene.candidates}
        numbered = [one for one in scene.candidates if ends[one.id][2].isdecimal()]
        alike = [one for one in numbered if ends[one.id][0] == ends[first.id][0]]
        if first in alike and last in alike:
            return _from_to(first, last, sorted(alike, key=lambda one: int(ends[one.id][2])))
    return _from_to(first, last, scene.shown) if first in scene.shown and last in scene.shown else (first, last)


def _from_to(first: Candidate, last: Candidate, order: Sequence[Candidate]) -> Sequence[Candidate]:
    start, end = sorted((order.index(first), order.index(last)))
    return order[start : end + 1]
