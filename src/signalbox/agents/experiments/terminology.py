"""`terminology_node`: what terms of UpGrade mean, and how two of them work together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import named_params
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.node import at_once, capability_node
from signalbox.agents.experiments.tools import explain_upgrade_concept, list_upgrade_concepts
from signalbox.contract import blocks

__all__ = ["aterminology_node", "terminology_node", "told_concepts", "told_terms"]


_RULES_OF = {
    "change_weights": "Change of Weights",
    "stop": "Post-Experiment Rule",
    "change_group": "Change of Group",
    "reached_before": "Exclude If Reached",
    "remove_condition": "Removal of a Condition",
    "delete": "Deletion",
    "shared_point": "Pool",
}
"""The concept that tells what follows where something happens."""


@capability_node("terminology")
async def aterminology_node(state: dict[str, Any], calls: Calls) -> dict[str, Any]:
    """Explain one term, two and what they have to do with each other, what follows where something happens, or say
    which terms there are."""
    fields = state["fields"]
    wanted = list(fields.get("terms") or ())[:2]
    kept = {
        "params": named_params({}, concept=fields.get("concept")),
        "previous": {"capability": "terminology", "fields": {}},
    }
    if fields.get("situation"):
        return {**kept, **told_concepts([await calls(explain_upgrade_concept, concept=_RULES_OF[fields["situation"]])])}
    if not wanted:
        return {**kept, **told_terms(await calls(list_upgrade_concepts))}
    return {**kept, **told_concepts([await calls(explain_upgrade_concept, concept=one) for one in wanted])}


terminology_node = at_once(aterminology_node)


def told_terms(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Which terms there are."""
    names = ", ".join(str(one["name"]) for one in found)
    return {"bot_response": f"I can explain {len(found)} concepts: {names}.", "told": "A list of concepts."}


def told_concepts(concepts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What terms mean, and what two of them have to do with each other."""
    parts = [_told(one) for one in concepts]
    if len(concepts) == 2:
        parts.append(_together(*concepts))
    told = "; ".join(f"{one['name']}: {one['definition']}" for one in concepts)
    return {"bot_response": "\n\n".join(parts), "told": told[:200], "blocks": _values(concepts)}


def _told(concept: Mapping[str, Any]) -> str:
    lines = [f"**{concept['name']}**: {concept['definition']}"]
    if concept.get("example"):
        lines.append(f"Example: {concept['example']}")
    if concept.get("related"):
        lines.append(f"Related: {', '.join(concept['related'])}.")
    return "\n\n".join(lines)


def _together(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """What two terms have to do with each other: as the data says, else by what both are related to."""
    told = (one.get("with") or {}).get(other["name"]) or (other.get("with") or {}).get(one["name"])
    if told:
        return f"Together: {told}"
    if other["name"] in (one.get("related") or ()) or one["name"] in (other.get("related") or ()):
        return f"Together: {one['name']} and {other['name']} belong directly to each other."
    shared = [name for name in one.get("related") or () if name in (other.get("related") or ())]
    if shared:
        return f"Together: both have to do with {' and '.join(shared)}."
    return f"Together: {one['name']} and {other['name']} do not depend on each other."


def _values(concepts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    made = []
    for one in concepts:
        values = one.get("values") or {}
        if isinstance(values, Mapping) and values:
            rows = [[name, meaning] for name, meaning in values.items()]
            made.append(blocks.table(["value", "meaning"], rows, f"Values of {one['name']}"))
    return made
