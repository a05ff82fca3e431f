"""What the metrics of an experiment say of its conditions, as the server has computed them, and what can be inferred.

The server gives one figure a condition and query: an average, a share, a spread. Where an average and a standard
deviation of one metric are there, or a share, conditions are compared; nothing is inferred from the other figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.finding import enrollment_of, find
from signalbox.agents.experiments.outcome import Done, tool
from signalbox.agents.experiments.shape import read_experiment
from signalbox.agents.experiments.statistics import (
    ALPHA,
    Effect,
    difference_of_means,
    difference_of_shares,
    fit,
    shares_of,
)

__all__ = ["get_experiment_results"]

_JOINT = "@__@"
_BASELINES = ("control", "baseline", "default", "business-as-usual")
_REPEATED = {"MEAN": "each user's mean", "EARLIEST": "each user's first value", "MOST RECENT": "each user's last value"}
_FIGURES = {
    "avg": "mean",
    "stddev": "standard deviation",
    "sum": "sum",
    "min": "smallest",
    "max": "largest",
    "median": "median",
    "mode": "most frequent",
    "count": "values",
    "percentage": "share",
}


@tool
async def get_experiment_results(experiment: str) -> Done:
    """The results of an experiment's metrics: `{experiment, experiment_id, state_shown, unit, group, baseline,
    conditions: [code], enrolled: {code: users}, mismatch: p or None, available: [metric], metrics: [{metric, kind,
    of, figure, repeated, arms: {code: {users, value, spread}}, effects: {code: {difference, low, high, measure, size,
    clear}}, why_not}], comparisons}`; differences are from the baseline."""
    client = current_client()
    raw = await find(client, experiment)
    # A query without a metric stays when an experiment names one that there is not; the server fails over it.
    queries = sorted((one for one in raw.get("queries") or [] if one.get("metric")), key=lambda one: one["order"] or 0)
    answers = await client.analyse([one["id"] for one in queries]) if queries else []
    found = await _results(client, raw, queries, {one["id"]: one for one in answers})
    return Done(found, answers, "POST /query/analyse", f"{found['experiment']}: {len(found['metrics'])} results")


async def _results(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    queries: Sequence[Mapping[str, Any]],
    answers: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    experiment = read_experiment(raw)
    enrolled = (await enrollment_of(client, experiment))["conditions"]
    codes = [one["code"] for one in experiment["conditions"]]
    baseline = next((code for code in codes if code.casefold() in _BASELINES), codes[0] if codes else "")
    ids = {one["id"]: one["code"] for one in experiment["conditions"]}
    read = [_figures(query, answers.get(query["id"]) or {}, ids) for query in queries]
    metrics = _compared(read, baseline, experiment)
    return {
        "experiment": experiment["name"],
        "experiment_id": experiment["id"],
        "state_shown": experiment["state_shown"],
        "unit": experiment["assignment_unit"],
        "group": experiment["group"],
        "type": experiment["type"],
        "baseline": baseline,
        "conditions": codes,
        "enrolled": {code: int(enrolled.get(code, {}).get("users", 0)) for code in codes},
        "mismatch": _mismatch(experiment, enrolled),
        "available": [] if queries else _keys(await client.metrics(experiment["context"])),
        "metrics": metrics,
        "comparisons": sum(len(one["effects"]) for one in metrics),
    }


def _figures(query: Mapping[str, Any], answer: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """One query's result: a figure and a number of users for each condition that has any."""
    asked, metric = query["query"], query["metric"]
    # Of a factorial experiment the main effect is by level, and the other one by condition.
    rows = answer.get("interactionEffect") or answer.get("mainEffect") or []
    arms = {
        ids[row["conditionId"]]: {"users": int(row["participantsLogged"]), "value": _number(row["result"])}
        for row in rows
        if isinstance(row, Mapping) and row.get("conditionId") in ids
    }
    is_counted = metric["type"] == "categorical"
    not_equal = "" if asked.get("compareFn") == "=" else "other than "
    return {
        "name": query["name"],
        "metric": str(metric["key"]).replace(_JOINT, " / "),
        "kind": metric["type"],
        "operation": asked["operationType"],
        "of": f"{not_equal}{asked.get('compareValue') or 'nothing'}" if is_counted else "",
        "repeated": _REPEATED.get(query["repeatedMeasure"], ""),
        "arms": arms,
        "failed": any(not isinstance(row, Mapping) for row in rows),
    }


def _compared(read: Sequence[Mapping[str, Any]], baseline: str, experiment: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The figures, with the differences from the baseline where they can be had; a spread goes with its average."""
    spreads = {(one["metric"], one["repeated"]): one for one in read if one["operation"] == "stddev"}
    means = {(one["metric"], one["repeated"]) for one in read if one["operation"] == "avg"}
    found = []
    for one in read:
        key = (one["metric"], one["repeated"])
        if one["operation"] == "stddev" and key in means:
            continue
        spread = spreads.get(key, {}).get("arms", {}) if one["operation"] == "avg" else {}
        arms = {code: {**arm, "spread": (spread.get(code) or {}).get("value")} for code, arm in one["arms"].items()}
        why_not = _why_not(one, bool(spread), experiment, sum(arm["users"] for arm in arms.values()))
        effects = {} if why_not else _effects(one, arms, baseline)
        kept = {name: one[name] for name in ("name", "metric", "kind", "of", "repeated")}
        figure = _FIGURES.get(one["operation"], one["operation"])
        found.append({**kept, "figure": figure, "arms": arms, "effects": effects, "why_not": why_not})
    return found


def _why_not(one: Mapping[str, Any], has_spread: bool, experiment: Mapping[str, Any], users: int) -> str:
    """Why conditions are not compared by a figure; empty where they are."""
    if one["failed"]:
        return "the server could not compute it"
    if not users:
        return "nobody has logged a value"
    if experiment["assignment_unit"] == "within-subjects":
        return "the same users are in several conditions, and the server gives no figures by user"
    if one["operation"] in ("count", "sum") and len(experiment["decision_points"]) > 1:
        return "the server counts a user once for each decision point"
    if one["kind"] == "categorical":
        return ""
    if one["operation"] != "avg":
        return "there is no interval for it without the values of each user"
    return "" if has_spread else "the experiment has no query for its standard deviation"


def _effects(one: Mapping[str, Any], arms: Mapping[str, Mapping[str, Any]], baseline: str) -> dict[str, dict[str, Any]]:
    base = arms.get(baseline)
    found: dict[str, Effect | None] = {}
    for code, arm in arms.items():
        if base is None or code == baseline:
            continue
        if one["kind"] == "categorical":
            found[code] = difference_of_shares(_hits(one, base), _hits(one, arm))
        else:
            found[code] = difference_of_means(_moments(base), _moments(arm))
    return {code: {**asdict(effect), "clear": effect.is_clear} for code, effect in found.items() if effect}


def _hits(one: Mapping[str, Any], arm: Mapping[str, Any]) -> tuple[int, int]:
    share = (arm["value"] or 0) / 100 * arm["users"] if one["operation"] == "percentage" else arm["value"] or 0
    return round(share), arm["users"]


def _moments(arm: Mapping[str, Any]) -> tuple[float, float, int]:
    return arm["value"] or 0.0, arm["spread"] or 0.0, arm["users"]


def _mismatch(experiment: Mapping[str, Any], enrolled: Mapping[str, Mapping[str, Any]]) -> float | None:
    """The probability of so uneven a division by these weights, where it is too small for chance."""
    seen = [int((enrolled.get(one["code"]) or {}).get("users", 0)) for one in experiment["conditions"]]
    if experiment["assignment_unit"] != "individual" or not sum(seen):
        return None
    p_value, _ = fit(seen, shares_of([float(one["weight"] or 0) for one in experiment["conditions"]]))
    return p_value if p_value < ALPHA else None


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _keys(metrics: Sequence[Mapping[str, Any]], path: tuple[str, ...] = ()) -> list[str]:
    """The leaves of the server's tree of metrics, each with its path."""
    found: list[str] = []
    for one in metrics:
        own = (*path, str(one["key"]))
        found += _keys(one["children"], own) if one.get("children") else [" / ".join(own)]
    return found
