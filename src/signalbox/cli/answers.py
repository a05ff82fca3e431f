"""Answers on a terminal: blocks, what was left out, and the source."""

from __future__ import annotations

import json
import shutil
from typing import Any, NoReturn

import typer

from signalbox.cli.output import encoding, print_json, say, show
from signalbox.contract.answer import Answer
from signalbox.contract.summary import plain
from signalbox.drawing.terminal import draw_blocks
from signalbox.drawing.text import plain_text

__all__ = ["answer_words", "end_with", "print_answer", "show_answer"]

_WIDEST = 100


def show_answer(answer: Answer) -> str:
    """The whole answer as text for this terminal. The answer's own text is left out if a text block, a report, or the
    question that follows says the same."""
    width = min(shutil.get_terminal_size((80, 24)).columns - 1, _WIDEST)
    is_asked = answer.question is not None and answer.answer == answer.question.get("message")
    says_it = is_asked or any(block.get("type") in ("text", "report") for block in answer.blocks)
    parts = [
        "" if says_it else plain_text(answer.answer),
        draw_blocks(answer.blocks, width, unicode=_shows_unicode()),
        "\n".join(answer.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def end_with(answer: Answer, as_json: bool, verbose: bool, prompts: list[dict[str, Any]] | None = None) -> NoReturn:
    """Print the answer, and the prompts if wanted; end the command with the answer's exit code."""
    if as_json:
        print_json({**answer.as_dict(), **({"prompts": prompts} if prompts is not None else {})})
        raise typer.Exit(answer.exit_code)
    if prompts is not None:
        _say_prompts(prompts)
    if verbose:
        for call in answer.evidence:
            mark = "✓" if call["ok"] else "✗"
            say(f"{mark} {call['id']} {call['tool']} ({call['ms']:.1f} ms) {call['summary']}")
    print_answer(answer)
    if answer.question:
        say(f"Waiting for your answer. Continue with: signalbox resume {answer.thread_id} --value …")
    raise typer.Exit(answer.exit_code)


def _say_prompts(prompts: list[dict[str, Any]]) -> None:
    for number, prompt in enumerate(prompts, 1):
        say(f"── request {number} of {len(prompts)}, to {prompt['model']}")
        for message in prompt["messages"]:
            say(f"{message['role']}: {_as_text(message['content'])}")
            for name in ("tool_calls", "tool_call_id"):
                if name in message:
                    say(f"{name}: {_as_text(message[name])}")
        for name in [name for name in prompt if name not in ("model", "messages")]:
            say(f"{name}: {_as_text(prompt[name])}")
    if not prompts:
        say("No model was called.")


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(plain(value), indent=2, ensure_ascii=False)


def print_answer(answer: Answer) -> None:
    """Print an answer, a question with its options, or an error with what was found before it, and the source."""
    if answer.error:
        if answer.blocks:
            show(show_answer(answer))
        say(f"Error: {answer.error['message']}")
        for line in (answer.error["suggestion"], *(() if answer.blocks else answer.notes)):
            if line:
                say(line)
        return
    if answer.blocks or not answer.question:
        show(show_answer(answer))
    if answer.question:
        show(answer.question.get("message", ""))
        for option in answer.question.get("options") or []:
            show(f"  - {option}")
        if not answer.blocks:
            show("\n".join(answer.notes))


def answer_words(answer: Answer) -> str:
    """The answer as plain text, for places that do not show Markdown."""
    return "\n\n".join(part for part in (plain_text(answer.answer), *answer.notes) if part)


def _shows_unicode() -> bool:
    try:
        "⣿█┤└─…→".encode(encoding())
    except (UnicodeEncodeError, LookupError):
        return False
    return True
