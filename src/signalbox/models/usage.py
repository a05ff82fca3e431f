"""Token counts and cost of model calls, where the provider gives them or the operator supplies prices."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

__all__ = ["Prices", "Usage", "UsageCounter", "usage_of"]

Prices = Mapping[str, Mapping[str, float]]
"""US dollars per million tokens, by model name: {"name": {"input": 2.5, "output": 10}}."""


class Usage(TypedDict):
    """Tokens of one or several calls; `cost_usd` only where every call's cost is known."""

    input_tokens: int
    output_tokens: int
    total_tokens: int
    cost_usd: NotRequired[float]


def usage_of(messages: BaseMessage | Iterable[BaseMessage], prices: Prices | None = None) -> Usage:
    """The summed usage of these messages; one that carries no counts adds nothing."""
    several = [messages] if isinstance(messages, BaseMessage) else messages
    return _sum([usage for message in several if (usage := _usage_of_one(message, prices or {}))])


class UsageCounter(BaseCallbackHandler):
    """A callback that sums what a run's model calls use; safe for calls that run side by side."""

    def __init__(self, prices: Prices | None = None) -> None:
        self._prices = prices or {}
        self._lock = threading.Lock()
        self._seen: list[Usage] = []
        self.calls = 0

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """Adds one finished call."""
        messages = [g.message for batch in response.generations for g in batch if isinstance(g, ChatGeneration)]
        found = [usage for message in messages if (usage := _usage_of_one(message, self._prices))]
        with self._lock:
            self.calls += 1
            self._seen.extend(found)

    @property
    def usage(self) -> Usage:
        """What has been used up to now."""
        with self._lock:
            return _sum(self._seen)


def _usage_of_one(message: BaseMessage, prices: Prices) -> Usage | None:
    if not isinstance(message, AIMessage) or not message.usage_metadata:
        return None
    counts = message.usage_metadata
    usage = Usage(
        input_tokens=counts["input_tokens"],
        output_tokens=counts["output_tokens"],
        total_tokens=counts["total_tokens"],
    )
    cost = _cost_of(message.response_metadata, usage, prices)
    return usage if cost is None else Usage(**usage, cost_usd=cost)


def _cost_of(metadata: Mapping[str, Any], usage: Usage, prices: Prices) -> float | None:
    """The provider's own figure if it states one, else the operator's prices, else unknown."""
    stated = (metadata.get("token_usage") or metadata.get("usage") or {}).get("cost")
    if isinstance(stated, int | float):
        return float(stated)
    price = prices.get(str(metadata.get("model_name") or metadata.get("model")))
    if price is None:
        return None
    return (usage["input_tokens"] * price["input"] + usage["output_tokens"] * price["output"]) / 1_000_000


def _sum(usages: Iterable[Usage]) -> Usage:
    several = list(usages)
    total = Usage(
        input_tokens=sum(usage["input_tokens"] for usage in several),
        output_tokens=sum(usage["output_tokens"] for usage in several),
        total_tokens=sum(usage["total_tokens"] for usage in several),
    )
    if several and all("cost_usd" in usage for usage in several):
        total["cost_usd"] = sum(usage["cost_usd"] for usage in several)
    return total
