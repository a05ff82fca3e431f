"""Judges, which measure the answers of an agent and come with the agent's package.

A judge is found by its entry point in the group `signalbox.judges`, under the agent's name. It works on plain data and
imports nothing from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime, tzinfo
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

__all__ = ["ConversationJudge", "Judge", "find_judge"]


class Judge(Protocol):
    """Says what can be expected of an agent's answers, and whether an answer is as expected.

    A judge of whole conversations is a `ConversationJudge` as well. Optional members: `case_settings(wanted)`, the
    environment variables for a case, in addition to its set's; `async read(text)`, which returns the outcome itself,
    for agents that leave nothing in an Answer; `misleads(outcome, wanted)`, which distinguishes a wrong answer from an
    honest refusal or question; `follows = True`, to judge the last answer of several messages if a case has `then` and
    no `end`.
    """

    keys: Set[str]
    """The allowed keys of an expected outcome."""

    def check(self, wanted: Mapping[str, Any]) -> None:
        """Raises ValueError for an impossible expected outcome."""

    def settings(self, server: str) -> Mapping[str, str | None]:
        """The environment variables that connect the agent to this server, None for unset.

        An empty `server` is the embedded world. Raises ConfigurationError for one without an address.
        """

    async def expect(self, wanted: Mapping[str, Any], now: datetime, tz: tzinfo) -> dict[str, Any]:
        """The expected outcome, completed by the server. Raises ValueError if that is not possible."""

    def outcome(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of an Answer that are judged and shown."""

    def is_right(self, outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        """True if the outcome is the wanted one, which comes from `expect`."""


@runtime_checkable
class ConversationJudge(Protocol):
    """Judges a conversation by its final state, for cases with an `end`.

    The runner sends the messages, with a separate home and embedded worlds: in a thread, or with the judge's `async
    say(before, answers, message)` if it has one.
    """

    async def begin(self, wanted: Mapping[str, Any]) -> Any:
        """Prepare the conversation; returns what `end` compares with."""

    async def end(self, before: Any, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The outcome: the final state, and the parts of the Answers that are judged and shown."""

    def unasked(self, outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
        """The unwanted changes, in words; reports count them."""


@cache
def find_judge(agent: str) -> Judge:
    """The judge of an agent's answers. Raises ValueError if no installed package offers one."""
    offered = {one.name: one for one in entry_points(group="signalbox.judges")}
    if agent not in offered:
        known = ", ".join(sorted(offered)) or "none"
        raise ValueError(f"nothing installed judges the answers of an agent '{agent}'; there are judges for: {known}")
    judge: Judge = offered[agent].load()
    return judge
