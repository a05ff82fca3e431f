"""Which bodies the server takes: what its validators say, and what its database refuses behind them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from signalbox.upgrade.states import STATES, stored_state
from signalbox.worlds.experiments.errors import WRONG_FORMAT, Refusal, bad_body, bad_params, query_failed

__all__ = [
    "check_experiment",
    "check_groups",
    "check_id",
    "check_list",
    "check_log",
    "check_mark",
    "check_move",
    "check_row",
    "is_id",
    "is_storable",
    "is_text",
]

Fits = Callable[[Any], bool]
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_STATE_NAMES = {*STATES, "running", "paused", "completed"}
_STATUSES = ("condition applied", "condition not applied", "no condition assigned")
_SEGMENTS = ("public", "private", "global_exclude")
_ORDERS = ("random", "random round robin", "ordered round robin")
_LARGEST_ORDER = 2**31 - 1


def is_text(value: Any) -> bool:
    """Whether something is a text."""
    return isinstance(value, str)


def is_id(value: Any) -> bool:
    """Whether something is an id as the database keeps them."""
    return is_text(value) and bool(_UUID.fullmatch(value))


def is_storable(value: Any) -> bool:
    """Whether the database takes a row: not with a NUL in a text, nor a whole number of more than 32 bits."""
    return "\\u0000" not in json.dumps(value) and not _is_large(value)


def check_experiment(body: Any, contexts: Iterable[str], verb: str) -> None:
    """Raise the server's refusal of a body of POST (`create`) or PUT (`update`) /experiments."""
    if not isinstance(body, Mapping) or not _fits(body, _EXPERIMENT):
        raise bad_body()
    is_within = body["assignmentUnit"] == "within-subjects"
    if not (_one_of(*_ORDERS)(body.get("conditionOrder")) if is_within else _RULE(body.get("consistencyRule"))):
        raise bad_body()
    if bool(body.get("group")) != (body["assignmentUnit"] == "group"):
        raise bad_body()
    if body.get("assignmentAlgorithm") == "ts_configurable" and not isinstance(
        body.get("moocletPolicyParameters"), Mapping
    ):
        raise bad_body()
    for context in body["context"]:
        if context not in contexts:
            words = f'The app context "{context}" is not defined in CONTEXT_METADATA.'
            raise Refusal(400, words, WRONG_FORMAT, "BadRequestError")
    if "moocletPolicyParameters" in body:
        words = "moocletPolicyParameters was provided but mooclets are not enabled on backend."
        raise Refusal(400, f"Failed to {verb} Experiment: {words}", WRONG_FORMAT, "BadRequestError")


def check_row(body: Mapping[str, Any]) -> None:
    """Raise what the database says of the experiment's own row, and then of a condition that is called default."""
    own = {key: value for key, value in body.items() if key not in _OTHER_ROWS}
    if not is_storable(own):
        raise query_failed('invalid byte sequence for encoding "UTF8": 0x00')
    for name in ("description", "assignmentAlgorithm"):
        if name in body and body[name] is None:
            words = f'null value in column "{name}" of relation "experiment" violates not-null constraint'
            raise query_failed(words)
    if body.get("conditionOrder") not in (None, *_ORDERS):
        raise query_failed(f'invalid input value for enum experiment_conditionorder_enum: "{body["conditionOrder"]}"')
    if body["state"] not in STATES:
        raise query_failed(f'invalid input value for enum experiment_state_enum: "{body["state"]}"')
    if body.get("revertTo") is not None and not is_id(body["revertTo"]):
        raise query_failed(f'invalid input syntax for type uuid: "{body["revertTo"]}"')
    if body.get("stratificationFactor"):
        raise query_failed(
            'insert or update on table "experiment" violates foreign key constraint "FK_335189d91114f3a71ff18be6243"'
        )
    if any(one["conditionCode"].lower() == "default" for one in body["conditions"]):
        raise Refusal(400, "'default' as ConditionCode is not allowed.", WRONG_FORMAT, "BadRequestError")


