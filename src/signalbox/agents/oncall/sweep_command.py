"""`signalbox oncall sweep`: one look at every device, with progress, results as they come, and one report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from signalbox.agents.oncall.sweep import SweepReport

__all__ = ["sweep_devices"]


def sweep_devices(
    context: typer.Context,
    patterns: Annotated[
        list[str] | None, typer.Argument(metavar="[device]...", help="Names or patterns; default: all.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="The file for results, one line per device. Devices in it are not read again.")
    ] = None,
    parallel: Annotated[int, typer.Option(min=0, help="How many devices at a time; 0: SIGNALBOX_ONCALL_PARALLEL.")] = 0,
    runs: Annotated[
        int, typer.Option(min=0, help="Let workers read: this many runs at a time, fifty devices each.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="For a program.")] = False,
) -> None:
    """Check every device of the inventory once, no matter how many there are, and report the problems.

    To continue a stopped sweep, run it again with the same --results.
    """
    import asyncio

    try:
        report, place = asyncio.run(_sweep(patterns or [], results, parallel, runs, context.obj))
    except KeyboardInterrupt:
        typer.echo("Stopped. The same command with the same --results goes on.", err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(json.dumps(_as_dict(report, place), ensure_ascii=False))
    else:
        _print_report(report, place)


async def _sweep(
    patterns: list[str], results: Path | None, parallel: int, runs: int, split: Any
) -> tuple[SweepReport, Path]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from signalbox.agents.oncall import AGENT
    from signalbox.agents.oncall.inventory import read_devices
    from signalbox.agents.oncall.sweep import DeviceResult, SweepReport, parts_of, read_results, sweep
    from signalbox.agents.oncall.tools import call_plain, close_tools, current_session

    try:
        session = current_session()
        listed = [one.name for one in read_devices(await call_plain(session, "get_devices"))]
        names = _chosen(listed, patterns)
        place = results or _new_place()
        report, wanted = SweepReport(len(names)), dict.fromkeys(names)
        for result in read_results(place) if place.is_file() else ():
            if result.device in wanted:
                del wanted[result.device]
                report.add(result)
        place.parent.mkdir(parents=True, exist_ok=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with (
            place.open("a", encoding="utf-8") as written,
            Progress(*columns, console=Console(stderr=True), refresh_per_second=2) as progress,
        ):
            task = progress.add_task("devices", total=report.total, completed=report.read)

            def keep(result: DeviceResult) -> None:
                written.write(f"{result.line()}\n")
                if report.read % 50 == 0:
                    written.flush()
                    bad = report.read - report.statuses["ok"]
                    progress.update(task, completed=report.read, description=f"devices, {bad:,} not ok")

            if runs:
                async for part in split(AGENT.asides[0], parts_of(list(wanted)), runs):
                    for told in part["results"]:
                        result = DeviceResult(**told)
                        report.add(result)
                        keep(result)
            else:
                await sweep(session, wanted, report, keep, parallel=parallel)
            progress.update(task, completed=report.read)
        return report, place
    finally:
        await close_tools()


def _chosen(names: list[str], patterns: list[str]) -> list[str]:
    """The devices that the patterns name. Raises NotFoundError, with the nearest, for one that names none."""
    from fnmatch import fnmatchcase

    from signalbox.errors import NotFoundError
    from signalbox.language.names import did_you_mean

    if not patterns:
        return names
    folded = {name: name.casefold() for name in names}
    chosen: dict[str, None] = {}
    for pattern in patterns:
        found = [name for name in names if fnmatchcase(folded[name], pattern.casefold())]
        if not found:
            raise NotFoundError(f"No device is named '{pattern}'.", suggestion=did_you_mean(pattern, names))
        chosen |= dict.fromkeys(found)
    return list(chosen)


def _new_place() -> Path:
    from signalbox.settings import home_folder, now

    return home_folder() / "oncall" / "sweeps" / f"{now():%Y%m%dT%H%M%S%f}.jsonl"


def _as_dict(report: SweepReport, place: Path) -> dict[str, Any]:
    listed = {
        status: [{"device": one.device, "findings": one.findings, "message": one.message} for one in results]
        for status, results in report.listed.items()
    }
    counted = {"statuses": report.statuses, "findings": report.findings, "errors": report.errors}
    return {"total": report.total, "read": report.read, **counted, "listed": listed, "results": str(place)}


def _print_report(report: SweepReport, place: Path) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from signalbox.agents.oncall.sweep import STATUSES

    console = Console()
    counted = ", ".join(f"{report.statuses[one]:,} {one}" for one in STATUSES if report.statuses[one])
    console.print(escape(f"{report.read:,} of {report.total:,} devices: {counted or 'none was read'}"))
    for told, counter in (("found", report.findings), ("not read for", report.errors)):
        if counter:
            console.print(
                escape(f"{told}: " + ", ".join(f"{name} on {count:,}" for name, count in counter.most_common()))
            )
    table = Table("device", "status", "what")
    for status in STATUSES:
        for one in report.listed.get(status, ()):
            what = "; ".join(f"{name}: {text}" for name, text in one.findings.items()) or one.message
            table.add_row(*map(escape, (one.device, status, what)))
    if table.row_count:
        console.print(table)
    left = sum(report.statuses[status] - len(listed) for status, listed in report.listed.items())
    console.print(escape(f"{f'{left:,} more devices, and every' if left else 'Every'} result: {place}"), soft_wrap=True)
