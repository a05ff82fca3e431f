"""One user's way through an experiment, tried out on a clone by a stand-in: the user's own record stays as it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.balance import check_tryable
from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clones import disposable_clone
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.finding import enrollment_of
from signalbox.agents.experiments.outcome import Done
from signalbox.agents.experiments.predict import foretell
from signalbox.agents.experiments.shape import read_experiment
from signalbox.agents.experiments.users import given_at, initialize

__all__ = ["simulate"]

_MOST_VISITS = 100


async def simulate(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    user_id: str,
    groups: Mapping[str, Sequence[str]] | None = None,
    working_groups: Mapping[str, str] | None = None,
    visits: int = 1,
    on_live: bool = False,
) -> Done:
    """Let the user come so many times to every decision point; raises UpgradeError for what cannot be tried out."""
    experiment = read_experiment(raw)
    check_tryable(experiment, on_live)
    if not 0 < visits <= _MOST_VISITS:
        raise UpgradeError(f"A journey has between 1 and {_MOST_VISITS} visits.", "validation")
    working = working_groups or {kind: ids[0] for kind, ids in (groups or {}).items() if len(ids) == 1} or None
    expected = await foretell(client, raw, user_id, groups, working)
    if on_live:
        steps = await _walk(client, raw, user_id, groups, working, visits)
        enrolled = None
    else:
        stand_in = _stand_in(user_id, [raw["id"], groups, working])
        async with disposable_clone(client, raw, stand_ins={user_id: stand_in}) as clone:
            await client.set_state(clone["id"], "enrolling")
            steps = await _walk(client, clone, stand_in, groups, working, visits)
            steps = _at_own_points(steps, experiment["decision_points"])
            enrolled = await enrollment_of(client, read_experiment(clone))
    found = {
        "experiment": experiment["name"],
        "experiment_id": experiment["id"],
        "user_id": user_id,
        "on_live": on_live,
        "visits": steps,
        "enrollment": enrolled,
        "expected": expected["condition"],
        "explanation": expected,
    }
    return Done(found, steps, "POST /v6/mark", f"{len(steps)} visits")


def _stand_in(user_id: str, trial: Sequence[Any]) -> str:
    """A user for the copy in place of the real one: the same in every trial of this kind, so that it gets the same and
    a server is not filled with ever new ones."""
    mark = hashlib.sha256(json.dumps([user_id, *trial], sort_keys=True, default=list).encode()).hexdigest()[:6]
    return f"signalbox-test-{mark}-{user_id}"


def _at_own_points(steps: list[dict[str, Any]], points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The steps with the targets of the experiment: those of the clone are its own, and gone with it."""
    return [{**step, "target": points[at % len(points)]["target"]} for at, step in enumerate(steps)]


async def _walk(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    user_id: str,
    groups: Mapping[str, Sequence[str]] | None,
    working: Mapping[str, str] | None,
    visits: int,
) -> list[dict[str, Any]]:
    experiment = read_experiment(raw)
    await initialize(client, user_id, groups, working)
    steps = []
    for visit in range(1, visits + 1):
        for point in experiment["decision_points"]:
            site, target = point["site"], point["target"]
            given = await given_at(client, user_id, experiment["context"], site, target)
            status = "condition applied" if given else "no condition assigned"
            marked = await client.mark(user_id, site, target, given, status)
            steps.append(
                {
                    "visit": visit,
                    "site": site,
                    "target": target,
                    "assigned": given["conditionCode"] if given else None,
                    "recorded": marked.get("condition"),
                    "status": status,
                }
            )
    return steps
