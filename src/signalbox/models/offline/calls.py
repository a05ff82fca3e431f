"""Which tools a request is for, and with which arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from signalbox.language.clauses import cut_between, cut_points
from signalbox.models.examples import Example
from signalbox.models.offline.encoder import Span, load_encoder
from signalbox.models.offline.fields import Field, read_fields
from signalbox.models.offline.fill import LINE, fill_fields
from signalbox.models.offline.labels import Block, field_blocks, tool_block
from signalbox.models.offline.shortlist import shortlist
from signalbox.models.offline.shown import Shown
from signalbox.models.offline.teach import teach_tools
from signalbox.models.offline.values import Moment

__all__ = ["Wanted", "choose_calls"]

_MOST_TOOLS = 20
_MOST_CUTS = 6
_DOUBT = 0.15
"""How likely a tool must be for the person to be asked whether it is meant."""
_MOST_GUESSES = 3
_SURE, _HALF_SURE = 0.8, 0.4
"""How surely each part of a request must ask for something by itself, for it to be two requests; and how surely where
the request as a whole asks for these two."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that a request is for; `missing` names what it needs and was not said.

    One that is not as sure as the line is a guess: it is not made, and who has more to go by may judge it.
    """

    tool: str
    args: dict[str, Any]
    missing: tuple[str, ...] = ()
    sure: float = 1.0


def choose_calls(
    tools: Sequence[Mapping[str, Any]],
    text: str,
    moment: Moment,
    context: str,
    shown: Shown,
    forced: str | None = None,
    examples: Sequence[Example] = (),
) -> list[Wanted]:
    """The calls that a request is for, in the order in which it speaks of them.

    `forced` is the name of the tool that must be called, or `any` for the likeliest; examples teach which are meant.
    """
    taught = teach_tools(tools, examples) if examples else None
    told = [f"{tool['name']} {tool.get('description', '')}" for tool in tools]
    tools = [tools[place] for place in shortlist(f"{text} {context}", told, _MOST_TOOLS)]

    def judge(part: str) -> list[float]:
        block = tool_block(tools)
        judged = load_encoder().judge([block], part, context)
        return list((taught.adjust([block], judged, part) if taught else judged)["tools"].holds)

    holds = judge(text)
    if forced not in (None, "any"):
        place = next(place for place, tool in enumerate(tools) if tool["name"] == forced)
        return _calls_of(tools[place], holds[place], text, moment, context, shown)
    chosen = [(sure, tool) for sure, tool in zip(holds, tools, strict=True) if sure > LINE]
    likeliest = sorted(zip(holds, tools, strict=True), key=lambda one: -one[0])[:_MOST_GUESSES]
    guesses = [(sure, tool) for sure, tool in likeliest if _DOUBT < sure <= LINE] if forced is None else []
    if not chosen and forced is None:
        return [call for sure, tool in guesses for call in _calls_of(tool, sure, text, moment, context, shown)]
    chosen = chosen or [max(zip(holds, tools, strict=True), key=lambda one: one[0])]
    whole = [call for sure, tool in chosen for call in _calls_of(tool, sure, text, moment, context, shown)]
    named = {str(tool["name"]) for _, tool in chosen} if len(chosen) > 1 else set()
    apart = _apart(tools, named, judge, text, moment, context, shown)
    read = apart if apart and not any(_covered(call, whole) for call in apart) else _kept(whole)
    if guesses and all(call.missing for call in read):
        read += [call for sure, tool in guesses for call in _calls_of(tool, sure, text, moment, context, shown)]
    return read


def _covered(call: Wanted, whole: Sequence[Wanted]) -> bool:
    """Whether the request read as one already says all that a part of it says: then it is one request."""
    said = {value for one in whole for value in _values(one)}
    if not call.args:
        return call.tool not in {one.tool for one in whole}
    return len({one.tool for one in whole}) == 1 and _values(call) <= said


def _kept(calls: list[Wanted]) -> list[Wanted]:
    """The calls without those that say nothing which a surer one does not say too."""
    surest = sorted(calls, key=lambda call: -call.sure)
    kept: list[Wanted] = []
    for call in surest:
        values = {str(value) for value in call.args.values()}
        if not any(
            values <= {str(value) for value in other.args.values()} for other in kept if other.args or not values
        ):
            kept.append(call)
    return [call for call in calls if call in kept]


def _values(call: Wanted) -> set[str]:
    return {str(value) for value in call.args.values()}


def _apart(
    tools: Sequence[Mapping[str, Any]], named: set[str], judge: Callable[[str], list[float]], text: str, moment: Moment,
    context: str, shown: Shown,
) -> list[Wanted]:  # fmt: skip
    """The two calls of a request for two things: where it can be cut so that each part surely asks for one, in full.

    Of tools that the whole request is `named` to be for, a part need not be as sure.
    """
    best: tuple[float, list[Wanted]] = (0.0, [])
    for end, start in cut_points(text)[:_MOST_CUTS]:
        parts = [text[:end], text[start:]]
        surest = [max(zip(judge(part), tools, strict=True), key=lambda one: one[0]) for part in parts]
        sure = min(one for one, _ in surest)
        needed = _HALF_SURE if {str(tool["name"]) for _, tool in surest} == named else _SURE
        if sure < needed or sure <= best[0]:
            continue
        calls = [
            call
            for part, (held, tool) in zip(parts, surest, strict=True)
            for call in _calls_of(tool, held, part, moment, context, shown)
        ]
        calls = _shared(calls)
        if len(calls) < 2 or len({str(call) for call in calls}) < len(calls):
            continue
        if not any(call.missing for call in calls):
            best = (sure, calls)
    return best[1]


def _shared(calls: list[Wanted]) -> list[Wanted]:
    """Calls of one request, where what a later one lacks was said for the first: its day, its person."""
    first = calls[0].args
    shared = []
    for call in calls:
        given = {name: first[name] for name in call.missing if name in first}
        missing = tuple(name for name in call.missing if name not in given)
        shared.append(Wanted(call.tool, {**call.args, **given}, missing, call.sure))
    return shared


def _calls_of(
    tool: Mapping[str, Any], sure: float, text: str, moment: Moment, context: str, shown: Shown
) -> list[Wanted]:
    """The call of one tool; several where what it needs first is said several times, as in a list of things."""
    fields = read_fields(tool.get("parameters") or {})
    calls = []
    for part in _parts(fields, text, context):
        filled = fill_fields(fields, part, moment, context, shown)
        calls.append(Wanted(str(tool["name"]), filled.values, tuple(filled.missing), sure))
    return calls


def _parts(fields: Sequence[Field], text: str, context: str) -> list[str]:
    """The text, or its parts where the tool is meant several times: once for each stretch of what it needs first."""
    needed = next((one for one in fields if one.required and one.kind == "text" and not one.many), None)
    if needed is None:
        return [text]
    first = field_blocks([needed])[0]
    judged = load_encoder().judge([Block(first.key, "spans", first.labels)], text, context)[first.key]
    spans: list[Span] = sorted((s for s in judged.spans if s.sure > 0.3), key=lambda span: span.start)
    if len(spans) < 2 or judged.nothing > 0.2:
        return [text]
    cuts = [0, *(cut_between(text, one.end, other.start) for one, other in pairwise(spans)), len(text)]
    return [text[a:b] for a, b in pairwise(cuts)]
