"""What measures the answers of an agent: a judge, which the agent's own package offers.

It is found by an entry point: in the group `signalbox.judges`, under the agent's name. It takes and gives plain data,
and imports nothing from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime, tzinfo
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

__all__ = ["ConversationJudge", "Judge", "find_judge"]


class Judge(Protocol):
    """Says what may be expected of one agent's answers, and whether an answer is as expected.

    One that measures whole conversations is a `ConversationJudge` as well. One whose cases differ in more than their
    words has `case_settings(wanted)`: the environment variables with which a case is asked, beside its set's. One whose
    agent leaves nothing of its own in an Answer has `async read(text)`, which gives the outcome by itself. One that can
    tell a wrong answer from an honest refusal or question has `misleads(outcome, wanted)`. One with `follows = True`
    judges the last answer of several messages, where a case has `then` and no `end`.
    """

    keys: Set[str]
    """The keys that an expected outcome may have."""

    def check(self, wanted: Mapping[str, Any]) -> None:
        """Raises ValueError for an expected outcome that no answer could have."""

    def settings(self, server: str) -> Mapping[str, str | None]:
        """The environment variables with which the agent asks this server, None for unset.

        An empty `server` is the embedded world. Raises ConfigurationError for one without an address.
        """

    async def expect(self, wanted: Mapping[str, Any], now: datetime, tz: tzinfo) -> dict[str, Any]:
        """The expected outcome with what only the server knows. Raises ValueError if that gives nothing."""

    def outcome(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """An Answer, shortened to what is judged and shown."""

    def is_right(self, outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        """True if the outcome is the one that is wanted, which comes from `expect`."""


@runtime_checkable
class ConversationJudge(Protocol):
    """Measures a conversation by what is there when it is over. A case that expects an `end` is such a one.

    The runner says the messages, in a home and in embedded worlds that are the conversation's own: in a thread, or by
    the judge's `async say(before, answers, message)` where it has one.
    """

    async def begin(self, wanted: Mapping[str, Any]) -> Any:
        """Put in place what has to be there before anything is said; gives what `end` compares with."""

    async def end(self, before: Any, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The outcome: what is there now, and of the Answers what is judged and shown."""

    def unasked(self, outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
        """What was changed and is not wanted, in words; a report counts it."""


@cache
def find_judge(agent: str) -> Judge:
    """The judge of an agent's answers. Raises ValueError if no installed package offers one."""
    offered = {one.name: one for one in entry_points(group="signalbox.judges")}
    if agent not in offered:
        known = ", ".join(sorted(offered)) or "none"
        raise ValueError(f"nothing installed judges the answers of an agent '{agent}'; there are judges for: {known}")
    judge: Judge = offered[agent].load()
    return judge