def check_list(said: Any, which: str) -> dict[str, Any]:
    """The list of POST /experiments/inclusionList or exclusionList, whose body nobody validates; raises what the
    database, or the code before it, says of it."""
    held = {"type": "private", **(said if isinstance(said, Mapping) else {})}
    words = f"Error in creating private segment for experiment {which} list: "
    for name, reading in (("subSegmentIds", "keys"), ("userIds", "_c"), ("groups", "_d")):
        if held.get(name) is not None and not isinstance(held[name], list):
            raise _list_failed(f"{words}TypeError: {reading}.map is not a function")
    if held.get("id") is not None and not is_id(held["id"]):
        raise _list_failed(f'{words}QueryFailedError: invalid input syntax for type uuid: "{held["id"]}"')
    for name in ("name", "context", "type"):
        if held.get(name) is None:
            raise _list_failed(
                f'{words}QueryFailedError: null value in column "{name}" of relation "segment" '
                "violates not-null constraint"
            )
    if held["type"] not in _SEGMENTS:
        raise _list_failed(f'{words}QueryFailedError: invalid input value for enum segment_type_enum: "{held["type"]}"')
    if not is_storable(held):
        raise _list_failed(f'{words}QueryFailedError: invalid byte sequence for encoding "UTF8": 0x00')
    ids = [*(held.get("userIds") or []), *(one.get("groupId") for one in held.get("groups") or [])]
    if not all(map(is_text, ids)):
        raise _list_failed(f"{words}TypeError: value.replace is not a function")
    if not all(is_text(one.get("type")) for one in held.get("groups") or []):
        raise _list_failed(f'{words}QueryFailedError: Error in creating individualDocs, groupDocs in "addSegmentInDB"')
    return held


def check_move(body: Any) -> tuple[str, str]:
    """The experiment's id and the state of POST /experiments/state; raises the server's refusal."""
    if not isinstance(body, Mapping) or not _fits(body, _MOVE):
        raise bad_body()
    return str(body["experimentId"]), stored_state(body["state"])


def check_groups(body: Any, allowed: Iterable[str]) -> None:
    """Raise where groups are no lists of texts, working groups no texts, or something else is said."""
    if not isinstance(body, Mapping) or set(body) - set(allowed):
        raise bad_body()
    groups, working = body.get("group"), body.get("workingGroup")
    if groups is not None and not (isinstance(groups, Mapping) and all(_TEXTS(ids) for ids in groups.values())):
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


def check_log(body: Any) -> None:
    """Raise the server's refusal of a body of POST /v6/log; which metrics there are does not matter here."""
    if not isinstance(body, Mapping) or not _list_of(_record(_ENTRY))(body.get("value")):
        raise bad_body()


def check_id(text: Any) -> str:
    """An id in an address; raises the server's refusal of what is none."""
    if not is_id(text):
        raise bad_params()
    return str(text)


def _list_failed(message: str) -> Refusal:
    return query_failed(message, "Error")


def _fits(body: Mapping[str, Any], rules: Mapping[str, Fits]) -> bool:
    return all(rule(body.get(name)) for name, rule in rules.items())


def _filled(value: Any) -> bool:
    return is_text(value) and value != ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return _is_number(value) and float(value).is_integer()


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_moment(value: Any) -> bool:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


def _is_large(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_is_large, value.values()))
    if isinstance(value, list):
        return any(map(_is_large, value))
    return _is_whole(value) and abs(value) > _LARGEST_ORDER


def _is_logged(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        _filled(key) and (_filled(one) or _is_number(one)) for key, one in value.items()
    )


def _or_none(rule: Fits) -> Fits:
    return lambda value: value is None or rule(value)


def _one_of(*known: str) -> Fits:
    return lambda value: is_text(value) and value in known


def _of_length(length: int, pattern: str = ".*") -> Fits:
    return lambda value: is_text(value) and len(value) == length and bool(re.fullmatch(pattern, value, re.DOTALL))


def _record(rules: Mapping[str, Fits]) -> Fits:
    return lambda value: isinstance(value, Mapping) and _fits(value, rules)


def _list_of(rule: Fits, least: int = 0) -> Fits:
    return lambda value: isinstance(value, list) and len(value) >= least and all(map(rule, value))


