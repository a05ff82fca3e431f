"""Reads question sets: JSON lines, with a header line per set followed by a line per case.

Errors name the file and the line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signalbox.errors import NotFoundError, RequestError
from signalbox.evals.check import check_keys, check_scripted_turns, check_subject, check_turns, rules_for
from signalbox.evals.judge import find_judge

__all__ = ["SKILLS", "Case", "EvalSet", "default_folder", "read_sets"]

_SUBJECT: dict[str, set[str]] = {
    "time": set(),
    "filling": {"schema"},
    "tools": {"tools"},
    "agent": {"agent"},
    "steps": set(),
    "oracle": {"agent"},
}
SKILLS = tuple(_SUBJECT)
_HEADER = {"set", "round", "skill", "about", "now", "tz"}
_MOST_STEPS = 5
_RECORDED = "recorded"
"""The folder of recordings, which are not sets."""
_MORE_SAID = {"tools": {"messages"}, "agent": {"then", "plan"}}
_OWN_SERVER = re.compile(r"[A-Z_]+")
"""A server named by the variable with its address; not available by default."""
_ROLES = ("human", "ai", "tool")
Line = tuple[int, dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """One case: its line, the messages, and the outcomes, any of which is right."""

    line: int
    messages: tuple[dict[str, Any], ...]
    alternatives: tuple[dict[str, Any], ...]
    ordered: bool = False
    then: tuple[str, ...] = ()
    """The further messages of the person, in a conversation with an agent."""
    name: str = ""
    """Its `id`, if it has one."""

    @property
    def text(self) -> str:
        """The person's last message."""
        return next(str(m.get("content", "")) for m in reversed(self.messages) if m["role"] == "human")


@dataclass(frozen=True)
class EvalSet:
    """A set: its time and zone, its schema, tools or agent, and its cases."""

    path: Path
    name: str
    skill: str
    now: datetime
    tz: ZoneInfo
    cases: tuple[Case, ...] = ()
    round: int | None = None
    schema: dict[str, Any] = field(default_factory=dict)
    tools: tuple[dict[str, Any], ...] = ()
    agent: str = ""
    server: str = ""

    @property
    def area(self) -> str:
        """What the set measures: the agent, or the skill of a model. An oracle measures what an agent does with the
        right calls."""
        return self.skill if self.skill == "oracle" else self.agent or self.skill

    @property
    def label(self) -> str:
        """The identity of the set: what it measures, its name and its round."""
        return f"{self.area}/{self.name}" + (f" round {self.round}" if self.round else "")


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


def read_sets(
    paths: Iterable[Path] | None = None,
    skill: str | None = None,
    rounds: Collection[int] = (),
    names: Collection[str] = (),
) -> list[EvalSet]:
    """The sets in these files and folders, in order, optionally only of one skill or agent, round or name.

    Conversations of several steps, oracles, and sets for a server of your own are only included if a file, their skill,
    a round or a name is given. Raises RequestError with the file and line of a mistake, NotFoundError if there is no
    such set.
    """
    is_named = bool(paths or rounds or names)
    left_out = () if is_named else tuple({"steps", "oracle"} - {skill})
    files = [file for path in paths or [default_folder()] for file in _files(Path(path))]
    found = [
        _with_cases(header, lines)
        for file in files
        for header, lines in _read(file)
        if skill in (None, header.skill, header.agent)
        and (not rounds or header.round in rounds)
        and (not names or header.name in names)
        and header.skill not in left_out
        and (is_named or not _OWN_SERVER.fullmatch(header.server))
    ]
    if not found:
        asked = ", ".join(str(one) for one in (skill, *rounds, *names) if one)
        raise NotFoundError(
            f"There is no set{f' for {asked}' if asked else ''} in the places named.",
            suggestion=f"The skills are {', '.join(SKILLS)}, or an agent's name.",
        )
    return found


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*.jsonl") if _RECORDED not in file.relative_to(path).parts)
    if path.is_file():
        return [path]
    raise NotFoundError(f"There is no file or folder '{path}'.")


def _read(path: Path) -> list[tuple[EvalSet, list[Line]]]:
    """Each set of a file, still without cases, and the lines of its cases."""
    sets: list[tuple[EvalSet, list[Line]]] = []
    for number, data in _lines(path):
        if "set" not in data and sets:
            sets[-1][1].append((number, data))
            continue
        with _place(path, number):
            sets.append((_header(path, data), []))
    return sets


def _lines(path: Path) -> Iterator[Line]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise RequestError(f"{path} is not UTF-8 text.") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            with _place(path, number):
                data = _object(line)
            yield number, data


@contextmanager
def _place(path: Path, line: int) -> Iterator[None]:
    """Adds the file and line to an error."""
    try:
        yield
    except ValueError as error:
        raise RequestError(f"{path}:{line}: {error}", suggestion="evals/README.md describes the format.") from None


