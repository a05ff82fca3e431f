"""Which bodies the server takes: what its validators say, and nothing more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from signalbox.upgrade.states import STATES, stored_state
from signalbox.worlds.experiments.errors import WRONG_FORMAT, Refusal, bad_body, bad_params

__all__ = ["check_experiment", "check_groups", "check_id", "check_mark", "is_text", "state_of"]

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CHOICES = {
    "type": ("Simple", "Factorial"),
    "assignmentUnit": ("individual", "group", "within-subjects"),
    "consistencyRule": ("individual", "group", "experiment"),
    "postExperimentRule": ("continue", "revert", "assign"),
    "filterMode": ("includeAll", "excludeAll"),
}
_STATUSES = ("condition applied", "condition not applied", "no condition assigned")


def check_experiment(body: Any, contexts: Iterable[str]) -> None:
    """Raise the server's refusal of a body of POST or PUT /experiments."""
    if not isinstance(body, Mapping):
        raise bad_body()
    fits = [
        is_text(body.get("name")) and body["name"] != "",
        _texts(body.get("context")) and len(body["context"]) > 0,
        _texts(body.get("tags")),
        _is_state(body.get("state")),
        *(body.get(name) in known for name, known in _CHOICES.items()),
        _all(body.get("conditions"), _is_condition),
        _all(body.get("partitions"), _is_partition),
        all(body.get(name) is None or _all(body[name], _is_list) for name in _LISTS),
        bool(body.get("group")) == (body.get("assignmentUnit") == "group"),
    ]
    if not all(fits):
        raise bad_body()
    for one in body["conditions"]:
        if one["conditionCode"].lower() == "default":
            raise Refusal(400, "'default' as ConditionCode is not allowed.", WRONG_FORMAT, "BadRequestError")
    for context in body["context"]:
        if context not in contexts:
            words = f'The app context "{context}" is not defined in CONTEXT_METADATA.'
            raise Refusal(400, words, WRONG_FORMAT, "BadRequestError")


def check_groups(body: Any, allowed: Iterable[str]) -> None:
    """Raise where groups are no lists of texts, working groups no texts, or something else is said."""
    if not isinstance(body, Mapping) or set(body) - set(allowed):
        raise bad_body()
    groups, working = body.get("group"), body.get("workingGroup")
    if groups is not None and not (isinstance(groups, Mapping) and all(_texts(ids) for ids in groups.values())):
        raise bad_body()
    if working is not None and not (isinstance(working, Mapping) and all(is_text(one) for one in working.values())):
        raise bad_body()


def check_mark(body: Any) -> None:
    """Raise the server's refusal of a body of POST /v6/mark."""
    data = body.get("data") if isinstance(body, Mapping) else None
    if not isinstance(data, Mapping) or not is_text(data.get("site")) or not is_text(data.get("target", "")):
        raise bad_body()
    if body.get("status") is not None and body["status"] not in _STATUSES:
        raise bad_body()
    given = data.get("assignedCondition")
    if given is not None and not isinstance(given, Mapping):
        raise bad_body()


def check_id(text: Any) -> str:
    """An id in an address; raises the server's refusal of what is none."""
    if not is_text(text) or not _UUID.fullmatch(text):
        raise bad_params()
    return str(text)


def state_of(value: Any) -> str:
    """The stored state of either spelling; raises the server's refusal of what is none."""
    if not _is_state(value):
        raise bad_body()
    return stored_state(value)


def is_text(value: Any) -> bool:
    """Whether something is a text."""
    return isinstance(value, str)


_LISTS = ("experimentSegmentInclusion", "experimentSegmentExclusion")
_STATE_NAMES = {*STATES, "running", "paused", "completed"}


def _is_state(value: Any) -> bool:
    return is_text(value) and value in _STATE_NAMES


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(is_text(one) for one in value)


def _all(value: Any, fits: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, Mapping) and fits(one) for one in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_condition(one: Mapping[str, Any]) -> bool:
    texts = is_text(one.get("id")) and is_text(one.get("conditionCode"))
    return texts and _is_number(one.get("assignmentWeight")) and _is_number(one.get("order"))


def _is_partition(one: Mapping[str, Any]) -> bool:
    texts = is_text(one.get("id")) and is_text(one.get("site"))
    return texts and _is_number(one.get("order")) and isinstance(one.get("excludeIfReached"), bool)


def _is_list(one: Mapping[str, Any]) -> bool:
    held = one.get("segment")
    return isinstance(held, Mapping) and all(
        isinstance(held.get(name, []), list) for name in ("individualForSegment", "groupForSegment", "subSegments")
    )
