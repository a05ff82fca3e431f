"""A conversation of an evaluation: what the server had before it, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.evaluation.outcome import is_write, outcome_of
from signalbox.agents.experiments.evaluation.world import World, changes_between, look

__all__ = ["begin", "end"]


async def begin(wanted: Mapping[str, Any]) -> World:
    """The server as it is seeded."""
    return await look()


async def end(before: World, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The outcome of the last answer, with what the whole conversation changed and what was said in it."""
    changed = {"experiments": changes_between(before, await look()), "users": _initialised(answers)}
    found = {
        **outcome_of(answers[-1]),
        "end": {part: value for part, value in changed.items() if value},
        "said": [str(one.get("answer") or "") for one in answers],
        "unconfirmed": _unconfirmed(answers),
    }
    found.pop("writes", None)
    return found


def _initialised(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The users that were made known to the server, with their groups; not those who came to a decision point."""
    found: dict[str, Any] = {}
    for one in answers:
        calls = [call for call in one.get("evidence") or () if call["ok"]]
        came = {call["args"].get("user_id") for call in calls if call["tool"] == "mark_decision_point_visit"}
        made = [call["args"] for call in calls if call["tool"] == "initialize_user"]
        found |= {str(args["user_id"]): dict(args.get("groups") or {}) for args in made if args["user_id"] not in came}
    return found


def _unconfirmed(answers: Sequence[Mapping[str, Any]]) -> list[str]:
    """The writes of turns that answered no question of yes or no."""
    found: list[str] = []
    for before, one in zip([{}, *answers], answers, strict=False):
        was_asked = (before.get("question") or {}).get("kind") == "confirm"
        found += [str(call["tool"]) for call in one.get("evidence") or () if is_write(call) and not was_asked]
    return found
