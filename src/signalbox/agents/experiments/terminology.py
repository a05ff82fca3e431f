"""`terminology_node`: what terms of UpGrade mean, and how two of them work together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import fields_of, named_params
from signalbox.agents.experiments.glossary import all_concepts, terms
from signalbox.agents.experiments.names import grounded, mentioned
from signalbox.agents.experiments.node import Calls, at_once, capability_node
from signalbox.agents.experiments.plan import terminology_schema
from signalbox.agents.experiments.shape import same_text
from signalbox.agents.experiments.tools import explain_upgrade_concept, list_upgrade_concepts
from signalbox.contract import blocks
from signalbox.language.clauses import clauses_of

__all__ = ["aterminology_node", "terminology_node", "told_concepts", "told_terms"]


@capability_node("terminology")
async def aterminology_node(state: dict[str, Any], calls: Calls) -> dict[str, Any]:
    """Explain one term, two and what they have to do with each other, or say which terms there are."""
    fields = await fields_of(state, terminology_schema())
    wanted = _wanted(fields, state["user_input"])
    kept = {
        "params": named_params({}, concept=_said(fields) or (wanted[0] if wanted else None)),
        "previous": {"capability": "terminology", "fields": {}},
    }
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


def _said(fields: Mapping[str, Any]) -> str:
    """The term as it was said; where more was read than a term, the only one in it."""
    said = str(fields.get("concept") or "")
    inside = mentioned(said, terms())
    return inside[0] if len(inside) == 1 and grounded(said, terms()) is None else said


def _wanted(fields: Mapping[str, Any], text: str) -> list[str]:
    """The terms that are asked for: as they were read, or by their names in the request."""
    names = {name: str(one["name"]) for one in all_concepts() for name in (one["name"], *(one.get("aliases") or ()))}
    said = [str(fields[key]) for key in ("concept", "second_concept") if fields.get(key)]
    found = [names[known] if (known := _known(one, names)) else one for one in said]
    spoken = [names[name] for name in mentioned(text, names)]
    if not found or any(one not in names.values() for one in found):
        found = [one for one in found if one in names.values()] + spoken or found
    if len(found) == 1:
        # "weights and pools": what follows is nothing but another term.
        found += [names[name] for one in clauses_of(text)[1:] for name in names if same_text(one.strip(" ?.!"), name)]
    return list(dict.fromkeys(found))[:2]


def _known(said: str, names: Mapping[str, str]) -> str | None:
    inside = mentioned(said, names)
    return grounded(said, names) or (inside[0] if len({names[one] for one in inside}) == 1 else None)


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
