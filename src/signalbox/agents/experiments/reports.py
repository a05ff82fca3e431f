"""What would change, and what was changed, as rows and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from signalbox.agents.experiments.bodies import payload_of
from signalbox.agents.experiments.drafts import draft_of

__all__ = ["change_rows", "new_rows", "told_change", "told_notes"]

_WORDS = {
    "assignment_unit": "unit of assignment",
    "consistency_rule": "consistency rule",
    "post_rule": "post-experiment rule",
    "revert_to": "condition afterwards",
    "group": "group type",
    "decision_points": "decision points",
    "include_users": "included users",
    "include_groups": "included groups",
    "exclude_users": "excluded users",
    "exclude_groups": "excluded groups",
    "filter_mode": "filter mode",
    "conditions": "weights",
}


def change_rows(
    before: Mapping[str, Any], changes: Mapping[str, Any], stored: Mapping[str, Any] | None = None
) -> list[tuple[str, Any, Any]]:
    """The rows of a diff: each field that is to be, or was, changed; conditions one by one."""
    was = asdict(draft_of(before)) if before else {}
    after = asdict(draft_of(stored)) if stored is not None else {}
    rows: list[tuple[str, Any, Any]] = []
    for name, value in changes.items():
        new = after.get(name, value)
        if name == "conditions":
            rows += _conditions(was.get(name) or [], new)
        elif told_change(name, was.get(name)) != told_change(name, new):
            rows.append((_WORDS.get(name, name), told_change(name, was.get(name)) or None, told_change(name, new)))
    return rows


def new_rows(args: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """The rows of a diff for an experiment that is to be made."""
    told = {name: value for name, value in args.items() if value is not None}
    return [(name.replace("_", " "), None, told_change(name, value)) for name, value in told.items()]


def told_notes(notes: Sequence[str]) -> str:
    """What may surprise, as a list below a text; empty where there is nothing."""
    return "".join(["\n\nNotes:", *(f"\n- {one}" for one in notes)]) if notes else ""


def told_change(name: str, value: Any) -> str:
    """The value of a field in words."""
    if value in (None, "", [], {}):
        return ""
    if name == "conditions":
        return ", ".join(f"{one['code']} {one['weight']:g}%" for one in value)
    if name == "decision_points":
        return ", ".join(f"{one['site']} / {one['target']}" for one in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{kind} {one}" for kind, ids in value.items() for one in ids)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def _conditions(before: list[Mapping[str, Any]], after: list[Mapping[str, Any]]) -> list[tuple[str, Any, Any]]:
    was = {one["code"]: one["weight"] for one in before}
    now = {one["code"]: one["weight"] for one in after}
    codes = list(dict.fromkeys([*was, *now]))
    rows = [
        (f"weight of {code}", _percent(was.get(code)), _percent(now.get(code)))
        for code in codes
        if was.get(code) != now.get(code)
    ]
    held = {one["code"]: payload_of(one.get("payload")) for one in before}
    given = {one["code"]: payload_of(one.get("payload")) for one in after}
    # A condition for which no payload is said keeps the ones that it has.
    return rows + [
        (f"payload of {code}", (held.get(code) or {}).get("value"), payload["value"])
        for code, payload in given.items()
        if payload is not None and payload != held.get(code)
    ]


def _percent(value: Any) -> str | None:
    return None if value is None else f"{value:g}%"
