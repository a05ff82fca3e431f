"""Writing to an UpGrade server: checked before the first call, read back after the last, and told as it is stored.

Every call is sent once. Where its answer does not come, or is a failure that may hide a success, the server is read:
what is there decides. A write that stopped midway raises `partial` and says what is stored and what is not; one that
cannot even be read raises `unsure`. A write has a key: under the same key nothing is done twice, and what is missing is
done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments import journal
from signalbox.agents.experiments.bodies import created_body, missing_members, updated_body
from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clients import server_name
from signalbox.agents.experiments.comparing import differences, lost_payloads, plain, written
from signalbox.agents.experiments.drafts import Draft, apply, check_draft, draft_of, raise_for
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.finding import enrollment_of, find, known_state, metadata_of
from signalbox.agents.experiments.half_done import listed, raise_stopped, raise_unsure
from signalbox.agents.experiments.outcome import Done
from signalbox.agents.experiments.shape import read_experiment
from signalbox.upgrade.changing import effects_of_update

__all__ = ["create", "delete", "move", "update"]

# A list may be stored after the answer has been sent: it is looked for this often, so many seconds apart.
_LOOKS, _LOOK_APART = 5, 0.3
_LISTS = {"include_users", "include_groups", "exclude_users", "exclude_groups"}
Experiment = Mapping[str, Any]


@dataclass(frozen=True)
class _Step:
    """One call of a write: what it stores, and whether an experiment shows that it was made."""

    what: str
    send: Callable[[], Awaitable[Any]]
    is_done: Callable[[Experiment], bool]


async def create(client: UpgradeClient, draft: Draft, key: str | None = None) -> Done:
    """Make the experiment of a draft, once for a key, and read it back.

    One of the same draft that was begun on this server and never finished is finished, under whatever key it is asked.
    """
    server, intent = server_name(client), {"create": asdict(draft)}
    key = _begun_before(server, intent, key) or key or f"create-{uuid4()}"
    known = journal.find_write(key, server)
    if known and known[1]:
        return await _made(client, draft, known[1]["id"], [])
    metadata, others = metadata_of(await client.context_metadata()), await client.experiments()
    before = known[0]["before"] if known else [one["id"] for one in others if one.get("name") == draft.name]
    made = next((one for one in _newer(others, draft.name, before) if _is_of(draft, one)), None) if known else None
    own = str(made["id"]) if made else ""
    problems = check_draft(draft, metadata, others, own)
    raise_for(problems)
    is_whole = False
    if made is None:
        journal.open_write(key, server, {**intent, "before": before})
        own, is_whole = await _post(client, draft, before, key)
    raw = await _read(client, own) if is_whole else await _read_back(client, own, draft)
    steps = [_put(client, raw, draft)] if _is_left_by_post(draft, read_experiment(raw)) else []
    if not is_whole:
        steps += [_added(client, own, *one) for one in missing_members(draft, read_experiment(raw))]
    if read_experiment(raw)["state"] != known_state(draft.status):
        steps.append(_moved(client, own, draft.status))
    await _carry_out(client, own, draft, None, steps)
    journal.close_write(key, {"id": own})
    return await _made(client, draft, own, [one.message for one in problems])


async def update(
    client: UpgradeClient,
    experiment: str,
    changes: Mapping[str, Any],
    revision: str | None = None,
    key: str | None = None,
) -> Done:
    """Make the changes, and read back what is stored. `revision` is the experiment's when they were decided."""
    server = server_name(client)
    known = journal.find_write(key, server) if key else None
    if known and known[1]:
        return Done(known[1], None, "", f"{known[1]['experiment']['name']} was changed")
    raw = await find(client, known[0]["id"] if known else experiment)
    now = read_experiment(raw)
    _check_design(now)
    before = known[0]["before"] if known else now
    draft = apply(draft_of(before), changes)
    if known:
        _check_others(before, now, changes)
    else:
        _check_revision(now, revision)
    if not differences(draft, now):
        return _changed(key, before, now, draft, raw, [])
    problems = check_draft(draft, metadata_of(await client.context_metadata()), await client.experiments(), now["id"])
    raise_for(problems)
    steps = _steps_to(client, raw, now, draft)
    if key:
        journal.open_write(key, server, {"update": dict(changes), "id": now["id"], "before": before})
    try:
        await _carry_out(client, now["id"], draft, raw, steps)
    except UpgradeError as error:
        _forget_if_nothing_was_done(key, error)
        raise
    stored = await _read_back(client, now["id"], draft)
    notes = [one.message for one in problems if one.field in changes]
    notes += effects_of_update(before, vars(draft))
    return _changed(key, before, read_experiment(stored), draft, stored, notes)