def _object(line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError("must be a JSON object: a set's header, or a case")
    return data


def _header(path: Path, data: dict[str, Any]) -> EvalSet:
    if "set" not in data:
        raise ValueError("a file begins with a header, a line that has `set`")
    skill = data.get("skill")
    if skill not in SKILLS:
        raise ValueError(f"`skill` must be one of {', '.join(SKILLS)}, not {skill!r}")
    optional = {"server"} if skill == "agent" else set()
    check_keys(data, _HEADER | _SUBJECT[skill] | optional, required={"now", "tz"} | _SUBJECT[skill])
    check_subject(data)
    now, tz = _clock(data)
    kept = {key: data[key] for key in ("round", "schema", "agent", "server") if key in data}
    return EvalSet(path, str(data["set"]), skill, now, tz, tools=tuple(data.get("tools", ())), **kept)


def _clock(data: Mapping[str, Any]) -> tuple[datetime, ZoneInfo]:
    try:
        zone = ZoneInfo(str(data["tz"]))
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"`tz`: '{data['tz']}' is not a time zone") from None
    try:
        moment = datetime.fromisoformat(str(data["now"]))
    except ValueError:
        raise ValueError(f"`now`: '{data['now']}' is not an ISO 8601 time") from None
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone), zone


def _with_cases(asked: EvalSet, lines: list[Line]) -> EvalSet:
    if not lines:
        raise RequestError(f"{asked.path}: the set '{asked.name}' has no case.")
    cases = []
    for line, data in lines:
        with _place(asked.path, line):
            cases.append(_CASES.get(asked.skill, _case)(line, data, asked))
            if cases[-1].name and cases[-1].name in [one.name for one in cases[:-1]]:
                raise ValueError(f"there is a case '{cases[-1].name}' above")
    return replace(asked, cases=tuple(cases))


def _case(line: int, data: Mapping[str, Any], asked: EvalSet) -> Case:
    rules = rules_for(asked.skill, asked.schema, asked.tools, asked.agent)
    said = {"text", *_MORE_SAID.get(asked.skill, ())}
    check_keys(data, said | {"note", "ordered", "any_of"} | rules.keys, near={"set"})
    alternatives = tuple(data.get("any_of") or [{key: data[key] for key in data if key in rules.keys}])
    for alternative in alternatives:
        check_keys(alternative, rules.keys)
        rules.check(alternative)
    may_follow = bool(asked.agent) and getattr(find_judge(asked.agent), "follows", False)
    then = _then(data, alternatives, may_follow=may_follow)
    return Case(line, _messages(data), alternatives, bool(data.get("ordered")), then)


def _steps_case(line: int, data: Mapping[str, Any], asked: EvalSet) -> Case:
    """A conversation with demands on each answer."""
    check_keys(data, {"id", "kind", "agent", "turns", "why", "note"}, required={"id", "turns"}, near={"set"})
    _check_id(data["id"])
    check_turns(data["turns"], _MOST_STEPS)
    first, *rest = (str(turn["say"]) for turn in data["turns"])
    wanted = {name: data[name] for name in ("kind", "agent", "turns") if name in data}
    return Case(line, ({"role": "human", "content": first},), (wanted,), then=tuple(rest), name=data["id"])


def _oracle_case(line: int, data: Mapping[str, Any], asked: EvalSet) -> Case:
    """A conversation with the right calls for every message, and the expected final state."""
    needed = {"id", "language", "turns", "end"}
    check_keys(data, needed | {"start", "note"}, required=needed, near={"set"})
    _check_id(data["id"])
    if not isinstance(data["language"], str) or not data["language"]:
        raise ValueError("`language` must be a name")
    check_scripted_turns(data["turns"])
    ends = {name: data[name] for name in ("start", "end") if name in data}
    rules_for(asked.skill, {}, (), asked.agent).check(ends)
    first, *rest = (str(turn["said"]) for turn in data["turns"])
    wanted = {**ends, "language": data["language"], "turns": data["turns"]}
    return Case(line, ({"role": "human", "content": first},), (wanted,), then=tuple(rest), name=data["id"])


_CASES = {"steps": _steps_case, "oracle": _oracle_case}


def _check_id(name: Any) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[\w.-]+", name):
        raise ValueError("`id` is a name of letters, digits, dots and hyphens")


def _then(data: Mapping[str, Any], alternatives: Sequence[Mapping[str, Any]], *, may_follow: bool) -> tuple[str, ...]:
    said = data.get("then") or []
    if not isinstance(said, list) or not all(isinstance(one, str) and one.strip() for one in said):
        raise ValueError("`then` is a list of messages")
    if said and not may_follow and not all("end" in one for one in alternatives):
        raise ValueError("`then` needs `end`: what is there when the conversation is over")
    return tuple(said)


def _messages(data: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    if "text" in data:
        if "messages" in data:
            raise ValueError("has both `text` and `messages`")
        if not isinstance(data["text"], str):
            raise ValueError("`text` must be a string")
        return ({"role": "human", "content": data["text"]},)
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
