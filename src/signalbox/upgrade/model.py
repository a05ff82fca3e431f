"""The data of UpGrade's decisions: experiments, users, and who has been enrolled or excluded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signalbox.upgrade.states import stored_state

__all__ = ["NOBODY", "Condition", "Experiment", "Members", "Point", "Records", "User", "experiment_of"]


@dataclass(frozen=True)
class Condition:
    """One arm of an experiment; the weight is in percent."""

    id: str
    code: str
    weight: float
    order: float = 0


@dataclass(frozen=True)
class Point:
    """A decision point: where an application asks."""

    id: str
    site: str
    target: str
    exclude_if_reached: bool = False


@dataclass(frozen=True)
class Members:
    """The members of lists: users, and groups as (type, id)."""

    users: frozenset[str] = frozenset()
    groups: frozenset[tuple[str, str]] = frozenset()


NOBODY = Members()
"""Lists with nobody in them."""


@dataclass(frozen=True)
class Experiment:
    """The parts of an experiment that matter for decisions; `state` is the stored spelling, `revert_to` a condition's
    id."""

    id: str
    name: str
    context: str
    state: str
    unit: str
    rule: str
    post_rule: str
    filter_mode: str
    conditions: tuple[Condition, ...]
    points: tuple[Point, ...]
    group: str | None = None
    revert_to: str | None = None
    include: Members = NOBODY
    exclude: Members = NOBODY

    def condition(self, condition_id: str | None) -> Condition | None:
        """The condition of that id."""
        return next((one for one in self.conditions if one.id == condition_id), None)


@dataclass(frozen=True)
class User:
    """A user as registered by an application: groups `{type: [ids]}`, working groups `{type: id}`."""

    id: str
    groups: Mapping[str, list[str]] | None = None
    working_groups: Mapping[str, str] | None = None

    def working_group(self, kind: str | None) -> str | None:
        """The group of that type in which the user is now."""
        return (self.working_groups or {}).get(kind or "")


@dataclass
class Records:
    """Who has been enrolled in what, as `{(experiment, user or group): condition id}`, and who is excluded."""

    users: dict[tuple[str, str], str] = field(default_factory=dict)
    groups: dict[tuple[str, str], str] = field(default_factory=dict)
    users_excluded: dict[tuple[str, str], str] = field(default_factory=dict)
    groups_excluded: dict[tuple[str, str], str] = field(default_factory=dict)


def experiment_of(raw: Mapping[str, Any], include: Members | None = None, exclude: Members | None = None) -> Experiment:
    """The experiment from a server's response, with its own lists or the given ones."""
    context = raw.get("context")
    return Experiment(
        id=str(raw["id"]),
        name=str(raw.get("name") or ""),
        context=str(context[0] if isinstance(context, list) and context else context or ""),
        state=stored_state(str(raw.get("state") or "inactive")),
        unit=str(raw.get("assignmentUnit") or "individual"),
        rule=str(raw.get("consistencyRule") or "individual"),
        post_rule=str(raw.get("postExperimentRule") or "continue"),
        filter_mode=str(raw.get("filterMode") or "includeAll"),
        group=raw.get("group"),
        revert_to=raw.get("revertTo"),
        conditions=tuple(
            Condition(str(one["id"]), str(one["conditionCode"]), float(one["assignmentWeight"]), one.get("order") or 0)
            for one in raw.get("conditions") or []
        ),
        points=tuple(
            Point(str(one.get("id")), str(one["site"]), str(one.get("target") or ""), bool(one.get("excludeIfReached")))
            for one in raw.get("partitions") or []
        ),
        include=include if include is not None else _members(raw.get("experimentSegmentInclusion")),
        exclude=exclude if exclude is not None else _members(raw.get("experimentSegmentExclusion")),
    )


def _members(lists: Any) -> Members:
    users: set[str] = set()
    groups: set[tuple[str, str]] = set()
    for entry in lists if isinstance(lists, list) else [lists] if lists else []:
        held = entry.get("segment") or entry
        users |= {str(one["userId"]) for one in held.get("individualForSegment") or []}
        groups |= {(str(one["type"]), str(one["groupId"])) for one in held.get("groupForSegment") or []}
    return Members(frozenset(users), frozenset(groups))