async def move(
    client: UpgradeClient,
    experiment: str,
    status: str,
    revision: str | None = None,
    key: str | None = None,
    schedule: str | None = None,
) -> Done:
    """Move the experiment to a state; where it is there already, and no start is scheduled, nothing is sent."""
    state, server = known_state(status), server_name(client)
    known = journal.find_write(key, server) if key else None
    raw = await find(client, known[0]["id"] if known else experiment)
    now = read_experiment(raw)
    before = known[0]["before"] if known else now
    if known is None:
        _check_revision(now, revision)
    elif known[1] is None and now["state"] != state:
        _check_revision(now, before["revision"])
    draft = apply(draft_of(now), {"status": state})
    if not (known and known[1]) and (now["state"] != state or schedule):
        if key:
            journal.open_write(key, server, {"move": state, "id": now["id"], "before": before})
        try:
            await _carry_out(client, now["id"], draft, raw, [_moved(client, now["id"], state, schedule)])
        except UpgradeError as error:
            _forget_if_nothing_was_done(key, error)
            raise
        raw = await _read(client, now["id"])
    after = read_experiment(raw)
    found = {"experiment": after, "before": before["state"], "after": after["state"]}
    found |= {"changed": before["state"] != after["state"], "differences": differences(draft, after)}
    if schedule and not _is_same_moment(after["starts_at"], schedule):
        found["differences"]["schedule"] = {"asked": schedule, "stored": after["starts_at"]}
    if key:
        journal.close_write(key, {"after": after["state"]})
    return Done(found, raw, "POST /experiments/state", f"{before['name']}: {after['state']}")


async def delete(
    client: UpgradeClient,
    experiment: str,
    revision: str | None = None,
    key: str | None = None,
    enrolled: int | None = None,
) -> Done:
    """Remove the experiment, and say what went with it; under a known key, what is gone already was removed by it.

    `revision` and `enrolled` are the experiment's when it was decided.
    """
    server = server_name(client)
    known = journal.find_write(key, server) if key else None
    if known and (known[1] or await _is_gone(client, known[0]["delete"]["id"])):
        found = known[1] or known[0]["delete"]
    else:
        raw = await find(client, experiment)
        before = read_experiment(raw)
        counts = await enrollment_of(client, before)
        if known:
            revision, enrolled = known[0]["revision"], known[0]["delete"]["users"]
        _check_revision(before, revision)
        if enrolled not in (None, counts["users"]):
            raise _conflict(before)
        found = {"id": before["id"], "name": before["name"], "users": counts["users"], "groups": counts["groups"]}
        if key:
            journal.open_write(key, server, {"delete": found, "revision": before["revision"]})
        await _remove(client, found, key)
    if key:
        journal.close_write(key, found)
    return Done(found, None, f"DELETE /experiments/{found['id']}", f"{found['name']} is gone")


def _begun_before(server: str, intent: dict[str, Any], key: str | None) -> str | None:
    """The key of a write that was begun with this intent and not finished, unless this key is known itself."""
    return None if key and journal.find_write(key, server) else journal.find_unfinished(server, intent)


async def _post(client: UpgradeClient, draft: Draft, before: Sequence[str], key: str) -> tuple[str, bool]:
    """Send the body of a new experiment, and give its id, and whether the server says that all of it is stored: where
    its answer went missing, the lists may be."""
    try:
        return str((await client.create(created_body(draft)))["id"]), True
    except UpgradeError as error:
        try:
            newer = _newer(await client.experiments(), draft.name, before)
        except UpgradeError:
            raise_unsure(error, client, {"unknown": [f"the new experiment '{draft.name}'"]})
        made = next((one for one in newer if _is_of(draft, one)), None)
        if made is None:
            journal.close_write(key, None)
            raise_stopped(error, client, None)
        return str(made["id"]), False


def _newer(found: Sequence[Experiment], name: str, before: Sequence[str]) -> list[Experiment]:
    return [one for one in found if one.get("name") == name and one["id"] not in before]


def _is_of(draft: Draft, raw: Experiment) -> bool:
    """True if an experiment is what POST makes of a draft, or more of it: not one that somebody else gave its name."""
    return not set(differences(draft, read_experiment(raw))) - _LISTS - {"post_rule", "revert_to", "status"}


