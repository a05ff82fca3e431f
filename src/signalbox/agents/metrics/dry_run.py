"""What would be asked: a question read and planned without touching any server (the dry run)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Any

from langchain_core.language_models import BaseChatModel

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.compile import compile_slots
from signalbox.agents.metrics.live import Live, Series, index_of
from signalbox.agents.metrics.loop_answer import offered_tools
from signalbox.agents.metrics.measures import usual_measures
from signalbox.agents.metrics.offers import Offer, families_of, list_offers
from signalbox.agents.metrics.plan import Moment, Request
from signalbox.agents.metrics.present import source_lines
from signalbox.agents.metrics.prompts import loop_instructions
from signalbox.agents.metrics.reader import asked_before, begin, check_readable, read_plan
from signalbox.agents.metrics.recipes import Recipes, load_recipes
from signalbox.agents.metrics.slots import Measure, Shape, Slots
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.step_errors import error_of
from signalbox.agents.metrics.tools import promql
from signalbox.agents.metrics.tree import metric_names, query_of, syntax_of
from signalbox.agents.metrics.vocabulary import LABEL_WORDS
from signalbox.contract import Presented, blocks
from signalbox.drawing.text import as_markdown
from signalbox.maps.context import current_run
from signalbox.models.capability import fills_plans
from signalbox.models.configuration import Configuration
from signalbox.models.loading import open_door
from signalbox.settings import now as present
from signalbox.settings import person_zone
from signalbox.toolbox.calculate import CALCULATE
from signalbox.toolbox.loop import LoopState
from signalbox.toolbox.loop_calls import list_calls
from signalbox.toolbox.loop_prompt import Reply, offered, prompt, system_message

__all__ = ["dry_run", "dry_run_anomalies", "plan_query"]

_SHAPES: dict[str, Shape] = {
    "curve": "curve", "figure": "value", "ranking": "ranking", "extreme": "extreme", "share": "share",
}  # fmt: skip
_KEPT: dict[int, Live] = {}
_USUAL = frozenset(label for names in LABEL_WORDS.values() for label in names[:1])


async def dry_run(state: Mapping[str, Any], model: BaseChatModel | None = None) -> Presented:
    """What a run from this state would ask, as `plan` in the state; what cannot be read as `error`."""
    try:
        plan = await _plan(state, model, Moment(present(), person_zone()))
    except Exception as error:
        return Presented("", state={**state, "error": error_of(error, "parse")})
    told = _told(plan)
    return Presented(told, [blocks.text(told)], state={**state, "plan": plan})


async def dry_run_anomalies(state: Mapping[str, Any], model: BaseChatModel | None = None) -> Presented:
    """The same for the map that looks for anomalies: the question is that for the curve itself."""
    return await dry_run({**state, "seeks": "anomalies"}, model)


async def plan_query(
    text: str,
    *,
    model: BaseChatModel | None = None,
    now: datetime | None = None,
    zone: tzinfo | None = None,
    previous: Any = None,
) -> dict[str, Any]:
    """What the agent would do: `{asked, recipe, kind, time_range, filters, queries: [{metrics, promql: […]}]}`; for a
    model that works with the tools itself, also its first `calls`.

    Which metrics there are is known only to the server: the measures are those of the recipes, and filters stay words
    until the server says which labels they are values of. Raises ParsingError, UnsupportedOperationError,
    InvalidTimeRangeError, and LLMAPIError for a model that fails.
    """
    state = {"user_query": text, "previous": previous}
    return await _plan(state, model, Moment(now or present(), zone or person_zone()))


async def _plan(state: Mapping[str, Any], model: BaseChatModel | None, moment: Moment) -> dict[str, Any]:
    check_readable(state)
    live = _server_of(load_recipes(), moment.now)
    chosen = open_door(model or Configuration.from_context().load())
    if not fills_plans(chosen):
        run = current_run.get()
        begun = await begin(state, live, run.conversation if run else ())
        planned = await _plan_calls(begun, chosen, seeks_anomalies=state.get("seeks") == "anomalies")
        return {"asked": asked_before(state, None), **planned}
    request = await read_plan(state, live, chosen, moment)
    plan, offer = request.plan, _offer(request, live)
    window = request.time_range or TimeRange(start_time=moment.now - timedelta(hours=1), end_time=moment.now)
    return {
        "asked": asked_before(state, request),
        "recipe": offer.recipe or None if offer else None,
        "kind": plan.kind or "curve",
        "time_range": window.model_dump(mode="json"),
        "filters": [*plan.filters, *(f"not {one}" for one in plan.excluded)],
        "queries": [
            {"metrics": list(one.metrics), "promql": _queries(request, one, window, moment)}
            for one in (_measures(offer, live) if offer else ())
        ],
    }


def _server_of(recipes: Recipes, now: datetime) -> Live:
    """A server that has what the recipes name, and that nobody asks."""
    if id(recipes) not in _KEPT:
        named = {
            name: MetricInfo(
                name, "histogram" if name.endswith("_bucket") else one.type, "", name.removesuffix("_bucket")
            )
            for recipe in recipes.recipes.values()
            for one in recipe.variants
            for name in one.metrics
            if name.isidentifier()
        }
        families = families_of(named)
        offers = {one.key: one for one in list_offers(families, recipes)}
        _KEPT.clear()
        _KEPT[id(recipes)] = Live(None, families, index_of(offers.values()), offers, recipes, now, {})  # type: ignore[arg-type]
    return _KEPT[id(recipes)]


def _told(plan: Mapping[str, Any]) -> str:
    if "calls" in plan:
        return _told_calls(plan)
    what = plan["recipe"] or ", ".join(plan["queries"][0]["metrics"] if plan["queries"] else ()) or "no single measure"
    told = f"Nothing was asked. This would be read: {what}, as {plan['kind']}."
    if plan["filters"]:
        told += f" Narrowed to: {', '.join(plan['filters'])}."
    queries = [promql for query in plan["queries"] for promql in query["promql"]]
    lines = source_lines(TimeRange.model_validate(plan["time_range"]), queries)
    if len(plan["queries"]) > 1:
        lines += "  \nThe server's metrics decide which of these is sent."
    return f"{as_markdown(told)}\n\n{lines}"


def _offer(request: Request, live: Live) -> Offer | None:
    """The measure of the plan: a recipe, or a metric by the name that the question gives it."""
    named = request.plan.named
    offer = live.offers.get(request.plan.measure or "") or live.offer_named(named)
    if offer is None and named:
        info = MetricInfo(named, "counter" if named.endswith(("_total", "_count")) else "gauge", "", named)
        offer = list_offers(families_of({named: info}), Recipes())[0]
    return offer


def _measures(offer: Offer, live: Live) -> list[Measure]:
    labels = dict.fromkeys(offer.metrics, Series(dict.fromkeys(_USUAL, ())))
    return usual_measures(offer, labels, live.recipes)


def _queries(request: Request, measure: Measure, window: TimeRange, moment: Moment) -> list[str]:
    plan = request.plan
    shape = _SHAPES.get(plan.kind or "", "curve")
    is_current = request.time_range is None and shape in ("value", "ranking", "share")
    by = (request.label,) if request.label in measure.labels else ()
    lowest = plan.order == "lowest"
    slots = Slots(measure, shape, window, moment.now, is_current, by=by, top=plan.top, lowest=lowest)
    return [query.promql for query in compile_slots(slots).queries()]


async def _plan_calls(begun: LoopState, model: Any, *, seeks_anomalies: bool = False) -> dict[str, Any]:
    """Return the model's first calls, asked for as in the loop; no tool is run. `begun` is what `begin_loop` gave.

    Raises LLMAPIError, InvalidQueryError for a query that is no PromQL, and InvalidTimeRangeError.
    """
    system = system_message(loop_instructions(seeks_anomalies=seeks_anomalies))
    asking = model.bind_tools(offered([*offered_tools(), CALCULATE]))
    calls = list_calls([Reply(message=await asking.ainvoke(prompt(system, begun["asked"], [], {})))])
    first = calls[0]["args"] if calls else {}
    start, end = first.get("start") or present() - timedelta(hours=1), first.get("end") or present()
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


def _told_calls(plan: Mapping[str, Any]) -> str:
    """Return the plan in words, as Markdown."""
    if not plan["calls"]:
        return "Nothing was asked. The model would answer without reading anything."
    others = [one for one in plan["calls"] if one["tool"] != promql.name]
    named = "; ".join(f"{one['tool']} ({', '.join(f'{k}: {v}' for k, v in one['args'].items())})" for one in others)
    told = as_markdown(f"Nothing was asked. This would be {f'called first: {named}.' if others else 'read:'}")
    queries = [text for query in plan["queries"] for text in query["promql"]]
    lines = source_lines(TimeRange.model_validate(plan["time_range"]), queries)
    return f"{told}\n\n{lines}" if queries else told
