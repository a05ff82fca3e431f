"""`signalbox run` and `signalbox resume`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from signalbox.contract import NodeEvent
    from signalbox.maps import MapResult
    from signalbox.maps.map_run import MapRun

__all__ = ["resume", "run_command"]

AsJson = Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show each node as it runs.")]
Model = Annotated[
    str | None,
    typer.Option("--model", "-m", help="The chat model, as provider/model; default: SIGNALBOX_MODEL."),
]


def run_command(
    source: Annotated[str, typer.Argument(metavar="FILE.csv[::GRAPH]", help="The map to run.")],
    state: Annotated[
        str | None, typer.Option("--state", "-s", help="The initial state as a JSON object, or @file.")
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="One value of the initial state; repeatable."),
    ] = None,
    graph: Annotated[str | None, typer.Option("--graph", "-g", help="The graph, if the file contains several.")] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="The data folder of storage agents; default: data next to the map."),
    ] = None,
    model: Model = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            help="What counts as success: all_nodes, final_node, critical_nodes or module:function.",
        ),
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option("--max-steps", min=1, help="The maximum number of nodes to run.")
    ] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", help="A name for the thread, for resuming it later.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", metavar="FILE", help="Write the execution summary as JSON.")
    ] = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Check a map and run it.

    Prints the output of the last node. If a run needs input, it asks on the terminal; if there is no terminal, it is
    stored, and the command exits with 3 and says how to resume it.
    """
    from signalbox.cli.inputs import parse_state
    from signalbox.cli.interrupts import stop_at_once
    from signalbox.cli.output import reserved_stdout
    from signalbox.maps import open_map
    from signalbox.runs import stream

    initial = parse_state(state, pairs or [])
    with reserved_stdout(), stop_at_once(thread):
        run = open_map(source, graph=graph, model=_load(model), data=data, policy=policy, max_steps=max_steps)
        _warn(run)
        result = _watch(stream(run, initial, thread_id=thread), run.graph.name, verbose)
        result = _converse(result, model, verbose)
    _end(result, as_json, summary)


def _warn(run: MapRun) -> None:
    """Print the warnings that `maps check` has for this graph."""
    from signalbox.cli.output import say
    from signalbox.maps.check import warnings_of

    for finding in warnings_of(run):
        say(str(finding))


def resume(
    thread: Annotated[str, typer.Argument(help="The thread of the run; the first characters of its name are enough.")],
    value: Annotated[
        str | None, typer.Option("--value", help='The answer: text, or JSON such as {"action": "approve"}.')
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            "--question", metavar="NODE", help="Which question to answer, if there are several; default: the first."
        ),
    ] = None,
    model: Model = None,
    force: Annotated[
        bool, typer.Option("--force", help="Resume even if another process seems to be running it.")
    ] = False,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Resume a run: answer its question, or continue one that was interrupted from its last completed node.

    The run may have been started by another process.
    """
    from signalbox.cli.inputs import parse_value
    from signalbox.cli.interrupts import stop_at_once
    from signalbox.cli.output import reserved_stdout
    from signalbox.cli.threads import find_thread
    from signalbox.runs import resume as resume_run
    from signalbox.runs.life import agent_of

    thread = find_thread(thread)
    answer = None if value is None else parse_value(value)
    if agent_of(thread):
        _answer_agent(thread, answer, question, model, force, as_json, verbose)
    with reserved_stdout(), stop_at_once(thread):
        listener = _show_event if verbose else None
        result = resume_run(thread, answer, question=question, model=_load(model), force=force, listener=listener)
        result = _converse(result, model, verbose)
    _end(result, as_json, None)


def _answer_agent(
    thread: str, value: Any, question: str | None, model: str | None, force: bool, as_json: bool, verbose: bool
) -> NoReturn:
    """Answer a question of an agent, and show its Answer as `ask` does."""
    from signalbox.cli.answers import end_with
    from signalbox.cli.interrupts import stop_at_once
    from signalbox.cli.output import reserved_stdout
    from signalbox.runs import answer as answer_run

    with reserved_stdout(), stop_at_once(thread):
        listener = _show_event if verbose else None
        answer = answer_run(thread, value, question=question, model=model, force=force, listener=listener)
    end_with(answer, as_json, verbose)


def _load(model: str | None) -> Any:
    if model is None:
        return None
    from signalbox.models import load_chat_model

    return load_chat_model(model)


def _watch(events: Iterator[NodeEvent | MapResult], name: str, verbose: bool) -> MapResult:
    """Follow a run to its result, with a progress line on a terminal, and with --verbose a line per node."""
    from signalbox.cli.output import progress
    from signalbox.maps import MapResult

    with progress(f"Running {name} …") as line:
        for event in events:
            if isinstance(event, MapResult):
                return event
            if event.kind == "start":
                line.show(f"Running {name}: {event.node} …")
            elif verbose:
                _show_event(event)
    raise RuntimeError("the run had no result")


def _converse(result: MapResult, model: str | None, verbose: bool) -> MapResult:
    """Ask the person, as long as the run waits and there is somebody to ask."""
    from signalbox.cli.inputs import ask_person, parse_value
    from signalbox.cli.output import say
    from signalbox.errors import RequestError
    from signalbox.runs import resume as resume_run

    while result.status == "needs_input" and result.question is not None:
        answer = ask_person(result.question)
        if answer is None:
            return result
        try:
            value = parse_value(answer) if answer[:1] in '{["' else answer
            result = resume_run(result.thread_id, value, model=_load(model))
        except RequestError as error:
            say(f"{error.user_message} {error.suggestion}")
    return result


def _end(result: MapResult, as_json: bool, summary: Path | None) -> None:
    from signalbox.cli.output import print_json, say, show
    from signalbox.maps.result import as_text

    if summary is not None:
        summary.write_text(result.summary.to_json() + "\n", "utf-8")
    if as_json:
        print_json(result.as_answer().as_dict())
    elif result.status == "needs_input":
        for question in result.questions:
            show(question.get("message", ""))
            for option in question.get("options") or []:
                show(f"  - {option}")
        say(f"The run is waiting. Continue with: signalbox resume {result.thread_id} --value …")
        if len(result.questions) > 1:
            nodes = ", ".join(str(question.get("node") or question["id"]) for question in result.questions)
            say(f"It has {len(result.questions)} questions ({nodes}). Choose one with --question NODE.")
    else:
        for warning in result.summary.warnings:
            say(f"Warning: {warning}")
        if result.error:
            say(f"Error: {result.error['message']}\n{result.error['suggestion']}")
        if result.status == "completed":
            show(as_text(result.output))
    raise typer.Exit(result.exit_code)


def _show_event(event: NodeEvent) -> None:
    from signalbox.cli.output import say

    if event.kind == "start":
        return
    if event.kind == "pause":
        say(f"… {event.node} is waiting")
        return
    mark = "✓" if event.success else "✗"
    told = event.error if event.error else str(event.output)[:200]
    say(f"{mark} {event.node} ({event.ms or 0:.1f} ms) {told}")
