"""What a tool gave back, as records: JSON, a list in plain text, a table; each record with its fields and its words."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any

__all__ = ["Record", "parse_data", "records_in"]

_MOST = 500
_BULLET = re.compile(r"^\s*(?:(?P<number>\d{1,6})[.):]\s+|[-*•–]\s+|(?=\[\w+\]|#\d))(?P<rest>\S.*)$")
_PAIR = re.compile(
    r"(?<![\w])(?P<key>[A-Za-z][\w ]{0,24}?)\s*[:=]\s*(?P<value>\"[^\"]*\"|[^\s,;|()\[\]]+(?: [^\s,;:|"
    r"()\[\]=]+(?![:=\w]))*)"
)
_ID = re.compile(
    r"^\s*\[(?P<a>[\w-]+)\]|(?<!\w)#(?P<b>\w+)|\(?\bid\b\s*[:=#]?\s*(?P<c>[\w-]*\d[\w-]*)\)?|"
    r"^(?P<d>[A-Z]{1,6}-\d+)\b",
    re.IGNORECASE,
)
_CHECK = re.compile(r"^\[[ xX✓]?\]\s*")


@dataclass(frozen=True)
class Record:
    """One thing in a result: its fields, and its place and words as a person would see them."""

    fields: dict[str, Any]
    text: str
    number: int | None = None


def parse_data(text: str) -> Any:
    """The JSON (or Python literal) that a text is; None when it is neither."""
    text = text.strip()
    fenced = re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL)
    text = fenced.group(1) if fenced else text
    if not text or text[0] not in "[{":
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > 50_000:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def records_in(text: str) -> list[Record]:
    """The records of a result, in order; a single thing is one record; prose has none."""
    data = parse_data(text)
    if data is not None:
        return [_record(item) for item in _items(data)[:_MOST]]
    return (_table(text) or _lines(text))[:_MOST]


def _items(data: Any, depth: int = 0) -> list[Any]:
    if isinstance(data, list | tuple):
        return list(data)
    if isinstance(data, dict):
        lists = [value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        if len(lists) == 1:
            return list(lists[0])
        inner = [value for value in data.values() if isinstance(value, dict)]
        if len(inner) == 1 and depth < 3 and not {"id", "name", "title"} & set(data):
            return _items(inner[0], depth + 1)
        return [data]
    return [data]


def _record(item: Any) -> Record:
    if isinstance(item, dict):
        return Record({str(key): value for key, value in item.items()}, _words_of(item))
    return Record({"value": item}, str(item))


def _words_of(item: dict[Any, Any]) -> str:
    parts = []
    for key, value in item.items():
        if isinstance(value, bool):
            parts.append(str(key) if value else "")
        elif isinstance(value, dict):
            parts.append(_words_of(value))
        elif isinstance(value, list | tuple):
            parts.append(" ".join(str(one) for one in value))
        elif value is not None:
            parts.append(str(value))
    return " ".join(part for part in parts if part)


def _lines(text: str) -> list[Record]:
    found = []
    for line in text.splitlines():
        match = _BULLET.match(line)
        if match:
            number = int(match["number"]) if match["number"] else None
            found.append(_line_record(match["rest"], number))
    if not found:
        found = _coded_lines(text)
    if not found and "\n" not in text.strip() and (_ID.search(text) or _PAIR.search(text)) and len(text) < 400:
        found = [_line_record(text.strip(), None)]
    return found


def _coded_lines(text: str) -> list[Record]:
    """Lines that each begin with a code of their own are records, without bullets too."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    codes = [re.match(r"(?P<id>(?=\S*\d)[\w.#-]+)[\s:,|-]+(?P<rest>\S.*)$", line) for line in lines]
    coded = [code for code in codes if code]
    if len(coded) < 2 or len(coded) < len(lines) - 1 or len({code["id"] for code in coded}) < len(coded):
        return []
    return [Record({"id": code["id"].strip("#:"), "title": code["rest"]}, code.group()) for code in coded]


def _line_record(line: str, number: int | None) -> Record:
    line = _CHECK.sub("", line)
    fields: dict[str, Any] = {match["key"].strip(): match["value"].strip(' "') for match in _PAIR.finditer(line)}
    found = _ID.search(line)
    if found and not any(key.lower().endswith("id") for key in fields):
        fields["id"] = next(group for group in found.groups() if group)
    title = _ID.sub("", line).strip(" :-–—()")
    title = re.split(r"\s+[(|–—]\s*|\s+-\s+|\s*\(|[,;|]", title, maxsplit=1)[0].strip()
    if title:
        fields.setdefault("title", title)
    return Record(fields, line, number)


def _table(text: str) -> list[Record]:
    rows = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
    if len(rows) < 3 or not re.fullmatch(r"[|\s:-]+", rows[1]):
        return []
    split = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [_record(dict(zip(split[0], cells, strict=False))) for cells in split[2:]]