_TEXTS = _list_of(is_text)
_RULE = _one_of("individual", "group", "experiment")
_MAYBE_TEXT = _or_none(is_text)
_STATE = _one_of(*_STATE_NAMES)
_PAYLOAD = {"type": _one_of("string", "json", "csv"), "value": is_text}
_CONDITION = {
    "id": _filled,
    "twoCharacterId": _or_none(_of_length(2, "[0-9A-Za-z]*")),
    "description": _MAYBE_TEXT,
    "name": _MAYBE_TEXT,
    "conditionCode": _filled,
    "assignmentWeight": _is_number,
    "order": _is_whole,
}
_PARTITION = {
    "id": _filled,
    "twoCharacterId": _or_none(_of_length(2)),
    "site": _filled,
    "target": _MAYBE_TEXT,
    "description": _MAYBE_TEXT,
    "order": _is_whole,
    "excludeIfReached": _is_flag,
}
_CONDITION_PAYLOAD = {
    "id": _filled,
    "payload": _record(_PAYLOAD),
    "parentCondition": _filled,
    "decisionPoint": _MAYBE_TEXT,
}
_QUERY = {
    "id": _MAYBE_TEXT,
    "name": _filled,
    "query": _record({}),
    "metric": _record({"key": _filled}),
    "repeatedMeasure": _one_of("MEAN", "EARLIEST", "MOST RECENT", "COUNT", "PERCENTAGE"),
    "order": _or_none(_is_whole),
}
_SEGMENT = {
    **dict.fromkeys(("id", "name", "description", "context", "listType"), _MAYBE_TEXT),
    "individualForSegment": _or_none(_list_of(_record({"userId": _filled}))),
    "groupForSegment": _or_none(_list_of(_record({"groupId": _filled, "type": _filled}))),
    "subSegments": _or_none(_list_of(_record({"id": _filled}))),
    "type": _one_of(*_SEGMENTS),
}
_LOG = {"id": _filled, "fromState": _STATE, "toState": _STATE, "timeLog": _is_moment}
_FACTOR = {"id": _MAYBE_TEXT, "name": _filled, "order": _is_whole, "levels": lambda value: isinstance(value, list)}
_MEMBERS = _or_none(_list_of(_record({"segment": _record(_SEGMENT)})))
_EXPERIMENT: Mapping[str, Fits] = {
    "id": _MAYBE_TEXT,
    "name": _filled,
    "description": _MAYBE_TEXT,
    "context": _list_of(is_text, least=1),
    "state": _STATE,
    "startOn": _or_none(_is_moment),
    "assignmentUnit": _one_of("individual", "group", "within-subjects"),
    "postExperimentRule": _one_of("continue", "revert", "assign"),
    "assignmentAlgorithm": _or_none(_one_of("random", "stratified random sampling", "ts_configurable")),
    "endOn": _or_none(_is_moment),
    "revertTo": _MAYBE_TEXT,
    "tags": _TEXTS,
    "group": _MAYBE_TEXT,
    "filterMode": _one_of("includeAll", "excludeAll"),
    "stratificationFactor": _or_none(_record({"stratificationFactorName": _filled})),
    "conditions": _list_of(_record(_CONDITION)),
    "factors": _or_none(_list_of(_record(_FACTOR))),
    "partitions": _list_of(_record(_PARTITION)),
    "queries": _or_none(_list_of(_record(_QUERY))),
    "stateTimeLogs": _or_none(_list_of(_record(_LOG))),
    "experimentSegmentInclusion": _MEMBERS,
    "experimentSegmentExclusion": _MEMBERS,
    "backendVersion": _MAYBE_TEXT,
    "type": _one_of("Simple", "Factorial"),
    "conditionPayloads": _or_none(_list_of(_record(_CONDITION_PAYLOAD))),
}
_GROUP = {"groupClass": _filled, "groupKey": _filled, "groupUniquifier": _filled, "attributes": _is_logged}
_ENTRY = {
    "timestamp": _filled,
    "metrics": _record({"attributes": _or_none(_is_logged), "groupedMetrics": _or_none(_list_of(_record(_GROUP)))}),
}
_MOVE: Mapping[str, Fits] = {"experimentId": is_id, "state": _STATE, "scheduleDate": _or_none(_is_moment)}
_OTHER_ROWS = (
    "conditions",
    "partitions",
    "factors",
    "conditionPayloads",
    "queries",
    "experimentSegmentInclusion",
    "experimentSegmentExclusion",
)
