"""How routing is measured: by where a request would go, below the line to a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.frontdoor.plan import offered_agents
from signalbox.agents.frontdoor.router import SURE, first_route
from signalbox.agents.frontdoor.state import OWN, Route
from signalbox.toolbox.loop_calls import list_calls

__all__ = ["JUDGE"]


class _Judge:
    """What `signalbox eval` finds by the entry point group `signalbox.judges`."""

    keys = frozenset({"to"})

    @staticmethod
    def check(wanted: Mapping[str, Any]) -> None:
        """Raises ValueError for an agent that does not exist."""
        known = {agent.name for agent in offered_agents()} | set(OWN)
        if not _allowed(wanted) or not set(_allowed(wanted)) <= known:
            raise ValueError(f"`to` is one of {', '.join(sorted(known))}")

    @staticmethod
    def settings(server: str) -> dict[str, str | None]:
        """No server is asked."""
        return {}

    @staticmethod
    async def expect(wanted: Mapping[str, Any], now: object, tz: object) -> dict[str, Any]:
        """All that is expected stands in the case."""
        return dict(wanted)

    @staticmethod
    async def read(text: str) -> dict[str, Any]:
        """Where the request goes, and how surely it was read."""
        found, update = await first_route(text, None, None)
        called = [call["name"] for call in list_calls(update.get("replies") or ())]
        route = found or Route(to=called[0] if called else "clarify", confidence=1.0)
        sure = route["confidence"] >= SURE
        return {"to": route["to"] if sure else "clarify", "read": route["to"], "confidence": route["confidence"]}

    @staticmethod
    def outcome(answer: dict[str, Any]) -> dict[str, Any]:
        """`read` gives its outcome itself."""
        return answer

    @staticmethod
    def is_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        """True if the request goes where it should."""
        return outcome["to"] in _allowed(wanted)

    @staticmethod
    def misleads(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
        """True if another agent would take the request, or one would that should have been refused or asked about."""
        return outcome["to"] not in (*_allowed(wanted), *OWN)


def _allowed(wanted: Mapping[str, Any]) -> list[Any]:
    to = wanted.get("to")
    return list(to.get("any_of", ())) if isinstance(to, Mapping) else [to]


JUDGE = _Judge()
