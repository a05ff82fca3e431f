"""What model calls use: tokens, calls, time, and cost where the provider or the operator's prices give it.

with count_usage(*budgets(used_today)) as counter:
    …                       # the run
counter.account()           # for the ledger: calls, seconds, input, output, cached and total tokens, cost
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from signalbox.errors import BudgetError
from signalbox.settings import get_settings

__all__ = [
    "Budget", "Prices", "Usage", "UsageCounter", "add_call", "budgets", "check_budgets", "count_usage", "counting",
    "usage_of",
]  # fmt: skip

Prices = Mapping[str, Mapping[str, float]]
"""US dollars per million tokens, by model name: {"name": {"input": 2.5, "output": 10}}."""


class Usage(TypedDict):
    """Tokens of one or more calls; `cost_usd` only if every call's cost is known."""

    input_tokens: int
    output_tokens: int
    total_tokens: int
    cached_tokens: NotRequired[int]
    """The cached part of the input, if the provider reports it."""
    cost_usd: NotRequired[float]


@dataclass(frozen=True)
class Budget:
    """How many tokens a run or a person may use; `used` are those of earlier runs."""

    tokens: int
    whose: Literal["run", "person"]
    used: int = 0

    def error(self) -> BudgetError:
        """What to raise once the tokens are used up."""
        if self.whose == "run":
            return BudgetError(
                f"This request needs more than the {self.tokens:,} tokens that a run may use.",
                suggestion="Ask for less at a time, or raise SIGNALBOX_MODEL_RUN_TOKENS.",
            )
        return BudgetError(
            f"You have used all of the {self.tokens:,} tokens that you may use in a day.",
            suggestion="Try again tomorrow, or have SIGNALBOX_MODEL_PERSON_TOKENS raised.",
        )


def budgets(used_today: int = 0, used_by_run: int = 0) -> tuple[Budget, ...]:
    """The budgets of the settings, for a run that has used so many tokens, of a person who has used so many today."""
    settings = get_settings()
    of_run, of_person = settings.model_run_tokens, settings.model_person_tokens
    return (
        *((Budget(of_person, "person", used_today),) if of_person else ()),
        *((Budget(of_run, "run", used_by_run),) if of_run else ()),
    )


def usage_of(messages: BaseMessage | Iterable[BaseMessage], prices: Prices | None = None) -> Usage:
    """The total usage of these messages; one without counts adds nothing."""
    several = [messages] if isinstance(messages, BaseMessage) else messages
    return _sum([usage for message in several if (usage := _usage_of_one(message, prices or {}))])


class UsageCounter(BaseCallbackHandler):
    """Sums what model calls use, also of calls that run side by side.

    Every call through `signalbox.models` inside `count_usage` is added by itself; for a LangChain model from elsewhere,
    give the counter as a callback.
    """

    def __init__(self, prices: Prices | None = None, budgets: tuple[Budget, ...] = ()) -> None:
        self._prices = prices or {}
        self._budgets = budgets
        self._lock = threading.Lock()
        self._seen: list[Usage] = []
        self.charged = 0
        self.is_part = False
        """True if another counter of runs counts the same calls, so that they are charged there."""
        self.calls = 0
        self.seconds = 0.0

    def add(self, message: BaseMessage | None, seconds: float, *, charged: bool = True) -> None:
        """Add one call; `charged` ones, to a model that is not this process's own, count towards the budgets."""
        usage = _usage_of_one(message, self._prices) if message is not None else None
        with self._lock:
            self.calls += 1
            self.seconds += seconds
            if usage is not None:
                self._seen.append(usage)
                self.charged += usage["total_tokens"] if charged else 0

    def check_budgets(self, prompt: Callable[[], int]) -> None:
        """Raises BudgetError if the tokens of a budget are used up, or the prompt alone would use them up."""
        for budget in self._budgets:
            if budget.used + self.charged + prompt() >= budget.tokens:
                raise budget.error()

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """Adds one finished call."""
        messages = [g.message for batch in response.generations for g in batch if isinstance(g, ChatGeneration)]
        self.add(messages[0] if messages else None, 0.0)

    @property
    def usage(self) -> Usage:
        """The tokens that have been used up to now."""
        with self._lock:
            return _sum(self._seen)

    def account(self) -> dict[str, int | float]:
        """Tokens in, out, cached and in all, calls, seconds, and the cost where it is known: for a ledger."""
        usage = dict(self.usage)
        usage.setdefault("cached_tokens", 0)
        return {"calls": self.calls, "seconds": round(self.seconds, 3), **usage}  # type: ignore[dict-item]


_counters: ContextVar[tuple[UsageCounter, ...]] = ContextVar("signalbox_usage_counters", default=())


@contextmanager
def count_usage(*budgets: Budget, prices: Prices | None = None) -> Iterator[UsageCounter]:
    """Count the model calls made inside the block, by whichever task or thread it starts.

    Blocks may be nested: a call counts in all of them, and stops with BudgetError if one has no tokens left.
    """
    counter = UsageCounter(prices if prices is not None else get_settings().model_prices, budgets)
    with counting(counter):
        yield counter


@contextmanager
def counting(counter: UsageCounter) -> Iterator[None]:
    """Count with an existing counter, for work in several steps."""
    token = _counters.set((*_counters.get(), counter))
    try:
        yield
    finally:
        _counters.reset(token)


def check_budgets(messages: Iterable[BaseMessage], options: Mapping[str, Any]) -> None:
    """Called before each request to a model, with what it is to be sent. Raises BudgetError."""

    def prompt() -> int:
        """About four characters are a token."""
        said = sum(len(str(message.content)) for message in messages)
        return (said + len(json.dumps(options, default=str))) // 4

    for counter in _counters.get():
        counter.check_budgets(prompt)


def add_call(message: BaseMessage | None, seconds: float, *, charged: bool = True) -> None:
    """Called after each request to a model, with its reply, or None if it failed."""
    for counter in _counters.get():
        counter.add(message, seconds, charged=charged)


def _usage_of_one(message: BaseMessage, prices: Prices) -> Usage | None:
    if not isinstance(message, AIMessage) or not message.usage_metadata:
        return None
    counts = message.usage_metadata
    usage = Usage(
        input_tokens=counts["input_tokens"],
        output_tokens=counts["output_tokens"],
        total_tokens=counts["total_tokens"],
    )
    if cached := (counts.get("input_token_details") or {}).get("cache_read"):
        usage["cached_tokens"] = cached
    if (cost := _cost_of(message.response_metadata, usage, prices)) is not None:
        usage["cost_usd"] = cost
    return usage


def _cost_of(metadata: Mapping[str, Any], usage: Usage, prices: Prices) -> float | None:
    """The provider's own figure, or the operator's prices, or None if unknown."""
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
    if cached := sum(usage.get("cached_tokens", 0) for usage in several):
        total["cached_tokens"] = cached
    if several and all("cost_usd" in usage for usage in several):
        total["cost_usd"] = sum(usage["cost_usd"] for usage in several)
    return total
