"""Experiments chosen by what a list is narrowed by, and in words how they were chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from signalbox.agents.experiments.asking import Fault
from signalbox.language.time import Range, find_range
from signalbox.settings import now, person_zone
from signalbox.upgrade.states import same_state, shown_state, stored_state

__all__ = ["check_filters", "narrowed"]

_MOST_NAMED = 10
_DESIGNS: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "within_subjects": lambda one: one["assignment_unit"] == "within-subjects",
    "factorial": lambda one: one["type"] == "Factorial",
    "stratified": lambda one: one["algorithm"].startswith("stratified"),
}
Experiments = list[dict[str, Any]]
Fields = Mapping[str, Any]


def check_filters(fields: Fields, found: Sequence[Mapping[str, Any]], contexts: Sequence[str]) -> None:
    """Raises Fault for what a list is to be narrowed by and the server does not know, with what there is."""
    for kind, words in fields.get("unknown") or ():
        if kind == "owner":
            told = f"UpGrade does not say who made an experiment, so there is no list of those of '{words}'."
            raise Fault(told, "not_found", "Ask by context, state, tag, name or time.")
        there = {
            "context": contexts,
            "tag": [tag for one in found for tag in one["tags"]],
            "site": [point.split(" / ")[0] for one in found for point in one["decision_points"]],
            "target": [point.split(" / ")[-1] for one in found for point in one["decision_points"]],
        }[kind]
        names = list(dict.fromkeys(there))
        more = ", …" if len(names) > _MOST_NAMED else ""
        has = f"There is: {', '.join(names[:_MOST_NAMED])}{more}." if names else f"No experiment has a {kind}."
        raise Fault(f"There is no {kind} '{words}'.", "not_found", has)


def narrowed(found: Experiments, fields: Fields) -> tuple[Experiments, list[str]]:
    """Those that fit, and in words how they were chosen. Raises Fault for words that are no range of time."""
    told: list[str] = []
    status = fields.get("status")
    if status:
        is_out = bool(fields.get("excluded"))
        found = [one for one in found if _is_in(one, status) != is_out]
        told.append(f"{'not ' if is_out else ''}{shown_state(stored_state(status))}")
    if fields.get("design"):
        found = [one for one in found if _DESIGNS[fields["design"]](one)]
        told.append(f"with a {fields['design'].replace('_', '-')} design")
    if fields.get("when"):
        window, event = _window(str(fields["when"])), str(fields.get("event") or "created")
        if event == "started":
            found = [one for one in found if one["state"] in ("enrolling", "enrollmentComplete")]
        moment = "created_at" if event == "created" else "updated_at"
        found = [one for one in found if _inside(one.get(moment), window)]
        told.append(f"{event} {fields['when']}")
    if fields.get("context"):
        found = [one for one in found if one["context"] == fields["context"]]
        told.append(f"in {fields['context']}")
    if fields.get("name_part"):
        words = str(fields["name_part"]).casefold().split()
        found = [one for one in found if all(word in one["name"].casefold() for word in words)]
        told.append(f"with '{fields['name_part']}' in the name")
    if fields.get("tag"):
        found = [one for one in found if fields["tag"] in one["tags"]]
        told.append(f"tagged {fields['tag']}")
    for key, place in (("site", 0), ("target", 1)):
        if fields.get(key):
            found = [one for one in found if any(p.split(" / ")[place] == fields[key] for p in one["decision_points"])]
            told.append(f"at {key} {fields[key]}")
    return found, told


def _is_in(one: Mapping[str, Any], status: str) -> bool:
    """Whether an experiment is in a state; one that is still a draft has not started either."""
    own = str(one["state"])
    return same_state(own, status) or (own == "draft" and stored_state(status) == "inactive")


def _window(words: str) -> Range:
    found = find_range(words, now(), person_zone())
    if found is None:
        told = f"'{words}' is no range of time."
        raise Fault(told, "user_input", "Say it as in: since Monday, in the last two hours.")
    return found.range


def _inside(moment: Any, window: Range) -> bool:
    try:
        at = datetime.fromisoformat(str(moment))
    except ValueError:
        return False
    return window.start <= at <= window.end
