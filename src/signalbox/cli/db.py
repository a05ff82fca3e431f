"""`signalbox db`: the tables of the database, and whether they are those of this version."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["db"]

db = typer.Typer(help="See or upgrade the tables of the database.", no_args_is_help=True, rich_markup_mode=None)


@db.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say which tables are there, and whether they are current. Nothing is changed. Exit 1 if they are not."""
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
    """Make the tables, or bring them up to date. Several processes may do so at once: one of them does it."""
    from signalbox.runs.tables import list_tables, upgrade_tables

    before = {one.name: one for one in list_tables()}
    upgrade_tables()
    for one in list_tables():
        was = before[one.name]
        print(f"{one.name}: {one.told}" + ("" if was.is_current else f", was {was.version or 'not there'}"))
