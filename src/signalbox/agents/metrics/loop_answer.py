"""How a capable model answers: in the loop, over the tools of this room; and its outcome as the contract's state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, get_args

from signalbox.agents.metrics.catalogue_excerpt import recent
from signalbox.agents.metrics.prompts import loop_instructions
from signalbox.agents.metrics.promql_run import read_result, syntax_of
from signalbox.agents.metrics.promql_tree import query_of
from signalbox.agents.metrics.state import ErrorType, MetricsQuery, MetricsQueryResult, QueryError
from signalbox.agents.metrics.step_errors import NOT_UNDERSTOOD
from signalbox.agents.metrics.tools import tools
from signalbox.maps.context import current_run
from signalbox.toolbox.loop import LoopContext, build_loop, run_loop, start_loop
from signalbox.toolbox.loop_outcome import Outcome

__all__ = ["answer_in_loop"]

_TYPES: dict[str, ErrorType] = {name: name for name in get_args(ErrorType)} | {"tool_timeout": "grafana_unavailable"}


async def answer_in_loop(request: str, excerpt: str, model: Any, *, seeks_anomalies: bool = False) -> dict[str, Any]:
    """What becomes of the state: `result` and `parsed_query`, or `error`; and what the model wrote itself as `told`.
    `excerpt` is the part of the catalogue that fits the request."""
    run = current_run.get()
    begun = start_loop(request, run.conversation if run else (), data=excerpt)
    context = LoopContext(model, streams=run.streams if run else False, may_pause=False)
    return _as_state(await run_loop(_loop(seeks_anomalies), begun, context))


@cache
def _loop(seeks_anomalies: bool) -> Any:
    return build_loop(tools(), loop_instructions(seeks_anomalies=seeks_anomalies))


def _as_state(outcome: Outcome) -> dict[str, Any]:
    good = [one for one in outcome["results"] if one["ok"] and not one.get("same_as")]
    failed = [one["error"] for one in outcome["results"] if one.get("error")]
    if outcome["error"] and not good:
        return {"error": _model_error(outcome["error"])}
    if failed and not good:
        return {"error": _tool_error(failed[-1], outcome["answer"])}
    shown = [one for one in good if one["blocks"] and one["blocks"][0] in outcome["blocks"]]
    figures = [one for one in shown if "result" in _data(one)]
    results = _read(figures) or _read(good)[-1:]
    texts = "\n\n".join(dict.fromkeys(one["text"] for one in figures))
    told: dict[str, Any] | None = None
    if not results or (outcome["error"] is None and outcome["answer"] != texts):
        # Not just figures, which are presented as those of a plan are.
        blocks = [block for one in shown if one not in figures for block in one["blocks"]]
        told = {"text": outcome["answer"], "blocks": blocks}
    first, *also = results or [_without_query(outcome["answer"])]
    if also:
        first = first.model_copy(update={"also": also, "summary": "\n\n".join(one.summary for one in results)})
    first = first.model_copy(update={"not_covered": outcome["not_covered"]})
    return {"result": first, "parsed_query": _parsed(first), "told": told, "model_error": outcome["error"]}


def _data(result: Mapping[str, Any]) -> Mapping[str, Any]:
    return result["data"] if isinstance(result.get("data"), dict) else {}


def _read(results: Sequence[Mapping[str, Any]]) -> list[MetricsQueryResult]:
    return [read_result(data) for one in results if "result" in (data := _data(one))]


def _parsed(result: MetricsQueryResult) -> MetricsQuery:
    if not result.promql:
        return MetricsQuery(metric_name=result.metric_name, time_range=result.time_range)
    return query_of(syntax_of(result.promql), result.time_range)


def _without_query(answer: str) -> MetricsQueryResult:
    """The result of a run that read no figures: what was said."""
    return MetricsQueryResult(
        metric_name="metrics", time_range=recent(), datapoint_count=0, is_empty=False, summary=answer, kind="report",
        title="Metrics",
    )  # fmt: skip


def _model_error(error: Mapping[str, str]) -> QueryError:
    told = f"{error['message']} {error['suggestion']}".strip()
    return QueryError(error_type="parsing_error", message=NOT_UNDERSTOOD, suggestion=told)


def _tool_error(error: Mapping[str, str], said: str) -> QueryError:
    """Why nothing could be read, with what the model says to that."""
    kind = _TYPES.get(error["error_type"], "invalid_query")
    return QueryError(error_type=kind, message=error["message"], suggestion=f"{error['suggestion']} {said}".strip())
