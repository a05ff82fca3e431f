"""How a run ended (completed, interrupted or waiting), and the result of its success policy."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from signalbox.contract import ExecutionSummary, ExecutionTracker, NodeExecution
from signalbox.errors import SignalboxError
from signalbox.maps.build import CompiledMap
from signalbox.maps.channels import merge
from signalbox.maps.context import RunContext
from signalbox.maps.map_run import MapRun
from signalbox.maps.result import MapResult
from signalbox.maps.spec import FUNC

__all__ = ["broken_off", "ended"]

_ADVICE = "Give '{node}' a Failure_Next to handle it, or mend its cause."
_log = logging.getLogger("signalbox.maps")


def broken_off(run: MapRun, context: RunContext, tracker: ExecutionTracker, error: SignalboxError) -> MapResult:
    """The run was interrupted: what its nodes wrote so far is kept."""
    summary = tracker.summarize("error")
    summary.graph_success = False
    state: dict[str, Any] = dict(run.state)
    for update in context.written:
        merge(state, update)
    merge(state, {"errors": [error.user_message], "last_action_success": False, "graph_success": False})
    return MapResult(
        run.graph.name, "error", _with_summary(state, summary), summary, run.thread_id, run.run_id,
        error=error.as_dict(),
    )  # fmt: skip


def ended(
    run: MapRun,
    compiled: CompiledMap,
    context: RunContext,
    tracker: ExecutionTracker,
    channels: Mapping[str, Any] | None,
    pauses: Any,
) -> MapResult:
    """The result of a run that LangGraph brought to its end or to a pause."""
    state = compiled.layout.values(channels)
    for update in context.unfinished:
        merge(state, update)
    _warn_contested(run, compiled, tracker)
    if pauses:
        return _paused(run, tracker, state, pauses)
    last = _last_output(tracker)
    summary = tracker.summarize("completed", last)
    unhandled = _unhandled(run, summary)
    failed = not summary.graph_success if run.chosen_policy else unhandled is not None
    if failed:
        summary.status = "error"
    state["graph_success"] = summary.graph_success
    state["__policy_success"] = summary.graph_success
    error = _policy_error(run, tracker, unhandled) if failed else None
    return MapResult(
        run.graph.name,
        "error" if failed else "completed",
        _with_summary(state, summary),
        summary,
        run.thread_id,
        run.run_id,
        error=error,
        usage=tracker.usage,
    )


def _paused(run: MapRun, tracker: ExecutionTracker, state: dict[str, Any], pauses: Any) -> MapResult:
    summary = tracker.summarize("paused", _last_output(tracker))
    rows = {node.name: row for row, node in enumerate(run.graph)}

    def place(asked: dict[str, Any]) -> tuple[int, int, str]:
        part = str(asked.get("part") or "")
        return rows.get(str(asked.get("node")), 0), len(part), part

    return MapResult(
        run.graph.name, "needs_input", _with_summary(state, summary), summary, run.thread_id, run.run_id,
        questions=sorted((_question(pause) for pause in pauses), key=place),
    )  # fmt: skip


def _question(pause: Any) -> dict[str, Any]:
    asked = pause.value if isinstance(pause.value, Mapping) else {"message": str(pause.value)}
    return {"kind": "clarify", "options": [], "schema": {}, **asked, "id": pause.id}


def _with_summary(state: dict[str, Any], summary: ExecutionSummary) -> dict[str, Any]:
    state.pop("__next_node", None)
    return {**state, "__execution_summary": summary}


def _last_output(tracker: ExecutionTracker) -> Any:
    return next((node.output for node in reversed(tracker.node_executions) if node.success), None)


def _unhandled(run: MapRun, summary: ExecutionSummary) -> NodeExecution | None:
    """The first node that failed with no Failure_Next to take care of it, and no routing function that went on."""
    executions = summary.node_executions
    for node in executions:
        if node.success is False:
            spec = run.graph.node(node.node_name)
            is_routed = any(t.startswith(FUNC) for t in spec.edge) and node is not executions[-1]
            if not spec.failure_next and not is_routed:
                return node
    return None


def _policy_error(run: MapRun, tracker: ExecutionTracker, unhandled: NodeExecution | None) -> dict[str, str]:
    if unhandled is None:
        return {
            "error_type": "policy",
            "message": f"The success policy '{run.chosen_policy}' says that the run failed.",
            "suggestion": "The summary shows every node's result.",
        }
    advice = _ADVICE.format(node=unhandled.node_name)
    known = tracker.errors.get(unhandled.node_name)
    if known is not None:
        # Who asks hears what happened; how a map can handle it is for its author.
        _log.info(advice)
        return known
    message = unhandled.error or f"{unhandled.node_name} failed."
    return {"error_type": "node_failed", "message": message, "suggestion": advice}


def _warn_contested(run: MapRun, compiled: CompiledMap, tracker: ExecutionTracker) -> None:
    if not compiled.contested:
        return
    ran = {node.node_name for node in tracker.node_executions if node.success}
    for field_name, pairs in sorted(compiled.contested.items()):
        rows = sorted({row for pair in pairs if all(run.graph.nodes[r].name in ran for r in pair) for row in pair})
        names = [run.graph.nodes[row].name for row in rows]
        if names:
            tracker.warn(
                f"{' and '.join(names)} ran in parallel and write '{field_name}'; the value of {names[-1]}, "
                "whose row comes last, is kept."
            )
