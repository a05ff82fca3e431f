"""Finding an experiment by what a person calls it, and what else is read about one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.shape import read_experiment, same_text
from signalbox.language.names import did_you_mean, nearest
from signalbox.upgrade.states import STATES, stored_state

__all__ = [
    "CLONE_TAG",
    "enrollment_of",
    "find",
    "find_id",
    "is_clone",
    "known_state",
    "metadata_of",
]

CLONE_TAG = "signalbox-clone"
"""What a disposable clone is tagged with, so that lists leave it out."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MOST_SHOWN = 5


async def find(client: UpgradeClient, asked: str) -> dict[str, Any]:
    """The experiment that an id or a name means, as the server gives it.

    Raises UpgradeError: not_found with the nearest names, ambiguous with the ids of all that have that name.
    """
    return await client.experiment(await find_id(client, asked))


async def find_id(client: UpgradeClient, asked: str) -> str:
    """The id of the experiment that an id or a name means; raises as `find` does."""
    if _UUID.fullmatch(asked.strip()):
        return asked.strip()
    names = await client.names()
    exact = [one for one in names if one["name"] == asked]
    found = exact or [one for one in names if same_text(one["name"], asked)]
    if len(found) == 1:
        return found[0]["id"]
    if found:
        raise UpgradeError(
            f"{len(found)} experiments are called '{asked}'.",
            "ambiguous",
            suggestion="Say which one, by its id.",
            options=[one["id"] for one in found],
            endpoint="GET /experiments/names",
        )
    near = nearest(asked, [one["name"] for one in names], _MOST_SHOWN)
    raise UpgradeError(
        f"There is no experiment called '{asked}'.",
        "not_found",
        suggestion=did_you_mean(asked, [one["name"] for one in names]) or "The server has no experiments.",
        options=near,
        endpoint="GET /experiments/names",
    )


def metadata_of(raw: Mapping[str, Any], context: str | None = None) -> dict[str, dict[str, list[str]]]:
    """The server's metadata with names of ours, of one context or of all; raises UpgradeError where there is none."""
    found = {
        name: {
            "conditions": list(one.get("CONDITIONS") or []),
            "group_types": list(one.get("GROUP_TYPES") or []),
            "sites": list(one.get("EXP_POINTS") or []),
            "targets": list(one.get("EXP_IDS") or []),
        }
        for name, one in raw.items()
    }
    if context is None:
        return found
    name = next((name for name in found if same_text(name, context)), None)
    if name is None:
        raise UpgradeError(
            f"There is no context '{context}'.",
            "not_found",
            suggestion=f"The server has {', '.join(found)}.",
            options=list(found),
            endpoint="GET /experiments/contextMetaData",
        )
    return {name: found[name]}


async def enrollment_of(client: UpgradeClient, experiment: Mapping[str, Any]) -> dict[str, Any]:
    """How many are enrolled and excluded: `{users, groups, users_excluded, groups_excluded, conditions: {code: …}}`."""
    raw = await client.enrollment_detail(experiment["id"])
    codes = {one["id"]: one["code"] for one in experiment["conditions"]}
    return {
        "users": raw.get("users", 0),
        "groups": raw.get("groups", 0),
        "users_excluded": raw.get("usersExcluded", 0),
        "groups_excluded": raw.get("groupsExcluded", 0),
        "conditions": {
            codes.get(one["id"], one["id"]): {"users": one.get("users", 0), "groups": one.get("groups", 0)}
            for one in raw.get("conditions") or []
        },
    }


def known_state(asked: str) -> str:
    """The state that is meant; raises UpgradeError of the kind validation for what is none."""
    try:
        return stored_state(asked)
    except ValueError as error:
        raise UpgradeError(str(error) + ".", "validation", options=list(STATES)) from None


def is_clone(raw: Mapping[str, Any]) -> bool:
    """True if an experiment is a disposable clone of ours, which nobody made and nobody wants to see."""
    return CLONE_TAG in (raw.get("tags") or [])


def shared_points(experiment: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The decision points of an experiment that another one of its context has too: `[(point, name of the other)]`."""
    own = {(one.get("site"), one.get("target")) for one in experiment["decision_points"]}
    return [
        (f"{site} / {target}", other["name"])
        for other in map(read_experiment, others)
        if other["id"] != experiment.get("id") and other["context"] == experiment["context"]
        for site, target in sorted({(one["site"], one["target"]) for one in other["decision_points"]} & own)
    ]
