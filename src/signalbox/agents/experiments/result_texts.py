"""The results of an experiment for people: what its metrics show, how surely, and what they do not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.contract import blocks
from signalbox.contract.blocks import Block

__all__ = ["told_results"]


def told_results(found: Mapping[str, Any], metric: str = "") -> dict[str, Any]:
    """The results in words and as tables: the answer first, then the figures, then what they do not show."""
    chosen = [one for one in found["metrics"] if metric in ("", one["metric"])]
    parts = [_verdict(found, chosen), *(_metric_text(found, one) for one in chosen), _limits(found, chosen)]
    return {
        "bot_response": "\n\n".join(part for part in parts if part),
        "told": parts[0],
        "blocks": [_table(one, found["baseline"], found["conditions"]) for one in chosen if one["arms"]],
        "shown": [{"id": found["experiment_id"], "name": found["experiment"]}],
        "current_experiment_id": found["experiment_id"],
        "params": {"experiment_name": found["experiment"]},
        "is_empty": not any(one["effects"] for one in chosen),
    }


def _verdict(found: Mapping[str, Any], chosen: Sequence[Mapping[str, Any]]) -> str:
    name = f"**{found['experiment']}**"
    if not found["metrics"]:
        offered = ", ".join(found["available"])
        there = f" Its context has the metrics {offered}." if offered else " Its context has no metrics either."
        return f"{name} has no metrics, so the server cannot say whether it worked.{there}"
    compared = [one for one in chosen if one["effects"]]
    if not compared:
        reasons = "; ".join(dict.fromkeys(f"{_measure(one)}: {one['why_not']}" for one in chosen if one["why_not"]))
        return f"{name}: the conditions cannot be compared yet. {reasons or 'Too few users have logged a value'}."
    clear = [
        f"{code} is {'higher' if effect['difference'] > 0 else 'lower'} than {found['baseline']} in {_measure(one)}"
        for one in compared
        for code, effect in one["effects"].items()
        if effect["clear"]
    ]
    if clear:
        doubt = " That may be chance all the same: groups were assigned, not users." if found["unit"] == "group" else ""
        return f"{name}: {'; '.join(clear)}.{doubt}"
    return f"{name} shows no clear difference from {found['baseline']}: every 95% interval includes zero."


def _metric_text(found: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    """One metric: the baseline, then each condition with its difference."""
    arms = one["arms"]
    known = [code for code in found["conditions"] if code in arms]
    ordered = sorted(known, key=lambda code: code != found["baseline"])
    told = [_arm_text(one, code, found["enrolled"].get(code, 0)) for code in ordered]
    reason = f" No comparison: {one['why_not']}." if one["why_not"] else ""
    how = f" ({one['repeated']})" if one["repeated"] and one["kind"] == "continuous" else ""
    return f"{_measure(one)[:1].upper()}{_measure(one)[1:]}{how}: {'; '.join(told)}.{reason}"


def _arm_text(one: Mapping[str, Any], code: str, enrolled: int) -> str:
    arm, effect = one["arms"][code], one["effects"].get(code)
    users = f"{arm['users']} of {enrolled} users"
    told = f"{code} {_value(one, arm['value'])} ({users})" if arm["users"] else f"{code} nothing logged ({users})"
    if effect is None:
        return told
    unit = 100 if one["kind"] == "categorical" else 1
    points = " points" if one["kind"] == "categorical" else ""
    low, high = effect["low"] * unit, effect["high"] * unit
    size = f", {effect['measure']} {effect['size']:+.2f}"
    difference = f"{effect['difference'] * unit:+.4g}{points}"
    return f"{told}, difference {difference}, 95% interval {low:+.4g} to {high:+.4g}{size}"


def _limits(found: Mapping[str, Any], chosen: Sequence[Mapping[str, Any]]) -> str:
    """What the figures do not show, in plain sentences; only what applies."""
    logged = [arm["users"] for one in chosen for arm in one["arms"].values()]
    if not any(logged):
        return ""
    told = [
        "only users who logged a value are counted, with everything they logged, also before they were enrolled",
        "the server does not know whether higher is better",
    ]
    if any(not effect["clear"] for one in chosen for effect in one["effects"].values()):
        told.append("an interval that includes zero does not prove that there is no effect")
    if found["comparisons"] > 1:
        told.append(
            f"with {found['comparisons']} comparisons, about one in twenty looks clear by chance where nothing differs"
        )
    if found["unit"] == "group":
        told.append(
            f"whole groups ({found['group']}) were assigned, whose users resemble each other: the intervals, which "
            "count users, are too narrow"
        )
    if found["state_shown"] == "running":
        told.append("it is still enrolling, so the figures may change")
    if found["mismatch"] is not None:
        told.append(
            f"the conditions are not divided by their weights (p = {found['mismatch']:.2g}), so that they may differ "
            "in more than what was tried"
        )
    return f"What this does not show: {'; '.join(told)}."


def _measure(one: Mapping[str, Any]) -> str:
    if one["kind"] == "categorical":
        return f"{'share' if one['figure'] == 'share' else 'number'} of {one['metric']} {one['of']}"
    return f"{one['figure']} of {one['metric']}"


def _value(one: Mapping[str, Any], value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:.4g}%" if one["figure"] == "share" else f"{value:.4g}"


def _table(one: Mapping[str, Any], baseline: str, codes: Sequence[str]) -> Block:
    rows = []
    for code in codes:
        arm, effect = one["arms"].get(code), one["effects"].get(code) or {}
        if arm:
            scale = 100 if one["kind"] == "categorical" else 1
            bounds = [effect[key] * scale if effect else None for key in ("difference", "low", "high")]
            rows.append([code, arm["users"], arm["value"], arm["spread"], *bounds, effect.get("size")])
    columns = [
        "condition", "users", one["figure"], "standard deviation", f"difference from {baseline}", "low (95%)",
        "high (95%)", next((effect["measure"] for effect in one["effects"].values()), "effect size"),
    ]  # fmt: skip
    return blocks.table(columns, rows, _measure(one))
