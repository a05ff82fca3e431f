"""How far a value reaches: the words that only announce it, and what its number counts, belong to it."""

from __future__ import annotations

import re

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.figures.counted import counted_nouns, counts_people
from signalbox.models.offline.fill.figures.quantities import Quantity
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State
from signalbox.models.offline.fill.texts.roles import cues_of
from signalbox.models.offline.fill.times.moments import time_kind

__all__ = ["widen"]

# Behind an option these say that it orders something.
_RANKED = re.compile(
    r"(?:\s+(?:ones?|items?|results?))?\s+(?:first|last|(?:on|at(?: the)?) top|up front)\b", re.IGNORECASE
)
_LINKS = word_set("""with at on by for due is set to as the a an in from until = : of and , it's its""")


def widen(state: State) -> None:
    """Words that only announce a value belong to it: "with high priority" is one piece of text."""
    if any(time_kind(p.field) == "date-time" for p in state.filled.values()):
        for phrase in state.reading.times:
            state.taken.add(phrase.start, phrase.end, firm=True)
    for path, proposal in list(state.filled.items()):
        if proposal.end <= proposal.start or proposal.shared or path in state.widened:
            continue
        state.widened.add(path)
        for start, end in proposal.spans:
            _widen_one(state, proposal, start, end)


def _widen_one(state: State, proposal: Proposal, start: int, end: int) -> None:
    tokens, names = state.reading.sentence.tokens, set(proposal.field.name_stems)
    if proposal.field.kind == "string" and len(proposal.field.described) < 4:
        names |= {stem(word) for word in proposal.field.described}
    for phrase in state.reading.times:
        if phrase.start <= start and end <= phrase.end and proposal.field.kind != "enum":
            start, end = phrase.start, phrase.end
    first = state.reading.sentence.index_at(start if proposal.lead is None else min(proposal.lead, start))
    last = state.reading.sentence.index_at(end - 1) + 1
    measured = proposal.field.kind in ("integer", "number") and any(
        q.dimension and q.start <= start < q.end for q in state.reading.quantities
    )
    shaped = proposal.field.kind == "string" and any(one.start == start for one in state.reading.literals)
    named = proposal.lead is not None or bool(time_kind(proposal.field)) or measured or shaped
    if first > 0 and cues_of(proposal.field).get((tokens[first - 1].lower,), 0.0) >= 0.7:
        named = True
    while last < len(tokens) and tokens[last].stem in names:
        last, named = last + 1, True
    number = next((q for q in state.reading.quantities if q.start <= start < q.end), None)
    counting = proposal.field.kind in ("integer", "number")
    if counting and number is not None and counts_people(state.reading, number):
        last, named = max(last, state.reading.sentence.index_at(_last_noun(state, number) - 1) + 1), True
    if counting and number is not None and number.bound:
        first = min(first, state.reading.sentence.index_at(number.reach[0]))
        last, named = max(last, state.reading.sentence.index_at(number.reach[1] - 1) + 1), True
    if proposal.field.kind == "enum" and (ranked := _RANKED.match(state.reading.text, end)):
        last, named = max(last, state.reading.sentence.index_at(ranked.end() - 1) + 1), True
    while first > 0 and (tokens[first - 1].stem in names or tokens[first - 1].lower in _LINKS):
        named = named or tokens[first - 1].stem in names or tokens[first - 1].lower in ("with", "at", "due")
        first -= 1
    state.taken.add(tokens[first].start, tokens[last - 1].end, firm=named)


def _last_noun(state: State, number: Quantity) -> int:
    return max([number.end, *(noun.end for noun in counted_nouns(state.reading, number)[:1])])
