"""What would be asked: a question read and planned without touching any server (the dry run)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Any

from langchain_core.language_models import BaseChatModel

from signalbox.agents.metrics.answering import needs_measure, refuse_operation
from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.conversation import continued, question_before
from signalbox.agents.metrics.forgotten import completed
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.loop_plan import plan_calls, told_calls
from signalbox.agents.metrics.measures import Wanted, measure_of
from signalbox.agents.metrics.offers import Family, Offer, families_of, list_offers
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.querying.planning import queries_of
from signalbox.agents.metrics.question import Against, Measure, Question
from signalbox.agents.metrics.read import Reading, readable
from signalbox.agents.metrics.recipes import Recipes, load_recipes
from signalbox.agents.metrics.search import Index
from signalbox.agents.metrics.state import ResultKind, TimeRange
from signalbox.agents.metrics.step_errors import error_of
from signalbox.agents.metrics.times import Moment, Times, read_times
from signalbox.agents.metrics.values import find_label
from signalbox.agents.metrics.vocabulary import LABEL_WORDS
from signalbox.contract import Presented, blocks
from signalbox.drawing.text import as_markdown
from signalbox.models.capability import fills_plans
from signalbox.models.configuration import Configuration
from signalbox.models.loading import open_door
from signalbox.settings import now as present
from signalbox.settings import person_zone

__all__ = ["dry_run", "dry_run_anomalies", "plan_query"]

_KINDS: dict[str, ResultKind] = {
    "curve": "series", "figure": "value", "ranking": "ranking", "comparison": "comparison", "extreme": "extreme",
    "share": "share",
}  # fmt: skip
_KEPT: dict[int, tuple[dict[str, Family], Index]] = {}
_USUAL = frozenset(label for names in LABEL_WORDS.values() for label in names[:1])


async def dry_run(state: Mapping[str, Any], model: BaseChatModel | None = None) -> Presented:
    """What a run from this state would ask, as `plan` in the state; what reading the question gave as `error`."""
    try:
        seeks = state.get("seeks") == "anomalies"
        plan = await plan_query(state["user_query"], model=model, previous=state.get("previous"), seeks_anomalies=seeks)
    except Exception as error:
        return Presented("", state={**state, "error": error_of(error, "parse")})
    told = _told(plan)
    return Presented(told, [blocks.text(told)], state={**state, "plan": plan})


async def dry_run_anomalies(state: Mapping[str, Any], model: BaseChatModel | None = None) -> Presented:
    """The same for the map that looks for anomalies: the question is that for the curve itself."""
    return await dry_run({**state, "seeks": "anomalies"}, model)


def _told(plan: Mapping[str, Any]) -> str:
    from signalbox.agents.metrics.present import source_lines

    if "calls" in plan:
        return told_calls(plan)
    what = plan["recipe"] or ", ".join(plan["queries"][0]["metrics"] if plan["queries"] else ()) or "no single measure"
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
    seeks_anomalies: bool = False,
) -> dict[str, Any]:
    """What the agent would do: `{asked, recipe, kind, time_range, filters, queries: [{metrics, promql: […]}]}`; of a
    model that works with the tools itself, what it would call first, as `calls` too.

    Which metrics there are is known only to the server: the measures are those of the recipes, and filters stay words
    until the server says which labels they are values of. Raises ParsingError, UnsupportedOperationError,
    InvalidTimeRangeError, and LLMAPIError for a model that fails.
    """
    moment = Moment(now or present(), zone or person_zone())
    live, before = _of_recipes(load_recipes(), moment.now), question_before(previous)
    chosen = open_door(model or Configuration.from_context().load())
    if not fills_plans(chosen):
        return await plan_calls(readable(text), live, chosen, seeks_anomalies=seeks_anomalies)
    reading = Reading(readable(text), live, chosen, moment, (before.text, before.title) if before else None)
    await reading.search()
    plan = await reading.plan()
    if seeks_anomalies and plan.kind not in ("alert", "action"):
        plan = plan.model_copy(update={"kind": "curve", "time": plan.time or "last 2 days"})
    refuse_operation(plan)
    plan = completed(plan, reading.text, live, moment)
    if before is not None and (plan.continues or (needs_measure(plan) and not (plan.measure or plan.named))):
        plan = continued(plan, before, moment)
    times = read_times(plan.time, plan.against, moment.now, moment.zone)
    offer = live.index.by_key.get(plan.measure or "") or live.index.named(plan.named)
    measures = _measures(offer, plan.named, live) if needs_measure(plan) else []
    window = times.main or TimeRange(start_time=moment.now - timedelta(hours=1), end_time=moment.now)
    return {
        "asked": {
            "text": reading.text,
            "plan": plan.model_dump(exclude_defaults=True),
            "title": offer.title if offer else "",
        },
        "recipe": offer.recipe or None if offer else None,
        "kind": plan.kind or "curve",
        "time_range": window.model_dump(mode="json"),
        "filters": [*plan.filters, *(f"not {one}" for one in plan.excluded)],
        "queries": [
            {
                "metrics": list(one.metrics),
                "promql": queries_of(_question(plan, reading.text, offer, one, window, times, moment)),
            }
            for one in measures
        ],
    }


def _index_of(recipes: Recipes) -> tuple[dict[str, Family], Index]:
    names = {
        name: MetricInfo(
            name, "histogram" if name.endswith("_bucket") else variant.type, "", name.removesuffix("_bucket")
        )
        for recipe in recipes.recipes.values()
        for variant in recipe.variants
        for name in variant.metrics
        if name.isidentifier()
    }
    families = families_of(names)
    return families, Index(list_offers(families, recipes))


def _of_recipes(recipes: Recipes, now: datetime) -> Live:
    """A server that has what the recipes name, and that nobody asks."""
    if id(recipes) not in _KEPT:
        _KEPT.clear()
        _KEPT[id(recipes)] = _index_of(recipes)
    families, index = _KEPT[id(recipes)]
    live = Live(None, families, index, recipes, now, {})  # type: ignore[arg-type]
    live.forget_values()
    return live


def _measures(offer: Offer | None, named: str, live: Live) -> list[Measure]:
    if offer is None:
        if not named:
            return []
        info = {named: MetricInfo(named, "counter" if named.endswith(("_total", "_count")) else "gauge", "", named)}
        offer = list_offers(families_of(info), Recipes())[0]
    usual = dict.fromkeys(offer.metrics, Series(dict.fromkeys(_USUAL, ())))
    ways = offer.bounds[:3] or (None,)
    return [measure_of(offer, bound, usual, live.recipes, Wanted()) for bound in ways]


def _question(
    plan: MetricsPlan, text: str, offer: Offer | None, measure: Measure, window: TimeRange, times: Times, moment: Moment
) -> Question:
    groups = tuple(dict.fromkeys(label for words in plan.split_by if (label := find_label(words, measure.labels))))
    kind = _KINDS.get(plan.kind or "", "series")
    return Question(
        text="", measure=measure, kind=kind if kind != "comparison" or times.against else "series", time_range=window,
        now=moment.now, group_by=groups, top=plan.top, lowest=plan.order == "lowest",
        is_current=times.main is None and kind in ("value", "ranking", "share"),
        against=Against(time_range=times.against) if times.against else None,
    )  # fmt: skip
