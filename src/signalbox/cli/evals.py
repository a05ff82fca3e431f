"""`signalbox eval`: measure what a model understands, with evaluation sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["evaluate"]


def evaluate(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE|FOLDER]…", help="Your own sets; default: those in evals/.")
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="A model, as provider/model; give two to compare them.")
    ] = None,
    skill: Annotated[
        str | None,
        typer.Option(
            "--skill", help="Only this skill: time, filling, tools, agent, steps, oracle, or an agent's name."
        ),
    ] = None,
    rounds: Annotated[
        list[str] | None, typer.Option("--round", metavar="N|N-M", help="Only these rounds; repeatable.")
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME", help="Only sets with this name; repeatable.")
    ] = None,
    cases: Annotated[
        list[str] | None, typer.Option("--cases", metavar="ID,ID", help="Only the cases with these ids.")
    ] = None,
    draw: Annotated[
        int | None, typer.Option("--draw", metavar="N", min=1, help="Use a random sample of N cases; see --seed.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed for --draw; the same seed selects the same cases.")] = 0,
    ablate: Annotated[
        str | None,
        typer.Option(
            "--ablate", metavar="AGENT", help="Measure what each layer of an agent's offline/ folder is worth."
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Record the model's replies, or continue a recording."),
    ] = None,
    recorded: Annotated[
        Path | None, typer.Option("--recorded", metavar="FILE", help="Replay a recording without calling a model.")
    ] = None,
    misses: Annotated[bool, typer.Option("--misses/--no-misses", help="Show the cases that were wrong.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure what a model understands: accuracy by skill, and the cases it got wrong."""
    from signalbox.cli.output import print_json
    from signalbox.evals import Ablation, Report, ablate_layers, open_recording, run_evals

    if recorded and (record or models):
        raise typer.BadParameter(
            "--recorded cannot be combined with --record or --model; the recording names its model."
        )
    if record and len(models or []) != 1:
        raise typer.BadParameter("--record needs exactly one --model.")
    if ablate and (record or recorded or skill or len(models or []) > 1):
        raise typer.BadParameter("--ablate takes at most one --model, and no --skill, --record or --recorded.")
    ids = [name for text in cases or [] for name in text.split(",") if name]
    chosen = sorted({number for text in rounds or [] for number in _numbers(text)})
    asked = models or ["offline"]
    choice: Any = {"cases": ids, "draw": draw, "seed": seed}
    report: Report | Ablation
    if ablate:
        report = ablate_layers(ablate, paths or None, asked[0], chosen, names or [], **choice)
    else:
        path = record or recorded
        recording = open_recording(path, asked[0] if record else "") if path else None
        report = run_evals(paths or None, asked, skill, misses, chosen, names or [], **choice, recording=recording)
    if as_json:
        print_json(report.as_json())
        return
    from rich.console import Console

    report.render(Console())


def _numbers(text: str) -> range:
    """The rounds given as `17` or `17-18`."""
    first, dash, last = text.partition("-")
    try:
        numbers = range(int(first), int(last if dash else first) + 1)
    except ValueError:
        numbers = range(0)
    if not numbers:
        raise typer.BadParameter(f"'{text}' is neither a round such as 17 nor a range such as 17-18.")
    return numbers
