"""`signalbox runs`: stored runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from signalbox.runs import Run

__all__ = ["runs"]

runs = typer.Typer(help="List, show, cancel, retry and delete runs.", no_args_is_help=True, rich_markup_mode=None)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_STATUSES = ("pending", "running", "waiting", "interrupted", "completed", "error", "cancelled")
Thread = Annotated[str, typer.Argument(help="The thread of the run; the first characters of its name are enough.")]


@runs.command("list")
def list_command(
    status: Annotated[
        str | None,
        typer.Option(
            "--status",
            metavar="<status>",
            help=f"Only runs with this status: {', '.join(_STATUSES[:-1])} or {_STATUSES[-1]}.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List your stored runs: those with a name, and those that are waiting."""
    from signalbox.cli.output import print_json, say
    from signalbox.runs import list_runs

    if status is not None and status not in _STATUSES:
        raise typer.BadParameter(f"'{status}' is not one of {', '.join(_STATUSES)}.", param_hint="--status")
    found = list_runs(status)
    if as_json:
        print_json([run.as_dict() for run in found])
        return
    if not found:
        say("There are no stored runs.")
    for run in found:
        print(_line(run))


@runs.command()
def show(thread: Thread, as_json: AsJson = False) -> None:
    """Show the latest run of a thread: its status, its nodes, its questions."""
    from signalbox.cli.output import print_json
    from signalbox.cli.threads import find_thread
    from signalbox.runs import show as show_run

    run = show_run(find_thread(thread))
    told = run.as_dict()
    if as_json:
        print_json(told)
        return
    print(_line(run))
    for node in told["nodes"]:
        print(f"  {'✓' if node['success'] else '✗'} {node['node_name']}" + _why(node))
    for node in told["under_way"]:
        print(f"  … {node} {'is running' if told['status'] == 'running' else 'was interrupted'}")
    if told["usage"]["calls"]:
        print(f"  {_used(told['usage'])}")
    if told.get("error"):
        for line in filter(None, (told["error"]["message"], told["error"]["suggestion"])):
            print(f"  {line}")
    for question in run.questions:
        print(f"  ? {question.get('node', '')}: {question.get('message', '')}")
    if told["status"] in ("waiting", "interrupted"):
        value = " --value …" if told["status"] == "waiting" else ""
        print(f"Continue with: signalbox resume {run.thread_id}{value}")


@runs.command()
def cancel(thread: Thread) -> None:
    """Cancel a run. An active run stops before its next node."""
    from signalbox.cli.output import say
    from signalbox.cli.threads import find_thread
    from signalbox.runs import cancel as cancel_run

    run = cancel_run(find_thread(thread))
    say(f"The run of thread {run.thread_id} is cancelled.")


@runs.command()
def retry(thread: Thread) -> None:
    """Continue the latest run of a thread from its last step, if it failed or was interrupted in the service."""
    from signalbox.cli.output import say
    from signalbox.cli.threads import find_thread
    from signalbox.runs.life import retry as retry_run

    run = retry_run(find_thread(thread))
    carrier = "a worker" if run.is_queued else "the service"
    say(f"The run of thread {run.thread_id} will continue as soon as {carrier} is free.")


@runs.command()
def forget(thread: Thread) -> None:
    """Delete everything stored for a thread: its runs, checkpoints and conversation."""
    from signalbox.cli.output import say
    from signalbox.cli.threads import find_thread
    from signalbox.runs import forget as forget_thread

    count = forget_thread(find_thread(thread))
    say(f"{count} {'run' if count == 1 else 'runs'} deleted.")


def _line(run: Run) -> str:
    asks = f"  {run.questions[0].get('message', '')}" if run.questions and run.standing == "waiting" else ""
    return f"{run.thread_id}  {run.standing:<11}  {run.started_at[:19]}  {run.name}{asks}"


def _used(usage: dict[str, Any]) -> str:
    calls = "one model call" if usage["calls"] == 1 else f"{usage['calls']:,} model calls"
    cached = f", {usage['cached_tokens']:,} of them cached" if usage["cached_tokens"] else ""
    tokens = f"{usage['input_tokens']:,} tokens in{cached}, {usage['output_tokens']:,} out"
    cost = f", {usage['cost_usd']:.4f} US dollars" if "cost_usd" in usage else ""
    return f"{calls} in {usage['seconds']:.1f} s: {tokens}{cost}"


def _why(node: dict[str, Any]) -> str:
    return f": {node['error']}" if node["error"] else ""
