"""`signalbox ask`: a question in plain language, answered by an agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signalbox.cli.run import AsJson, Model, Verbose

if TYPE_CHECKING:
    from signalbox.contract import NodeEvent
    from signalbox.contract.answer import Answer

__all__ = ["ask"]


def _chart_file(path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in (".html", ".htm", ".png"):
        raise typer.BadParameter("the name must end in .html or .png")
    return path


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know, in your own words.")],
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="The agent to ask; signalbox agents lists them.")
    ] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", help="Continue the conversation of this name, or begin one.")
    ] = None,
    chart: Annotated[
        Path | None,
        typer.Option("--chart", metavar="FILE.html|FILE.png", callback=_chart_file, help="Write the chart to a file."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and plan the question; ask no live system.")] = False,
    model: Model = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Ask a question in plain language. Without --agent it goes to SIGNALBOX_DEFAULT_AGENT, else to the first one.

    Where no address of a live system is set, the embedded demonstration is asked. Exit: 0 answered, 1 error, 2 wrong
    usage, 3 the agent needs to know something.
    """
    from signalbox.cli.output import print_json, progress, reserved_stdout
    from signalbox.errors import OperatorError
    from signalbox.runs import ask as ask_agent
    from signalbox.runs import default_agent

    if chart is not None and not chart.parent.is_dir():
        # Said before anything is asked: an answer takes seconds.
        raise OperatorError(f"{chart} cannot be written: there is no folder {chart.parent}.")
    name = agent or default_agent().name
    with reserved_stdout(), progress(f"Asking {name} …"):
        answer = ask_agent(
            name, question, thread_id=thread, model=model, dry_run=dry_run, listener=_tell_node if verbose else None
        )
    if chart is not None and answer.status == "completed":
        _write_chart(chart, answer)
    if as_json:
        print_json(answer.as_dict())
    else:
        _show(answer, verbose)
    raise typer.Exit(answer.exit_code)


def _show(answer: Answer, verbose: bool) -> None:
    from signalbox.cli.answers import show_answer
    from signalbox.cli.output import say
    from signalbox.drawing.text import printable

    if verbose:
        for call in answer.evidence:
            mark = "✓" if call["ok"] else "✗"
            say(printable(f"{mark} {call['id']} {call['tool']} ({call['ms']:.1f} ms) {call['summary']}"))
    if answer.error:
        say(printable(f"Error: {answer.error['message']}"))
        if answer.error["suggestion"]:
            say(printable(answer.error["suggestion"]))
    elif answer.question:
        print(printable(str(answer.question.get("message", ""))))
    else:
        print(show_answer(answer))


def _tell_node(event: NodeEvent) -> None:
    from signalbox.cli.output import say

    if event.kind == "end":
        say(f"{'✓' if event.success else '✗'} {event.node} ({event.ms or 0:.1f} ms)")


def _write_chart(path: Path, answer: Answer) -> None:
    from signalbox.cli.answers import answer_words
    from signalbox.cli.output import say
    from signalbox.drawing.figure import chart_of
    from signalbox.drawing.files import write_chart

    figure = chart_of(answer.blocks)
    if figure is None:
        say("There is no curve or ranking to draw, so no chart was written.")
        return
    write_chart(path, figure, answer_words(answer))
    say(f"The chart is in {path}.")
