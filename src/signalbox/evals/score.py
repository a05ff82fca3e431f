"""Decides whether an outcome is allowed by the case.

Strings are compared without case, quotes, outer punctuation and leading article; moments as instants; numbers within a
millionth; lists in any order unless the case says `ordered`. An empty field counts as missing, and a field with the
schema's default may be missing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, tzinfo
from typing import Any

from signalbox.evals.check import any_of
from signalbox.evals.judge import find_judge
from signalbox.evals.load import Case, EvalSet

__all__ = ["Outcome", "can_mislead", "is_right", "misleads", "same"]

Outcome = dict[str, Any]
"""What a model did: `start` and `end`, `fields`, `calls` and `text`, `none`, `error`, `missing`,
`failed`, or what the agent's judge made of its answer."""

_EMPTY: tuple[Any, ...] = (None, "", [], {})
_ARTICLE = re.compile(r"^(?:the|a|an|my|our)\s+")
_EDGE = " \t\r\n\"'“”‘’`.,;:!?()"


def is_right(outcome: Outcome, case: Case, asked: EvalSet) -> bool:
    """True if the outcome is one of the case's alternatives."""
    judge = _JUDGES[asked.skill]
    return "failed" not in outcome and any(judge(outcome, a, case, asked) for a in case.alternatives)


def misleads(outcome: Outcome, case: Case, asked: EvalSet) -> bool:
    """True if the outcome has a value or call that no alternative has.

    Anything left out, asked or refused may be a miss, but misleads nobody.
    """
    return can_mislead(asked) and all(_MISLED[asked.skill](outcome, one, case, asked) for one in case.alternatives)


def can_mislead(asked: EvalSet) -> bool:
    """True if misleading outcomes can be identified for a set."""
    return asked.skill in ("filling", "tools", "steps") or (
        asked.skill == "agent" and hasattr(find_judge(asked.agent), "misleads")
    )


