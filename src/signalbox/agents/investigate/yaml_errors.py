"""What is wrong in a file that the operator wrote, and where."""

from __future__ import annotations

__all__ = ["told_error"]


def told_error(error: Exception, lines_before: int = 0) -> str:
    """The line and what is wrong there; `lines_before` are those of the file before the part that was read as YAML."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is not text in UTF-8, from byte {error.start} on"
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "strerror", None) or "it is no YAML"
    return f"line {mark.line + 1 + lines_before}: {what}" if mark else what
