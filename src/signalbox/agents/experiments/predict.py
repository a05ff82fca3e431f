"""What a user would be given, and why, without touching the server's data: step by step, by UpGrade's own rules.

What the server records of a user cannot be read; but it says what a user whom it knows is given (batch-assign, which
enrols nobody). Where that differs from what the rules give to a newcomer, the record is what decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.finding import find, is_clone
from signalbox.agents.experiments.outcome import Done, tool
from signalbox.agents.experiments.shape import members_of, read_experiment
from signalbox.upgrade.decision import Decision, decide
from signalbox.upgrade.model import NOBODY, Members, Records, User, experiment_of

__all__ = ["explain_assignment", "foretell"]

_SUPPORTED = ("individual", "group")


@tool
async def explain_assignment(
    user_id: str,
    experiment: str,
    groups: Mapping[str, Sequence[str]] | None = None,
    working_groups: Mapping[str, str] | None = None,
) -> Done:
    """What the user would get of an experiment, and why: `{experiment, user_id, condition (None: the default),
    decided_by: state|global_exclude|group|segment|pool|enrolment|exclusion|post_rule|hash,
    steps: [{step, passed, detail}], known_to_server, server_says, agrees, note}`."""
    client = current_client()
    raw = await find(client, experiment)
    found = await foretell(client, raw, user_id, groups, working_groups)
    words = f"{user_id}: {found['condition'] or 'default'}, by {found['decided_by']}"
    return Done(found, raw, f"GET /experiments/single/{raw['id']}", words)


async def foretell(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    user_id: str,
    groups: Mapping[str, Sequence[str]] | None = None,
    working_groups: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What `explain_assignment` gives, for an experiment that was read already."""
    experiment = read_experiment(raw)
    if experiment["assignment_unit"] not in _SUPPORTED or experiment["type"] != "Simple":
        raise UpgradeError("Within-subjects and factorial experiments cannot be foretold here.", "validation")
    user = User(user_id, *_grouped(groups, working_groups))
    others = [one for one in await client.experiments() if not is_clone(one) and one["id"] != raw["id"]]
    models = [experiment_of(one) for one in [raw, *others] if one.get("assignmentUnit") in _SUPPORTED]
    kept_out, unread = await _globally_excluded(client, experiment["context"])
    decision = decide(models, experiment["context"], user, Records(), kept_out)[0]
    known, says = await _server_says(client, experiment, user_id)
    found = _told(decision, unread) | {
        "experiment": experiment["name"],
        "experiment_id": experiment["id"],
        "user_id": user_id,
        "known_to_server": known,
        "server_says": says,
        "agrees": not known or says == (decision.condition.code if decision.condition else None),
        "note": "",
    }
    return found if found["agrees"] else _corrected(found, groups is not None)


async def _globally_excluded(client: UpgradeClient, context: str) -> tuple[Members, str]:
    """Who is kept out of everything in a context; and why that is not known, or not whole, where it is not."""
    try:
        lists = await client.global_exclude()
    except UpgradeError as error:
        return NOBODY, f"the server does not show the global exclude list ({error.user_message.rstrip('.')})"
    held = members_of([one for one in lists if one.get("context") == context])
    unread = "" if not held["segments"] else "the global exclude list holds segments, which are not looked into"
    groups = frozenset((one["type"], one["id"]) for one in held["groups"])
    return Members(frozenset(held["users"]), groups), unread


async def _server_says(client: UpgradeClient, experiment: Mapping[str, Any], user_id: str) -> tuple[bool, str | None]:
    """Whether the server knows the user, and the condition of this experiment that it gives."""
    if not experiment["decision_points"]:
        return False, None
    point = experiment["decision_points"][0]
    answer = await client.batch_assign(experiment["context"], point["site"], point["target"], [user_id])
    said = answer.get(user_id, "NOT_FOUND")
    if said == "NOT_FOUND":
        return False, None
    given = (said or {}).get("assignedCondition") or []
    own = [one for one in given if one.get("experimentId") == experiment["id"]]
    return True, str(own[0]["conditionCode"]) if own else None


def _told(decision: Decision, unread: str) -> dict[str, Any]:
    """The decision; what of the global exclude list could not be read is said in its step."""
    for at, one in enumerate(decision.steps):
        if one.name == "global_exclude" and one.passed and unread:
            decision.steps[at] = replace(one, detail=unread)
    return {
        "condition": decision.condition.code if decision.condition else None,
        "decided_by": decision.decided_by,
        "steps": [{"step": one.name, "passed": one.passed, "detail": one.detail} for one in decision.steps],
    }


def _corrected(found: dict[str, Any], groups_said: bool) -> dict[str, Any]:
    """What the server gives counts; the step that would have decided for a newcomer is overruled by its records."""
    says, steps = found["server_says"], list(found["steps"])
    if says is not None:
        name = "enrolment"
        detail = f"the server gives {says}: the user, or its group, is enrolled"
        if found["decided_by"] == "group" and not groups_said:
            detail = f"the server knows the groups of the user, and gives {says}"
    else:
        name = "exclusion"
        detail = "the server gives the default: the user, or its group, is excluded, or on a list that cannot be read"
    steps.append({"step": name, "passed": says is not None, "detail": detail})
    note = f"A newcomer would get {found['condition'] or 'the default'}."
    return found | {"condition": says, "decided_by": name, "steps": steps, "note": note}


def _grouped(
    groups: Mapping[str, Sequence[str]] | None, working: Mapping[str, str] | None
) -> tuple[dict[str, list[str]] | None, dict[str, str] | None]:
    """The groups as said; one who is in a single group of a type works in it."""
    held = {kind: list(ids) for kind, ids in (groups or {}).items()}
    for kind, chosen in (working or {}).items():
        held.setdefault(kind, [chosen])
    at_work = {kind: ids[0] for kind, ids in held.items() if len(ids) == 1} | dict(working or {})
    return held or None, at_work or None
