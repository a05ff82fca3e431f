"""Checks a set's header, and the expectations of cases against the schema, the tools or the judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from signalbox.evals.demands import check_demand
from signalbox.evals.judge import find_judge
from signalbox.language.names import nearest

__all__ = [
    "OutcomeRules",
    "any_of",
    "check_keys",
    "check_scripted_turns",
    "check_subject",
    "check_turns",
    "check_value",
    "rules_for",
]


class OutcomeRules(NamedTuple):
    """The allowed keys of an outcome, and a function that raises ValueError for an impossible one."""

    keys: Set[str]
    check: Callable[[Mapping[str, Any]], None]


def any_of(value: Any) -> list[Any] | None:
    """The values of `{any_of: [...]}`, or None for anything else."""
    if isinstance(value, Mapping) and set(value) == {"any_of"} and isinstance(value["any_of"], list):
        return list(value["any_of"])
    return None


def check_keys(data: Any, allowed: Set[str], required: Set[str] = frozenset(), near: Set[str] = frozenset()) -> None:
    """Raises ValueError for an unknown key, with the closest known one, or for a missing key.

    `near` are further keys that may be meant but are not allowed here.
    """
    if not isinstance(data, Mapping):
        raise ValueError("must be a JSON object")
    for key in data:
        if key not in allowed:
            close = nearest(str(key), sorted(allowed | near), 1)
            raise ValueError(f"unknown key `{key}`" + (f"; did you mean `{close[0]}`?" if close else ""))
    for key in sorted(required - set(data)):
        raise ValueError(f"`{key}` is missing")


def check_subject(header: Mapping[str, Any]) -> None:
    """Raises ValueError for an invalid round, schema, tools, agent or server."""
    number = header.get("round", 1)
    if type(number) is not int or number < 1:
        raise ValueError(f"`round` is a number from 1 up, not {number!r}")
    for key in {"agent", "server"} & set(header):
        if not isinstance(header[key], str) or not header[key]:
            raise ValueError(f"`{key}` must be a name")
    if "schema" in header:
        _check_schema(header["schema"])
    if "tools" in header:
        _check_tools(header["tools"])


def _check_schema(schema: Any) -> None:
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        raise ValueError("`schema` must be a JSON schema with `properties`")
    if not schema.get("title"):
        raise ValueError("`schema` needs a `title`: some models refuse one without")


def _check_tools(tools: Any) -> None:
    if not isinstance(tools, list) or not tools:
        raise ValueError("`tools` must be a list of function definitions")
    for place, tool in enumerate(tools, 1):
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            raise ValueError(f"tool {place} needs a `name`")


def rules_for(
    skill: str, schema: Mapping[str, Any], tools: Sequence[Mapping[str, Any]], agent: str = ""
) -> OutcomeRules:
    """What a case of this skill may expect. Raises ValueError for an agent without a judge."""
    if skill == "time":
        return OutcomeRules({"start", "end", "error", "none"}, _check_time)
    if skill == "filling":
        return OutcomeRules({"expected", "missing"}, partial(_check_filling, schema=schema))
    if skill == "tools":
        by_name = {tool["name"]: tool for tool in tools}
        return OutcomeRules({"expected", "ask", "none"}, partial(_check_calls, tools=by_name))
    judge = find_judge(agent)
    return OutcomeRules(judge.keys, judge.check)


def check_turns(turns: Any, most: int) -> None:
    """Raises ValueError for turns of a conversation that cannot be sent or judged."""
    if not isinstance(turns, list) or not 1 <= len(turns) <= most:
        raise ValueError(f"`turns` is a list of 1 to {most}")
    for turn in turns:
        check_keys(turn, {"say", "must", "must_not"}, required={"say"})
        if not isinstance(turn["say"], str) or not turn["say"].strip():
            raise ValueError("`say` must be a text")
        for key in ("must", "must_not"):
            if not isinstance(turn.get(key, []), list):
                raise ValueError(f"`{key}` must be a list")
            for demand in turn.get(key, ()):
                check_demand(demand)
    if not (turns[-1].get("must") or turns[-1].get("must_not")):
        raise ValueError("nothing is demanded of the last turn")


def check_scripted_turns(turns: Any) -> None:
    """Raises ValueError for turns of an oracle that cannot be sent or called."""
    if not isinstance(turns, list) or not turns:
        raise ValueError("`turns` is a list of messages with their calls")
    for turn in turns:
        check_keys(turn, {"said", "calls"}, required={"said", "calls"})
        if not isinstance(turn["said"], str) or not turn["said"].strip():
            raise ValueError("`said` must be a text")
        if not isinstance(turn["calls"], list) or not turn["calls"]:
            raise ValueError("`calls` is a list of calls, each with `name` and `args`")
        for call in turn["calls"]:
            check_keys(call, {"name", "args"}, required={"name"})


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
        raise ValueError(f"`{key}`: '{value}' is not an ISO 8601 time") from None


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
    """Raises ValueError for a field or enum value that is not in the schema."""
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
