"""What a server offers to measure: its metrics by family, and the recipes that its metrics can serve."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.recipes import Bound, Recipe, Recipes, bind_variant
from signalbox.language.words import split_name

__all__ = ["Family", "Offer", "families_of", "is_plain", "list_offers"]

_TYPES = frozenset({"counter", "gauge", "histogram", "summary"})
# Name parts that say how a metric is stored, not what it measures.
_ENDINGS = frozenset("total bucket sum count info created".split())
_HIDDEN = ("_created", "_timestamp")
_MOST_ABOUT = 200
# Names, one or several that mean the same; anything else is a pattern for names that nobody knows beforehand.
_CLOSED = re.compile(r"[\w:|]+")
_PLAIN = re.compile(
    r"(?:\$agg|sum) by \(\$by\) \((?:(?:rate|increase)\()?\$metric\{\$match\}(?:\[\$window\]\))?\)"
    r"|histogram_quantile\(\$quantile, sum by \(le, \$by\) \(rate\(\$metric\{\$match\}\[\$window\]\)\)\)"
)


@dataclass(frozen=True, slots=True)
class Family:
    """A metric, or a histogram or summary with its parts; `names` are the metrics that carry it."""

    name: str
    type: str
    help: str
    names: tuple[str, ...]
    is_guessed: bool = False
    """The server does not say its type."""

    @property
    def words(self) -> tuple[str, ...]:
        """The telling words of its name, in order."""
        words = split_name(self.name)
        while len(words) > 1 and words[-1] in _ENDINGS:
            words = words[:-1]
        return words


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that can be measured: a metric by its own name, or a recipe with the ways to compute it here."""

    key: str
    """The name that a plan calls it by."""
    title: str
    about: str
    """What it is, in a line: what people call it, its help, its type and unit."""
    metrics: tuple[str, ...]
    """Every metric that may carry it, the likeliest first."""
    family: Family | None = None
    recipe: str = ""
    bounds: tuple[Bound, ...] = ()
    wordings: tuple[str, ...] = ()
    """What people call it."""
    is_health: bool = False

    @property
    def in_words(self) -> str:
        """What it is, for a reader: its help or what people call it, with type and unit."""
        is_own = self.recipe.replace(" ", "_") != self.key
        what = (self.family.help if self.family and is_own else "") or self.title
        first = self.bounds[0].variant if self.bounds else None
        kind = first.type if first else self.family.type if self.family else ""
        unit = first.unit if first else ""
        if self.family and unit in ("", "auto"):
            unit = base_unit(MetricInfo(self.family.name, self.family.type, family=self.family.name))
        told = ", ".join(part for part in (kind, unit) if part)
        return f"{what.rstrip('.')} ({told})" if told else what


def families_of(described: Mapping[str, MetricInfo]) -> dict[str, Family]:
    """The metrics by family, in their order."""
    names: dict[str, list[str]] = {}
    for name, info in described.items():
        is_part = info.type in ("histogram", "summary") and name != info.family
        names.setdefault(info.family if is_part else name, []).append(name)
    return {family: _family(family, members, described[members[0]]) for family, members in names.items()}


def _family(name: str, members: Sequence[str], info: MetricInfo) -> Family:
    is_counter = name.endswith("_total")
    said = info.type if info.type in _TYPES else "counter" if is_counter else "gauge"
    return Family(name, said, info.help, tuple(members), info.type not in _TYPES and not is_counter)


def list_offers(families: Mapping[str, Family], recipes: Recipes) -> list[Offer]:
    """Every recipe that the metrics can serve, then every metric that no recipe reads as it is."""
    names = {member: None for family in families.values() for member in family.names}
    offers = [one for name, recipe in recipes.recipes.items() for one in _of_recipe(name, recipe, families, names)]
    known = {bound.metrics[0] for offer in offers for bound in offer.bounds if is_plain(bound)}
    for family in families.values():
        if not family.name.endswith(_HIDDEN) and not known & set(family.names):
            offers.append(_of_family(family))
    return _with_names_of_their_own(offers)


