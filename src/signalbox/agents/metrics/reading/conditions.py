"""The conditions of a recipe: its own, by the labels that a metric has, or those that the question names instead."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from signalbox.agents.metrics.reading.candidates import Candidate
from signalbox.agents.metrics.reading.grouping import Group
from signalbox.agents.metrics.reading.live import Series
from signalbox.agents.metrics.reading.mentions import Mention
from signalbox.agents.metrics.recipes import Recipes

__all__ = ["conditions_of", "lacks_value", "narrow_conditions"]


def conditions_of(candidate: Candidate, series: Series, recipes: Recipes) -> dict[str, str] | None:
    """The matchers of the variant's conditions, by the first label that the metric has for each."""
    made: dict[str, str] = {}
    for name in candidate.bound.variant.conditions if candidate.bound else ():
        text = _condition(recipes.conditions.get(name, {}), series)
        if text is None:
            return None
        made[name] = text
    return made


def lacks_value(candidate: Candidate, said: Sequence[Mention | Group]) -> bool:
    """Whether the variant is only for questions that name a label, or a value of one, that is not there."""
    needs = candidate.bound.variant.needs if candidate.bound else ()
    return bool(needs) and not any(one.label in needs for one in said)


def narrow_conditions(conditions: Mapping[str, str], mentions: list[Mention]) -> tuple[dict[str, str], list[Mention]]:
    """The conditions with the values that the text names for their labels, and the other mentions.

    A recipe for errors that are said to be 503s counts those, among all requests.
    """
    made = dict(conditions)
    for name, text in conditions.items():
        label = text.partition("=")[0]
        values = [value for one in mentions if one.label == label and not one.negated for value in one.values]
        if values:
            made[name] = f'{label}=~"{"|".join(map(_escaped, dict.fromkeys(values)))}"'
            mentions = [one for one in mentions if one.label != label or one.negated]
    return made, mentions


def _condition(labels: Mapping[str, str], series: Series) -> str | None:
    for label, pattern in labels.items():
        values = series.values.get(label, ())
        fitting = [value for value in values if re.fullmatch(pattern, value, re.IGNORECASE)]
        if values and all(re.fullmatch(r"[1-5]\d\d", value) for value in values):
            return f'{label}=~"5.."'
        if fitting:
            return f'{label}=~"{"|".join(map(_escaped, fitting))}"'
    return None


def _escaped(value: str) -> str:
    """The value inside a regular expression inside a text of PromQL."""
    literal = re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", value)
    return literal.replace("\\", "\\\\").replace('"', '\\"')
