"""The command line. `main` is the program `signalbox`."""

from __future__ import annotations

import atexit
import gc

__all__ = ["main"]

_SELDOM = 300_000
"""New objects after which garbage in circles is looked for. A question at the shell imports and makes fewer."""


def main() -> None:
    """Run the command line; every error that is ours ends as words on stderr and an exit code."""
    # Nearly all that a command makes lives as long as it does. To look through it for garbage time and again, and twice
    # more when the interpreter ends, was a fifth of what a question cost.
    gc.set_threshold(_SELDOM)
    atexit.register(gc.freeze)
    from signalbox.cli.app import run

    run()
