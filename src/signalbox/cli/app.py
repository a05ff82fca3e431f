"""All commands, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from signalbox import __version__
from signalbox.cli.agents import agents
from signalbox.cli.ask import ask, asking
from signalbox.cli.chat import chat
from signalbox.cli.config import config
from signalbox.cli.db import db
from signalbox.cli.doctor import doctor
from signalbox.cli.evals import evaluate
from signalbox.cli.maps import maps
from signalbox.cli.mcp import mcp
from signalbox.cli.output import HarmlessFormatter, print_json, say
from signalbox.cli.run import resume, run_command
from signalbox.cli.runs import runs
from signalbox.cli.serve import serve
from signalbox.cli.token import token
from signalbox.cli.worker import worker
from signalbox.cli.world import world
from signalbox.contract.installed import list_agents
from signalbox.contract.plugins import entry_points
from signalbox.errors import DatabaseError, OperatorError, ProgrammerError, SignalboxError, redact

__all__ = ["make_app", "run"]

_COMMANDS: dict[str, Callable[..., None]] = {
    "ask": ask,
    "chat": chat,
    "run": run_command,
    "resume": resume,
    "agents": agents,
    "config": config,
    "doctor": doctor,
    "eval": evaluate,
    "serve": serve,
    "worker": worker,
    "token": token,
    "mcp": mcp,
}
_GROUPS = {"runs": runs, "db": db, "maps": maps, "world": world}


def make_app(named: str = "") -> typer.Typer:
    """The command line, with only the built-in command that is named, otherwise with all commands. Creating all of them
    takes longer than running many a command."""
    app = typer.Typer(
        name="signalbox",
        help="Plain-language requests, answered with checked work on live systems.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    is_ours = named in _COMMANDS or named in _GROUPS
    for name, command in _COMMANDS.items():
        if not is_ours or name == named:
            app.command(name)(command)
    for name, group in _GROUPS.items():
        if not is_ours or name == named:
            app.add_typer(group, name=name)
    if not is_ours:
        _add_commands(app)
    return app


def _add_commands(app: typer.Typer) -> None:
    """Add the commands of agents, from the entry point group `signalbox.commands`. Broken ones are left out;
    `signalbox agents` says what is wrong with them. If an agent is itself a command, anything that is not one of its
    subcommands is a question."""
    groups: dict[str, typer.Typer] = {}
    for entry in sorted(entry_points(group="signalbox.commands"), key=lambda one: one.name):
        with suppress(Exception):
            groups[entry.name] = entry.load()
    for agent in list_agents():
        if agent.is_command and agent.name in groups:
            groups[agent.name].command("ask", help=f"{agent.about}.")(asking(agent.name))
            app.add_typer(groups.pop(agent.name), name=agent.name, cls=_AskingGroup)
        elif agent.is_command:
            app.command(agent.name, help=f"{agent.about}.")(asking(agent.name))
    for name, group in groups.items():
        app.add_typer(group, name=name)


class _AskingGroup(TyperGroup):
    """A command group in which anything that is not a subcommand is a question."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["ask", *args]
        return super().parse_args(ctx, args)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"signalbox {__version__}")
        raise typer.Exit


def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Log more on stderr; twice for debugging.")
    ] = 0,
) -> None:
    """Plain-language requests, answered with checked work on live systems."""
    from signalbox.settings import file_variables

    context.obj = _split

    for name, (value, _) in file_variables().items():
        if not os.environ.get(name, "").strip():
            os.environ[name] = value
    levels = {0: logging.CRITICAL, 1: logging.INFO}
    log = logging.StreamHandler(sys.stderr)
    log.setFormatter(HarmlessFormatter("%(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[log])
    logging.getLogger("signalbox").setLevel(levels.get(verbose, logging.DEBUG))


def _split(*given: Any) -> Any:
    """Let an agent's command share its work among workers: `signalbox.runs.split`."""
    from signalbox.runs.split import split

    return split(*given)


def run() -> NoReturn:
    """Run the command line and exit: 0 completed, 1 error, 2 wrong usage, 3 needs input."""
    try:
        make_app(sys.argv[1] if len(sys.argv) > 1 else "")()
    except SignalboxError as error:
        _tell(error)
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        say("Stopped.")
        sys.exit(130)
    except OSError as error:
        _tell(OperatorError(f"{error.filename or 'A file'} cannot be used: {error.strerror or error}."))
        sys.exit(1)
    except Exception as error:
        if logging.getLogger("signalbox").isEnabledFor(logging.INFO):
            raise
        told = redact(f"Something went wrong inside Signalbox: {type(error).__name__}: {error}.")
        _tell(ProgrammerError(told, suggestion="Please report it; signalbox -v COMMAND shows the details."))
        sys.exit(1)
    sys.exit(0)


def _tell(error: SignalboxError) -> None:
    """Print the error on stderr, or with --json as an answer on stdout."""
    if "--json" in sys.argv:
        from signalbox.contract.answer import Answer

        findings = [finding.to_dict() for finding in getattr(error, "findings", ())]
        print_json({**Answer.of_error(error).as_dict(), **({"findings": findings} if findings else {})})
        return
    say(f"Error: {error.user_message}")
    if isinstance(error, DatabaseError) and error.details:
        say(str(error.details))
    if error.suggestion:
        say(error.suggestion)
