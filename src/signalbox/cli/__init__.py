"""The command line. `main` is the program `signalbox`."""

from __future__ import annotations

import atexit
import gc

__all__ = ["main"]

_SELDOM = 300_000
"""How many new objects trigger a garbage collection. One question on the command line creates fewer."""


def main() -> None:
    """Run the command line. Errors are printed on stderr and end with an exit code."""
    # Nearly everything that a command creates lives until it ends. Collecting garbage again and again, and twice more
    # at exit, was a fifth of the cost of a question.
    gc.set_threshold(_SELDOM)
    atexit.register(gc.freeze)
    from signalbox.cli.app import run

    run()