def _filling_misleads(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    got = {name: value for name, value in (outcome.get("fields") or {}).items() if value not in _EMPTY}
    expected = wanted.get("expected") or {}
    # Of what was given, and only of that: is it what was expected?
    return not same(got, {name: expected[name] for name in got if name in expected}, asked.schema, asked.tz)


def _tools_mislead(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    properties = {tool["name"]: tool.get("parameters") or {} for tool in asked.tools}
    for call in outcome.get("calls") or []:
        given = {name: value for name, value in (call.get("args") or {}).items() if value not in _EMPTY}
        likely = [one.get("args") or {} for one in wanted.get("expected") or [] if one["name"] == call["name"]]
        told = [{name: args[name] for name in given if name in args} for args in likely]
        if not any(same(given, args, properties[call["name"]], asked.tz) for args in told):
            return True
    return False


def _answer_misleads(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    return bool(find_judge(asked.agent).misleads(outcome, wanted))  # type: ignore[attr-defined]


def _steps_mislead(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    return any(turn.get("forbidden") for turn in outcome.get("turns") or ())


_MISLED = {
    "filling": _filling_misleads, "tools": _tools_mislead, "agent": _answer_misleads, "steps": _steps_mislead,
}  # fmt: skip


def _time_right(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    if wanted.get("error") or wanted.get("none"):
        return bool(outcome.get("error") if wanted.get("error") else outcome.get("none"))
    return all(_same_instant(outcome.get(key), wanted[key], asked.tz) for key in ("start", "end"))


def _same_instant(got: Any, want: Any, tz: tzinfo) -> bool:
    """True if both are one instant; a plain date is its midnight."""
    choices = any_of(want) or [want]
    try:
        instant = _in_utc(datetime.fromisoformat(str(got)), tz)
    except ValueError:
        return False
    return any(instant == _in_utc(datetime.fromisoformat(str(choice)), tz) for choice in choices)


def _filling_right(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    if wanted.get("missing"):
        return {str(n) for n in outcome.get("missing", ())} == {str(n) for n in wanted["missing"]}
    if "fields" not in outcome:
        return False
    return same(outcome["fields"], wanted.get("expected") or {}, asked.schema, asked.tz, case.ordered)


def _tools_right(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    calls = outcome.get("calls") or []
    if "ask" in wanted:
        return not calls and _asks(outcome, wanted["ask"])
    if wanted.get("none"):
        return not calls and not outcome.get("missing")
    parameters = {tool["name"]: tool.get("parameters") or {} for tool in asked.tools}

    def same_call(got: Any, want: Any) -> bool:
        args, expected = got.get("args") or {}, want.get("args") or {}
        return bool(got["name"] == want["name"]) and same(
            args, expected, parameters[want["name"]], asked.tz, case.ordered
        )

    return _pair_off(calls, wanted["expected"], same_call, case.ordered)


def _answer_right(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    return find_judge(asked.agent).is_right(outcome, wanted)


def _carried_out(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    is_whole = not (outcome["questions"] or outcome["errors"])
    return is_whole and find_judge(asked.agent).is_right(outcome, wanted)


def _steps_right(outcome: Outcome, wanted: Mapping[str, Any], case: Case, asked: EvalSet) -> bool:
    return not any(turn.get("unmet") or turn.get("forbidden") for turn in outcome["turns"])


_JUDGES = {
    "time": _time_right, "filling": _filling_right, "tools": _tools_right, "agent": _answer_right,
    "steps": _steps_right, "oracle": _carried_out,
}  # fmt: skip


def _asks(outcome: Outcome, names: Sequence[str]) -> bool:
    """True if a reply asks a question or names what is missing."""
    text = str(outcome.get("text", "")).casefold().replace("_", " ")
    named = any(str(name).casefold().replace("_", " ") in text for name in names)
    return bool(outcome.get("missing")) or "?" in text or named


def same(got: Any, want: Any, schema: Mapping[str, Any], tz: tzinfo, ordered: bool = False) -> bool:
    """True if two values mean the same under a schema; `{any_of: [...]}` in `want` allows each."""
    choices = any_of(want)
    if choices is not None:
        return any(same(got, choice, schema, tz, ordered) for choice in choices)
    if got in _EMPTY or want in _EMPTY:
        return got in _EMPTY and want in _EMPTY
    if isinstance(want, Mapping):
        return isinstance(got, Mapping) and _same_fields(got, want, schema, tz, ordered)
    if isinstance(want, list):
        items = schema.get("items") or {}
        return isinstance(got, list | tuple | set) and _pair_off(
            list(got), want, lambda g, w: same(g, w, items, tz, ordered), ordered
        )
    return _same_scalar(got, want, tz)


def _same_fields(
    got: Mapping[str, Any], want: Mapping[str, Any], schema: Mapping[str, Any], tz: tzinfo, ordered: bool
) -> bool:
    properties = schema.get("properties") or {}
    for name in {*got, *want}:
        inner = properties.get(name) or {}
        absent_default = inner.get("default") if name not in want else None
        if name not in want and got[name] not in _EMPTY and same(got[name], absent_default, inner, tz):
            continue
        value = got.get(name)
        if value in _EMPTY and name in want and "default" in inner:
            value = inner["default"]
        if not same(value, want.get(name), inner, tz, ordered):
            return False
    return True


def _pair_off(got: Sequence[Any], want: Sequence[Any], equal: Any, ordered: bool) -> bool:
    if len(got) != len(want):
        return False
    if ordered:
        return all(equal(g, w) for g, w in zip(got, want, strict=True))
    left = list(got)
    for wanted in want:
        found = next((i for i, candidate in enumerate(left) if equal(candidate, wanted)), None)
        if found is None:
            return False
        left.pop(found)
    return True


def _same_scalar(got: Any, want: Any, tz: tzinfo) -> bool:
    if isinstance(got, bool) or isinstance(want, bool):
        return got is want
    if isinstance(want, int | float):
        return isinstance(got, int | float) and math.isclose(got, want, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(got, int | float):
        return False
    moments = _moment(got, tz), _moment(want, tz)
    if moments[0] is not None and moments[1] is not None:
        return moments[0] == moments[1]
    return _plain(str(got)) == _plain(str(want))


def _moment(value: Any, tz: tzinfo) -> datetime | time | None:
    """A moment (in UTC: moments in a repeated hour equal none of another zone) or a time; else None."""
    if isinstance(value, datetime):
        return _in_utc(value, tz)
    text = str(value).strip()
    if re.match(r"^\d{4}-\d{2}-\d{2}[T ]\d", text):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
        return _in_utc(moment, tz)
    if re.match(r"^\d{2}:\d{2}(:\d{2})?$", text):
        try:
            return time.fromisoformat(text)
        except ValueError:
            return None
    return None


def _in_utc(moment: datetime, tz: tzinfo) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=tz)).astimezone(UTC)


def _plain(text: str) -> str:
    text = " ".join(text.casefold().replace("’", "'").split()).strip(_EDGE)
    return _ARTICLE.sub("", text).strip(_EDGE)
