"""A request as wishes: stretches of it that each mean one tool."""

from __future__ import annotations

from dataclasses import dataclass, replace

from signalbox.models.offline.arguments import Filler, explained, is_list, is_text
from signalbox.models.offline.choose import Choice, choose
from signalbox.models.offline.parts import coordinations, opens_content, read_part, split_request
from signalbox.models.offline.tools import ToolCard, ToolSet

__all__ = ["Wish", "read_wishes"]


@dataclass(frozen=True)
class Wish:
    """What is wished, in the person's words, and the tool for it."""

    text: str
    choice: Choice
    start: int = 0
    end: int = 0

    @property
    def card(self) -> ToolCard:
        return self.choice.card


def read_wishes(request: str, tools: ToolSet, filler: Filler, context: tuple[str, ...] = ()) -> list[Wish]:
    """The wishes of a request, in order; empty when no tool fits any part of it.

    `context` are words for what was spoken of before; they count where a clause alone is not clear.
    """
    wishes = _by_clause(request, tools, filler, context)
    if not wishes:
        whole = _pick(request, tools, filler, context)
        wishes = [Wish(request, whole, 0, len(request))] if whole else []
    return [single for wish in wishes for single in _spread(wish, tools, filler)]


def _pick(text: str, tools: ToolSet, filler: Filler, context: tuple[str, ...] = ()) -> Choice | None:
    part = read_part(text)

    def fit(card: ToolCard) -> tuple[float, bool]:
        return filler.fit(card, part.text), explained(part, card, filler.fill(card, part.text))

    found = choose(tools, part, fit)
    if found is None and context:
        part = replace(part, words=(*part.words, *context))
        found = choose(tools, part, fit)
    return found


def _by_clause(request: str, tools: ToolSet, filler: Filler, context: tuple[str, ...]) -> list[Wish]:
    wishes: list[Wish] = []
    lead: int | None = None
    for clause in split_request(request):
        spoken = context or tuple(word for wish in wishes[-1:] for word in wish.card.nouns)
        choice = _pick(request[clause.start : clause.end], tools, filler, spoken)
        if choice is None and lead is not None:
            choice = _pick(request[lead : clause.end], tools, filler)
        if wishes and (choice is None or _belongs(wishes[-1], choice, request[clause.start : clause.end], clause.fresh, filler)):
            wishes[-1] = _extended(wishes[-1], request, clause.end)
        elif choice is None:
            lead = clause.start if lead is None else lead
        else:
            start = clause.start if lead is None else lead
            wishes.append(Wish(request[start : clause.end], choice, start, clause.end))
            lead = None
    return wishes


def _extended(wish: Wish, request: str, end: int) -> Wish:
    return replace(wish, text=request[wish.start : end], end=end)


def _belongs(before: Wish, choice: Choice, text: str, fresh: bool, filler: Filler) -> bool:
    """Whether a clause that could be a wish is still part of the one before."""
    if opens_content(before.text) and not fresh:
        return choice.nouns < 0.6
    same = choice.card.name == before.card.name
    return same and not filler.fill(choice.card, text).values and bool(choice.card.properties)


def _spread(wish: Wish, tools: ToolSet, filler: Filler) -> list[Wish]:
    """The wish once for each element of an enumeration in it, where the elements mean different tools or calls."""
    if opens_content(wish.text):
        return [wish]
    for way in coordinations(wish.text):
        picked = [_pick(text, tools, filler) for text in way]
        if any(choice is None for choice in picked):
            continue
        spread = [Wish(text, choice, wish.start, wish.end) for text, choice in zip(way, picked, strict=True) if choice]
        names = {single.card.name for single in spread}
        if len(names) == len(spread) and all(single.choice.nouns >= 0.4 for single in spread):
            return spread
        if len(names) == 1 and spread[0].card.name == wish.card.name and _one_each(wish, spread, filler):
            return spread
    return [wish]


def _one_each(wish: Wish, spread: list[Wish], filler: Filler) -> bool:
    """Whether the elements give different values to one single-valued parameter, and nothing else differs."""
    fills = [filler.fill(wish.card, single.text).values for single in spread]
    differing = {name for values in fills for name in values if any(values.get(name) != other.get(name) for other in fills)}
    if len(differing) != 1:
        return False
    name = differing.pop()
    schema = wish.card.properties.get(name)
    return all(name in values for values in fills) and not is_list(schema) and not is_text(name, schema)
