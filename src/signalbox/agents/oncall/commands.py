"""`signalbox oncall …`: what changed on a device since the last run or a named baseline."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from signalbox.agents.oncall.sweep_command import sweep_devices

__all__ = ["app"]

app = typer.Typer(help="Check a whole inventory, and compare what network checks saw.", no_args_is_help=True)
app.command("sweep")(sweep_devices)


@app.command()
def diff(
    device: Annotated[str, typer.Argument(help="The device, by its name in the inventory.")],
    baseline: Annotated[str, typer.Option(help="Compare with this baseline instead of the previous run.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="For a program.")] = False,
) -> None:
    """Show what changed on a device between its last two runs, or since a named baseline."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from signalbox.agents.oncall.history import diff_runs, last_runs, read_baseline
    from signalbox.agents.oncall.spoken import plain_moments, spoken_moment

    runs = last_runs(device, 1 if baseline else 2)
    before, after = read_baseline(device, baseline) if baseline else runs[0], runs[-1]
    rows = diff_runs(before, after)
    if as_json:
        told = [{"name": name, "before": old, "after": new} for name, old, new in rows]
        typer.echo(
            json.dumps({"device": device, "from": before["at"], "to": after["at"], "changes": told}, ensure_ascii=False)
        )
        return
    console = Console()
    changes = f"{len(rows)} change{'' if len(rows) == 1 else 's'}"
    between = f"{spoken_moment(before['at'])} and {spoken_moment(after['at'])}"
    console.print(escape(f"{device}: {changes} between {between}"))
    if rows:
        table = Table("what", "before", "after")
        for name, old, new in rows:
            table.add_row(*(escape("" if one is None else plain_moments(str(one))) for one in (name, old, new)))
        console.print(table)


@app.command()
def baseline(
    device: Annotated[str, typer.Argument(help="The device, by its name in the inventory, or `list`.")],
    name: Annotated[str, typer.Argument(help="A name for what the last run saw.")] = "",
    forget: Annotated[bool, typer.Option(help="Delete the last good state, after planned changes.")] = False,
) -> None:
    """Save what the last run saw on a device under a name, for `diff --baseline`.

    `baseline list` shows the last good states, which checks store automatically for 30 days; `--forget` deletes that of
    a device.
    """
    from signalbox.agents.oncall.history import forget_good, good_devices, name_baseline
    from signalbox.agents.oncall.spoken import spoken_moment

    if device == "list" and not name:
        for kept_of, kinds in good_devices().items():
            seen = ", ".join(f"{kind} {len(told['records'])}" for kind, told in kinds.items())
            typer.echo(f"{kept_of}: good at {spoken_moment(max(told['at'] for told in kinds.values()))} ({seen})")
        return
    if forget:
        typer.echo(f"{device}: {'forgotten' if forget_good(device) else 'no good state was kept'}.")
        return
    kept = name_baseline(device, name)
    typer.echo(f"{device}: the run of {spoken_moment(kept['at'])} is the baseline '{name}'.")


@app.command()
def plans() -> None:
    """List all plans with their steps."""
    from signalbox.agents.oncall.plans import load_plans

    for plan in load_plans().values():
        typer.echo(f"{plan.intent}: {plan.description}")
        for place, step in enumerate(plan.steps, start=1):
            typer.echo(f"  {place}. {step}")
