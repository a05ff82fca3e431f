"""Checks what a case expects against the schema or the tools it is asked with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from signalbox.evals.metrics.expectation import check_expectation
from signalbox.language.names import nearest

__all__ = ["any_of", "check_alternative", "check_keys"]


def any_of(value: Any) -> list[Any] | None:
    """The values of `{any_of: [...]}`, or None for anything else."""
    if isinstance(value, Mapping) and set(value) == {"any_of"} and isinstance(value["any_of"], list):
        return list(value["any_of"])
    return None


def check_keys(data: Any, allowed: Set[str], required: Set[str] = frozenset()) -> None:
    """Raises ValueError for a key that is not known, with the nearest that is, or one that is missing."""
    if not isinstance(data, Mapping):
        raise ValueError("must be a mapping")
    for key in data:
        if key not in allowed:
            near = nearest(str(key), sorted(allowed), 1)
            raise ValueError(f"unknown key `{key}`" + (f"; did you mean `{near[0]}`?" if near else ""))
    for key in sorted(required - set(data)):
        raise ValueError(f"`{key}` is missing")


def check_alternative(
    outcome: Mapping[str, Any], skill: str, schema: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]
) -> None:
    """Raises ValueError if no model could give this outcome."""
    if skill == "time":
        _check_time(outcome)
    elif skill == "metrics":
        check_expectation(outcome)
    elif skill == "filling":
        _check_filling(outcome, schema)
    else:
        _check_calls(outcome, {tool["name"]: tool for tool in tools})


def _check_time(outcome: Mapping[str, Any]) -> None:
    if set(outcome) not in ({"start", "end"}, {"error"}, {"none"}):
        raise ValueError("needs `start` and `end`, or `error: true`, or `none: true`")
    for key in ("start", "end"):
        for value in any_of(outcome.get(key)) or [outcome.get(key)]:
            if key in outcome:
                _check_moment(key, value)


def _check_moment(key: str, value: Any) -> None:
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"`{key}`: '{value}' is no ISO 8601 time") from None


def _check_filling(outcome: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    if not outcome:
        raise ValueError("needs `expected` or `missing`")
    if "expected" in outcome:
        check_value(outcome["expected"], schema, "expected")
    for name in outcome.get("missing") or []:
        if str(name).split(".")[0] not in schema["properties"]:
            raise ValueError(f"`missing`: the schema has no field '{name}'")


def _check_calls(outcome: Mapping[str, Any], tools: Mapping[str, Mapping[str, Any]]) -> None:
    if len(outcome) != 1:
        raise ValueError("needs exactly one of `expected`, `ask` and `none`")
    calls = outcome.get("expected", [])
    if not isinstance(calls, list):
        raise ValueError("`expected` must be a list of calls")
    for call in calls:
        check_keys(call, {"name", "args"}, required={"name"})
        if call["name"] not in tools:
            raise ValueError(f"there is no tool '{call['name']}' in this set")
        check_value(call.get("args") or {}, tools[call["name"]].get("parameters") or {}, call["name"])


def check_value(value: Any, schema: Mapping[str, Any], where: str) -> None:
    """Raises ValueError if the schema knows no such field, or not this value of an enum."""
    for one in any_of(value) or [value]:
        if one is None:
            continue
        _check_enum(one, schema, where)
        if isinstance(one, Mapping):
            _check_object(one, schema, where)
        elif isinstance(one, list):
            for item in one:
                check_value(item, schema.get("items") or {}, where)


def _check_enum(value: Any, schema: Mapping[str, Any], where: str) -> None:
    if "enum" in schema and value not in schema["enum"]:
        raise ValueError(f"`{where}`: {value!r} is not among the schema's values")


def _check_object(value: Mapping[str, Any], schema: Mapping[str, Any], where: str) -> None:
    properties = schema.get("properties")
    if properties is None:
        return
    for name, inner in value.items():
        if name not in properties:
            if not schema.get("additionalProperties"):
                raise ValueError(f"`{where}`: the schema has no field '{name}'")
            continue
        check_value(inner, properties[name], f"{where}.{name}")
