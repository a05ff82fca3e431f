"""`signalbox config`: every setting, its value, and where it comes from."""

from __future__ import annotations

import os
import re
from typing import Annotated, Any

import typer

__all__ = ["config"]

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+(?=@)")


def config(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    all_settings: Annotated[
        bool, typer.Option("--all", help="Include settings that have their default value.")
    ] = False,
) -> None:
    """Show the settings and where each comes from: the environment, a .env file or the config file.

    Secrets are not shown.
    """
    from signalbox.cli.output import print_json, show
    from signalbox.settings import Settings, config_file, file_variables, get_settings, setting_origins

    settings, origins, origin = get_settings(), setting_origins(), str(config_file())
    rows = [
        {"setting": f"SIGNALBOX_{name.upper()}", "value": _shown(name, getattr(settings, name)), "from": origins[name]}
        for name in Settings.model_fields
        if all_settings or as_json or origins[name]
    ]
    for name, (value, file) in file_variables().items():
        used = os.environ.get(name, value)
        # A .env file may also contain values for other programs, so they are not shown.
        shown = _shown(name, used) if file == origin else "set"
        rows.append({"setting": name, "value": shown, "from": file if used == value else "environment"})
    if as_json:
        print_json({"config_file": origin, "is_there": config_file().is_file(), "settings": rows})
        return
    width = max((len(row["setting"]) for row in rows), default=0)
    for row in rows:
        show(f"{row['setting']:<{width}}  {row['value']}  ({row['from'] or 'default'})")
    if not rows:
        show("Nothing is set; all settings have their defaults.")
    there = "" if config_file().is_file() else " (does not exist)"
    show(f"Config file: {config_file()}{there}. --all includes the defaults.")


def _shown(name: str, value: Any) -> str:
    from signalbox.settings import SECRET_NAME

    if value is None or value == "":
        return "-"
    return "***" if SECRET_NAME.search(name) else _CREDENTIALS.sub("***", str(value))
