"""Writing to an UpGrade server so that nothing is done twice, nothing unseen, and what is reported is what is stored.

A write is sent once. Where its answer does not come, or is a failure that may hide a success, the server is read: what
is there decides. Where even that cannot be read, the error says that nobody knows (`unsure`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments import journal
from signalbox.agents.experiments.bodies import created_body, missing_members, updated_body
from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.drafts import Draft, apply, check_draft, draft_of, raise_for
from signalbox.agents.experiments.errors import RETRYABLE, UpgradeError
from signalbox.agents.experiments.finding import enrollment_of, find, known_state, metadata_of
from signalbox.agents.experiments.outcome import Done
from signalbox.agents.experiments.shape import read_experiment

__all__ = ["create", "delete", "differences", "move", "update"]

# An exclusion list is stored after the answer has been sent: it is looked for this often, so many seconds apart.
_LOOKS, _LOOK_APART = 5, 0.3


async def create(client: UpgradeClient, draft: Draft, key: str | None = None) -> Done:
    """Make the experiment of a draft, once for a key, and read it back."""
    metadata, others = metadata_of(await client.context_metadata()), await client.experiments()
    problems = check_draft(draft, metadata, others)
    if key is None or not journal.is_begun(key):
        # What was begun was checked then; now it may find itself.
        raise_for(problems)
    before = [one["id"] for one in others if one.get("name") == draft.name]
    intent = {"create": draft.name, "before": before}
    key = key or f"create-{uuid4()}"
    begun, outcome = journal.open_write(key, client.url, intent)
    if outcome:
        return await _made(client, draft, outcome["id"], problems)
    known = set((begun or intent)["before"])
    made = await _made_since(client, draft.name, known) if begun else None
    if made is None:
        made = await _sent_once(
            lambda: client.create(created_body(draft)), lambda: _made_since(client, draft.name, known), key
        )
    await _complete(client, made["id"], draft)
    journal.close_write(key, {"id": made["id"]})
    return await _made(client, draft, made["id"], problems)


async def update(
    client: UpgradeClient,
    experiment: str,
    changes: Mapping[str, Any],
    expected_version: int | None = None,
    key: str | None = None,
) -> Done:
    """Make the changes, and read back what is stored."""
    raw = await find(client, experiment)
    before = read_experiment(raw)
    draft = apply(draft_of(before), changes)
    if not differences(draft, before):
        return Done(_report(before, draft, before, []), raw, _put(before["id"]), "nothing to change")
    _check_version(before, expected_version)
    problems = check_draft(
        draft, metadata_of(await client.context_metadata()), await client.experiments(), before["id"]
    )
    raise_for(problems)
    await _changed(client, raw, before, draft)
    stored = await client.experiment(before["id"])
    after = read_experiment(stored)
    notes = [one.message for one in problems if one.field in changes]
    if before["state"] == "enrolling" and "conditions" in changes:
        notes.append("The experiment is enrolling: those already enrolled keep their condition, whatever the weights.")
    return Done(_report(after, draft, before, notes), stored, _put(before["id"]), f"{after['name']} was changed")


async def move(
    client: UpgradeClient,
    experiment: str,
    status: str,
    expected_version: int | None = None,
    key: str | None = None,
    schedule: str | None = None,
) -> Done:
    """Move the experiment to a state; where it is there already, and no start is scheduled, nothing is sent."""
    state = known_state(status)
    raw = await find(client, experiment)
    before = read_experiment(raw)
    if before["state"] != state or schedule:
        _check_version(before, expected_version)
        await _sent_once(
            lambda: client.set_state(before["id"], state, schedule=schedule),
            lambda: _in_state(client, before["id"], state),
            key,
        )
        raw = await client.experiment(before["id"])
    after = read_experiment(raw)
    found = {"experiment": after, "before": before["state"], "after": after["state"]}
    changed = before["state"] != after["state"]
    return Done(found | {"changed": changed}, raw, "POST /experiments/state", f"{before['name']}: {after['state']}")


async def delete(
    client: UpgradeClient, experiment: str, expected_version: int | None = None, key: str | None = None
) -> Done:
    """Remove the experiment, and say what went with it; with a key, what is gone already was removed by it."""
    raw: Any = None
    if key is None or not journal.is_begun(key):
        raw = await find(client, experiment)
        before = read_experiment(raw)
        _check_version(before, expected_version)
        enrolled = await enrollment_of(client, before)
        found = {"id": before["id"], "name": before["name"], "users": enrolled["users"], "groups": enrolled["groups"]}
        begun, outcome = journal.open_write(key, client.url, found) if key else (None, None)
    else:
        begun, outcome = journal.open_write(key, client.url, {})
    found = begun or found
    if outcome is None and (not begun or await _gone(client, found["id"]) is None):
        await _sent_once(lambda: client.delete(found["id"]), lambda: _gone(client, found["id"]), key)
    if key:
        journal.close_write(key, found)
    return Done(found, raw, f"DELETE /experiments/{found['id']}", f"{found['name']} is gone")


def differences(draft: Draft, experiment: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a draft says and an experiment has otherwise: `{field: {asked, stored}}`."""
    stored = draft_of(experiment)
    found = {}
    for name in Draft.__dataclass_fields__:
        asked, there = _plain(name, getattr(draft, name)), _plain(name, getattr(stored, name))
        if asked != there:
            found[name] = {"asked": asked, "stored": there}
    return found


