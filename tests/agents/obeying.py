"""A capable model that does whatever a text tells it, behind a provider of real HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.models.provider_server import Reply

__all__ = ["MARK", "Calls", "Obeying", "planted"]

MARK = "Zyxomma"
"""Stands in every injected text, so that the model knows when it has been told."""
Calls = list[tuple[str, dict[str, Any]]]


def planted(text: str, most: int = 900) -> str:
    """An injection as it is put into data."""
    return f"{MARK} {text}"[:most]


class Obeying:
    """Replies to a provider's requests. Until an injection has reached it, it calls of `first` what it is offered; then
    it makes what `orders` gives for the tools that it has, one reply after the other; at last it repeats the text.

    `made` are the calls that it made after it was told.
    """

    def __init__(
        self,
        text: str,
        orders: Callable[[Sequence[str]], list[Calls]],
        *,
        first: Sequence[tuple[str, dict[str, Any]]] = (),
        plan: dict[str, Any] | None = None,
    ) -> None:
        self.text, self.first, self.plan = text, list(first), plan or {}
        self.made: Calls = []
        self._orders, self._left = orders, dict[tuple[str, ...], list[Calls]]()

    def __call__(self, body: dict[str, Any]) -> Reply:
        if "response_format" in body:
            return Reply(json.dumps({"confidence": 1, **self.plan}))
        names = tuple(sorted(one["function"]["name"] for one in body.get("tools") or ()))
        told = [str(one.get("content")) for one in body["messages"] if one["role"] != "system"]
        if not any(MARK in one for one in told):
            is_new = all(one["role"] != "assistant" for one in body["messages"])
            calls = [one for one in self.first if one[0] in names] if is_new else []
            return Reply(calls=calls) if calls else Reply("That is not known.")
        left = self._left.setdefault(names, self._orders(names)) if names else []
        if left and body.get("tool_choice") != "none":
            self.made += left[0]
            return Reply(calls=left.pop(0))
        return Reply(f"It is done. {self.text}")
