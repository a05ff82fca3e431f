"""Write the parts of the documentation that come from the code: the command line and the settings.

python docs/reference.py            writes docs/cli.md, docs/settings.md and .env.example
python docs/reference.py --check    exits with 1 if they are not up to date
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from signalbox.cli.app import make_app
from signalbox.settings import Settings

HERE = Path(__file__).parent
_DEFAULTS = {
    "home": "the user's data folder",
    "model_prices": "`{}`",
    **dict.fromkeys(("allowed_hosts", "cors_origins", "webhook_hosts"), "none"),
}
_LIVE_SYSTEMS = {
    "GRAFANA_URL": "http://localhost:3000",
    "GRAFANA_TOKEN": "",
    "PROMETHEUS_URL": "http://localhost:9090",
    "NETWORK_INVENTORY": "inventory.json",
    "GNMI_USERNAME": "",
    "GNMI_PASSWORD": "",
    "UPGRADE_URL": "http://localhost:3030",
    "UPGRADE_TOKEN": "",
    "OPENAI_API_KEY": "",
    "ANTHROPIC_API_KEY": "",
    "GOOGLE_API_KEY": "",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "",
}
NOTE = "<!-- Generated from the code by docs/reference.py; run `make docs` to update it. -->"


def main() -> int:
    """Write the pages, or report which are out of date."""
    pages = {
        HERE / "cli.md": command_line(),
        HERE / "settings.md": settings(),
        HERE.parent / ".env.example": env_example(),
    }
    stale = [path for path, text in pages.items() if not path.is_file() or path.read_text("utf-8") != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(HERE.parent)} is out of date; run: make docs")
        return 1 if stale else 0
    for path, text in pages.items():
        path.write_text(text, "utf-8")
    return 0


def command_line() -> str:
    """Every command's help."""
    intro = (
        "Exit codes: 0 completed, 1 error, 2 wrong usage, 3 needs input. `--json` prints JSON for programs, also for\n"
        "errors ([which keys are stable](json.md)). Shell completion: `signalbox --install-completion`."
    )
    parts = [f"# The command line\n\n{NOTE}\n\n{intro}\n"]
    parts += [
        f"## {name}\n\n```text\n{text}\n```\n"
        for name, text in _commands(typer.main.get_command(make_app()), "signalbox")
    ]
    return "\n".join(parts)


def _commands(command: Any, name: str, parent: Any = None) -> Iterator[tuple[str, str]]:
    context = command.make_context(
        name, [], parent=parent, resilient_parsing=True, terminal_width=100, max_content_width=100
    )
    yield context.command_path, command.get_help(context).rstrip()
    for child_name in getattr(command, "commands", {}):
        yield from _commands(command.commands[child_name], child_name, context)


def settings() -> str:
    """Every setting with its default and meaning."""
    rows = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = _DEFAULTS.get(name) or ("" if field.default in (None, "") else f"`{field.default}`")
        rows.append(f"| `SIGNALBOX_{name.upper()}` | {default} | {field.description} |")
    intro = """\
Settings are environment variables. They can also be set in a `.env` file in the working folder, or in a config file:
`config.toml` in your config folder, or the file named by `SIGNALBOX_CONFIG`. The environment takes precedence over
`.env`, and `.env` over the config file; empty variables are ignored. Addresses and keys of live systems and model
providers can be set in all three places; [.env.example](../.env.example) lists them. `signalbox config` shows what is
set, and where.

```toml
tz = "Europe/Berlin"          # the settings below, in lower case and without SIGNALBOX_
model = "ollama/qwen3"

[environment]                 # variables that the clients of live systems read
PROMETHEUS_URL = "http://prometheus:9090"
```

If the file has tokens, keys or passwords under `[environment]`, only you may be able to read it (`chmod 600`)."""
    return "\n".join([f"# Settings\n\n{NOTE}\n\n{intro}\n", *rows, ""])


def env_example() -> str:
    """A `.env` file with every setting commented out."""
    lines = [
        "# Copy to .env and uncomment what you need. Generated from the code by docs/reference.py.",
        "",
        "# Live systems",
        "",
    ]
    lines += [f"# {name}={value}" for name, value in _LIVE_SYSTEMS.items()]
    lines += ["", "# Settings (docs/settings.md)"]
    for name, field in Settings.model_fields.items():
        default = "" if name in _DEFAULTS or field.default is None else field.default
        lines += ["", *textwrap.wrap(f"# {field.description}", 100, subsequent_indent="# ")]
        lines.append(f"# SIGNALBOX_{name.upper()}={default}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
