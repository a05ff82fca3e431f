"""How a capable model answers: in the loop, with the tools of this room. Its outcome becomes the contract's state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from signalbox.agents.metrics.catalogue_excerpt import recent
from signalbox.agents.metrics.prompts import loop_instructions
from signalbox.agents.metrics.result import read_result
from signalbox.agents.metrics.state import ErrorType, MetricsQuery, MetricsQueryResult, QueryError
from signalbox.agents.metrics.step_errors import NOT_UNDERSTOOD
from signalbox.agents.metrics.tools import find_metrics, tools
from signalbox.agents.metrics.tree import query_of, syntax_of
from signalbox.maps.context import current_run
from signalbox.toolbox.loop import LoopContext, LoopState, build_loop, run_loop
from signalbox.toolbox.loop_outcome import Outcome
from signalbox.toolbox.typed_tools import Result, Tool, tool

__all__ = ["answer_in_loop", "cannot_answer", "offered_tools"]

_TYPES: dict[str, ErrorType] = {name: name for name in get_args(ErrorType)} | {"tool_timeout": "grafana_unavailable"}
_REFUSALS = {
    "metric_not_found": ('No metric for "{}" was found on this server.', "Ask which metrics there are."),
    "unsupported_operation": ('"{}" is not supported: metrics are only read here.', "Ask for figures or a chart."),
    "parsing_error": (NOT_UNDERSTOOD, 'Nothing that can be measured was found in "{}".'),
}


@tool(effect="read")
async def cannot_answer(
    reason: Literal["metric_not_found", "unsupported_operation", "parsing_error"],
    what: Annotated[str, Field(max_length=80, description="What is missing, in words of the request.")],
) -> Result:
    """End with an error: nothing here measures what is asked, the request wants more than reading metrics, or it makes
    no sense. Mark it as the answer."""
    message, suggestion = (one.format(what) for one in _REFUSALS[reason])
    error = {"error_type": reason, "message": message, "suggestion": suggestion}
    return Result(f"{message} {suggestion}", data=error, not_covered=[what])


async def answer_in_loop(begun: LoopState, model: Any, *, seeks_anomalies: bool = False) -> dict[str, Any]:
    """Return what becomes of the state: `result` and `parsed_query`, or `error`; what the model wrote itself is `told`.

    `begun` is what `begin_loop` gave for the request.
    """
    run = current_run.get()
    context = LoopContext(model, streams=run.streams if run else False, may_pause=False)
    return _as_state(await run_loop(_loop(seeks_anomalies), begun, context))


def offered_tools() -> list[Tool]:
    """Return the room's tools, and the one that ends the loop with an error."""
    return [*tools(), cannot_answer]


@cache
def _loop(seeks_anomalies: bool) -> Any:
    return build_loop(offered_tools(), loop_instructions(seeks_anomalies=seeks_anomalies))


def _as_state(outcome: Outcome) -> dict[str, Any]:
    good = [one for one in outcome["results"] if one["ok"] and not one.get("same_as")]
    if (error := _error(outcome, good)) is not None:
        return {"error": error}
    shown = [one for one in good if one["blocks"] and one["blocks"][0] in outcome["blocks"]]
    figures = [one for one in shown if _has_figures(one)]
    results = [read_result(one["data"]) for one in figures or [one for one in good if _has_figures(one)][-1:]]
    told: dict[str, Any] | None = None
    if not results or (outcome["error"] is None and outcome["answer"] != "\n\n".join(one["text"] for one in figures)):
        # More than figures, which are presented as those of a plan are.
        blocks = [block for one in shown if one not in figures for block in one["blocks"]]
        told = {"text": outcome["answer"], "blocks": blocks}
    first, *also = results or [_without_figures(outcome["answer"])]
    if also:
        first = first.model_copy(update={"also": also, "summary": "\n\n".join(one.summary for one in results)})
    first = first.model_copy(update={"not_covered": outcome["not_covered"]})
    return {"result": first, "parsed_query": _parsed(first), "told": told, "model_error": outcome["error"]}


def _error(outcome: Outcome, good: Sequence[Mapping[str, Any]]) -> QueryError | None:
    """Why there is no answer, if nothing was read: as the model says, as the tools say, or because it failed."""
    refused = [one["data"] for one in good if one["name"] == cannot_answer.name]
    failed = [one["error"] for one in outcome["results"] if one.get("error")]
    if refused and not any(map(_has_figures, good)):
        error = refused[-1]
    elif outcome["error"] and not good:
        told = f"{outcome['error']['message']} {outcome['error']['suggestion']}".strip()
        error = {"error_type": "parsing_error", "message": NOT_UNDERSTOOD, "suggestion": told}
    elif failed and not good:
        error = failed[-1]
    elif good and all(one["name"] == find_metrics.name and one["is_empty"] for one in good):
        error = {"error_type": "metric_not_found", "message": good[-1]["text"], "suggestion": ""}
    else:
        return None
    said = outcome["answer"] if outcome["is_written"] else ""
    kind = _TYPES.get(error["error_type"], "invalid_query")
    return QueryError(error_type=kind, message=error["message"], suggestion=f"{error['suggestion']} {said}".strip())


def _has_figures(result: Mapping[str, Any]) -> bool:
    return isinstance(result["data"], dict) and "result" in result["data"]


def _parsed(result: MetricsQueryResult) -> MetricsQuery:
    if not result.promql:
        return MetricsQuery(metric_name=result.metric_name, time_range=result.time_range)
    # A comparison has two queries, one a line.
    first = result.promql if result.is_models_own else result.promql.partition("\n")[0]
    return query_of(syntax_of(first), result.time_range)


def _without_figures(answer: str) -> MetricsQueryResult:
    return MetricsQueryResult(
        metric_name="metrics", time_range=recent(), datapoint_count=0, is_empty=False, summary=answer, kind="report",
        title="Metrics",
    )  # fmt: skip
