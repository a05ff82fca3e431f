"""The checks beside the model: conditions over what was collected, each with severity, cause and evidence."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from signalbox.agents.oncall.expressions import check_condition, evaluate
from signalbox.agents.oncall.facts import KINDS, Record
from signalbox.agents.oncall.lookups import FUNCTIONS, PATTERNS, functions_for
from signalbox.agents.oncall.spoken import plain_moments, spoken_duration
from signalbox.agents.oncall.state import Finding
from signalbox.errors import ConfigurationError, redact
from signalbox.settings import get_settings

__all__ = ["Check", "Checks", "load_checks", "run_checks", "topics_found"]

_OWN = Path(__file__).with_name("checks.yaml")
_KEYS = {"id", "of", "when", "severity", "topic", "about", "text", "causes", "next", "since"}
_NEEDED = {"id", "of", "when", "severity", "text"}
_SEVERITIES = ("critical", "warning", "info")
_LONGEST = 200
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The one written in C takes a tenth of the time."""
_CONDITION = (
    "A condition compares fields of a record, such as: oper_state == 'UP' and mtu < 1500. "
    f"Its functions: {', '.join(FUNCTIONS)}."
)


@dataclass(frozen=True, slots=True)
class Check:
    """One row of the table."""

    id: str
    of: str
    when: str
    severity: str
    text: str
    topic: str = ""
    about: str = ""
    next: str = ""
    since: str = ""
    causes: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Checks:
    """The table: the rows, and the words that tell of each topic."""

    rows: tuple[Check, ...]
    topics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def load_checks() -> Checks:
    """The checks that ship, and those of `SIGNALBOX_ONCALL_CHECKS`. Raises ConfigurationError that names the row."""
    own = _load(_OWN, _OWN.stat().st_mtime_ns)
    path = get_settings().oncall_checks
    if path is None:
        return own
    try:
        more = _load(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ConfigurationError(
            f"The checks in {path} cannot be read: {error.strerror}.", suggestion="Correct SIGNALBOX_ONCALL_CHECKS."
        ) from None
    rows = {row.id: row for row in (*own.rows, *more.rows)}
    topics = {name: (*own.topics.get(name, ()), *more.topics.get(name, ())) for name in {**own.topics, **more.topics}}
    return Checks(tuple(rows.values()), topics)


@lru_cache(maxsize=8)
def _load(path: Path, _changed: int) -> Checks:
    try:
        data = yaml.load(path.read_text("utf-8"), _LOADER) or {}
    except yaml.YAMLError as error:
        raise ConfigurationError(
            f"The checks in {path} are no YAML: {' '.join(str(error).split())}.",
            suggestion="Write `checks:` and a row below it.",
        ) from None
    listed = data.get("checks") if isinstance(data, Mapping) else data
    if not isinstance(listed, list):
        raise ConfigurationError(f"{path} has no list of checks.", suggestion="Write `checks:` and a row below it.")
    rows = tuple(_row(one, f"{path}, check {number}") for number, one in enumerate(listed, start=1))
    topics = data.get("topics") if isinstance(data, Mapping) else None
    return Checks(rows, {str(name): tuple(map(str, words)) for name, words in (topics or {}).items()})


def _row(told: Any, place: str) -> Check:
    if not isinstance(told, Mapping):
        raise ConfigurationError(f"{place} is no row.", suggestion=f"A row has {', '.join(sorted(_NEEDED))}.")
    place = f"{place} ({told.get('id', 'no id')})"
    if wrong := [*sorted(_NEEDED - set(told)), *sorted(set(told) - _KEYS)]:
        raise ConfigurationError(
            f"{place}: {wrong[0]} is missing or unknown.", suggestion=f"A row may have {', '.join(sorted(_KEYS))}."
        )
    if told["severity"] not in _SEVERITIES:
        raise ConfigurationError(f"{place}: severity is one of {', '.join(_SEVERITIES)}.")
    if told["of"] not in KINDS:
        raise ConfigurationError(
            f"{place}: there are no records of '{told['of']}'.", suggestion=f"`of` is one of {', '.join(KINDS)}."
        )
    listed = told.get("causes") or ()
    if not all(isinstance(one, Mapping) and {"when", "text"} <= set(one) for one in listed):
        raise ConfigurationError(f"{place}: each of its causes has `when` and `text`.")
    causes = tuple({str(name): str(value) for name, value in one.items()} for one in listed)
    try:
        for condition in (told["when"], *(one["when"] for one in causes)):
            check_condition(str(condition), FUNCTIONS, PATTERNS)
    except ValueError as error:
        raise ConfigurationError(f"{place}: {error}.", suggestion=_CONDITION) from None
    for text in (told["text"], told.get("next", ""), *(one["text"] for one in causes)):
        try:
            list(_WORDS.parse(str(text)))
        except ValueError as error:
            raise ConfigurationError(
                f"{place}: '{text}' is no text: {error}.", suggestion="A field stands in a pair of braces: {name}."
            ) from None
    plain = {
        name: str(told.get(name, ""))
        for name in ("id", "of", "when", "severity", "text", "topic", "about", "next", "since")
    }
    return Check(**plain, causes=causes)


def run_checks(
    facts: Mapping[str, Sequence[Record]],
    checks: Checks,
    network: Mapping[str, Mapping[str, Sequence[Record]]] | None = None,
) -> list[Finding]:
    """What the checks find in the records of one device, the worst first, in the order of the table. `network` are the
    records of all devices."""
    found: list[Finding] = []
    for row in checks.rows:
        for record in facts.get(row.of, ()):
            finding = _finding(row, record, facts, network or {})
            if finding is not None and row.of == "log" and row.about == "about":
                # Of several lines about one thing the last one counts.
                found = [one for one in found if (one["check"], one["about"]) != (row.id, finding["about"])]
            if finding is not None and not any(_same(finding, other) for other in found):
                found.append(finding)
    order = {severity: place for place, severity in enumerate(_SEVERITIES)}
    return sorted(found, key=lambda one: order[one["severity"]])


def topics_found(findings: Sequence[Finding]) -> set[str]:
    """The topics in which something is wrong."""
    return {one["topic"] for one in findings if one["severity"] != "info"}


def _same(one: Finding, other: Finding) -> bool:
    return (one["device"], one["text"]) == (other["device"], other["text"])


class _Fields(Mapping[str, Any]):
    """The fields of a record. It remembers whether one of the far end was asked for."""

    def __init__(self, record: Record) -> None:
        self._record, self.far_asked = record, False

    def __getitem__(self, name: str) -> Any:
        self.far_asked = self.far_asked or name.startswith("far_")
        return self._record[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._record)

    def __len__(self) -> int:
        return len(self._record)


def _finding(
    row: Check,
    record: Record,
    facts: Mapping[str, Sequence[Record]],
    network: Mapping[str, Mapping[str, Sequence[Record]]],
) -> Finding | None:
    cited: list[str] = []
    functions = functions_for(record, facts, row.of, network, cited)
    fields = _Fields(record)
    try:
        if not evaluate(row.when, fields, functions):
            return None
        cited.clear()
        cause: Mapping[str, str] = {}
        for one in row.causes:
            found = len(cited)
            if evaluate(one["when"], fields, functions):
                cause = one
                break
            del cited[found:]
    except ValueError as error:
        raise ConfigurationError(f"The check '{row.id}' cannot be evaluated: {error}.") from None
    neighbor = functions["far_end"](record.get("name") or record.get("interface"), "neighbor")
    words = {**record, "far": record.get("far_device") or neighbor or "the far end"}
    far = record.get("far_evidence") if fields.far_asked else None
    made: Finding = {
        "device": str(record.get("device", "")),
        "check": row.id,
        "topic": str(record.get("topic") or row.topic),
        "severity": row.severity,  # type: ignore[typeddict-item]
        "about": _plain(record.get(row.about)) if row.about else "",
        "text": _said(row.text, words),
        "cause": _said(cause.get("text", ""), words),
        "next": _said(cause.get("next") or row.next, words),
        "evidence": list(dict.fromkeys(filter(None, (record.get("evidence"), far, *cited)))),
        "since": str(record[row.since]) if row.since and record.get(row.since) else None,
    }
    return made


class _Words(string.Formatter):
    """Fills a text with fields; what a device says is put in as one short line."""

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return kwargs.get(str(key))

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec == "ago":
            return spoken_duration(value)
        if format_spec == "ahead":
            is_known = isinstance(value, int | float)
            return f"{spoken_duration(abs(value))} {'ahead' if value > 0 else 'behind'}" if is_known else "wrong"
        if format_spec == "after":
            return f", last error: {_plain(value)}" if value else ""
        if format_spec == "because":
            return f" ({_plain(value)})" if value else ""
        return _plain(value)


_WORDS = _Words()


def _said(text: str, words: Mapping[str, Any]) -> str:
    """A text with its fields filled in; the full stop of what a device said is not one of the text's own."""
    said = _WORDS.vformat(text, (), words) if text else ""
    return said if text.endswith(".") else said.removesuffix(".")


def _plain(value: Any) -> str:
    """A value as one line of plain text."""
    if value is None:
        return "unknown"
    if isinstance(value, float) and value == int(value):
        value = int(value)
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    value = plain_moments(str(value))
    line = re.sub(r"\s+", " ", "".join(c if c.isprintable() else " " for c in value)).strip()
    return str(redact(line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"))
