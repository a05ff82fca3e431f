"""Which tools a request is for, and with which arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that a request is for; `missing` names what it needs and was not said."""

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
    told = [f"{tool['name']} {tool.get('description', '')}" for tool in tools]
    tools = [tools[place] for place in shortlist(f"{text} {context}", told, _MOST_TOOLS)]
    block = tool_block(tools)
    judged = load_encoder().judge([block], text, context)
    if examples:
        judged = teach_tools(tools, examples).adjust([block], judged, text)
    holds = judged["tools"].holds
    chosen = [(sure, tool) for sure, tool in zip(holds, tools, strict=True) if sure > LINE]
    if forced is not None:
        among = [one for one in zip(holds, tools, strict=True) if forced in ("any", one[1]["name"])]
        chosen = [one for one in chosen if forced == "any"] or [max(among, key=lambda one: one[0])]
    wanted: list[tuple[int, Wanted]] = []
    for sure, tool in chosen:
        wanted += _calls_of(tool, sure, text, moment, context, shown)
    return [call for _, call in sorted(wanted, key=lambda one: one[0])]


def _calls_of(
    tool: Mapping[str, Any], sure: float, text: str, moment: Moment, context: str, shown: Shown
) -> list[tuple[int, Wanted]]:
    """The calls of one tool, each with where in the text it is spoken of."""
    fields = read_fields(tool.get("parameters") or {})
    parts = _parts(fields, text, context)
    calls = []
    for start, end in parts:
        filled = fill_fields(fields, text[start:end], moment, context, shown)
        place = start + min((a for a, _ in filled.used), default=0)
        calls.append((place, Wanted(str(tool["name"]), filled.values, tuple(filled.missing), sure)))
    return calls


def _parts(fields: Sequence[Field], text: str, context: str) -> list[tuple[int, int]]:
    """The text, or its parts where the tool is meant several times: once for each stretch of what it needs first."""
    needed = next((one for one in fields if one.required and one.kind == "text" and not one.many), None)
    whole = [(0, len(text))]
    if needed is None:
        return whole
    first = field_blocks([needed])[0]
    judged = load_encoder().judge([Block(first.key, "spans", first.labels)], text, context)[first.key]
    spans: list[Span] = sorted((s for s in judged.spans if s.sure > 0.3), key=lambda span: span.start)
    if len(spans) < 2 or judged.nothing > 0.2:
        return whole
    cuts = [0, *(_cut(text, one.end, other.start) for one, other in pairwise(spans)), len(text)]
    return list(pairwise(cuts))


def _cut(text: str, end: int, start: int) -> int:
    """Where two stretches part: at the last comma or conjunction between them, else where the second begins."""
    between = text[end:start]
    places = [between.rfind(mark) for mark in (" and ", ",", ";", " then ", "&")]
    return end + max(places) if max(places) >= 0 else start
