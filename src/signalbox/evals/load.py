"""Reads question sets: YAML files, each with a header and a list of cases.

A wrong file is an error that names the file and the case, so that a set of one's own is easy to mend.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import yaml

from signalbox.errors import NotFoundError, RequestError
from signalbox.evals.check import check_alternative, check_keys
from signalbox.evals.metrics.expectation import KEYS as EXPECTATION_KEYS

__all__ = ["SKILLS", "Case", "EvalSet", "default_folder", "read_set", "read_sets"]

SKILLS = ("time", "filling", "tools", "metrics")
_HEADER = {"skill", "about", "now", "tz", "cases"}
_SUBJECT = {"time": set[str](), "filling": {"schema"}, "tools": {"tools"}, "metrics": set[str]()}
_OPTIONAL = {"metrics": {"server"}}
_OUTCOME = {
    "time": {"start", "end", "error", "none"},
    "filling": {"expected", "missing"},
    "tools": {"expected", "ask", "none"},
    "metrics": EXPECTATION_KEYS,
}
_ROLES = ("human", "ai", "tool")


@dataclass(frozen=True)
class Case:
    """One question: what is said, and the outcomes of which any one is right."""

    number: int
    messages: tuple[dict[str, Any], ...]
    alternatives: tuple[dict[str, Any], ...]
    ordered: bool = False

    @property
    def text(self) -> str:
        """What the person said last."""
        return next(str(m.get("content", "")) for m in reversed(self.messages) if m["role"] == "human")


@dataclass(frozen=True)
class EvalSet:
    """One file: the moment and the zone it is asked in, its schema, tools or server, and its cases."""

    path: Path
    skill: str
    now: datetime
    tz: ZoneInfo
    cases: tuple[Case, ...]
    schema: dict[str, Any] = field(default_factory=dict)
    tools: tuple[dict[str, Any], ...] = ()
    server: str = ""

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


class _PlainLoader(yaml.SafeLoader):
    """YAML in which `14:00`, `2026-11-03`, `on` and `no` stay the text that they look like."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


for _tag, _pattern, _first in (
    ("null", r"^(?:~|null|)$", ["~", "n", ""]),
    ("bool", r"^(?:true|false)$", list("tf")),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", list("-+0123456789")),
    ("float", r"^[-+]?[0-9]+(?:\.[0-9]+)(?:[eE][-+]?[0-9]+)?$", list("-+0123456789")),
):
    _PlainLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def default_folder() -> Path:
    """The sets that come with the source: `evals/` in the working folder, or beside `src/`."""
    beside_source = Path(__file__).parents[3] / "evals"
    for folder in (Path.cwd() / "evals", beside_source):
        if folder.is_dir():
            return folder
    raise NotFoundError(
        "There are no question sets here.",
        suggestion="Name a file or a folder of sets, or run this in a checkout of the source.",
    )


def read_sets(paths: Iterable[Path] | None = None, skill: str | None = None) -> list[EvalSet]:
    """Every set in the files and folders named, in order of path; `skill` keeps one skill's only."""
    if skill is not None and skill not in SKILLS:
        raise RequestError(f"'{skill}' is no skill.", suggestion=f"The skills are {', '.join(SKILLS)}.")
    sets = [read_set(file) for path in paths or [default_folder()] for file in _files(Path(path))]
    chosen = [s for s in sets if skill in (None, s.skill)]
    if not chosen:
        raise NotFoundError(f"There is no set{f' for {skill}' if skill else ''} in the places named.")
    return chosen


def read_set(path: Path) -> EvalSet:
    """One file as a set. Raises RequestError that names the file, and the case if one is at fault."""
    try:
        return _build(path, _parse(path))
    except ValueError as error:
        raise RequestError(f"{path}: {error}", suggestion="evals/README.md describes the format.") from None


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in {".yaml", ".yml"})
    if path.is_file():
        return [path]
    raise NotFoundError(f"There is no file or folder '{path}'.")


def _parse(path: Path) -> dict[str, Any]:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_PlainLoader)
    except UnicodeDecodeError:
        raise ValueError("is no UTF-8 text") from None
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise ValueError(f"is no YAML{where}: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(data, dict):
        raise ValueError("a set is a mapping with a header and `cases`")
    return data


def _build(path: Path, data: dict[str, Any]) -> EvalSet:
    skill = data.get("skill")
    if skill not in SKILLS:
        raise ValueError(f"`skill` must be one of {', '.join(SKILLS)}, not {skill!r}")
    allowed = _HEADER | _SUBJECT[skill] | _OPTIONAL.get(skill, set())
    check_keys(data, allowed, required={"now", "tz", "cases"} | _SUBJECT[skill])
    zone = _zone(data["tz"])
    frame = EvalSet(
        path=path,
        skill=skill,
        now=_moment(data["now"], zone),
        tz=zone,
        cases=(),
        schema=_schema(data["schema"]) if skill == "filling" else {},
        tools=_tools(data["tools"]) if skill == "tools" else (),
        server=str(data.get("server") or ""),
    )
    return EvalSet(**{**vars(frame), "cases": _cases(data["cases"], frame)})


def _zone(name: Any) -> ZoneInfo:
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"`tz`: '{name}' is no time zone") from None


def _moment(text: Any, zone: ZoneInfo) -> datetime:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        raise ValueError(f"`now`: '{text}' is no ISO 8601 time") from None
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)


def _schema(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        raise ValueError("`schema` must be a JSON schema with `properties`")
    if not schema.get("title"):
        raise ValueError("`schema` needs a `title`: some models refuse one without")
    return schema


def _tools(tools: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(tools, list) or not tools:
        raise ValueError("`tools` must be a list of function definitions")
    for number, tool in enumerate(tools, 1):
        if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
            raise ValueError(f"tool {number} needs a `name`")
    return tuple(tools)


def _cases(cases: Any, frame: EvalSet) -> tuple[Case, ...]:
    if not isinstance(cases, list) or not cases:
        raise ValueError("`cases` must be a list with at least one case")
    return tuple(_case(number, case, frame) for number, case in enumerate(cases, 1))


def _case(number: int, data: Any, frame: EvalSet) -> Case:
    try:
        if not isinstance(data, Mapping):
            raise ValueError("must be a mapping")
        asked = {"text", "messages", "note"} if frame.skill == "tools" else {"text", "note"}
        check_keys(data, asked | {"ordered", "any_of"} | _OUTCOME[frame.skill])
        messages = _messages(data)
        alternatives = tuple(data.get("any_of") or [{k: data[k] for k in data if k in _OUTCOME[frame.skill]}])
        for alternative in alternatives:
            check_keys(alternative, _OUTCOME[frame.skill])
            check_alternative(alternative, frame.skill, frame.schema, frame.tools)
        return Case(number, messages, alternatives, bool(data.get("ordered")))
    except ValueError as error:
        label = data.get("text") if isinstance(data, Mapping) else None
        raise ValueError(f"case {number}{f' ({label!r})' if label else ''}: {error}") from None


def _messages(data: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    if "text" in data:
        if "messages" in data:
            raise ValueError("has both `text` and `messages`")
        return ({"role": "human", "content": str(data["text"] or "")},)
    messages = data.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ValueError("needs `text`" if messages is None else "`messages` must be a list")
    for message in messages:
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            raise ValueError(f"a message's `role` is one of {', '.join(_ROLES)}")
        check_keys(message, {"role", "content", "tool_calls", "name"})
    if not any(message["role"] == "human" for message in messages):
        raise ValueError("`messages` must hold one of the person")
    return tuple(messages)
