"""Users as an application would bring them: made known, given conditions, or made up for a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.errors import UpgradeError

__all__ = ["assignments", "given_at", "initialize", "made_up"]

MOST_USERS = 100_000
"""How many users a test may make up."""


async def initialize(
    client: UpgradeClient,
    user_id: str,
    groups: Mapping[str, Sequence[str]] | None,
    working_groups: Mapping[str, str] | None,
) -> dict[str, Any]:
    """Make a user known; raises UpgradeError of the kind validation for a working group that it is not in."""
    if not user_id.strip():
        raise UpgradeError("A user needs an id.", "validation")
    for kind, chosen in (working_groups or {}).items():
        if groups is not None and chosen not in groups.get(kind, ()):
            raise UpgradeError(
                f"The working group {chosen} is not one of the user's groups of the type {kind}.",
                "validation",
                suggestion="Such a user would get no condition of an experiment on groups.",
            )
    held = {kind: list(ids) for kind, ids in groups.items()} if groups is not None else None
    return await client.init(user_id, held, working_groups)


def assignments(raw: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the server assigns, a row a decision point."""
    return [
        {
            "site": one.get("site"),
            "target": one.get("target"),
            "condition": given.get("conditionCode"),
            "condition_id": given.get("id"),
            "experiment_id": given.get("experimentId"),
            "payload": given.get("payload"),
        }
        for one in raw
        for given in (one.get("assignedCondition") or [])[:1]
    ]


async def given_at(client: UpgradeClient, user_id: str, context: str, site: str, target: str) -> dict[str, Any] | None:
    """The condition that the server assigns to a user at one decision point, or None for the default."""
    for one in await client.assign(user_id, context):
        if one.get("site") == site and one.get("target") == target:
            return next(iter(one.get("assignedCondition") or []), None)
    return None


def made_up(
    count: int,
    group_type: str | None = None,
    num_groups: int | None = None,
    stem: str = "test-user",
    groups: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """So many users, called by a stem and a number; with a group type, dealt evenly to so many groups, or these."""
    if not 0 < count <= MOST_USERS:
        raise UpgradeError(f"A test takes between 1 and {MOST_USERS:,} users.", "validation")
    if num_groups is not None and num_groups < 1:
        raise UpgradeError("There must be at least one group.", "validation")
    dealt = min(count, num_groups or max(2, round(count**0.5))) if group_type else 0
    named = list(groups) or [f"{stem}-group-{number:0{len(str(dealt))}}" for number in range(1, dealt + 1)]
    made = []
    for number in range(1, count + 1):
        user: dict[str, Any] = {"id": f"{stem}-{number:06}", "groups": {}, "working_groups": {}}
        if group_type:
            group = named[(number - 1) % len(named)]
            user |= {"groups": {group_type: [group]}, "working_groups": {group_type: group}}
        made.append(user)
    return made
