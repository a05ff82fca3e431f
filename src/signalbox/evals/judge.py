"""What measures the answers of an agent: a judge, which the agent's own package offers.

It is found by an entry point: in the group `signalbox.judges`, under the agent's name. It takes and gives plain data,
and imports nothing from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import datetime, tzinfo
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Protocol

__all__ = ["Judge", "find_judge"]


class Judge(Protocol):
    """Says what may be expected of one agent's answers, and whether an answer is as expected.

    One that measures whole conversations also has `async hold(text, wanted)`: it holds the conversation that begins
    with the text, and gives its outcome. One whose cases differ in more than their words has `case_settings(wanted)`:
    the environment variables with which a case is asked, beside those of its set.
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
        """The expected outcome with what only the server knows. Raises ValueError where that gives nothing."""

    def outcome(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """An Answer, shortened to what is judged and shown."""

    def is_right(self, outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        """True if the outcome is the one that is wanted, which comes from `expect`."""


@cache
def find_judge(agent: str) -> Judge:
    """The judge of an agent's answers. Raises ValueError where no installed package offers one."""
    offered = {one.name: one for one in entry_points(group="signalbox.judges")}
    if agent not in offered:
        known = ", ".join(sorted(offered)) or "none"
        raise ValueError(f"nothing installed judges the answers of an agent '{agent}'; there are judges for: {known}")
    judge: Judge = offered[agent].load()
    return judge
