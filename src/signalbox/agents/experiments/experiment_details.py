"""`experiment_details_node`: one experiment, whole or one side of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import said_params
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.candidates import choose_experiment
from signalbox.agents.experiments.metric_results import get_experiment_results
from signalbox.agents.experiments.node import at_once, capability_node
from signalbox.agents.experiments.reports import told_notes
from signalbox.agents.experiments.result_texts import told_results
from signalbox.agents.experiments.shape import local_moment
from signalbox.agents.experiments.steps import update_experiment_cache
from signalbox.agents.experiments.tools import get_experiment_details
from signalbox.contract import blocks
from signalbox.contract.blocks import Block

__all__ = ["aexperiment_details_node", "experiment_details_node", "told_details"]


@capability_node("experiment_details")
async def aexperiment_details_node(state: dict[str, Any], calls: Calls) -> dict[str, Any]:
    """Show the experiment that is meant, or what is asked of it; with what about it may surprise."""
    if (state["pending"] or {}).get("decision") == "no":
        return {"bot_response": "All right, nothing is shown.", "told": "Nothing was shown."}
    fields = state["fields"]
    calls.said = said_params(fields)
    chosen = choose_experiment(fields, calls.server, state["shown"])
    lead = ""
    if "results" in (fields.get("aspects") or ()):
        results = await calls(get_experiment_results, experiment=chosen["id"])
        kept = {"aspects": ["results"], "experiment_id": chosen["id"], "experiment_name": chosen["name"]}
        if results["metrics"]:
            return {**told_results(results), "previous": {"capability": "experiment_details", "fields": kept}}
        # An experiment without metrics has no results to show: it is shown itself.
        lead = f"{told_results(results)['told']}\n\n"
    found = await calls(get_experiment_details, experiment=chosen["id"])
    aspects = [one for one in fields.get("aspects") or () if one != "results"]
    told = told_details([found], aspects)
    cached: Any = {"all_experiments": state["all_experiments"]}
    is_of_list = any(one["id"] == found["id"] for one in state["shown"])
    return {
        **told,
        "bot_response": f"{lead}{told['bot_response']}",
        "previous": {
            "capability": "experiment_details",
            "fields": {"aspects": aspects, "experiment_id": found["id"], "experiment_name": found["name"]},
        },
        # "The other one" may mean one of the list that this one was chosen from.
        "shown": state["shown"] if is_of_list else told["shown"],
        "all_experiments": update_experiment_cache(cached, found)["all_experiments"],
    }


experiment_details_node = at_once(aexperiment_details_node)


def told_details(found: Sequence[dict[str, Any]], aspects: Sequence[str] = ()) -> dict[str, Any]:
    """Experiments, or sides of them, in words and as tables, with what about them may surprise."""
    texts, tables = [], []
    for one in found:
        told = "\n\n".join(_aspect_text(aspect, one) for aspect in aspects) or _details_text(one)
        texts.append(told + told_notes(one["warnings"]))
        named = f"{one['name']}: " if len(found) > 1 else ""
        tables += [{**block, "title": f"{named}{block.get('title', '')}"} for block in _blocks(one, aspects)]
    only = found[0] if len(found) == 1 else None
    return {
        "bot_response": "\n\n".join(texts),
        "told": " ".join(map(_short_text, found)),
        "blocks": tables,
        "shown": [{"id": one["id"], "name": one["name"]} for one in found],
        "current_experiment_id": only["id"] if only else None,
        "experiment_details": found[-1],
        "params": {"experiment_name": only["name"]} if only else {},
        **({"active_context": only["context"]} if only else {}),
    }


def _short_text(found: Mapping[str, Any]) -> str:
    """An experiment in two sentences."""
    arms = ", ".join(f"{one['code']} {_number(one['weight'])}" for one in found["conditions"])
    return f"{found['name']} is {found['state_shown']} in {found['context']}. Conditions: {arms}."


def _aspect_text(aspect: str, found: Mapping[str, Any]) -> str:
    """One side of an experiment in words; all of it in short where no side is named."""
    name = f"**{found['name']}**"
    enrolled = found["enrollment"]
    arms = ", ".join(f"{one['code']} {_number(one['weight'])}%" for one in found["conditions"]) or "none"
    points = "; ".join(f"{one['site']} / {one['target']}" for one in found["decision_points"]) or "none"
    told = {
        "conditions": f"{name} has the conditions {arms}.{_payloads(found)}",
        "state": f"{name} is {found['state_shown']}.",
        "decision_points": f"{name} has the decision points {points}.",
        "rules": f"{name}: {_rules(found)}",
        "segments": f"{name}: {_segments(found)}",
        "enrolment": f"{name}: {enrolled['users']} users and {enrolled['groups']} groups are enrolled, "
        f"{enrolled['users_excluded']} users excluded.{_by_condition(enrolled)}",
        "dates": f"{name} was created {_moment(found['created_at'])} and last changed {_moment(found['updated_at'])}.",
    }
    if aspect in told:
        return told[aspect]
    about = f" {found['description']}" if found["description"] else ""
    return (
        f"{name} is {found['state_shown']} in {found['context']}.{about}\n\n"
        f"Conditions: {arms}. Decision points: {points}. {_rules(found)} {_segments(found)} "
        f"{enrolled['users']} users are enrolled.{_tags(found)}"
    )


def _details_text(found: Mapping[str, Any]) -> str:
    """An experiment for who reads only its text: all of it, with payloads, moments and those enrolled by condition."""
    enrolled = found["enrollment"]
    counted = f"{_by_condition(enrolled)} ".lstrip()
    groups = f"{enrolled['groups']} groups are enrolled. " if enrolled["groups"] else ""
    moments = f"Created {local_moment(found['created_at'])}, last changed {local_moment(found['updated_at'])}."
    return f"{_aspect_text('', found)}\n\n{groups}{counted}{moments}{_payloads(found)} Id: {found['id']}."


def _by_condition(enrolled: Mapping[str, Any]) -> str:
    arms = ", ".join(f"{code} {one['users']}" for code, one in enrolled["conditions"].items())
    return f" Enrolled by condition: {arms}." if arms and enrolled["users"] else ""


def _tags(found: Mapping[str, Any]) -> str:
    return f" Tags: {', '.join(found['tags'])}." if found["tags"] else " It has no tags."


def _rules(found: Mapping[str, Any]) -> str:
    unit = f"group ({found['group']})" if found["assignment_unit"] == "group" else str(found["assignment_unit"])
    after = f"{found['post_rule']} {found['revert_to']}" if found["revert_to"] else str(found["post_rule"])
    rules = f"Unit of assignment: {unit}; consistency rule: {found['consistency_rule']}; afterwards: {after}."
    return f"{rules}{_design(found)}"


def _design(found: Mapping[str, Any]) -> str:
    """What is special about how it is made up; empty for a plain experiment between users or groups."""
    told = []
    if found["factors"] or found["type"] == "Factorial":
        factors = "; ".join(f"{one['name']} ({', '.join(one['levels'])})" for one in found["factors"])
        told.append(f"Factorial: each condition combines a level of every factor: {factors}.")
    if found["assignment_unit"] == "within-subjects":
        order = found["condition_order"] or "in no order that it says"
        told.append(f"Within-subjects: every user gets all conditions, one after the other ({order}).")
    if found["algorithm"] == "stratified random sampling":
        by = f" by {found['stratified_by']}" if found["stratified_by"] else ""
        told.append(f"Stratified{by}: the weights are kept within each stratum, by who is enrolled already.")
    elif found["algorithm"] != "random":
        told.append(f"Assigned by {found['algorithm']}, which learns from results.")
    return "".join(f" {one}" for one in told)


def _segments(found: Mapping[str, Any]) -> str:
    told = [f"Filter mode: {found['filter_mode']}."]
    for kind, word in (("include", "Included"), ("exclude", "Excluded")):
        members = found[kind]
        listed = [*members["users"], *(f"{one['type']} {one['id']}" for one in members["groups"])]
        if listed:
            told.append(f"{word}: {', '.join(listed)}.")
    return " ".join(told)


def _payloads(found: Mapping[str, Any]) -> str:
    told = [f"{one['code']}: {_payload(one['payload'])}" for one in found["conditions"] if one.get("payload")]
    several = [one["code"] for one in found["conditions"] if not one.get("payload")]
    told += [
        f"{one['condition']} at {one['site']} / {one['target']}: {_payload(one)}"
        for one in found["payloads"]
        if one["condition"] in several
    ]
    return f" Payloads: {'; '.join(told)}." if told else ""


def _payload(payload: Any) -> str:
    return str(payload.get("value", payload)) if isinstance(payload, Mapping) else str(payload)


def _blocks(found: Mapping[str, Any], aspects: Sequence[str] = ()) -> list[Block]:
    """The conditions with those enrolled in them, and the decision points; only those that were asked for."""
    enrolled = found["enrollment"]["conditions"]
    arms = [
        [one["code"], one["weight"], (enrolled.get(one["code"]) or {}).get("users", 0)] for one in found["conditions"]
    ]
    points = [[one["site"], one["target"], one["exclude_if_reached"]] for one in found["decision_points"]]
    made = []
    if (not aspects or {"conditions", "enrolment"} & set(aspects)) and arms:
        made.append(blocks.table(["condition", ("weight", "%"), "users enrolled"], arms, "Conditions"))
    if (not aspects or "decision_points" in aspects) and points:
        made.append(blocks.table(["site", "target", "exclude if reached"], points, "Decision points"))
    return made


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _moment(text: Any) -> str:
    return str(text or "at an unknown time")[:16].replace("T", " ")
