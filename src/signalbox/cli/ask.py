"""`signalbox ask`: a question in plain language, answered by an agent."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signalbox.cli.run import AsJson, Model, Verbose
from signalbox.errors import redact

if TYPE_CHECKING:
    from signalbox.cli.output import Progress
    from signalbox.contract import NodeEvent
    from signalbox.contract.answer import Answer
    from signalbox.toolbox import Call

__all__ = ["ask", "asking"]


def _chart_file(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in (".html", ".htm", ".png", ".svg"):
        raise typer.BadParameter("the name must end in .html, .png or .svg")
    return path


def ask(
    question: Annotated[
        str | None, typer.Argument(help="Your question; with - or a pipe it is read from stdin.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="The agent to ask; signalbox agents lists them.")
    ] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", help="Continue the conversation with this name, or start it.")
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option("--chart", metavar="FILE.html|.png|.svg", callback=_chart_file, help="Write the chart to a file."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan without contacting a live system.")] = False,
    on_live: Annotated[
        bool, typer.Option("--on-live", help="Test the live experiment instead of a copy; asks for confirmation.")
    ] = False,
    show_prompts: Annotated[
        bool,
        typer.Option("--show-prompts", help="Print what was sent to models, on stderr or as `prompts` with --json."),
    ] = False,
    model: Model = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Ask a question in plain language. Without --agent, the front door picks the agent.

    With no live system configured, the embedded demonstration answers. Once one is configured, only live systems
    answer, unless --agent names an agent. Exit codes: 0 answered, 1 error, 2 wrong usage, 3 the agent has a question.
    """
    from signalbox.cli.inputs import read_question
    from signalbox.cli.interrupts import stop_at_once
    from signalbox.cli.output import progress, reserved_stdout
    from signalbox.errors import OperatorError
    from signalbox.runs import default_agent

    if chart is not None and not chart.parent.is_dir():
        # Check this first: an answer takes seconds.
        raise OperatorError(f"{chart} cannot be written: there is no folder {chart.parent}.")
    name, question = agent or default_agent().name, read_question(question)
    # Agents read this option in the words of the request, so that it also works in a conversation.
    question = f"{question} --on-live" if on_live else question
    with reserved_stdout(), stop_at_once(thread), progress(f"Asking {name} …") as line:
        # These imports take a second. By now the progress line shows, Ctrl-C works, and the watcher has been forked.
        from signalbox.cli.answers import end_with
        from signalbox.models import record_prompts
        from signalbox.runs import ask as ask_agent
        from signalbox.toolbox.ledger import hear_calls

        listener = _tell_node if verbose else None
        with record_prompts() as prompts, hear_calls(partial(_tell_step, line)):
            answer = ask_agent(name, question, thread_id=thread, model=model, dry_run=dry_run, listener=listener)
    if chart is not None and answer.status == "completed":
        _write_chart(chart, answer)
    end_with(answer, as_json, verbose, [one.as_dict() for one in prompts] if show_prompts else None)


def asking(name: str) -> Callable[..., None]:
    """A command that asks the agent with this name."""

    def command(
        question: Annotated[
            str | None, typer.Argument(help="Your question; with - or a pipe it is read from stdin.")
        ] = None,
        thread: Annotated[
            str | None, typer.Option("--thread", help="Continue the conversation with this name, or start it.")
        ] = None,
        dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done, without doing it.")] = False,
        model: Model = None,
        as_json: AsJson = False,
        verbose: Verbose = False,
    ) -> None:
        ask(question, name, thread, None, dry_run, model=model, as_json=as_json, verbose=verbose)

    return command


def _tell_node(event: NodeEvent) -> None:
    from signalbox.cli.output import say

    if event.kind == "end":
        say(f"{'✓' if event.success else '✗'} {event.node} ({event.ms or 0:.1f} ms)")


def _tell_step(line: Progress, call: Call, has_ended: bool) -> None:
    from signalbox.contract.installed import default_agent
    from signalbox.drawing.text import printable
    from signalbox.runs.step_words import call_words

    words = printable(call_words(default_agent(), call.tool, redact(call.args)))
    if has_ended:
        line.ended(f"{'✓' if call.ok else '✗'} {words} ({call.ms / 1000:.1f} s)")
    else:
        line.show(f"{words} …")


def _write_chart(path: Path, answer: Answer) -> None:
    from signalbox.cli.answers import answer_words
    from signalbox.cli.output import say
    from signalbox.drawing.figure import chart_of
    from signalbox.drawing.files import write_chart

    figure = chart_of(answer.blocks)
    if figure is None:
        say("The answer has no curve or ranking, so no chart was written.")
        return
    write_chart(path, figure, answer_words(answer))
    say(f"The chart is in {path}.")
