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
        str | None, typer.Option("--skill", help="One skill only: time, filling, tools or metrics.")
    ] = None,
    misses: Annotated[bool, typer.Option("--misses/--no-misses", help="Show what was answered wrong.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure what a model understands: accuracy by skill, and the misses."""
    from signalbox.cli.output import print_json
    from signalbox.evals import run_evals

    report = run_evals(paths or None, models or ["offline"], skill, misses)
    if as_json:
        print_json(report.as_json())
        return
    from rich.console import Console

    report.render(Console())
