"""What a model that works with the tools would call first, without calling it (the dry run)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from signalbox.agents.metrics.loop_answer import offered_tools
from signalbox.agents.metrics.present import source_lines
from signalbox.agents.metrics.prompts import loop_instructions
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.tools import promql
from signalbox.agents.metrics.tree import metric_names, query_of, syntax_of
from signalbox.drawing.text import as_markdown
from signalbox.settings import now
from signalbox.toolbox.calculate import CALCULATE
from signalbox.toolbox.loop import LoopState
from signalbox.toolbox.loop_calls import list_calls
from signalbox.toolbox.loop_prompt import Reply, offered, prompt, system_message

__all__ = ["plan_calls", "told_calls"]


async def plan_calls(begun: LoopState, model: Any, *, seeks_anomalies: bool = False) -> dict[str, Any]:
    """Return the model's first calls, asked for as in the loop; no tool is run. `begun` is what `begin_loop` gave.

    Raises LLMAPIError, InvalidQueryError for a query that is no PromQL, and InvalidTimeRangeError.
    """
    system = system_message(loop_instructions(seeks_anomalies=seeks_anomalies))
    asking = model.bind_tools(offered([*offered_tools(), CALCULATE]))
    calls = list_calls([Reply(message=await asking.ainvoke(prompt(system, begun["asked"], [], {})))])
    first = calls[0]["args"] if calls else {}
    start, end = first.get("start") or now() - timedelta(hours=1), first.get("end") or now()
    window = TimeRange.model_validate({"start_time": start, "end_time": end})
    trees = {
        text: syntax_of(text) for one in calls if one["name"] == promql.name and (text := one["args"].get("query"))
    }
    filters = next((query_of(tree, window).filters for tree in trees.values()), None) or {}
    return {
        "recipe": None,
        "kind": first.get("shape") or ("curve" if "start" in first else "figure" if trees else None),
        "time_range": window.model_dump(mode="json"),
        "filters": [f"{label}={value}" for label, value in filters.items()],
        "queries": [{"metrics": metric_names(tree), "promql": [text]} for text, tree in trees.items()],
        "calls": [{"tool": one["name"], "args": one["args"]} for one in calls],
    }


def told_calls(plan: Mapping[str, Any]) -> str:
    """Return the plan in words, as Markdown."""
    if not plan["calls"]:
        return "Nothing was asked. The model would answer without reading anything."
    others = [one for one in plan["calls"] if one["tool"] != promql.name]
    named = "; ".join(f"{one['tool']} ({', '.join(f'{k}: {v}' for k, v in one['args'].items())})" for one in others)
    told = as_markdown(f"Nothing was asked. This would be {f'called first: {named}.' if others else 'read:'}")
    queries = [text for query in plan["queries"] for text in query["promql"]]
    lines = source_lines(TimeRange.model_validate(plan["time_range"]), queries)
    return f"{told}\n\n{lines}" if queries else told
