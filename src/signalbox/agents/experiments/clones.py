"""A disposable clone of an experiment: the same rules at decision points of its own, so that nobody real is touched.

It is noted in the journal before it is made and forgotten after it is removed. One that a crash has left is removed by
whoever makes the next. What the server cannot forget are the made-up users themselves, who are in nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments import journal
from signalbox.agents.experiments.bodies import created_body, updated_body
from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.drafts import Draft, draft_of
from signalbox.agents.experiments.errors import RETRYABLE, UpgradeError
from signalbox.agents.experiments.finding import CLONE_TAG
from signalbox.agents.experiments.shape import read_experiment

__all__ = ["disposable_clone", "sweep"]


@asynccontextmanager
async def disposable_clone(
    client: UpgradeClient, raw: Mapping[str, Any], *, lists: bool = True, stand_ins: Mapping[str, str] | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Make an inactive clone, give it as the server has it, and remove it when the block ends, however it ends.

    Without `lists` it includes everybody; `stand_ins` takes the place of users in its lists.
    """
    await sweep(client)
    mark = uuid4().hex[:8]
    draft = _draft(raw, mark, lists, stand_ins or {})
    journal.note_clone(draft.name, client.url)
    try:
        yield await _made(client, draft)
    finally:
        await asyncio.shield(_removed(client, draft.name))


async def sweep(client: UpgradeClient) -> list[str]:
    """Remove the clones that were left on this server; gives their names."""
    left = journal.left_clones(client.url)
    if left:
        by_name = {one["name"]: one["id"] for one in await client.names()}
        for name in left:
            if name in by_name:
                await client.delete(by_name[name])
            journal.forget_clone(name)
    return left


def _draft(raw: Mapping[str, Any], mark: str, lists: bool, stand_ins: Mapping[str, str]) -> Draft:
    """The clone's draft: a name, tags and targets of its own, and no end that comes by itself."""
    draft = draft_of(read_experiment(raw))
    points = [
        point | {"target": f"{CLONE_TAG}-{mark}-{number}"} for number, point in enumerate(draft.decision_points, 1)
    ]
    clone = replace(
        draft,
        name=f"{draft.name} (clone {mark})",
        description="A disposable clone, made by Signalbox to try an experiment out. It may be removed.",
        tags=[CLONE_TAG],
        decision_points=points,
        status="inactive",
        include_users=[stand_ins.get(user, user) for user in draft.include_users],
        exclude_users=[stand_ins.get(user, user) for user in draft.exclude_users],
    )
    if lists:
        return clone
    nobody: dict[str, Any] = {"include_users": [], "include_groups": {}, "exclude_users": [], "exclude_groups": {}}
    return replace(clone, filter_mode="includeAll", **nobody)


async def _made(client: UpgradeClient, draft: Draft) -> dict[str, Any]:
    try:
        own = (await client.create(created_body(draft)))["id"]
    except UpgradeError as error:
        found = await _id_of(client, draft.name) if error.error_type in RETRYABLE else None
        if found is None:
            raise
        own = found
    raw = await client.experiment(own)
    stored = read_experiment(raw)
    if (stored["post_rule"], stored["revert_to"]) != (draft.post_rule, draft.revert_to):
        await client.update(own, updated_body(raw, draft))
        raw = await client.experiment(own)
    return raw


async def _removed(client: UpgradeClient, name: str) -> None:
    """Remove the clone; where the server does not let it be removed now, the journal keeps it for the next time."""
    try:
        own = await _id_of(client, name)
        if own is not None:
            await client.delete(own)
        journal.forget_clone(name)
    except UpgradeError:
        journal.leave_clone(name)


async def _id_of(client: UpgradeClient, name: str) -> str | None:
    return next((one["id"] for one in await client.names() if one["name"] == name), None)
