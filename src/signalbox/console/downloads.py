"""Files that a browser may fetch: kept while the page lives, and not more than so many."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["Downloads"]


class Downloads:
    """A folder of its own, which goes when the page goes; the oldest files go first."""

    def __init__(self, most: int = 100) -> None:
        self._folder = TemporaryDirectory(prefix="signalbox-")
        self._files: deque[Path] = deque()
        self._most = most

    def write(self, name: str, text: str) -> str:
        """Keep a text as a file of this name; the path of the file."""
        path = Path(self._folder.name) / name
        path.write_text(text, "utf-8")
        self._files.append(path)
        while len(self._files) > self._most:
            self._files.popleft().unlink(missing_ok=True)
        return str(path)