def _is_left_by_post(draft: Draft, stored: Experiment) -> bool:
    """True if something is to be put that POST does not take, or did not: the rule for afterwards always."""
    return bool(set(differences(draft, stored)) - _LISTS - {"status"})


def _steps_to(client: UpgradeClient, raw: Experiment, now: Experiment, draft: Draft) -> list[_Step]:
    """What is to be sent: the body by PUT, members of lists by calls of their own, the state by its own."""
    different = set(differences(draft, now))
    lists = missing_members(draft, now) if different & _LISTS else []
    steps = [_put(client, raw, draft)] if different - _LISTS - {"status"} else []
    steps += [_added(client, now["id"], *one) for one in lists]
    return [*steps, _moved(client, now["id"], draft.status)] if "status" in different else steps


def _put(client: UpgradeClient, raw: Experiment, draft: Draft) -> _Step:
    own, body, before = str(raw["id"]), updated_body(raw, draft), read_experiment(raw)

    def is_done(now: Experiment) -> bool:
        return not set(differences(draft, now)) - _LISTS - {"status"} and not lost_payloads(draft, before, now)

    return _Step(
        listed(set(differences(draft, before)) - _LISTS - {"status"}), lambda: client.update(own, body), is_done
    )


def _added(client: UpgradeClient, own: str, kind: str, members: Mapping[str, Any]) -> _Step:
    def is_done(now: Experiment) -> bool:
        there = now["include" if kind == "inclusion" else "exclude"]
        groups = [{"type": one["type"], "id": one["groupId"]} for one in members["groups"]]
        return set(members["userIds"]) <= set(there["users"]) and all(one in there["groups"] for one in groups)

    named = [*members["userIds"], *(f"{one['type']} {one['groupId']}" for one in members["groups"])]
    return _Step(f"the {kind} of {', '.join(named)}", lambda: client.add_list(own, kind, members), is_done)


def _moved(client: UpgradeClient, own: str, status: str, schedule: str | None = None) -> _Step:
    state = known_state(status)

    def is_done(now: Experiment) -> bool:
        return bool(now["state"] == state) and (not schedule or _is_same_moment(now["starts_at"], schedule))

    return _Step(f"the state {state}", lambda: client.set_state(own, state, schedule=schedule), is_done)


def _is_same_moment(stored: Any, asked: str) -> bool:
    return bool(stored) and datetime.fromisoformat(str(stored)) == datetime.fromisoformat(asked).astimezone(UTC)


async def _carry_out(
    client: UpgradeClient, own: str, draft: Draft, raw: Experiment | None, steps: Sequence[_Step]
) -> None:
    """Make the calls one after the other. One that fails is looked for; where it did not happen, or only by half, what
    has been done until then is raised. `raw` is the experiment before; None where it is new."""
    before = read_experiment(raw) if raw is not None else None
    for at, step in enumerate(steps):
        try:
            await step.send()
        except UpgradeError as error:
            try:
                now = await _looked_for(client, own, step)
            except UpgradeError:
                made = [f"'{draft.name}' itself"] if raw is None else []
                told = {"stored": [*made, *(one.what for one in steps[:at])], "unknown": [step.what]}
                raise_unsure(error, client, {**told, "not_sent": [one.what for one in steps[at + 1 :]]})
            if step.is_done(read_experiment(now)):
                continue
            report = written(draft, before, read_experiment(now))
            if raw is not None and report["lost_payloads"]:
                report |= await _put_back(client, raw, now, report["lost_payloads"])
            raise_stopped(error, client, report)


async def _looked_for(client: UpgradeClient, own: str, step: _Step) -> dict[str, Any]:
    """The experiment as it is after a call that failed: the server may still be at it."""
    for _ in range(_LOOKS):
        raw = await client.experiment(own)
        if step.is_done(read_experiment(raw)):
            break
        await asyncio.sleep(_LOOK_APART)
    return raw


