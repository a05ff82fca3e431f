"""Examples that teach a model: requests with what they mean, as JSON lines.

A line is `{"text": …, "expected": {field: value, …}}` for a schema; for tools, `expected` is a list of calls, each
`{"name": …, "args": {…}}`. The offline model learns a head from them; any other model gets the nearest in its prompt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage

from signalbox.errors import ConfigurationError

__all__ = ["Example", "examples_text", "fitting_examples", "nearest", "read_examples"]

MOST_SHOWN = 8


@dataclass(frozen=True)
class Example:
    """A request and what it means: values of a schema, or calls of tools."""

    text: str
    expected: Any


def read_examples(source: str | Path | Iterable[Example | Mapping[str, Any]]) -> tuple[Example, ...]:
    """The examples of a file, or those given. Raises ConfigurationError that names the line."""
    if not isinstance(source, str | Path):
        return tuple(one if isinstance(one, Example) else Example(one["text"], one["expected"]) for one in source)
    found = []
    try:
        lines = Path(source).read_text("utf-8").splitlines()
    except OSError as error:
        raise ConfigurationError(f"The examples in {source} cannot be read: {error.strerror}.") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            found.append(Example(str(data["text"]), data["expected"]))
        except (ValueError, KeyError, TypeError):
            raise ConfigurationError(
                f"{source}:{number}: this is not an example.", suggestion='A line is {"text": …, "expected": …}.'
            ) from None
    return tuple(found)


def fitting_examples(examples: Sequence[Example], fields: Sequence[str], tools: Sequence[str]) -> list[Example]:
    """The relevant examples: values of some of these fields, or calls of these tools."""
    return [one for one in examples if _fits(one.expected, set(fields), set(tools))]


def _fits(expected: Any, fields: set[str], tools: set[str]) -> bool:
    if isinstance(expected, Mapping):
        return bool(fields & set(expected))
    return isinstance(expected, list) and bool(expected) and {one.get("name") for one in expected} <= tools


def examples_text(messages: Sequence[BaseMessage], examples: Sequence[Example]) -> str:
    """The examples nearest to the last request of a conversation, as a prompt shows them."""
    asked = next((one.text for one in reversed(messages) if one.type == "human"), "")
    lines = [f"{one.text}\n→ {json.dumps(one.expected, ensure_ascii=False)}" for one in nearest(asked, examples)]
    return "Examples of requests and what they mean:\n\n" + "\n\n".join(lines)


def nearest(text: str, examples: Sequence[Example], most: int = MOST_SHOWN) -> list[Example]:
    """The examples whose requests are nearest in meaning, the nearest last."""
    from signalbox.language.vectors import embed

    if len(examples) <= most:
        return list(examples)
    near = embed([one.text for one in examples]) @ embed([text])[0]
    return [examples[int(place)] for place in near.argsort()[-most:]]
