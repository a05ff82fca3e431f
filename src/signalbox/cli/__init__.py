"""The command line. `main` is the program `signalbox`."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line; every error that is ours ends as words on stderr and an exit code."""
    from signalbox.cli.app import run

    run()