async def _put_back(
    client: UpgradeClient, before: Experiment, now: Experiment, lost: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Give the experiment, as it is now, the payloads that it lost; says which are still lost."""
    gone = {one["id"] for one in lost}
    body = updated_body(now, draft_of(read_experiment(now)))
    kept = [one for one in before.get("conditionPayloads") or [] if one["id"] in gone]
    pairs = {(one["parentCondition"], one["decisionPoint"]) for one in kept}
    body["conditionPayloads"] = [
        one for one in body["conditionPayloads"] if (one["parentCondition"], one["decisionPoint"]) not in pairs
    ] + [{key: one[key] for key in ("id", "parentCondition", "decisionPoint", "payload")} for one in kept]
    try:
        await client.update(str(now["id"]), body)
        stored = read_experiment(await client.experiment(str(now["id"])))
    except UpgradeError:
        return {"put_back": []}
    there = {(one["condition"], one["site"], one["target"], one["type"], one["value"]) for one in stored["payloads"]}
    still = [
        one for one in lost if (one["condition"], one["site"], one["target"], one["type"], one["value"]) not in there
    ]
    return {"lost_payloads": still, "put_back": [one for one in lost if one not in still]}


async def _remove(client: UpgradeClient, found: Mapping[str, Any], key: str | None) -> None:
    try:
        await client.delete(found["id"])
    except UpgradeError as error:
        try:
            is_gone = await _is_gone(client, found["id"])
        except UpgradeError:
            raise_unsure(error, client, {"unknown": [f"the deletion of '{found['name']}'"]})
        if not is_gone:
            if key:
                journal.close_write(key, None)
            raise_stopped(error, client, None)


async def _is_gone(client: UpgradeClient, own: str) -> bool:
    return all(one["id"] != own for one in await client.names())


async def _read(client: UpgradeClient, own: str) -> dict[str, Any]:
    """The experiment after a write that went through; where it cannot be read, that is said."""
    try:
        return await client.experiment(own)
    except UpgradeError as error:
        raise_unsure(error, client, {"stored": ["what was sent, as far as the server says"], "unknown": ["the result"]})


async def _read_back(client: UpgradeClient, own: str, draft: Draft) -> dict[str, Any]:
    """The experiment as it is stored: lists may come a moment later."""
    for _ in range(_LOOKS):
        raw = await _read(client, own)
        if not set(differences(draft, read_experiment(raw))) & _LISTS:
            break
        await asyncio.sleep(_LOOK_APART)
    return raw


async def _made(client: UpgradeClient, draft: Draft, own: str, warnings: list[str]) -> Done:
    raw = await _read_back(client, own, draft)
    stored = read_experiment(raw)
    found = {"experiment": stored, "differences": differences(draft, stored), "warnings": warnings}
    return Done(found, raw, "POST /experiments", f"{draft.name} was made")


def _changed(
    key: str | None, before: Experiment, after: Experiment, draft: Draft, raw: Experiment, notes: list[str]
) -> Done:
    """What was asked against what is stored; noted under the key."""
    asked = differences(draft, before)
    found: dict[str, Any] = {"experiment": dict(after), "warnings": notes, "before": dict(before)}
    found["differences"] = differences(draft, after)
    if lost := lost_payloads(draft, before, after):
        found["differences"]["payloads"] = {"asked": lost, "stored": []}
    was, now = draft_of(before), draft_of(after)
    found["changed"] = {
        name: {"before": plain(name, getattr(was, name)), "after": plain(name, getattr(now, name))} for name in asked
    }
    if key:
        journal.close_write(key, found)
    told = f"{after['name']} was changed" if asked else "nothing to change"
    return Done(found, raw, f"PUT /experiments/{after['id']}", told)


def _forget_if_nothing_was_done(key: str | None, error: UpgradeError) -> None:
    if key and error.error_type not in ("partial", "unsure"):
        journal.close_write(key, None)


def _check_design(experiment: Experiment) -> None:
    """Raise for an experiment that is only shown here: the server loses what a whole body does not say of it."""
    is_within = experiment["assignment_unit"] == "within-subjects"
    if not is_within and experiment["type"] == "Simple":
        return
    design = "within-subjects" if is_within else str(experiment["type"]).lower()
    raise UpgradeError(
        f"'{experiment['name']}' is {design}: it can be started, stopped or deleted here, not changed.",
        "validation",
        suggestion="Change it in UpGrade's own page.",
    )


def _check_revision(experiment: Experiment, revision: str | None) -> None:
    """Raises UpgradeError of the kind conflict where the experiment is not what somebody decided about."""
    if revision not in (None, experiment["revision"]):
        raise _conflict(experiment)


def _check_others(before: Experiment, now: Experiment, changes: Mapping[str, Any]) -> None:
    """Raises UpgradeError of the kind conflict where more is other than what a write that was begun may have done."""
    if set(differences(draft_of(before), now)) - set(changes):
        raise _conflict(now)


def _conflict(experiment: Experiment) -> UpgradeError:
    return UpgradeError(
        f"'{experiment['name']}' has been changed since you looked at it.",
        "conflict",
        suggestion="Look at it again, then decide anew. Nothing was done.",
    )
