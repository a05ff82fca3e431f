"""What came of a request or a conversation: how it was read and ended, and what is other on the server after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.drafts import FIELDS as DRAFT_FIELDS
from signalbox.agents.experiments.drafts import draft_of
from signalbox.agents.experiments.finding import is_clone
from signalbox.agents.experiments.shape import read_experiment

__all__ = ["FIELDS", "begin", "changes_between", "end", "look", "outcome_of"]

_NAMES = {"status": "state", "assignment_unit": "unit"}
"""The fields of a draft that a case calls otherwise."""
FIELDS = (*(_NAMES.get(name, name) for name in DRAFT_FIELDS), "enrolled")
"""What a case may expect of an experiment."""
World = dict[str, dict[str, Any]]


async def look() -> World:
    """Every experiment of the server by its id, in the words of a case; a clone that is left behind is one too many."""
    client = current_client()
    found = await client.experiments()
    enrolled = {one["id"]: int(one.get("users") or 0) for one in await client.enrollment([one["id"] for one in found])}
    return {str(raw["id"]): {**_plain(raw), "enrolled": enrolled.get(raw["id"], 0)} for raw in found}


def _plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    held = vars(draft_of(read_experiment(raw)))
    return {_NAMES.get(name, name): value for name, value in held.items()} | {
        "conditions": {arm["code"]: float(arm["weight"] or 0) for arm in held["conditions"]},
        "decision_points": [f"{point['site']} / {point['target']}" for point in held["decision_points"]],
        "clone": is_clone(raw),
    }


async def begin(wanted: Mapping[str, Any]) -> World:
    """The server as it is seeded."""
    return await look()


async def end(before: World, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The outcome of the last answer, with what the whole conversation changed and what was said in it."""
    changed = {"experiments": changes_between(before, await look()), "users": _initialised(answers)}
    found = {
        **outcome_of(answers[-1]),
        "end": {part: value for part, value in changed.items() if value},
        "said": [str(one.get("answer") or "") for one in answers],
        "unconfirmed": _unconfirmed(answers),
    }
    found.pop("writes", None)
    return found


def changes_between(before: World, after: World) -> dict[str, Any]:
    """By the name that an experiment had: `deleted`, or the fields that are other now; of a new one all, with `new`."""
    found: dict[str, Any] = {}
    for own, was in before.items():
        if own not in after:
            found[str(was["name"])] = "deleted"
        elif changed := {key: value for key, value in after[own].items() if value != was[key]}:
            found[str(was["name"])] = changed
    for own, now_there in after.items():
        if own not in before:
            found[str(now_there["name"])] = {"new": True, **now_there}
    return found


def outcome_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The capability and the parameters that were read, how it ended, what was asked, and what was written."""
    state = answer.get("state") or {}
    question = answer.get("question") or {}
    found = {
        "capability": _capability(state),
        "params": dict(state.get("params") or {}),
        "status": answer.get("status"),
        "error": (answer.get("error") or {}).get("error_type"),
        "asked": question.get("message"),
        "asks": question.get("kind"),
        "writes": [call["tool"] for call in answer.get("evidence") or () if _is_write(call)],
    }
    return {name: value for name, value in found.items() if value not in (None, [])}


def _capability(state: Mapping[str, Any]) -> Any:
    """What was detected; a request that the router is not sure of needs clarification."""
    sure = state.get("routing_confidence")
    if state.get("detected_capability") != "unsupported" and sure is not None and sure < 0.7:
        return "clarification_needed"
    return state.get("detected_capability")


def _is_write(call: Mapping[str, Any]) -> bool:
    """True if a call of a tool changes something on the server that stays."""
    writes = ("create_", "update_", "delete_", "initialize_", "mark_")
    return str(call["tool"]).startswith(writes) or bool((call.get("args") or {}).get("on_live"))


def _initialised(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The users that were made known to the server, with their groups; not those who came to a decision point."""
    found: dict[str, Any] = {}
    for one in answers:
        calls = [call for call in one.get("evidence") or () if call["ok"]]
        came = {call["args"].get("user_id") for call in calls if call["tool"] == "mark_decision_point_visit"}
        made = [call["args"] for call in calls if call["tool"] == "initialize_user"]
        found |= {str(args["user_id"]): dict(args.get("groups") or {}) for args in made if args["user_id"] not in came}
    return found


def _unconfirmed(answers: Sequence[Mapping[str, Any]]) -> list[str]:
    """The writes of turns that answered no question of yes or no."""
    found: list[str] = []
    for before, one in zip([{}, *answers], answers, strict=False):
        was_asked = (before.get("question") or {}).get("kind") == "confirm"
        found += [str(call["tool"]) for call in one.get("evidence") or () if _is_write(call) and not was_asked]
    return found
