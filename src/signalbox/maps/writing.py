"""Streams what chat models and the loop write in a run to a listener. Without a listener nothing streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from signalbox.maps.spec import FUNC, GraphSpec

__all__ = ["Piece", "current_listener", "piece_of", "use_writing", "written_piece"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a model's text, with its message and node."""

    message: str
    node: str
    text: str


current_listener: ContextVar[Callable[[Piece], None] | None] = ContextVar("current_listener", default=None)


@contextmanager
def use_writing(listener: Callable[[Piece], None] | None) -> Iterator[None]:
    """Stream what models write in the runs of this block, or nothing."""
    token = current_listener.set(listener)
    try:
        yield
    finally:
        current_listener.reset(token)


def piece_of(chunk: Any, about: Mapping[str, Any], graph: GraphSpec) -> Piece | None:
    """What a chunk adds to a text that may be the run's answer: it is written in a node with which the run may end,
    and not by the offline model, which reads for other nodes too and says all at once."""
    from langchain_core.messages import AIMessageChunk

    node = str(about.get("langgraph_node") or "")
    if not isinstance(chunk, AIMessageChunk) or not chunk.text or about.get("ls_model_name") == "offline":
        return None
    row = next((one for one in graph.nodes if one.name == node), None)
    if row is None or not all(target.startswith(FUNC) for target in row.on_success):
        return None
    return Piece(str(chunk.id), node, chunk.text)


def written_piece(item: Any, node: str, run_id: str) -> Piece | None:
    """The text that a node wrote on the custom stream: `{"type": "text", "message", "text"}`, where `message` tells
    several texts of a run apart. None for anything else."""
    if not isinstance(item, Mapping) or item.get("type") != "text" or not item.get("text"):
        return None
    return Piece(f"{run_id}-{item.get('message') or node}", node, str(item["text"]))
