"""Experiments chosen by what a list is narrowed by, and in words how they were chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from signalbox.agents.experiments.asking import Fault
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.shape import same_text
from signalbox.language.time import find_range
from signalbox.settings import now, person_zone
from signalbox.upgrade.states import same_state, shown_state, stored_state

__all__ = ["Window", "check_filters", "filters_of", "moment_of_call", "narrowed", "values_of"]

_MOST_NAMED = 10
_DESIGNS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "within_subjects": lambda one: one["assignment_unit"] == "within-subjects",
    "factorial": lambda one: one["type"] == "Factorial",
    "stratified": lambda one: one["algorithm"].startswith("stratified"),
}
Experiments = list[dict[str, Any]]
Fields = Mapping[str, Any]


class Window(NamedTuple):
    """A range of time, the start with it and the end without, and how it was said."""

    start: datetime | None
    end: datetime | None
    words: str = ""


def values_of(one: Mapping[str, Any], kind: str) -> list[str]:
    """The tags, conditions, sites or targets of an experiment."""
    points = [point.partition(" / ") for point in one["decision_points"]]
    held = {
        "tag": one["tags"],
        "condition": one["conditions"],
        "site": [point[0] for point in points],
        "target": [point[2] for point in points],
    }
    return [str(value) for value in held[kind]]


def _has(kind: str) -> Callable[[Mapping[str, Any], Any], bool]:
    return lambda one, value: any(same_text(value, own) for own in values_of(one, kind))


def _is_in(one: Mapping[str, Any], status: str) -> bool:
    """True if an experiment is in a state; one that is still a draft has not started either."""
    own = str(one["state"])
    return same_state(own, status) or (own == "draft" and stored_state(status) == "inactive")


_FILTERS: Mapping[str, tuple[Callable[[Mapping[str, Any], Any], bool], str]] = {
    "state": (_is_in, "{}"),
    "not_state": (lambda one, state: not _is_in(one, state), "not {}"),
    "design": (lambda one, design: _DESIGNS[design](one), "with a {} design"),
    "context": (lambda one, context: same_text(one["context"], context), "in {}"),
    "name": (
        lambda one, part: all(word in one["name"].casefold() for word in part.casefold().split()),
        "with '{}' in the name",
    ),
    "tag": (_has("tag"), "tagged {}"),
    "condition": (_has("condition"), "with the condition {}"),
    "site": (_has("site"), "at site {}"),
    "target": (_has("target"), "at target {}"),
    "unit": (lambda one, unit: one["assignment_unit"] == unit, "assigned by {}"),
}
"""Each filter: whether an experiment fits a value, and how that is told."""
_EVENTS = {"created": "created_at", "changed": "updated_at", "started": "updated_at"}


def narrowed(found: Experiments, filters: Mapping[str, Any]) -> tuple[Experiments, str]:
    """Those that fit every filter that has a value, and in words how they were chosen."""
    told: list[str] = []
    for key, (fits, words) in _FILTERS.items():
        if value := filters.get(key):
            found = [one for one in found if fits(one, value)]
            shown = shown_state(stored_state(value)) if key.endswith("state") else str(value)
            told.append(words.format(shown.replace("_", "-") if key == "design" else shown))
    for event in _EVENTS:
        window = filters.get(event)
        if window and (window.start or window.end):
            found = [one for one in found if _happened(one, event, window)]
            told.append(f"{event} {window.words}")
    return found, " ".join(told)


def _happened(one: Mapping[str, Any], event: str, window: Window) -> bool:
    if event == "started" and one["state"] not in ("enrolling", "enrollmentComplete"):
        return False
    try:
        at = datetime.fromisoformat(str(one.get(_EVENTS[event])))
    except ValueError:
        return False
    return (window.start is None or at >= window.start) and (window.end is None or at < window.end)


def filters_of(fields: Fields) -> dict[str, Any]:
    """The filters of a request. Raises Fault for words that are no range of time."""
    found = {key: fields.get(key) for key in ("design", "context", "tag", "site", "target")}
    found["not_state" if fields.get("excluded") else "state"] = fields.get("status")
    found["name"] = fields.get("name_part")
    if words := str(fields.get("when") or ""):
        read = find_range(words, now(), person_zone())
        if read is None:
            told = f"'{words}' is no range of time."
            raise Fault(told, "user_input", "Say it as in: since Monday, in the last two hours.")
        found[str(fields.get("event") or "created")] = Window(read.range.start, read.range.end, words)
    return found


def check_filters(fields: Fields, found: Sequence[Mapping[str, Any]], contexts: Sequence[str]) -> None:
    """Raises Fault for what a list is to be narrowed by and the server does not know, with what there is."""
    for kind, words in fields.get("unknown") or ():
        if kind == "owner":
            told = f"UpGrade does not say who made an experiment, so there is no list of those of '{words}'."
            raise Fault(told, "not_found", "Ask by context, state, tag, name or time.")
        there = contexts if kind == "context" else [value for one in found for value in values_of(one, kind)]
        names = list(dict.fromkeys(there))
        more = ", …" if len(names) > _MOST_NAMED else ""
        has = f"There is: {', '.join(names[:_MOST_NAMED])}{more}." if names else f"No experiment has a {kind}."
        raise Fault(f"There is no {kind} '{words}'.", "not_found", has)


def moment_of_call(text: str | None) -> datetime | None:
    """A moment in ISO 8601, in UTC where it says no zone. Raises UpgradeError for what is none."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UpgradeError(f"'{text}' is no time.", "validation", suggestion="Use ISO 8601.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
