"""What a model that works with the tools would call first, without calling it (the dry run)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter

from signalbox.agents.metrics.catalogue_excerpt import catalogue_excerpt
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.present import source_lines
from signalbox.agents.metrics.prompts import loop_instructions
from signalbox.agents.metrics.promql_run import looked_back, syntax_of
from signalbox.agents.metrics.promql_tree import metric_names, query_of
from signalbox.agents.metrics.state import Moment, TimeRange
from signalbox.agents.metrics.tools import query_metrics, tools
from signalbox.drawing.text import as_markdown
from signalbox.maps.context import current_run
from signalbox.settings import now
from signalbox.toolbox.calculate import CALCULATE
from signalbox.toolbox.loop import start_loop
from signalbox.toolbox.loop_calls import list_calls
from signalbox.toolbox.loop_prompt import Reply, offered, prompt, system_message

__all__ = ["plan_calls", "told_calls"]


async def plan_calls(text: str, live: Live, model: Any, *, seeks_anomalies: bool = False) -> dict[str, Any]:
    """The first calls of the model, which is asked as in the loop; no tool is run. Raises LLMAPIError, and
    InvalidQueryError for a query that is no PromQL."""
    run = current_run.get()
    conversation = run.conversation if run else ()
    excerpt = await catalogue_excerpt(text, live, conversation, reads_labels=False)
    asked = start_loop(text, conversation, data=excerpt)["asked"]
    system = system_message(loop_instructions(seeks_anomalies=seeks_anomalies))
    reply = await model.bind_tools(offered([*tools(), CALCULATE])).ainvoke(prompt(system, asked, [], {}))
    calls = list_calls([Reply(message=reply)])
    queries = [one["args"] for one in calls if one["name"] == query_metrics.name]
    trees = [syntax_of(one["query"]) for one in queries]
    hour = TimeRange(start_time=now() - timedelta(hours=1), end_time=now())
    window = _window(queries[0], trees[0]) if queries else hour
    filters = query_of(trees[0], window).filters if trees else None
    return {
        "asked": {"text": text, "plan": {}, "title": ""},
        "recipe": None,
        "kind": "curve" if queries and queries[0].get("start") else "figure" if queries else None,
        "time_range": window.model_dump(mode="json"),
        "filters": [f"{label}={value}" for label, value in (filters or {}).items()],
        "queries": [
            {"metrics": metric_names(tree), "promql": [one["query"]]} for tree, one in zip(trees, queries, strict=True)
        ],
        "calls": [{"tool": one["name"], "args": one["args"]} for one in calls],
    }


def told_calls(plan: Mapping[str, Any]) -> str:
    """The plan in words, as Markdown."""
    others = [one for one in plan["calls"] if one["tool"] != query_metrics.name]
    if not plan["calls"]:
        return "Nothing was asked. The model would answer without reading anything."
    named = "; ".join(f"{one['tool']} ({', '.join(f'{k}: {v}' for k, v in one['args'].items())})" for one in others)
    told = f"Nothing was asked. {f'This would be called first: {named}.' if others else 'This would be read:'}"
    if not plan["queries"]:
        return as_markdown(told)
    queries = [promql for query in plan["queries"] for promql in query["promql"]]
    return f"{as_markdown(told)}\n\n{source_lines(TimeRange.model_validate(plan['time_range']), queries)}"


def _window(args: Mapping[str, Any], tree: Any) -> TimeRange:
    """The time that a query would be run for."""
    if args.get("start"):
        return TimeRange.model_validate({"start_time": args["start"], "end_time": args.get("end") or now()})
    at = TypeAdapter(Moment).validate_python(args["time"]) if args.get("time") else now()
    return looked_back(tree, at)
