"""`signalbox db`: the database tables, and whether they match this version."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["db"]

db = typer.Typer(help="Show or upgrade the database tables.", no_args_is_help=True, rich_markup_mode=None)


@db.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show which tables exist and whether they are current, without changing anything. Exits with 1 if not."""
    from dataclasses import asdict

    from signalbox.cli.output import print_json
    from signalbox.runs.tables import list_tables

    found = list_tables()
    if as_json:
        print_json([{**asdict(one), "is_current": one.is_current} for one in found])
    else:
        for one in found:
            print(f"{one.name}: {one.told} ({one.place})")
    raise typer.Exit(0 if all(one.is_current for one in found) else 1)


@db.command()
def upgrade() -> None:
    """Create the tables, or bring them up to date. Safe to run from several processes at once."""
    from signalbox.runs.tables import list_tables, upgrade_tables

    before = {one.name: one for one in list_tables()}
    upgrade_tables()
    for one in list_tables():
        was = before[one.name]
        print(f"{one.name}: {one.told}" + ("" if was.is_current else f", was {was.version or 'missing'}"))
