"""What would be asked: a question read and planned without touching any server (the dry run)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from string import Template
from typing import Any

from langchain_core.language_models import BaseChatModel

from signalbox.agents.metrics.anomaly_detection_node import anomaly_question_node
from signalbox.agents.metrics.conversation import question_before
from signalbox.agents.metrics.present import source_lines
from signalbox.agents.metrics.querying.planning import queries_of
from signalbox.agents.metrics.question import Against, Measure, Question
from signalbox.agents.metrics.reading import Asked, parse_question
from signalbox.agents.metrics.reading.grouping import find_groups
from signalbox.agents.metrics.recipes import Recipe, Recipes, Variant, load_recipes
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.step_errors import error_of
from signalbox.agents.metrics.vocabulary import LABEL_WORDS, base, text_words
from signalbox.contract import Presented, blocks
from signalbox.drawing.text import as_markdown
from signalbox.settings import now as present
from signalbox.settings import person_zone

__all__ = ["dry_run", "dry_run_anomalies", "plan_query"]

_METRIC_NAME = re.compile(r"\b[a-zA-Z_:]\w*_[\w:]+\b")
_LABEL = re.compile(r"[a-zA-Z_]\w*")
_MOST_VARIANTS = 3


async def dry_run(state: Mapping[str, Any], model: BaseChatModel | None = None) -> Presented:
    """What a run from this state would ask, as `plan` in the state; what reading the question gave as `error`."""
    try:
        plan = await plan_query(state["user_query"], model=model, previous=state.get("previous"))
    except Exception as error:
        return Presented("", state={**state, "error": error_of(error, "parse")})
    told = _told(plan)
    return Presented(told, [blocks.text(told)], state={**state, "plan": plan})


async def dry_run_anomalies(state: Mapping[str, Any], model: BaseChatModel | None = None) -> Presented:
    """The same for the map that looks for anomalies: the question is that for the curve itself."""
    return await dry_run({**state, **anomaly_question_node(state)}, model)


def _told(plan: Mapping[str, Any]) -> str:
    what = plan["recipe"] or ", ".join(plan["queries"][0]["metrics"] if plan["queries"] else ()) or "an unknown measure"
    told = f"Nothing was asked. This would be read: {what}, as {plan['kind']}."
    if plan["filters"]:
        told += f" Narrowed to: {', '.join(plan['filters'])}."
    queries = [promql for query in plan["queries"] for promql in query["promql"]]
    lines = source_lines(TimeRange.model_validate(plan["time_range"]), queries)
    if len(plan["queries"]) > 1:
        lines += "  \nThe server's metrics decide which of these is sent."
    return f"{as_markdown(told)}\n\n{lines}"


async def plan_query(
    text: str,
    *,
    model: BaseChatModel | None = None,
    now: datetime | None = None,
    zone: tzinfo | None = None,
    previous: Any = None,
) -> dict[str, Any]:
    """What the agent would do: `{asked, recipe, kind, time_range, filters, queries: [{metrics, promql: […]}]}`.

    Which metrics there are is known only to the server, so there may be several candidates, the best first; filters
    stay words until the server says which labels they are values of. Raises what `parse_question` raises.
    """
    asked = await parse_question(
        text, model=model, now=now or present(), zone=zone or person_zone(), previous=question_before(previous)
    )
    name, measures = _candidates(asked, load_recipes())
    return {
        "asked": asked.model_dump(mode="json"),
        "recipe": name,
        "kind": asked.kind or "series",
        "time_range": asked.time_range.model_dump(mode="json"),
        "filters": list(asked.filters),
        "queries": [{"metrics": list(one.metrics), "promql": queries_of(_question(asked, one))} for one in measures],
    }


def _candidates(asked: Asked, recipes: Recipes) -> tuple[str | None, list[Measure]]:
    """The recipe that the words mean, and its measures; a metric by its name comes before any recipe."""
    named = _METRIC_NAME.search(asked.body or asked.text)
    if named:
        return None, [_named(named[0])]
    found = _recipe(asked, recipes)
    if found is None:
        return None, []
    name, recipe = found
    plain = [one for one in recipe.variants if all(metric.isidentifier() for metric in one.metrics)]
    chosen = (plain or list(recipe.variants))[:_MOST_VARIANTS]
    return name, [_measured(recipe.title or name, one, recipes) for one in chosen]


def _recipe(asked: Asked, recipes: Recipes) -> tuple[str, Recipe] | None:
    """The recipe with the longest wording whose every word is in the question."""
    words = {base(word) for word, *_ in text_words(asked.body or asked.text)}
    best: tuple[int, str] | None = None
    for name, recipe in recipes.recipes.items():
        for wording in recipe.words:
            needed = {base(word) for word, *_ in text_words(wording)}
            if needed and needed <= words and (best is None or len(needed) > best[0]):
                best = (len(needed), name)
    return (best[1], recipes.recipes[best[1]]) if best else None


def _named(metric: str) -> Measure:
    if metric.endswith("_bucket"):
        template = f"histogram_quantile($quantile, sum by (le, $by) (rate({metric}{{$match}}[$window])))"
        return Measure(metric, metric, template, "histogram", metrics=(metric,))
    if metric.endswith(("_total", "_count", "_sum")):
        rate, total = (f"sum by ($by) ({how}({metric}{{$match}}[$window]))" for how in ("rate", "increase"))
        return Measure(metric, metric, rate, "counter", total=total, metrics=(metric,))
    return Measure(metric, metric, f"$agg by ($by) ({metric}{{$match}})", "gauge", metrics=(metric,))


def _measured(title: str, variant: Variant, recipes: Recipes) -> Measure:
    names = {f"metric{at}": name for at, name in enumerate(variant.metrics, start=1) if at > 1}
    names["metric"] = variant.metrics[0]
    for condition in variant.conditions:
        label, pattern = next(iter(recipes.conditions.get(condition, {"": ""}).items()))
        names[condition] = f'{label}=~"{pattern}"'
    promql, total = (Template(text).safe_substitute(names) for text in (variant.promql, variant.total))
    return Measure(
        variant.metrics[0], title, promql, variant.type, variant.unit, total, variant.total_unit, variant.agg,
        metrics=variant.metrics,
    )  # fmt: skip


def _groups(asked: Asked, measure: Measure) -> tuple[str, ...]:
    """The labels that the question is split by, under the names that they usually have."""
    measured = set(map(base, measure.title.split()))
    said = [word for word in asked.group_by if _LABEL.fullmatch(word) and base(word) not in measured]
    usual = [names[0] for names in LABEL_WORDS.values()]
    found = find_groups(asked.body or asked.text, [*usual, *said], ranks=asked.kind == "ranking")
    return tuple(one.label for one in found)


def _question(asked: Asked, measure: Measure) -> Question:
    kind = asked.kind or "series"
    return Question(
        text=asked.text,
        measure=measure,
        kind=kind,
        time_range=asked.time_range,
        now=asked.now,
        group_by=_groups(asked, measure),
        aggregation=asked.aggregation if kind in ("series", "value", "comparison") else None,
        quantile=asked.quantile or 0.95,
        is_current=asked.is_current,
        is_total=asked.is_total,
        top=asked.top,
        lowest=bool(asked.lowest),
        against=Against(time_range=asked.against_range) if kind == "comparison" else None,
    )