async def _sent_once(send: Callable[[], Awaitable[Any]], look: Callable[[], Awaitable[Any]], key: str | None) -> Any:
    """What a write gives, or what is found of it where its answer went missing. Raises where it did not happen."""
    try:
        return await send()
    except UpgradeError as error:
        if error.error_type not in RETRYABLE:
            if key:
                journal.close_write(key, None)
            raise
        try:
            found = await look()
        except UpgradeError:
            raise UpgradeError(
                f"{error.user_message} Whether the change was made is not known.",
                "unsure",
                suggestion="Look at the experiment before you ask for the change again.",
                status=error.status,
                answer=error.answer,
                endpoint=error.endpoint,
            ) from None
        if found is None:
            if key:
                journal.close_write(key, None)
            raise
        return found


async def _made_since(client: UpgradeClient, name: str, known: set[str]) -> dict[str, Any] | None:
    return next((one for one in await client.names() if one["name"] == name and one["id"] not in known), None)


async def _in_state(client: UpgradeClient, experiment_id: str, state: str) -> dict[str, Any] | None:
    raw = await client.experiment(experiment_id)
    return raw if read_experiment(raw)["state"] == state else None


async def _gone(client: UpgradeClient, experiment_id: str) -> dict[str, Any] | None:
    return None if any(one["id"] == experiment_id for one in await client.names()) else {}


async def _has_version_after(client: UpgradeClient, experiment_id: str, draft: Draft) -> dict[str, Any] | None:
    raw = await client.experiment(experiment_id)
    open_ends = set(differences(draft, read_experiment(raw))) - _LISTS - {"status"}
    return None if open_ends else raw


_LISTS = {"include_users", "include_groups", "exclude_users", "exclude_groups"}


async def _changed(client: UpgradeClient, raw: Mapping[str, Any], before: Mapping[str, Any], draft: Draft) -> None:
    """Send what differs: the body by PUT, members of lists by their own calls, the state by its own."""
    different = set(differences(draft, before))
    if different & _LISTS:
        missing = missing_members(draft, before)
        if different - _LISTS - {"status"}:
            await _put_once(client, raw, draft)
        for kind, members in missing:
            await client.add_list(before["id"], kind, members)
    elif different - {"status"}:
        await _put_once(client, raw, draft)
    if "status" in different:
        await move(client, before["id"], draft.status)


async def _put_once(client: UpgradeClient, raw: Mapping[str, Any], draft: Draft) -> None:
    own = str(raw["id"])
    await _sent_once(
        lambda: client.update(own, updated_body(raw, draft)), lambda: _has_version_after(client, own, draft), None
    )


async def _complete(client: UpgradeClient, experiment_id: str, draft: Draft) -> None:
    """Set what POST leaves out: the rule for afterwards, and a state other than the first."""
    raw = await client.experiment(experiment_id)
    stored = read_experiment(raw)
    if (draft.post_rule, draft.revert_to) != (stored["post_rule"], stored["revert_to"]) or _payloads(draft):
        await _put_once(client, raw, draft)
    if stored["state"] != known_state(draft.status):
        await move(client, experiment_id, draft.status)


async def _made(client: UpgradeClient, draft: Draft, experiment_id: str, problems: list[Any]) -> Done:
    for _ in range(_LOOKS):
        raw = await client.experiment(experiment_id)
        stored = read_experiment(raw)
        if not set(differences(draft, stored)) & _LISTS:
            break
        await asyncio.sleep(_LOOK_APART)
    found = _report(stored, draft, None, [one.message for one in problems])
    return Done(found, raw, "POST /experiments", f"{draft.name} was made")


def _report(
    stored: Mapping[str, Any], draft: Draft, before: Mapping[str, Any] | None, warnings: list[str]
) -> dict[str, Any]:
    open_ends = differences(draft, stored)
    found: dict[str, Any] = {"experiment": dict(stored), "differences": open_ends, "warnings": warnings}
    if before is not None:
        found["before"] = dict(before)
        found["changed"] = {
            name: {"before": change["stored"], "after": _plain(name, getattr(draft_of(stored), name))}
            for name, change in differences(draft, before).items()
        }
    return found


def _check_version(experiment: Mapping[str, Any], expected: int | None) -> None:
    if expected is not None and experiment["version"] != expected:
        raise UpgradeError(
            f"'{experiment['name']}' has been changed since you looked at it.",
            "conflict",
            suggestion="Look at it again, then decide anew. Nothing was done.",
        )


def _plain(name: str, value: Any) -> Any:
    """A field's value so that what means the same is the same."""
    if name == "status":
        return known_state(value)
    if name == "conditions":
        return [{"code": one.get("code"), "weight": float(one.get("weight") or 0)} for one in value]
    if name == "decision_points":
        kept = ("site", "target", "exclude_if_reached")
        return [{key: one.get(key) or False if key == kept[2] else one.get(key) for key in kept} for one in value]
    if name in ("include_users", "exclude_users", "tags"):
        return sorted(value)
    if name in ("include_groups", "exclude_groups"):
        return {kind: sorted(ids) for kind, ids in sorted(value.items()) if ids}
    return value or None


def _payloads(draft: Draft) -> bool:
    return any(one.get("payload") for one in draft.conditions)


def _put(experiment_id: str) -> str:
    return f"PUT /experiments/{experiment_id}"
