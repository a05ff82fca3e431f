"""How this room's questions teach the offline model: in the schemas that it is asked with, one for each pass.

`examples.jsonl` has questions with their plans, beside the map: they teach a model's options when it is loaded, such as
the kind. The weights that ship have learned them as well, in the schemas that change with a question.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from json import dumps, loads
from typing import Any

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.live import index_of as server_index
from signalbox.agents.metrics.offers import Offer, families_of, list_offers
from signalbox.agents.metrics.plan import MOST_OPTIONS, plan_schema
from signalbox.agents.metrics.recipes import load_recipes
from signalbox.language.search import Index

__all__ = ["index_of", "names_for", "schemas_for"]

_SHOWN_VALUES, _MOST_VALUES = 3, 400
_FIRST = ("measure", "kind", "continues", "less")
_PARTS = {"histogram": ("_bucket", "_count", "_sum"), "summary": ("_count", "_sum")}


def schemas_for(header: Mapping[str, Any], case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The schema of a question's plan, in the two parts that fit into a pass of the reader each.

    `metrics` of the header are those of an invented server: `{name: [type, help]}`.
    """
    messages = case.get("messages") or [{"content": case.get("text", "")}]
    text = str(messages[-1]["content"])
    offers = _shortlist(*index_of(dumps(header["metrics"])), text, (case.get("expected") or {}).get("measure"))
    whole = plan_schema(offers, follows=len(messages) > 1)
    first = {name: field for name, field in whole["properties"].items() if name in _FIRST}
    rest = {
        name: field for name, field in whole["properties"].items() if name not in (*_FIRST, "not_covered", "confidence")
    }
    return [{**whole, "properties": part} for part in (first, rest)]


def names_for(header: Mapping[str, Any], case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The schema of what a question names of its measure; `measures` of the header: `{name: {label: [value]}}`."""
    labels = header["measures"][case["measure"]]
    several = {label: values[:_MOST_VALUES] for label, values in labels.items() if len(values) > 1}
    things = {value: label for label, values in reversed(several.items()) for value in values}
    kinds = {label: ", ".join(values[:_SHOWN_VALUES]) for label, values in several.items()}
    fields = {
        "things": ("names and values that the question speaks of", things),
        "split_by": ("what it is split by: per host, each service", kinds),
    }
    return [
        {
            "title": "Names",
            "description": "What a question about a measure names, in the names of the server.",
            "type": "object",
            "properties": {name: _several(about, options) for name, (about, options) in fields.items() if options},
        }
    ]


def _several(about: str, options: Mapping[str, str]) -> dict[str, Any]:
    chosen = {"type": "string", "enum": list(options), "enumDescriptions": dict(options)}
    return {"type": "array", "description": about, "items": chosen}


@lru_cache(maxsize=64)
def index_of(metrics: str) -> tuple[Index[Offer], dict[str, Offer]]:
    """Return an invented server's metrics, given as JSON: an index to search, and the offers by key."""
    described: dict[str, MetricInfo] = {}
    for name, (kind, told) in loads(metrics).items():
        for part in _PARTS.get(kind, ("",)):
            described[name + part] = MetricInfo(name + part, kind, told, name)
    offers = list_offers(families_of(described), load_recipes())
    return server_index(offers), {one.key: one for one in offers}


def _shortlist(index: Index[Offer], known: Mapping[str, Offer], text: str, wanted: str | None) -> list[Offer]:
    """What search finds; what is meant is among it, in the last place if search does not find it."""
    found = [hit.thing for hit in index.search(text, MOST_OPTIONS).hits]
    meant = known.get(wanted or "")
    if meant is not None and meant not in found:
        found = [*found[: MOST_OPTIONS - 1], meant]
    return found
