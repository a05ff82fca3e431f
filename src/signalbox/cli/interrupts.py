"""Ctrl-C ends a run within two seconds, whatever its nodes are doing."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["stop_at_once"]

_GRACE = 1.0


@contextmanager
def stop_at_once(thread: str | None = None) -> Iterator[None]:
    """Within this block, Ctrl-C ends the process without waiting for nodes, which may sleep, loop or catch it.

    Nothing is lost: completed nodes are stored, and files are replaced completely or not at all.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        told = "Stopped."
        if thread:
            told += f" Completed steps are stored; continue with: signalbox resume {thread}"
        os.write(2, f"{told}\n".encode(sys.stderr.encoding or "utf-8", "replace"))
        os._exit(130)

    before = signal.signal(signal.SIGINT, stop)
    try:
        with _last_resort():
            yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _last_resort() -> Iterator[None]:
    """A second process that ends this one if the handler above never gets to run.

    A node may be in C code that holds the interpreter, such as a regular expression that takes forever; then no Python
    code runs in any thread. The signal's number is still written to the pipe.
    """
    if not hasattr(os, "fork"):
        yield
        return
    reading, writing = os.pipe()
    watched = os.getpid()
    watcher = os.fork()
    if watcher == 0:
        os.close(writing)
        _watch(reading, watched)
    os.close(reading)
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writing)
        os.waitpid(watcher, 0)


def _watch(reading: int, watched: int) -> None:
    """Wait for Ctrl-C in the watched process, then for its end; stop watching when the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        while number := os.read(reading, 1):
            if number[0] == signal.SIGINT:
                time.sleep(_GRACE)
                if os.getppid() == watched:
                    os.kill(watched, signal.SIGKILL)
    finally:
        os._exit(0)
