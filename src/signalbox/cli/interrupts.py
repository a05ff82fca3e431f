"""Ctrl-C: it ends a run at once, whatever its nodes do."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["stop_at_once"]


@contextmanager
def stop_at_once(thread: str | None = None) -> Iterator[None]:
    """While the block runs, Ctrl-C ends the process without waiting for nodes, which may sleep, loop or catch it.

    Nothing is lost by that: what ended was written down, and files are replaced whole or not at all.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        told = "Stopped."
        if thread:
            told += f" What had ended is kept; go on with: signalbox resume {thread}"
        os.write(2, f"{told}\n".encode(sys.stderr.encoding or "utf-8", "replace"))
        os._exit(130)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
