"""Whether an experiment keeps its promises over its phases: before it starts, while it enrols, and after.

Five users in two groups come as in the table that UpGrade's documentation uses: the first before the start, three while
it enrols, all five afterwards. What the server gives them is compared with what the rules promise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from signalbox.agents.experiments.balance import check_tryable
from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clones import disposable_clone
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.finding import enrollment_of
from signalbox.agents.experiments.outcome import Done
from signalbox.agents.experiments.shape import read_experiment
from signalbox.agents.experiments.users import given_at
from signalbox.contract.blocks import Block, table
from signalbox.upgrade.model import User, experiment_of
from signalbox.upgrade.rehearsal import Rehearsal

__all__ = ["consistency_blocks", "try_consistency"]

Progress = Callable[[int, int], None]
PHASES = (
    ("before", "inactive", (1,)),
    ("enrolling", "enrolling", (1, 2, 4)),
    ("complete", "enrollmentComplete", (1, 2, 3, 4, 5)),
)
"""Each phase: its name, the state of the experiment in it, and the users who come."""

_VISITS = sum(len(users) for _, _, users in PHASES)


async def try_consistency(
    client: UpgradeClient, raw: Mapping[str, Any], on_live: bool = False, progress: Progress | None = None
) -> Done:
    """Take the five users through the phases, on a clone; raises UpgradeError for what cannot be tried out."""
    experiment = read_experiment(raw)
    check_tryable(experiment)
    if on_live:
        raise UpgradeError(
            "The phases are never tried out on the experiment itself: it would have to be stopped for it.",
            "validation",
            suggestion="Leave it to a disposable clone, which has the same rules.",
        )
    async with disposable_clone(client, raw, lists=False) as clone:
        rows, counts = await _through_phases(client, clone, progress)
        stats = await client.enrollment_detail(clone["id"])
    wrong = _violations(rows, counts, experiment)
    found = {
        "experiment": experiment["name"],
        "experiment_id": experiment["id"],
        "on_live": False,
        "unit": experiment["assignment_unit"],
        "consistency_rule": experiment["consistency_rule"],
        "post_rule": experiment["post_rule"],
        "exclude_if_reached": any(point["exclude_if_reached"] for point in experiment["decision_points"]),
        "phases": [name for name, _, _ in PHASES],
        "rows": rows,
        "violations": wrong,
        "consistent": not wrong,
        "enrollment": counts["server"],
    }
    words = "every promise was kept" if not wrong else f"{len(wrong)} promises were broken"
    return Done(found, stats, "POST /v6/assign", words)


def consistency_blocks(data: Mapping[str, Any]) -> list[Block]:
    """The result as blocks: the table of phases, and the violations where there are any."""
    phases = data["phases"]
    rows = [[row["user"], row["group"], *(_cell(row, phase) for phase in phases)] for row in data["rows"]]
    found = [table(["user", "group", *phases], rows, f"What five users got of {data['experiment']}")]
    if data["violations"]:
        found.append(table(["violation"], [[one] for one in data["violations"]], "Broken promises"))
    return found


async def _through_phases(
    client: UpgradeClient, clone: Mapping[str, Any], progress: Progress | None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    # The server gives every copy another id, so these users are new to it.
    experiment, mark = read_experiment(clone), str(clone["id"])[:8]
    people = {number: _person(experiment, mark, number) for number in range(1, 6)}
    rehearsal, done = Rehearsal(experiment_of(clone)), 0
    rows: dict[int, dict[str, Any]] = {
        number: {"user": f"s{number}", "id": one.id, "group": "A" if number < 4 else "B", "expected": {}}
        for number, one in people.items()
    }
    for phase, state, numbers in PHASES:
        if state != "inactive":
            await client.set_state(clone["id"], state)
        rehearsal.move(state)
        for number in numbers:
            rows[number][phase] = await _visit(client, experiment, people[number])
            rows[number]["expected"][phase] = rehearsal.visit(people[number])
            done += 1
            if progress:
                progress(done, _VISITS)
    server = await enrollment_of(client, experiment)
    kept = ("users", "groups", "users_excluded", "groups_excluded")
    return list(rows.values()), {"server": {key: server[key] for key in kept}, "expected": rehearsal.counts()}


async def _visit(client: UpgradeClient, experiment: Mapping[str, Any], user: User) -> str:
    point = experiment["decision_points"][0]
    site, target = point["site"], point["target"]
    groups = {kind: list(ids) for kind, ids in (user.groups or {}).items()}
    await client.init(user.id, groups or None, user.working_groups or None)
    given = await given_at(client, user.id, experiment["context"], site, target)
    await client.mark(user.id, site, target, given, "condition applied" if given else "no condition assigned")
    return str(given["conditionCode"]) if given else "default"


def _person(experiment: Mapping[str, Any], mark: str, number: int) -> User:
    own = f"signalbox-test-{mark}-s{number}"
    if experiment["assignment_unit"] != "group":
        return User(own)
    group = f"signalbox-test-{mark}-{'A' if number < 4 else 'B'}"
    return User(own, {experiment["group"]: [group]}, {experiment["group"]: group})


def _violations(rows: list[dict[str, Any]], counts: Mapping[str, Any], experiment: Mapping[str, Any]) -> list[str]:
    rule = f"{experiment['assignment_unit']} unit, {experiment['consistency_rule']} rule, {experiment['post_rule']}"
    found = [
        f"{row['user']} (group {row['group']}) got {row[phase]} in phase {phase}: the rules ({rule}) say {promised}."
        for row in rows
        for phase, promised in row["expected"].items()
        if row[phase] != promised
    ]
    for key, promised in counts["expected"].items():
        if counts["server"][key] != promised:
            words = key.replace("_", " ")
            found.append(f"{counts['server'][key]} {words} are recorded; the rules ({rule}) promise {promised}.")
    return found


def _cell(row: Mapping[str, Any], phase: str) -> str:
    got, promised = row.get(phase), row["expected"].get(phase)
    if got is None:
        return ""
    return str(got) if got == promised else f"{got} (promised: {promised})"
