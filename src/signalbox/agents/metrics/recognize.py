"""Recipes found in a query, whoever wrote it: `1 - avg(rate(node_cpu_seconds_total{mode="idle"}[5m]))` is CPU usage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import promql_parser

from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import template_of
from signalbox.agents.metrics.offers import Offer, is_plain
from signalbox.agents.metrics.promql import fill_template
from signalbox.agents.metrics.recipes import Bound
from signalbox.agents.metrics.tree import (
    function_of,
    kind_of,
    matchers_of,
    metric_names,
    name_of,
    number_of,
    operator_of,
    unwrapped,
)

__all__ = ["Filter", "Recognized", "recognize"]

_ANY_AGGREGATION = "group"
_ANY_QUANTILE = 0.123456
_CONDITION = re.compile(r"\$(?!match\b|by\b|window\b|quantile\b|agg\b)\w+\s*,?")
Filter = tuple[str, str, str]
"""A condition on a label: label, operator, value."""


@dataclass(frozen=True, slots=True)
class _Template:
    tree: Any
    title: str
    unit: str
    is_total: bool
    is_judging: bool
    """Whether its parts have conditions of their own, as the failed part of an error rate has."""


@dataclass(frozen=True, slots=True)
class Recognized:
    """A recipe in a query: what people call it, its unit, and what the query adds to it."""

    title: str
    unit: str
    filters: tuple[Filter, ...]
    by: tuple[str, ...]
    quantile: float | None
    is_total: bool
    operator: str
    """How the query aggregates series, if the recipe leaves that open."""


_KEPT: WeakKeyDictionary[Any, dict[frozenset[str], list[_Template]]] = WeakKeyDictionary()


def recognize(node: Any, live: Live) -> Recognized | None:
    """Return the recipe that a part of a tree is, with any labels, windows and conditions; None if it is none."""
    templates = _KEPT.get(live.index)
    if templates is None:
        templates = _KEPT[live.index] = _templates(list(live.offers.values()))
    for one in templates.get(frozenset(metric_names(node)), ()):
        found = _Match()
        if not found.fits(one.tree, node):
            continue
        common = [each for each in found.filters[0] if all(each in other for other in found.filters)]
        if not one.is_judging and any(len(other) > len(common) for other in found.filters):
            continue
        by = tuple(dict.fromkeys(found.by))
        return Recognized(one.title, one.unit, tuple(common), by, found.quantile, one.is_total, found.operator)
    return None


def _templates(offers: Sequence[Offer]) -> dict[frozenset[str], list[_Template]]:
    made: dict[frozenset[str], list[_Template]] = {}
    for offer in offers:
        for bound in offer.bounds:
            variant = bound.variant
            for text, is_total in ((variant.promql, False), (variant.mean, False), (variant.total, True)):
                tree = _parsed(text, bound) if text else None
                if tree is None or (is_plain(bound) and not offer.recipe):
                    continue
                unit = (variant.total_unit if is_total else variant.unit).replace("auto", "")
                one = _Template(tree, offer.title, unit, is_total, bool(variant.conditions))
                made.setdefault(frozenset(bound.metrics), []).append(one)
    return made


def _parsed(template: str, bound: Bound) -> Any:
    plain = _CONDITION.sub("", template_of(template, bound.metrics))
    text = fill_template(plain, window=300, quantile=_ANY_QUANTILE, agg=_ANY_AGGREGATION)
    try:
        return promql_parser.parse(text)
    except ValueError:
        return None


class _Match:
    """A comparison of a query with a template, and what the query has beyond it."""

    def __init__(self) -> None:
        self.filters: list[list[Filter]] = []
        self.by: list[str] = []
        self.quantile: float | None = None
        self.operator = ""

    def fits(self, template: Any, node: Any) -> bool:
        """True if the node is the template with other labels, windows and further conditions."""
        template, node = unwrapped(template), unwrapped(node)
        kind = kind_of(template)
        if kind == "VectorSelector":
            return self._selects(template, _selected(node))
        if kind == "NumberLiteral":
            if template.val == _ANY_QUANTILE and number_of(node) is not None:
                self.quantile = number_of(node)
                return True
            return bool(number_of(node) == template.val)
        if kind != kind_of(node):
            return False
        if kind == "MatrixSelector":
            return self._selects(template.vector_selector, node.vector_selector)
        if kind == "AggregateExpr":
            return self._aggregates(template, node)
        if kind == "Call":
            same = function_of(template) == function_of(node) and len(template.args) == len(node.args)
            return same and all(map(self.fits, template.args, node.args))
        if kind == "BinaryExpr":
            same = str(template.op) == str(node.op) and str(template.modifier) == str(node.modifier)
            return same and self.fits(template.lhs, node.lhs) and self.fits(template.rhs, node.rhs)
        return kind == "SubqueryExpr" and self.fits(template.expr, node.expr)

    def _selects(self, template: Any, node: Any) -> bool:
        if node is None or kind_of(node) != "VectorSelector" or name_of(template) != name_of(node) or node.offset:
            return False
        own, asked = _filters(template), _filters(node)
        self.filters.append([one for one in asked if one not in own])
        return all(one in asked for one in own)

    def _aggregates(self, template: Any, node: Any) -> bool:
        if operator_of(template) not in (operator_of(node), _ANY_AGGREGATION):
            return False
        if operator_of(template) == _ANY_AGGREGATION:
            self.operator = operator_of(node)
        own, asked = template.modifier, node.modifier
        if own is not None and str(own.type).endswith("Without"):
            return str(own) == str(asked) and self.fits(template.expr, node.expr)
        if asked is not None and str(asked.type).endswith("Without"):
            return False
        known = list(own.labels) if own is not None else []
        labels = list(asked.labels) if asked is not None else []
        self.by += [label for label in labels if label not in known]
        return set(known) <= set(labels) and self.fits(template.expr, node.expr)


def _selected(node: Any) -> Any:
    """The selector in `x`, in `last_over_time(x[10m])`, and in `x < Inf > -Inf`."""
    node = unwrapped(node)
    if function_of(node) == "last_over_time":
        node = node.args[0]
        return node.vector_selector if kind_of(node) == "MatrixSelector" else None
    if kind_of(node) == "BinaryExpr" and abs(number_of(node.rhs) or 0) == float("inf"):
        return _selected(node.lhs)
    return node


def _filters(selector: Any) -> list[Filter]:
    return [(one.name, str(one.op), one.value) for one in matchers_of(selector) if one.name != "__name__"]
