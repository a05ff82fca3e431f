"""How UpGrade decides what a user is given: one pure function per step, and each step says what it found.

`decide` is what the server does for all experiments of a context; the embedded world answers by it, and the agent
explains by it. Nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import floor

from signalbox.upgrade.model import NOBODY, Condition, Experiment, Members, Records, User
from signalbox.upgrade.seedrandom import first, firsts

__all__ = [
    "Decision",
    "Step",
    "assign",
    "decide",
    "draw",
    "foresee",
    "globally_excluded",
    "group_fits",
    "pools",
    "segment_verdict",
]


@dataclass(frozen=True)
class Step:
    """One step of a decision: its name, whether the user passed it, and why."""

    name: str
    passed: bool
    detail: str


@dataclass
class Decision:
    """What one experiment gives to a user: a condition, or None for the default; the last step decided."""

    experiment: Experiment
    condition: Condition | None = None
    steps: list[Step] = field(default_factory=list)

    @property
    def decided_by(self) -> str:
        """The name of the step that decided."""
        return self.steps[-1].name if self.steps else ""

    def stop(self, name: str, detail: str) -> None:
        """The user gets the default, for this reason."""
        self.steps.append(Step(name, False, detail))

    def go_on(self, name: str, detail: str) -> None:
        """The user passes the step."""
        self.steps.append(Step(name, True, detail))

    @property
    def open(self) -> bool:
        """True if no step has stopped it."""
        return all(step.passed for step in self.steps)


def decide(
    experiments: Sequence[Experiment],
    context: str,
    user: User,
    records: Records,
    global_exclude: Members = NOBODY,
    preview: bool = False,
) -> list[Decision]:
    """What every experiment gives to a user who asks in a context, each with its steps, in the order of the list."""
    found = [Decision(one) for one in experiments]
    for one in found:
        _candidate(one, context, preview)
    reason = globally_excluded(user, global_exclude)
    for one in filter(lambda one: one.open, found):
        one.stop("global_exclude", reason) if reason else one.go_on("global_exclude", "not on the global exclude list")
    for one in filter(lambda one: one.open, found):
        _grouped(one, user, records)
    for one in filter(lambda one: one.open, found):
        _segmented(one, user, records)
    _pooled([one for one in found if one.open], user, records, preview)
    for one in filter(lambda one: one.open, found):
        one.condition, step = assign(one.experiment, user, records)
        one.steps.append(step)
    return found


def globally_excluded(user: User, members: Members) -> str:
    """Why the user is excluded from everything in a context; empty if it is not.

    A user without any working group is excluded by any group on the list, as observed on a running server.
    """
    if user.id in members.users:
        return f"the user {user.id} is on the global exclude list"
    own = set((user.working_groups or {}).items())
    if own & members.groups:
        kind, group = sorted(own & members.groups)[0]
        return f"its working group {group} ({kind}) is on the global exclude list"
    if members.groups and not own:
        return "there are groups on the global exclude list, and the user has no working group"
    return ""


def group_fits(experiment: Experiment, user: User) -> str:
    """Why a user cannot take part in an experiment on groups; empty if it can."""
    kind = experiment.group or ""
    if not user.groups or not user.working_groups:
        return "the user has no groups, or no working group"
    if kind not in user.groups or kind not in user.working_groups:
        return f"the user has no working group of the type {kind}"
    if user.working_groups[kind] not in user.groups[kind]:
        return f"its working group {user.working_groups[kind]} is not one of its groups of the type {kind}"
    return ""


def segment_verdict(experiment: Experiment, user: User, records: Records) -> tuple[bool, str, str]:
    """True if the lists let a user in; the reason: user, group, matched group or filterMode; and words for it."""
    if _lists_overlooked(experiment, user, records):
        experiment = replace(experiment, include=NOBODY, exclude=NOBODY)
    groups = {(kind, one) for kind, ids in (user.groups or {}).items() for one in ids}
    inside, outside = groups & experiment.include.groups, groups & experiment.exclude.groups
    strict = experiment.filter_mode == "excludeAll"
    if user.id in experiment.exclude.users:
        return False, "filterMode" if strict else "user", "the user is on the exclusion list"
    if user.id in experiment.include.users:
        return True, "", "the user is on the inclusion list"
    if outside:
        matched = any(kind == experiment.group for kind, _ in outside)
        reason = "filterMode" if strict else "matched group" if matched else "group"
        return False, reason, f"its group {min(outside)[1]} is on the exclusion list"
    if strict and not inside:
        return False, "filterMode", "the experiment excludes all who are not on its inclusion list"
    if strict:
        return True, "", f"its group {min(inside)[1]} is on the inclusion list"
    return True, "", "the experiment includes all, and no list excludes the user"


def pools(experiments: Sequence[Experiment]) -> list[list[Experiment]]:
    """The experiments, grouped by shared decision points (directly or through others)."""
    by_point: dict[tuple[str, str], list[Experiment]] = {}
    for one in experiments:
        for point in one.points:
            by_point.setdefault((point.site, point.target), []).append(one)
    seen: set[str] = set()

    def reach(point: tuple[str, str]) -> Iterable[Experiment]:
        for one in by_point[point]:
            if one.id not in seen:
                seen.add(one.id)
                yield one
                for other in one.points:
                    yield from reach((other.site, other.target))

    return [pool for point in by_point if (pool := list(reach(point)))]


def assign(experiment: Experiment, user: User, records: Records) -> tuple[Condition | None, Step]:
    """The condition that the rules give if nothing excludes the user, and the step that says why."""
    group = user.working_group(experiment.group) if experiment.unit == "group" else None
    own = experiment.condition(records.users.get((experiment.id, user.id)))
    shared = experiment.condition(records.groups.get((experiment.id, group))) if group else None
    out = (experiment.id, user.id) in records.users_excluded
    group_out = bool(group) and (experiment.id, str(group)) in records.groups_excluded
    complete = experiment.state == "enrollmentComplete"
    if complete and experiment.post_rule == "assign":
        chosen = experiment.condition(experiment.revert_to)
        words = f"enrolment is complete: everybody enrolled gets {chosen.code}" if chosen else "enrolment is complete"
        return chosen, Step("post_rule", chosen is not None, words)
    if complete and experiment.post_rule == "revert":
        return None, Step("post_rule", False, "enrolment is complete: everybody gets the default again")
    by_user = [
        (out, None, "the user is excluded from this experiment"),
        (own is not None, own, "the user is enrolled"),
    ]
    by_group = [
        (group_out, None, f"its group {group} is excluded from this experiment"),
        (shared is not None, shared, f"its group {group} is enrolled"),
    ]
    if experiment.rule == "experiment":
        order = by_user[1:] if experiment.unit == "individual" else by_group[1:]
    else:
        order = by_group + by_user if experiment.rule == "group" else by_user + by_group
    for applies, chosen, words in order:
        if applies:
            name = "enrolment" if chosen else "exclusion"
            return chosen, Step(name, chosen is not None, words + (f", with {chosen.code}" if chosen else ""))
    if complete:
        return None, Step("post_rule", False, "enrolment is complete, and the user was not enrolled in time")
    return _drawn(experiment, user)


def draw(experiment: Experiment, number: float) -> Condition | None:
    """The condition for a random number from 0 to 1: in order, the first whose cumulative weight reaches it."""
    ordered = sorted(experiment.conditions, key=lambda one: one.order)
    total = 0.0
    for one in ordered:
        total += one.weight
        if number * 100 <= total:
            return one
    return ordered[0] if ordered else None


def foresee(experiment: Experiment, units: Sequence[str]) -> list[str | None]:
    """The code of the condition that each new unit (a user's or a group's id) draws, many at once."""
    import numpy as np

    ordered = sorted(experiment.conditions, key=lambda one: one.order)
    if not ordered:
        return [None] * len(units)
    numbers = firsts([f"{experiment.id}_{unit}" for unit in units]) * 100
    # Weights may be anything, negative too: the first whose sum reaches the number is looked for as the server does.
    chosen = np.zeros(len(units), dtype=np.int64)
    free = np.ones(len(units), dtype=bool)
    total = 0.0
    for place, one in enumerate(ordered):
        total += one.weight
        hit = free & (numbers <= total)
        chosen[hit] = place
        free &= ~hit
    codes = [one.code for one in ordered]
    return [codes[place] for place in chosen.tolist()]


def _candidate(one: Decision, context: str, preview: bool) -> None:
    experiment = one.experiment
    if experiment.context != context:
        one.stop("context", f"the experiment is in {experiment.context}, not in {context}")
    elif experiment.state == "preview" and preview:
        one.go_on("state", "in preview, and the user is a preview user")
    elif experiment.state not in ("enrolling", "enrollmentComplete"):
        one.stop("state", f"the experiment is {experiment.state}: it gives conditions to nobody")
    elif experiment.state == "enrollmentComplete" and experiment.post_rule == "assign" and not experiment.revert_to:
        one.stop("state", "enrolment is complete, and the rule assign names no condition: everybody gets the default")
    else:
        one.go_on("state", f"the experiment is {experiment.state}")


def _grouped(one: Decision, user: User, records: Records) -> None:
    if one.experiment.unit != "group":
        return
    reason = group_fits(one.experiment, user)
    if not reason:
        group = user.working_group(one.experiment.group)
        one.go_on("group", f"the working group {group} is one of the user's groups")
    elif (one.experiment.id, user.id) in records.users:
        one.go_on("group", f"{reason}, but the user is enrolled already")
    else:
        one.stop("group", reason)


def _segmented(one: Decision, user: User, records: Records) -> None:
    inside, _, words = segment_verdict(one.experiment, user, records)
    one.go_on("segment", words) if inside else one.stop("segment", words)


def _lists_overlooked(experiment: Experiment, user: User, records: Records) -> bool:
    """Observed on a running server: in a group experiment with the individual rule, lists are not checked for an
    enrolled user. With excludeAll, that user is excluded."""
    grouped = experiment.unit == "group" and experiment.rule == "individual"
    return grouped and (experiment.id, user.id) in records.users


def _pooled(found: Sequence[Decision], user: User, records: Records, preview: bool) -> None:
    by_id = {one.experiment.id: one for one in found}
    for pool in pools([one.experiment for one in found]):
        chosen, words = _chosen_of(pool, user, records, preview)
        for one in pool:
            if chosen and one.id == chosen.id:
                if len(pool) > 1:
                    by_id[one.id].go_on("pool", words)
            elif chosen:
                by_id[one.id].stop("pool", f"{words}, which is '{chosen.name}'")
            else:
                by_id[one.id].stop(*_why_closed(one, user, records, words))


def _chosen_of(
    pool: Sequence[Experiment], user: User, records: Records, preview: bool
) -> tuple[Experiment | None, str]:
    assigned = [one for one in pool if _enrolled(one, user, records)]
    if len(assigned) == 1:
        return assigned[0], "of those that share its decision points, the user is enrolled in this one"
    if assigned:
        running = next((one for one in assigned if one.state == "enrolling"), None)
        return running, "of those that share its decision points, the one that is enrolling counts"
    free = [one for one in pool if _may_enrol(one, user, records, preview)]
    if not free:
        return None, "no experiment at its decision points is open to the user"
    place = floor(first(user.id) * len(free))
    return free[place], f"drawn from {len(free)} that share its decision points"


def _enrolled(one: Experiment, user: User, records: Records) -> bool:
    return (one.id, user.id) in records.users or (one.id, str(user.working_group(one.group))) in records.groups


def _may_enrol(one: Experiment, user: User, records: Records, preview: bool) -> bool:
    open_to_new = one.state == "enrolling" or (preview and one.state == "preview")
    return open_to_new and not _excluded(one, user, records)


def _excluded(one: Experiment, user: User, records: Records) -> bool:
    if (one.id, user.id) in records.users_excluded:
        return True
    return (one.id, str(user.working_group(one.group))) in records.groups_excluded


def _why_closed(one: Experiment, user: User, records: Records, words: str) -> tuple[str, str]:
    """The step and the reason why an experiment gives nothing to a user outside its pool."""
    if _excluded(one, user, records):
        return "exclusion", "the user, or its group, is excluded from this experiment"
    if one.state == "enrollmentComplete":
        return "post_rule", "enrolment is complete, and the user was not enrolled in time"
    return "pool", words


def _drawn(experiment: Experiment, user: User) -> tuple[Condition | None, Step]:
    unit = user.id if experiment.unit != "group" else str(user.working_group(experiment.group))
    number = first(f"{experiment.id}_{unit}")
    chosen = draw(experiment, number)
    if chosen is None:
        return None, Step("hash", False, "the experiment has no conditions")
    words = f"{unit} draws {number * 100:.2f} of 100, which is {chosen.code}"
    return chosen, Step("hash", True, words)
