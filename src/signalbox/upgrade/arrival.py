"""What the server records when a user comes to a decision point, and when an experiment starts to enrol."""

from __future__ import annotations

from signalbox.upgrade.decision import assign, group_fits, segment_verdict
from signalbox.upgrade.model import Experiment, Records, User

__all__ = ["FAILED", "arrive", "start_enrolling", "switch_group"]

FAILED = "condition not applied"
"""The status by which an application reports that it could not apply the condition."""


def arrive(experiment: Experiment, user: User, records: Records, status: str | None = None) -> bool:
    """Record that a user who is not globally excluded reached an experiment; True if the user was enrolled by it.

    The condition recorded is the server's own, whichever the application names.
    """
    own, group = (experiment.id, user.id), user.working_group(experiment.group)
    inside, reason, _ = segment_verdict(experiment, user, records)
    if reason == "group":
        for one in (user.working_groups or {}).values():
            records.groups_excluded.setdefault((experiment.id, one), "EXCLUDED_DUE_TO_GROUP_LOGIC")
    if experiment.state not in ("enrolling", "enrollmentComplete"):
        return False
    if status == FAILED:
        records.users_excluded[own] = "EXCLUDED_BY_CLIENT"
        return False
    if not inside:
        records.users_excluded[own] = "PARTICIPANT_ON_EXCLUSION_LIST"
        if reason == "matched group" and group:
            records.groups_excluded[experiment.id, group] = "GROUP_ON_EXCLUSION_LIST"
            records.groups.pop((experiment.id, group), None)
        return False
    if experiment.state == "enrollmentComplete" and experiment.rule != "experiment":
        _came_late(experiment, user, records)
        return False
    return _came_in_time(experiment, user, records)


def start_enrolling(experiment: Experiment, reached: list[User], records: Records) -> None:
    """When an experiment starts, exclude the users who had already reached its decision points, if its rule says so."""
    if experiment.rule == "experiment" or not any(point.exclude_if_reached for point in experiment.points):
        return
    for user in reached:
        if (experiment.id, user.id) not in records.users:
            records.users_excluded.setdefault((experiment.id, user.id), "REACHED_PRIOR")
        group = user.working_group(experiment.group)
        if experiment.unit == "group" and experiment.rule == "group" and group:
            records.groups_excluded.setdefault((experiment.id, group), "REACHED_PRIOR")


def switch_group(experiment: Experiment, user_id: str, records: Records) -> None:
    """Delete the records of a user whose working group of the experiment's type has changed."""
    own = (experiment.id, user_id)
    if experiment.unit != "group" or experiment.state not in ("enrolling", "enrollmentComplete"):
        return
    if experiment.rule != "individual":
        records.users.pop(own, None)
    if experiment.rule == "experiment" or own not in records.users_excluded:
        return
    del records.users_excluded[own]
    if not any(key[0] == experiment.id for key in records.users_excluded):
        for key in [key for key in records.groups_excluded if key[0] == experiment.id]:
            del records.groups_excluded[key]


def _came_late(experiment: Experiment, user: User, records: Records) -> None:
    """A user who first arrives after the end stays excluded, even if the experiment is started again."""
    own, group = (experiment.id, user.id), user.working_group(experiment.group)
    grouped = experiment.unit == "group"
    shared = (experiment.id, str(group))
    known = shared in records.groups
    if grouped and group and not known and not group_fits(experiment, user):
        records.groups_excluded.setdefault(shared, "REACHED_AFTER")
    if own not in records.users and not (grouped and known):
        records.users_excluded.setdefault(own, "REACHED_AFTER")


def _came_in_time(experiment: Experiment, user: User, records: Records) -> bool:
    own, group = (experiment.id, user.id), str(user.working_group(experiment.group))
    if experiment.unit != "group":
        chosen, _ = assign(experiment, user, records)
        if own in records.users or own in records.users_excluded or chosen is None:
            return False
        records.users[own] = chosen.id
        return True
    misfit = group_fits(experiment, user)
    if misfit:
        if own not in records.users and experiment.rule != "experiment":
            code = "INVALID_GROUP_OR_WORKING_GROUP" if user.groups and user.working_groups else "NO_GROUP_SPECIFIED"
            records.users_excluded.setdefault(own, code)
        return False
    chosen, _ = assign(experiment, user, records)
    shared = (experiment.id, group)
    if chosen and shared not in records.groups and shared not in records.groups_excluded:
        records.groups[shared] = chosen.id
    if shared in records.groups_excluded and experiment.rule != "experiment":
        records.users_excluded.setdefault(own, "EXCLUDED_DUE_TO_GROUP_LOGIC")
    if chosen and own not in records.users and own not in records.users_excluded:
        records.users[own] = chosen.id
        return True
    return False
