"""The rows of a CSV text, tidy or not: its delimiter, its comments, and its quotation marks as people write them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from signalbox.errors import MapReadError

__all__ = ["MAX_BYTES", "read_rows"]

MAX_BYTES = 10 * 1024 * 1024
MAX_ROWS = 200_000

Reader = Any  # csv.reader's type has no public name
Tell = Callable[[int, str, str], None]
"""Takes the line of something odd, what it is, and what would be better."""

_BRACKETS = {"{": "}", "[": "]"}
_BLANKS = re.compile(r"[ \t]*")
_QUOTED_CELL = re.compile(r'"(?:[^"]|"")*"?')


def read_rows(text: str, path: Path, tell: Tell) -> Iterator[tuple[int, list[str]]]:
    """The rows that are neither blank nor a comment, each with the line it starts on. Raises MapReadError."""
    reader = _reader(text, tell)
    rows, before = 0, 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _unreadable(path, before + 1, str(error)) from None
        line, before = before + 1, reader.line_num
        if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
            continue
        rows += 1
        if rows > MAX_ROWS:
            raise MapReadError(
                f"{path}:{line}: a map may have at most {MAX_ROWS:,} rows.",
                suggestion="Split it into several files.",
                line=line,
            )
        yield line, cells


def _reader(text: str, tell: Tell) -> Reader:
    """A reader for the text as it is written: by the rules of CSV, or with the habits that break them."""
    delimiter = _delimiter(text)
    csv.field_size_limit(max(csv.field_size_limit(), MAX_BYTES))
    text, first = _quote_objects(text, delimiter)
    if first:
        tell(first, "A cell with commas in brackets has no quotation marks; it is read as one cell.",
             'Put it between quotation marks, and write those inside it twice: "".')  # fmt: skip
    if '\\"' in text and not _is_regular(text, delimiter):
        tell(1, 'Quotation marks inside cells are written \\" in this file.', 'Write them twice: "".')
        return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, escapechar="\\")
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def _delimiter(text: str) -> str:
    """Comma, or what the header uses in its place where it has no comma: semicolon or tab."""
    for line in text.splitlines()[:100]:
        if line.strip() and not line.lstrip().startswith("#"):
            return "," if "," in line else max(";\t,", key=line.count)
    return ","


def _quote_objects(text: str, delimiter: str) -> tuple[str, int]:
    """The text with every bare `{…}` or `[…]` cell quoted that has a delimiter in it, and the line of the first."""
    mark = re.escape(delimiter)
    if not re.search(rf"(?:^|{mark})[ \t]*[{{\[]", text, re.MULTILINE):
        return text, 0
    rest = re.compile(rf"[^{mark}\n]*")
    parts: list[str] = []
    kept = at = first = torn = line_end = 0
    while at < len(text):
        begin, at = at, _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if quoted := _QUOTED_CELL.match(text, at):
            at = quoted.end()
        elif text[at : at + 1] in _BRACKETS and at >= torn:
            if at >= line_end:
                found = text.find("\n", at)
                line_end = found if found >= 0 else len(text)
            end = _object_end(text, at, line_end, delimiter)
            # A bracket that its line never closes is not looked for again there: a file of nothing else stays quick.
            torn = line_end if end < 0 else 0
            if end > 0 and delimiter in text[at:end]:
                parts += [text[kept:begin], '"', text[at:end].replace('"', '""'), '"']
                kept = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
                first = first or text.count("\n", 0, begin) + 1
            at = max(at, end)
        at = rest.match(text, at).end() + 1  # type: ignore[union-attr]
    return "".join([*parts, text[kept:]]), first


def _object_end(text: str, start: int, line_end: int, delimiter: str) -> int:
    """Where the brackets that open a cell close, 0 where the cell goes on behind them, -1 where they never close."""
    expected: list[str] = []
    quote, index = "", start
    while index < line_end:
        char = text[index]
        if quote:
            index += char == "\\"
            quote = "" if char == quote else quote
        elif char == '"' or (char == "'" and not text[index - 1].isalnum()):
            quote = char
        elif char in _BRACKETS:
            expected.append(_BRACKETS[char])
        elif expected and char == expected[-1]:
            expected.pop()
            if not expected:
                after = text[index + 1 : index + 80].lstrip(" \t\r")
                return index + 1 if after[:1] in ("", "\n", delimiter) else 0
        index += 1
    return -1


def _is_regular(text: str, delimiter: str) -> bool:
    """True if the text can be read by the rules of CSV."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error:
        return False
    return True


def _unreadable(path: Path, line: int, why: str) -> MapReadError:
    if "unexpected end" in why:
        return MapReadError(
            f"{path}:{line}: a quotation mark is opened here and never closed.",
            suggestion='Close it, and write a quotation mark inside a cell twice: "".',
            line=line,
        )
    return MapReadError(
        f"{path}:{line}: the row cannot be read: {why}.",
        suggestion='A cell that contains a quotation mark is quoted, and the mark inside is written twice: "".',
        line=line,
    )
