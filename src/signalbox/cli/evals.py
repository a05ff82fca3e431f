"""`signalbox eval`: what a model understands, measured on question sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["evaluate"]


def evaluate(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE|FOLDER]…", help="Sets of your own; default: those in evals/.")
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="A model, as provider/model; twice: compare two.")
    ] = None,
    skill: Annotated[
        str | None, typer.Option("--skill", help="One skill only: time, filling, tools, agent, or an agent's name.")
    ] = None,
    rounds: Annotated[
        list[str] | None, typer.Option("--round", metavar="N|N-M", help="These rounds only; may be repeated.")
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME", help="Sets of this name only; may be repeated.")
    ] = None,
    misses: Annotated[bool, typer.Option("--misses/--no-misses", help="Show what was answered wrong.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure what a model understands: accuracy by skill, and the misses."""
    from signalbox.cli.output import print_json
    from signalbox.evals import run_evals

    chosen = sorted({number for text in rounds or [] for number in _numbers(text)})
    report = run_evals(paths or None, models or ["offline"], skill, misses, chosen, names or [])
    if as_json:
        print_json(report.as_json())
        return
    from rich.console import Console

    report.render(Console())


def _numbers(text: str) -> range:
    """The rounds that `17` or `17-18` means."""
    first, dash, last = text.partition("-")
    try:
        numbers = range(int(first), int(last if dash else first) + 1)
    except ValueError:
        numbers = range(0)
    if not numbers:
        raise typer.BadParameter(f"'{text}' is neither a round such as 17 nor a range such as 17-18.")
    return numbers
