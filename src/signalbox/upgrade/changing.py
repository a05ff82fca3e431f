"""What changing a whole experiment does to enrolled users, and its side effects.

Everything was observed on a running server 6.5.0: enrolments belong to a condition and a decision point, and are
deleted with them; weights only matter when a user is assigned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["effects_of_update"]

_LIVE = ("enrolling", "enrollmentComplete")


def effects_of_update(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The consequences, in sentences.

    Both have `context`, `assignment_unit`, `conditions` with `code` and `weight`, and `decision_points` with `site` and
    `target`; `before` also `state`, `payloads`, and `enrollment` if it was counted.
    """
    told = _of_enrolled(before, after) if before["state"] in _LIVE else []
    if str(before["context"]).casefold() != str(after["context"]).casefold():
        told.append("In another context it loses its lists and metrics, and lets in only whom a new list includes.")
    pairs = len(before["conditions"]) * len(before["decision_points"])
    if len(before["payloads"]) < pairs:
        told.append("With any change, UpGrade gives each condition without a payload its own code as one.")
    return told


def _of_enrolled(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    told = []
    is_open = before["state"] == "enrolling"
    then = "is assigned anew on the next visit" if is_open else "gets the default"
    codes, new_codes = ({one["code"]: one["weight"] for one in side["conditions"]} for side in (before, after))
    for code in codes:
        if code not in new_codes:
            told.append(f"Removing {code} deletes the enrolment of {_enrolled(before, code)}; each {then}.")
    points, new_points = ({(one["site"], one["target"]) for one in side["decision_points"]} for side in (before, after))
    for site, target in sorted(points - new_points):
        told.append(
            f"Removing {site} / {target} deletes the enrolment of whoever was enrolled only there; each {then}."
        )
    if before["assignment_unit"] != after["assignment_unit"]:
        told.append("With another unit of assignment, the server counts nobody who was enrolled before.")
    elif is_open and codes != new_codes:
        who = "Groups" if before["assignment_unit"] == "group" else "Those"
        keep = f"{who} already enrolled keep their condition"
        told.append(f"{keep}; the new weights hold for those who come from then on.")
    return told


def _enrolled(before: Mapping[str, Any], code: str) -> str:
    counted = (before.get("enrollment") or {}).get("conditions", {}).get(code)
    if counted is None:
        return "everybody in it"
    return "the one user in it" if counted["users"] == 1 else f"the {counted['users']} users in it"
