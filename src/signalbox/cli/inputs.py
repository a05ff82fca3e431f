"""Input to a run: the initial state, and answers to its questions."""

from __future__ import annotations

import json
import os
import select
import sys
from pathlib import Path
from typing import Any

import typer

from signalbox.cli.output import harmless, say

__all__ = ["ask_person", "parse_state", "parse_value", "read_question"]


def parse_state(text: str | None, pairs: list[str]) -> dict[str, Any]:
    """The initial state: a JSON object, or `@file` with one, updated with `key=value` pairs."""
    state: Any = {}
    if text:
        raw = _read(Path(text[1:])) if text.startswith("@") else text
        try:
            state = json.loads(raw)
        except ValueError as error:
            raise typer.BadParameter(f"not valid JSON: {error}", param_hint="--state") from None
        if not isinstance(state, dict):
            raise typer.BadParameter('it must be a JSON object, such as {"name": "Ann"}', param_hint="--state")
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator or not key.strip():
            raise typer.BadParameter(f"'{pair}' does not have the form key=value", param_hint="--set")
        state[key.strip()] = parse_value(value)
    return dict(state)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} cannot be read: {error}", param_hint="--state") from None


def parse_value(text: str) -> Any:
    """A typed value: parsed if it is JSON, otherwise the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def read_question(given: str | None) -> str:
    """The question as given; if it is "-", or missing while something is piped in, it is read from standard input."""
    if given is not None and given != "-":
        return given
    piped = sys.stdin is not None and not sys.stdin.closed and (given == "-" or not sys.stdin.isatty())
    read = sys.stdin.read().strip() if piped else ""
    if not read:
        raise typer.BadParameter("missing: add your question after the command, or pipe it in", param_hint="QUESTION")
    return read


def ask_person(question: dict[str, Any]) -> Any:
    """The person's answer, or None if nobody can be asked.

    On a terminal, the question is asked. Otherwise, a line already available on standard input is the answer.
    """
    if sys.stdin is None or sys.stdin.closed:
        return None
    if sys.stdin.isatty():
        options = question.get("options") or []
        for number, option in enumerate(options, 1):
            say(f"  {number}. {option}")
        print(harmless(str(question.get("message", ""))).rstrip() + " ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        return _option(line.rstrip("\r\n"), options) if line else None
    try:
        return _waiting_line(sys.stdin.fileno())
    except (OSError, ValueError):
        return None


def _option(line: str, options: list[Any]) -> Any:
    """The option with that number in the list; otherwise the text as typed."""
    said = line.strip()
    if said in map(str, options) or not said.isdecimal() or not 1 <= int(said) <= len(options):
        return line
    return str(options[int(said) - 1])


def _waiting_line(descriptor: int) -> str | None:
    """A line that is already available. It is read byte by byte, to leave the following lines for later questions."""
    line = bytearray()
    while True:
        ready, _, _ = select.select([descriptor], [], [], 0)
        byte = os.read(descriptor, 1) if ready else b""
        if not byte or byte == b"\n":
            text = line.decode("utf-8", "replace").rstrip("\r")
            return text if line or byte else None
        line += byte