def is_plain(bound: Bound) -> bool:
    """Whether the variant reads its one metric as anybody would who asks for the metric by name."""
    return len(bound.metrics) == 1 and bool(_PLAIN.fullmatch(bound.variant.promql))


def _of_recipe(name: str, recipe: Recipe, families: Mapping[str, Family], known: Collection[str]) -> Iterator[Offer]:
    """One offer for a recipe; where a pattern fits metrics that it does not name, one for each of these."""
    main: list[Bound] = []
    others: list[Bound] = []
    seen: set[str] = set()
    for place, variant in enumerate(recipe.variants):
        # A pattern that comes late also fits what an earlier variant knows better.
        bounds = [one for one in bind_variant(variant, place, known) if one.metrics[0] not in seen]
        # What is counted by the way, as every histogram does, stands in only where nothing else counts it.
        counted = [one for one in bounds if not _is_counted_by_the_way(one.metrics[0], families)]
        bounds = counted if counted or main or others else bounds
        if _CLOSED.fullmatch(variant.metrics[0]):
            main += bounds[:1]
        else:
            others += bounds
        seen |= {one.metrics[0] for one in bounds}
    if not main and len(others) == 1 and not is_plain(others[0]):
        main, others = others, []
    if main:
        yield _recipe_offer(name, name, recipe, tuple(main), families)
    for bound in others:
        family = _family_of(bound.metrics[0], families)
        own = family.name if family else bound.metrics[0]
        yield _recipe_offer(own if is_plain(bound) else f"{name} of {own}", name, recipe, (bound,), families)


def _is_counted_by_the_way(metric: str, families: Mapping[str, Family]) -> bool:
    return metric.endswith("_count") and families.get(metric.removesuffix("_count")) is not None


def _recipe_offer(
    key: str, name: str, recipe: Recipe, bounds: tuple[Bound, ...], families: Mapping[str, Family]
) -> Offer:
    title = recipe.title or name
    family = _family_of(bounds[0].metrics[0], families)
    is_own = key != name
    is_count = is_own and family is not None and bounds[0].metrics[0] == f"{family.name}_count"
    told = (title, *([family.help] if family and is_own else recipe.words[:4]), bounds[0].variant.unit)
    return Offer(
        key=key.replace(" ", "_"),
        title=f"{'count of ' * is_count}{' '.join(family.words)}" if family and is_own else title,
        about=_about(told),
        metrics=tuple(dict.fromkeys(metric for bound in bounds for metric in bound.metrics)),
        family=family if is_own or len(bounds) == 1 else None,
        recipe=name,
        bounds=bounds,
        wordings=recipe.words,
        is_health=recipe.health is not None,
    )


def _of_family(family: Family) -> Offer:
    unit = base_unit(MetricInfo(family.name, family.type, family=family.name))
    return Offer(
        key=family.name,
        title=" ".join(family.words),
        about=_about((family.help, family.type, unit)),
        metrics=family.names,
        family=family,
    )


def _about(parts: Sequence[str]) -> str:
    return ", ".join(part for part in dict.fromkeys(part.strip() for part in parts) if part)[:_MOST_ABOUT]


def _family_of(metric: str, families: Mapping[str, Family]) -> Family | None:
    return families.get(metric) or families.get(metric.rpartition("_")[0])


def _with_names_of_their_own(offers: Sequence[Offer]) -> list[Offer]:
    """The offers, none with the name of another: two recipes that read a metric as it is are one offer."""
    kept: dict[str, Offer] = {}
    for one in offers:
        before = kept.get(one.key)
        if before is not None:
            one = replace(before, wordings=tuple(dict.fromkeys((*before.wordings, *one.wordings))))
        kept[one.key] = one
    return list(kept.values())
