"""An answer on a terminal: its blocks, what it leaves out, and where it comes from."""

from __future__ import annotations

import shutil
import sys

from signalbox.contract.answer import Answer
from signalbox.drawing.terminal import draw_blocks
from signalbox.drawing.text import plain_text, printable

__all__ = ["answer_words", "show_answer"]

_WIDEST = 100


def show_answer(answer: Answer) -> str:
    """The whole answer as text for the terminal at hand. Blocks with a text of their own say all that it says."""
    width = min(shutil.get_terminal_size((80, 24)).columns - 1, _WIDEST)
    says_it = any(block.get("type") == "text" for block in answer.blocks)
    parts = [
        "" if says_it else plain_text(answer.answer),
        draw_blocks(answer.blocks, width, unicode=_shows_unicode()),
        "\n".join(answer.notes),
    ]
    return _encodable(printable("\n\n".join(part for part in parts if part)))


def answer_words(answer: Answer) -> str:
    """The answer in plain words, for where Markdown is not shown."""
    return "\n\n".join(part for part in (plain_text(answer.answer), *answer.notes) if part)


def _shows_unicode() -> bool:
    try:
        "⣿█┤└─…→".encode(_encoding())
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _encodable(text: str) -> str:
    return text.encode(_encoding(), "replace").decode(_encoding())


def _encoding() -> str:
    """What stdout takes; it may be closed."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"
