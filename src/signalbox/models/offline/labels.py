"""What the encoder is asked about a request: a label for every field, option and tool, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from signalbox.models.offline.fields import Field, humanise

__all__ = ["REQUESTS", "Block", "BlockKind", "field_blocks", "tool_block"]

BlockKind = Literal["group", "span", "spans", "several", "flag"]
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Block:
    """Labels that are judged together.

    group: one of them holds, the first says that nothing is said. several: each holds or not. flag: the only one holds
    or not. span, spans: the words of the request, one stretch or several, that the only label asks for.
    """

    key: str
    kind: BlockKind
    labels: tuple[str, ...]


REQUESTS = Block("requests", "spans", ("requests: each thing that is asked for or told",))
"""Where a message asks for several things: the words of each."""


def field_blocks(fields: Iterable[Field], *, has_history: bool = False) -> list[Block]:
    """The blocks of fields. With a history, each also asks whether what was shown before is meant."""
    blocks: list[Block] = []
    for field in fields:
        blocks += _blocks(field)
        if has_history and field.kind in ("text", "option", "number") and not field.many:
            blocks.append(
                Block(f"{_key(field)}?before", "flag", (f"{field.words}: the one shown or spoken of before",))
            )
    return blocks


def _blocks(field: Field) -> list[Block]:
    key, told = _key(field), f"{field.words}: {field.about}"[:_LONGEST] if field.about else field.words
    if field.kind == "object":
        return [block for part in field.parts if part.kind in ("text", "number") for block in _anchors(part)][:1]
    if field.kind == "option" and field.many:
        return [Block(key, "several", tuple(_option(field, *option) for option in field.options))]
    if field.kind == "option":
        labels = (f"{field.words}: not said", *(_option(field, *option) for option in field.options))
        return [Block(key, "group", labels)]
    if field.kind == "flag":
        return [Block(key, "group", (f"{field.words}: not said", f"{told} = yes", f"{told} = no"))]
    blocks = [Block(key, "spans" if field.many else "span", (told,))]
    if field.kind == "time":
        blocks.append(Block(f"{key}?past", "flag", (f"{field.words}: lies in the past",)))
    return blocks


def _anchors(part: Field) -> list[Block]:
    told = f"{part.words}: {part.about}"[:_LONGEST] if part.about else part.words
    return [Block(_key(part), "spans", (told,))]


def _option(field: Field, value: Any, told: str) -> str:
    return f"{field.words} = {humanise(str(value))}" + (f" ({told})" if told else "")


def _key(field: Field) -> str:
    return ".".join(field.path)


def tool_block(tools: Sequence[Mapping[str, Any]]) -> Block:
    """The block of which tools are meant."""
    labels = tuple(f"{humanise(tool['name'])}: {tool.get('description', '')}"[:_LONGEST] for tool in tools)
    return Block("tools", "several", labels)
