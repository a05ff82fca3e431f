"""Which tools a request is for, and with which arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from signalbox.models.examples import Example
from signalbox.models.offline.encoder import Judged, load_encoder
from signalbox.models.offline.fields import read_fields
from signalbox.models.offline.fill import LINE, fill_fields
from signalbox.models.offline.labels import REQUESTS, tool_block
from signalbox.models.offline.requests import after, parts_of, requests_in
from signalbox.models.offline.shortlist import shortlist
from signalbox.models.offline.shown import Shown
from signalbox.models.offline.teach import teach_tools
from signalbox.models.offline.values import Moment

__all__ = ["Wanted", "choose_calls"]

_MOST_TOOLS = 20
_DOUBT = 0.15
"""How likely a tool must be for the person to be asked whether it is meant."""
_MOST_GUESSES = 3


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

    def judge(part: str, before: str = "") -> tuple[list[tuple[float, Mapping[str, Any]]], Judged]:
        """How surely a part of the request asks for each tool; and where in it something is asked for."""
        block = tool_block(tools)
        judged = load_encoder().judge([block, REQUESTS], part, after(before, context))
        # Examples are requests by themselves: what goes on with a conversation is read by what was said before.
        held = (taught.adjust([block], judged, part) if taught and not context else judged)["tools"].holds
        return list(zip(held, tools, strict=True)), judged[REQUESTS.key]

    def calls_of(chosen: Iterable[tuple[float, Mapping[str, Any]]], part: str = text) -> list[Wanted]:
        return [_call_of(tool, sure, part, moment, context, shown) for sure, tool in chosen]

    held, requests = judge(text)
    parts = parts_of(text, requests_in(requests))
    if forced not in (None, "any"):
        asked = [(sure, tool) for sure, tool in held if tool["name"] == forced]
        return _shared([call for part, _ in parts for call in calls_of(asked, part)])
    if len(parts) > 1:
        # A part is for none that the message as a whole is surely not for.
        likely = {str(tool["name"]) for sure, tool in held if sure > _DOUBT}
        apart = [calls_of(_surest(judge(part, before)[0], likely), part) for part, before in parts]
        if all(apart):
            return _shared([call for calls in apart for call in calls])
    chosen = [one for one in held if one[0] > LINE]
    likeliest = sorted(held, key=lambda one: -one[0])[:_MOST_GUESSES]
    guesses = [one for one in likeliest if _DOUBT < one[0] <= LINE] if forced is None else []
    if not chosen and forced is None:
        return calls_of(guesses)
    read = _kept(calls_of(chosen or likeliest[:1]))
    if forced == "any" and all(call.missing for call in read):
        # What must be called now cannot ask first: one that lacks nothing can.
        read = [call for call in calls_of(likeliest) if not call.missing][:1] or read
    if guesses and all(call.missing for call in read):
        read += calls_of(guesses)
    return read


def _surest(held: Sequence[tuple[float, Mapping[str, Any]]], likely: Set[str]) -> list[tuple[float, Mapping[str, Any]]]:
    """The one tool that a part of a message is for; none where it is not sure, or not likely of the whole."""
    sure, tool = max(held, key=lambda one: one[0])
    return [(sure, tool)] if sure > LINE and tool["name"] in likely else []


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


def _shared(calls: list[Wanted]) -> list[Wanted]:
    """Calls of one request, where what a later one lacks was said for the first: its day, its person."""
    first = calls[0].args
    shared = []
    for call in calls:
        given = {name: first[name] for name in call.missing if name in first}
        missing = tuple(name for name in call.missing if name not in given)
        shared.append(Wanted(call.tool, {**call.args, **given}, missing, call.sure))
    return shared


def _call_of(tool: Mapping[str, Any], sure: float, text: str, moment: Moment, context: str, shown: Shown) -> Wanted:
    filled = fill_fields(read_fields(tool.get("parameters") or {}), text, moment, context, shown)
    return Wanted(str(tool["name"]), filled.values, tuple(filled.missing), sure)
