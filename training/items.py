"""Sentences with their readings as items to learn from: labels, and which of them hold, or where their words stand.

A value that cannot be found in its sentence teaches nothing and is left out.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from signalbox.language.quantities import find_quantities, unit_of
from signalbox.language.time.stretches import is_time_word
from signalbox.models.offline.fields import Field, read_fields
from signalbox.models.offline.fill import OF_THE_READER
from signalbox.models.offline.labels import REQUESTS, Block, field_blocks, tool_block
from signalbox.models.offline.requests import after, parts_of
from signalbox.models.offline.values import Moment, as_number, text_value, time_value
from training.conversions import converted
from training.joined import joined_cases

__all__ = ["items_of", "make_items", "read_sets", "schemas_of"]

Item = dict[str, Any]
LAST_ROUND = 16
AGENTS = ("routing", "oncall", "symptoms", "experiments", "tasks", "metrics", "metrics_names", "metrics_made")
"""The files of agents: their sets are few and large."""
WEIGHTS = {
    "evals/filling": 3.0, "filling": 3.0, "tools": 1.5, "routing": 3.0, "oncall": 2.0, "symptoms": 4.0,
    "tasks": 1.2, "experiments": 2.0, "metrics": 2.0, "metrics_names": 2.0, "metrics_made": 0.3, "converted": 0.3,
}  # fmt: skip
"""How often a file's sentences are seen in an epoch; one that is not named here, once."""
GOING_ON = {
    "evals/filling": 0.2, "filling": 0.15, "evals/tools": 0.2, "tools": 0.22, "routing": 0.2, "oncall": 0.45,
    "symptoms": 1.2, "tasks": 0.05, "experiments": 0.12, "metrics": 0.06, "metrics_names": 0.1,
    "metrics_made": 0.03, "converted": 0.05, "new": 5.0,
}  # fmt: skip
"""The same where the first weights are those that ship. A set whose header says `"new": true` has not been learned by
them and is seen so many times as often."""
_KEPT = 20
"""One set in so many is kept out of learning, and one sentence in so many of an agent's: they calibrate."""


def make_items(root: Path, weights: Mapping[str, float]) -> tuple[list[Item], list[str]]:
    """Every sentence that teaches, as items, each with how often it is seen; and a line for each file on its yield."""
    items: list[Item] = []
    told = []
    schemas: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []
    for path in [*(root / "evals" / f"{skill}.jsonl" for skill in ("filling", "tools")), *_files(root)]:
        old = path.parent.name == "evals"
        cases = [one for one in read_sets(path) if not old or one[0].get("round", 0) <= LAST_ROUND]
        weight = weights.get(f"{path.parent.name}/{path.stem}", weights.get(path.stem, 1.0))
        lost: Counter[str] = Counter()
        new = weights.get("new", 1.0)
        made = _weighted(cases, weight, path.stem, lost, new)
        made += _weighted(list(joined_cases(cases, random.Random(1))), weight / 3, path.stem, lost, new)
        items += made
        schemas += cases if path.stem == "filling" else []
        unread = ", ".join(f"{count} of {kind}" for kind, count in lost.most_common()) or "none"
        told.append(f"{path.parent.name}/{path.name}: {len(cases)} cases, {len(made)} items; not found: {unread}")
    items += _weighted(list(converted(schemas, random.Random(2))), weights["converted"], "converted", Counter())
    return items, told


def _files(root: Path) -> list[Path]:
    return sorted((root / "training").glob("*.jsonl"))


