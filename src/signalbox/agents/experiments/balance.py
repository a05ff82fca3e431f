"""Whether an experiment divides those who come to it as its weights say: tried out with made-up users on a clone."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clones import disposable_clone
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.finding import enrollment_of
from signalbox.agents.experiments.outcome import TRIAL_SECONDS, Done, in_time
from signalbox.agents.experiments.shape import read_experiment
from signalbox.agents.experiments.statistics import ALPHA, fit, interval, shares_of
from signalbox.agents.experiments.users import made_up
from signalbox.upgrade.decision import foresee
from signalbox.upgrade.model import experiment_of

__all__ = ["check_tryable", "try_balance"]

Progress = Callable[[int, int], None]
_AT_ONCE = 8
_BATCH = 100
# Who has come by then is judged; the rest of the time is for clearing up.
_COMING_SECONDS = 0.7 * TRIAL_SECONDS
_MOST_MISMATCHES = 10
_STAY = "the server keeps users whom it has seen, and has no call that removes them."
# On a clone, so many also come to the decision point and are enrolled; of the rest it is only asked what they get.
_ENROLLED = 500


async def try_balance(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    num_users: int,
    num_groups: int | None = None,
    on_live: bool = False,
    progress: Progress | None = None,
    groups: Sequence[str] = (),
) -> Done:
    """Let made-up users come to a clone, or where it was asked for to the experiment itself, and judge the division.

    They are of the named groups where some are given; never on the experiment itself, where those are real.
    """
    experiment = read_experiment(raw)
    check_tryable(experiment, on_live)
    group = experiment["group"] if experiment["assignment_unit"] == "group" else None
    if groups and (on_live or not group):
        raise UpgradeError(
            "Named groups can be tried out only on a clone of an experiment that assigns by group.", "validation"
        )
    people = _people(num_users, group, num_groups, on_live, groups)
    if on_live:
        found = await _tried(client, raw, people, len(people), progress)
    else:
        async with disposable_clone(client, raw, lists=False) as clone:
            await client.set_state(clone["id"], "enrolling")
            found = await _tried(client, clone, people, _ENROLLED, progress)
    notes = [f"Their ids begin with signalbox-test-; {_STAY}"]
    if found["users"] < num_users:
        notes.append(f"Only {found['users']:,} of {num_users:,} users came in {_COMING_SECONDS:g} seconds.")
    if not on_live and (experiment["filter_mode"] == "excludeAll" or any(experiment["exclude"].values())):
        notes.append("The lists of the experiment were left out, so that every made-up user could take part.")
    stats = found.pop("raw")
    said = {"experiment": experiment["name"], "experiment_id": experiment["id"], "on_live": on_live, "notes": notes}
    words = f"{found['units']} units: p = {found['p_value']:.3g} ({found['test']})"
    return Done(said | found, stats, "POST /stats/enrollment/detail", words)


def _people(
    count: int, group: str | None, num_groups: int | None, on_live: bool, groups: Sequence[str]
) -> list[dict[str, Any]]:
    """Made-up users: for clones the same each time, so that a server knows them from the last trial and is not filled
    with ever new ones; for the live experiment such as have never been in it."""
    named = f"balance-{group}-{'+'.join(groups) or num_groups or count}" if group else "balance"
    stem = f"signalbox-test-{named}" + (f"-{uuid4().hex[:6]}" if on_live else "")
    return made_up(count, group, num_groups, stem, groups)


async def _tried(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    people: Sequence[Mapping[str, Any]],
    most_enrolled: int,
    progress: Progress | None,
) -> dict[str, Any]:
    """Bring the people, and compare what they get with what was enrolled, and with what was foreseen."""
    experiment = read_experiment(raw)
    before = await enrollment_of(client, experiment)
    given: dict[str, str | None] = {}
    try:
        coming = _bring(client, experiment, people, most_enrolled, progress, given)
        await in_time(coming, _COMING_SECONDS, "The test")
    except UpgradeError as error:
        if error.error_type != "timeout" or not given:
            raise
    people = people[: len(given)]
    stats = await enrollment_of(client, experiment)
    users = Counter(code for code in given.values() if code)
    by_unit = {_unit(experiment, one): given[one["id"]] for one in people}
    found = _judged(experiment, Counter(code for code in by_unit.values() if code), users)
    foreseen = foresee(experiment_of(raw), [_unit(experiment, one) for one in people])
    wrong = [
        f"{one['id']}: {given[one['id']] or 'default'} instead of {code}"
        for one, code in zip(people, foreseen, strict=True)
        if given[one["id"]] != code
    ]
    return found | {
        "users": len(people),
        "enrolled": stats["users"] - before["users"],
        "default": sum(code is None for code in given.values()),
        "mismatches": wrong[:_MOST_MISMATCHES],
        "mismatch_count": len(wrong),
        "raw": stats,
    }


async def _bring(
    client: UpgradeClient,
    experiment: Mapping[str, Any],
    people: Sequence[Mapping[str, Any]],
    most_enrolled: int,
    progress: Progress | None,
    codes: dict[str, str | None],
) -> None:
    """Make the people known, ask what they get at the first decision point, and say of the first that they came.

    What each gets goes into `codes` as they come.
    """
    point, context = experiment["decision_points"][0], experiment["context"]
    site, target = point["site"], point["target"]

    async def known(one: Mapping[str, Any]) -> None:
        await client.init(one["id"], one["groups"] or None, one["working_groups"] or None)

    async def come(user_id: str, given: Mapping[str, Any] | None) -> None:
        await client.mark(user_id, site, target, given, "condition applied" if given else "no condition assigned")

    for start in range(0, len(people), _BATCH):
        batch = people[start : start + _BATCH]
        answer = await client.batch_assign(context, site, target, [one["id"] for one in batch])
        strangers = [one for one in batch if answer.get(one["id"], "NOT_FOUND") == "NOT_FOUND"]
        if strangers:
            await _all(partial(known, one) for one in strangers)
            answer |= await client.batch_assign(context, site, target, [one["id"] for one in strangers])
        given = {one["id"]: _given(answer.get(one["id"]), experiment["id"]) for one in batch}
        coming = list(given.items())[: max(0, most_enrolled - start)]
        await _all(partial(come, user_id, condition) for user_id, condition in coming)
        codes |= {user_id: str(one["conditionCode"]) if one else None for user_id, one in given.items()}
        if progress:
            progress(start + len(batch), len(people))


async def _all(calls: Iterable[Callable[[], Awaitable[None]]]) -> None:
    """Make all calls, so many at once; after one has failed, none that waits is begun, and those under way end."""
    waiting, errors = deque(calls), list[UpgradeError]()

    async def work() -> None:
        while waiting and not errors:
            try:
                await waiting.popleft()()
            except UpgradeError as error:
                errors.append(error)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
    if errors:
        raise errors[0]


def _given(answer: Any, experiment_id: str) -> dict[str, Any] | None:
    """The condition of this experiment in one answer of batch-assign."""
    if not isinstance(answer, dict):
        return None
    given = answer.get("assignedCondition") or []
    return next((dict(one) for one in given if one.get("experimentId") == experiment_id), None)


def _judged(experiment: Mapping[str, Any], observed: Mapping[str, int], users: Mapping[str, int]) -> dict[str, Any]:
    conditions = experiment["conditions"]
    shares = shares_of([float(one["weight"]) for one in conditions])
    seen = [observed.get(one["code"], 0) for one in conditions]
    count = sum(seen)
    p_value, test = fit(seen, shares)
    arms = []
    for one, share, here in zip(conditions, shares, seen, strict=True):
        low, high = interval(here, count)
        arms.append(
            {
                "code": one["code"],
                "weight": one["weight"],
                "observed": here,
                "expected": count * share,
                "share": here / count if count else 0.0,
                "low": low,
                "high": high,
                "users": users.get(one["code"], here),
            }
        )
    return {
        "unit": "group" if experiment["assignment_unit"] == "group" else "individual",
        "units": count,
        "arms": arms,
        "p_value": p_value,
        "test": test,
        "balanced": p_value >= ALPHA,
    }


def _unit(experiment: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    return str(one["working_groups"][experiment["group"]] if experiment["assignment_unit"] == "group" else one["id"])


def check_tryable(experiment: Mapping[str, Any], on_live: bool = False) -> None:
    """Raise for what cannot be tried out."""
    if experiment["assignment_unit"] not in ("individual", "group") or experiment["type"] != "Simple":
        raise UpgradeError(
            "Only simple experiments on individuals or groups can be tried out here.",
            "validation",
            suggestion="Within-subjects and factorial experiments are tried out in UpGrade itself.",
        )
    if not experiment["conditions"] or not experiment["decision_points"]:
        raise UpgradeError(f"'{experiment['name']}' has no conditions, or no decision points.", "validation")
    if on_live and experiment["state"] != "enrolling":
        raise UpgradeError(
            f"'{experiment['name']}' is {experiment['state']}: nobody can be enrolled in it.",
            "validation",
            suggestion="Start it first, or leave the test to a disposable clone.",
        )