def _weighted(
    cases: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], weight: float, file: str, lost: Counter[str],
    new: float = 1.0,
) -> list[Item]:  # fmt: skip
    made = []
    for header, case in cases:
        # Of an agent's sets sentences are kept out, elsewhere whole sets.
        name = json.dumps(case, sort_keys=True) if file in AGENTS else f"{header['set']} {header.get('round', 0)}"
        kept = zlib.crc32(name.encode()) % (_KEPT // 2 if name.startswith("tools/") else _KEPT) == 0
        for item in items_of(header, case, lost):
            seen = weight * (new if header.get("new") else 1.0)
            made.append({**item, "weight": seen, "file": file} | ({"kept": True} if kept else {}))
    return made


@dataclass(frozen=True)
class Said:
    """A request: its words, the turn before in few words, everything that was said and shown before, and when."""

    text: str
    context: str
    before: str
    moment: Moment
    lost: Counter[str]


_IGNORED = object()
_REFERS = re.compile(
    r"\b(?:the|that|this) (?:[\w-]+ ){1,3}ones?\b|\b(?:that|this|the other|the last) one\b"
    r"|\b(?:the|number) (?:first|second|third|fourth|fifth|last|other|latter|former)\b"
    r"|\b(?:it|them|that|this|both|those)\b",
    re.IGNORECASE,
)
"""Words that refer to something shown before: which of them mean a value is only asked where it was shown."""
_LONGEST_TIME = 7


def items_of(header: Mapping[str, Any], case: Mapping[str, Any], lost: Counter[str] | None = None) -> Iterator[Item]:
    """The items of one case: one for a schema; for tools which are called, and the arguments of each.

    Values that are not found in their sentence are counted in `lost`, by their kind.
    """
    zone = ZoneInfo(str(header["tz"]))
    now = datetime.fromisoformat(str(header["now"]))
    moment = Moment(now if now.tzinfo else now.replace(tzinfo=zone), zone)
    messages = case.get("messages") or [{"role": "human", "content": case.get("text", "")}]
    text = str(messages[-1].get("content") or "")
    if messages[-1]["role"] != "human" or not text.strip() or "any_of" in case:
        return
    before = json.dumps(messages[:-1], ensure_ascii=False).casefold()
    said = Said(text, context_of(messages[:-1]), before, moment, Counter() if lost is None else lost)
    if header["skill"] == "filling":
        for schema in schemas_of(header, case):
            yield from _filling(schema, case, said)
    elif header["skill"] == "tools":
        yield from _calling(header["tools"], case, said)


def schemas_of(header: Mapping[str, Any], case: Mapping[str, Any]) -> Sequence[Any]:
    """The schema of a set; where an agent makes one for each request, those that its function `schemas` gives."""
    if "schemas" not in header:
        return [header["schema"]]
    module, _, name = str(header["schemas"]).partition(":")
    made: Sequence[Any] = getattr(import_module(module), name)(header, case)
    return made


def _filling(schema: Any, case: Mapping[str, Any], said: Said) -> Iterator[Item]:
    fields = read_fields(schema)
    if "missing" in case and "expected" not in case:
        fields = tuple(field for field in fields if ".".join(field.path) in case["missing"])
        expected: Mapping[str, Any] = {}
    else:
        expected = case.get("expected") or {}
    yield from _item(fields, expected, case.get("said") or {}, said)


def _calling(tools: Sequence[Mapping[str, Any]], case: Mapping[str, Any], said: Said) -> Iterator[Item]:
    calls = case.get("expected") or []
    names = {call["name"] for call in calls}
    if case.get("ask"):
        asked = {str(name) for name in case["ask"]}
        able = [tool["name"] for tool in tools if asked <= set((tool.get("parameters") or {}).get("required") or ())]
        if len(able) != 1:
            return
        names = set(able)
    elif not calls and not case.get("none"):
        return
    fields = {str(tool["name"]): read_fields(tool.get("parameters") or {}) for tool in tools}
    stretches = _stretches(fields, calls, case.get("parts") or [], said)
    blocks: list[tuple[Block, Any]] = [(tool_block(tools), [float(tool["name"] in names) for tool in tools])]
    if stretches is not None and not case.get("ask"):
        blocks.append((REQUESTS, stretches))
    yield _packed(said, blocks)
    for call in calls:
        # Beside another one of its kind a call is only read in its part.
        if [one["name"] for one in calls].count(call["name"]) == 1 and "parts" not in case:
            yield from _item(fields[call["name"]], call.get("args") or {}, call.get("said") or {}, said)
    if stretches and len(calls) > 1:
        yield from _apart(tools, fields, calls, stretches, said)


def _stretches(
    fields: Mapping[str, Sequence[Field]], calls: Sequence[Mapping[str, Any]], parts: Sequence[str], said: Said
) -> list[list[int]] | None:
    """For each call the stretch of the text that holds all that is said of it alone; None where that is not known."""
    values = [_value_spans(fields.get(call["name"], ()), call, said) for call in calls]
    stretches = []
    for place, mine in enumerate(values):
        others = [span for at, spans in enumerate(values) if at != place for span in spans]
        own = [span for span in mine if span not in others]
        if not own and (len(calls) == 1 or parts):
            own = [_text_span(parts[place], said.text) or [0, 0]] if parts else [[0, len(said.text)]]
        if not own:
            return None
        stretches.append([min(span[0] for span in own), max(span[1] for span in own)])
    ordered = sorted(stretches)
    return stretches if all(one[1] <= other[0] for one, other in pairwise(ordered)) else None


def _value_spans(fields: Iterable[Field], call: Mapping[str, Any], said: Said) -> list[list[int]]:
    """Where the values of a call stand in the text, as far as they do."""
    args, referring = call.get("args") or {}, call.get("said") or {}
    spans = [_text_span(str(words), said.text) for words in referring.values()]
    for field in fields:
        value = args.get(field.name)
        if field.name not in referring and value is not None and not isinstance(value, Mapping):
            given = value if isinstance(value, list) else [value]
            spans += [_span(field, one, said) for one in given if field.kind in ("text", "number", "time")]
    return [span for span in spans if span]


def _apart(
    tools: Sequence[Mapping[str, Any]], fields: Mapping[str, Sequence[Field]], calls: Sequence[Mapping[str, Any]],
    stretches: Sequence[Sequence[int]], said: Said,
) -> Iterator[Item]:  # fmt: skip
    """Each call of several by itself, in its part of the text: which tool it is, with what was said before it."""
    order = sorted(range(len(calls)), key=lambda place: stretches[place])
    for (part, before), place in zip(parts_of(said.text, [stretches[one] for one in order]), order, strict=True):
        call = calls[place]
        alone = replace(said, text=part, context=after(before, said.context))
        yield _packed(alone, [(tool_block(tools), [float(tool["name"] == call["name"]) for tool in tools])])
        yield from _item(fields[call["name"]], call.get("args") or {}, call.get("said") or {}, replace(said, text=part))


def _item(
    fields: Iterable[Field], expected: Mapping[str, Any], referring: Mapping[str, Any], said: Said
) -> Iterator[Item]:
    packed: list[tuple[Block, Any]] = []
    for field in fields:
        if field.name in OF_THE_READER:
            continue
        wanted = _at(expected, field.path)
        for block in field_blocks([field], has_history=bool(said.context)):
            gold = _gold(block, field, wanted, referring.get(field.name), said)
            if gold is not _IGNORED:
                packed.append((block, gold))
            elif not block.key.endswith("?past"):
                said.lost[field.kind] += 1
    if packed:
        yield _packed(said, packed)


def _packed(said: Said, blocks: Iterable[tuple[Block, Any]]) -> Item:
    return {
        "text": said.text,
        "context": said.context,
        "blocks": [{"kind": block.kind, "labels": list(block.labels), "gold": gold} for block, gold in blocks],
    }


def _at(expected: Any, path: Sequence[str]) -> Any:
    for part in path:
        if not isinstance(expected, Mapping):
            return None
        expected = expected.get(part)
    return expected


def _alternatives(wanted: Any) -> list[Any]:
    return list(wanted["any_of"]) if isinstance(wanted, Mapping) and set(wanted) == {"any_of"} else [wanted]


def _gold(block: Block, field: Field, wanted: Any, referring: Any, said: Said) -> Any:
    """What holds of a block; `_IGNORED` where the case does not tell."""
    alternatives = _alternatives(wanted)
    if block.key.endswith("?before"):
        return float(referring is not None or (wanted is not None and _only_before(wanted, said)))
    if block.key.endswith("?past"):
        return _in_past(field, alternatives, said)
    if block.kind == "several":
        listed = {str(value) for one in alternatives if isinstance(one, list) for value in one}
        return [float(str(value) in listed) for value, _ in field.options]
    if block.kind == "group":
        return _group_gold(field, alternatives, referring)
    if field.kind == "object":
        return _anchor_gold(field, alternatives[0], said.text)
    if field.many:
        spans = [_span(field, one, said) for one in alternatives[0] or ()]
        return _IGNORED if any(span is None for span in spans) else spans
    if referring is not None:
        span = _text_span(str(referring), said.text)
        return [span] if span else _IGNORED
    if None in alternatives or wanted in ("", []):
        return []
    spans = [span for one in alternatives if (span := _span(field, one, said))]
    if not spans and said.context and _only_before(wanted, said):
        spans = [list(found.span()) for found in [_REFERS.search(said.text)] if found]
    return spans[:1] or _IGNORED


def _group_gold(field: Field, alternatives: Sequence[Any], referring: Any) -> Any:
    if referring is not None:
        return [0]
    if field.kind == "flag":
        return [{True: 1, False: 2}.get(one, 0) for one in alternatives]
    places = {str(value): place for place, (value, _) in enumerate(field.options, start=1)}
    found = [0 if one is None else places.get(str(one), -1) for one in alternatives]
    return [place for place in found if place >= 0] or _IGNORED


def _anchor_gold(field: Field, wanted: Any, text: str) -> Any:
    part = next((part for part in field.parts if part.kind in ("text", "number")), None)
    if part is None or not isinstance(wanted, list | None):
        return _IGNORED
    spans = []
    for one in wanted or ():
        value = one.get(part.name) if isinstance(one, Mapping) else None
        span = _text_span(str(value), text) if part.kind == "text" else _number_span(part, value, text)
        if span is None:
            return _IGNORED
        spans.append(span)
    return spans


def _span(field: Field, value: Any, said: Said) -> list[int] | None:
    if value is None:
        return None
    if field.kind == "number":
        return _number_span(field, value, said.text)
    if field.kind == "time":
        found = _time_spans(field, str(value), said)
        return list(found[0][0]) if found else None
    return _text_span(str(value), said.text)


def _text_span(value: str, text: str) -> list[int] | None:
    """Where the value stands in the text, whatever its case, its quotes and its spaces."""
    wanted = [re.escape(word) for word in text_value(value).split()]
    if not wanted:
        return None
    found = re.search(r"(?<!\w)" + r"\s+".join(wanted) + r"(?!\w)", text, re.IGNORECASE)
    if found is None:
        found = re.search(r"\s+".join(wanted), text, re.IGNORECASE)
    return [found.start(), found.end()] if found else None


def _number_span(field: Field, value: Any, text: str) -> list[int] | None:
    if not isinstance(value, int | float):
        return None
    unit = unit_of(field.name, field.about)
    for quantity in find_quantities(text):
        got = as_number(field, quantity, unit)
        if got is not None and abs(got - value) < 1e-6 * max(1, abs(value)):
            return [quantity.start, quantity.end]
    return None


def _in_past(field: Field, alternatives: Sequence[Any], said: Said) -> Any:
    """Whether only a reading in the past gives the value: 1 or 0; ignored where both do or none does."""
    for one in alternatives:
        found = _time_spans(field, str(one), said) if isinstance(one, str) else []
        ways = {past for _, past in found}
        if len(ways) == 1:
            return float(ways.pop())
    return _IGNORED


@lru_cache(maxsize=200_000)
def _parsed(kind: str, words: str, moment: Moment, past: bool) -> str | None:
    return time_value(kind, words, moment, past=past)


def _time_spans(field: Field, value: str, said: Said) -> list[tuple[tuple[int, int], bool]]:
    """The shortest stretches of the text that mean the time, ahead or in the past."""
    tokens = [(found.start(), found.end(), found[0]) for found in re.finditer(r"\S+", said.text)]
    found: list[tuple[tuple[int, int], bool]] = []
    for length in range(1, _LONGEST_TIME + 1):
        for first in range(len(tokens) - length + 1):
            last = first + length - 1
            if not (is_time_word(tokens[first][2]) and is_time_word(tokens[last][2])):
                continue
            start, end = tokens[first][0], tokens[last][1]
            words = said.text[start:end].rstrip(".,;:!?)")
            for past in (False, True):
                if _same_time(_parsed(field.format, words, said.moment, past), value, said.moment):
                    found.append(((start, start + len(words)), past))
        if found:
            break
    return found


def _same_time(got: str | None, value: str, moment: Moment) -> bool:
    if got is None:
        return False
    if got == value or got[:16] == value[:16]:
        return True
    try:
        one, other = datetime.fromisoformat(got), datetime.fromisoformat(value)
    except ValueError:
        return False
    aware = [t if t.tzinfo else t.replace(tzinfo=moment.zone) for t in (one, other)]
    return aware[0] == aware[1]


def _only_before(wanted: Any, said: Said) -> bool:
    """Whether a value was shown before and is not said now."""
    told = str(wanted).casefold()
    return bool(told) and told in said.before and told not in said.text.casefold()


def context_of(messages: Sequence[Mapping[str, Any]]) -> str:
    """The turn before in few words, as the model is given it: what was asked, called, shown and answered."""
    parts: list[str] = []
    for message in reversed(messages):
        told = _told(message)
        if told:
            parts.insert(0, told)
        if message["role"] == "human":
            break
    return " | ".join(parts)[:400]


def _told(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    calls = ", ".join(str(call["name"]).replace("_", " ") for call in message.get("tool_calls") or ())
    return " ".join(part for part in (calls, text.strip()) if part)[:200]


def read_sets(path: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every case of a file with the header of its set."""
    header: dict[str, Any] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            data = json.loads(line)
            if "set" in data:
                header = data
            else:
                yield header, data
