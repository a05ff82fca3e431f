"""Recipes: concepts such as "CPU usage", each with the ways to compute it from whatever metrics a server has."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from string import Template
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signalbox.agents.metrics.slots import MeasureType
from signalbox.agents.metrics.state import Aggregation
from signalbox.errors import ConfigurationError
from signalbox.settings import get_settings

__all__ = ["SETTING", "Bound", "Health", "Recipe", "Recipes", "Variant", "bind_variant", "load_recipes"]

SETTING = "SIGNALBOX_METRICS_RECIPES"
"""The setting that names files of a user's own recipes."""

# The loader in C, where it is there, reads the shipped file ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SHIPPED = Path(__file__).with_name("recipes.yaml")
_MOST_BINDINGS = 40


class Variant(BaseModel):
    """One way to compute a recipe; `recipes.yaml` says what the fields mean."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    metrics: tuple[str, ...] = Field(min_length=1)
    promql: str = Field(min_length=1)
    mean: str = ""
    total: str = ""
    type: MeasureType
    unit: str = ""
    total_unit: str = ""
    agg: Aggregation = "sum"
    hides: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


class Health(BaseModel):
    """When a measure is a sign of trouble: beyond these bounds, or so many times its usual value; each thing by itself.

    `is_symptom` marks what users of a service feel: latency and errors.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    above: float | None = None
    below: float | None = None
    times: float | None = None
    is_symptom: bool = False


class Recipe(BaseModel):
    """A concept: what people call it, its variants, the best first, and what of it is a sign of trouble."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    words: tuple[str, ...] = Field(min_length=1)
    variants: tuple[Variant, ...] = Field(min_length=1)
    health: Health | None = None


class Recipes(BaseModel):
    """All recipes by name, and the conditions on labels that their templates use."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    recipes: dict[str, Recipe] = Field(default_factory=dict)
    conditions: dict[str, dict[str, str]] = Field(default_factory=dict)

    def merged(self, other: Recipes) -> Recipes:
        """These, and the other's in place of those of the same name."""
        return Recipes(recipes=self.recipes | other.recipes, conditions=self.conditions | other.conditions)


@dataclass(frozen=True, slots=True)
class Bound:
    """A variant with the names that its metrics have on a server."""

    variant: Variant
    metrics: tuple[str, ...]
    place: int
    """Which of the recipe's variants it is, from 0."""


def load_recipes(paths: Iterable[str | Path] | None = None) -> Recipes:
    """The shipped recipes and those in the files, later ones first; without files, those that the setting names.

    Raises ConfigurationError for a file that cannot be read.
    """
    if paths is None:
        paths = [path for path in get_settings().metrics_recipes.split(os.pathsep) if path.strip()]
    return _merged(tuple((path, _changed(path)) for path in (_SHIPPED, *map(Path, paths))))


def bind_variant(variant: Variant, place: int, names: Collection[str]) -> list[Bound]:
    """The variant for every set of the server's metrics that it fits; the names are best in a set or a dictionary."""
    bound = (Bound(variant, metrics, place) for metrics in _bindings(variant.metrics, names))
    return [one for one, _ in zip(bound, range(_MOST_BINDINGS), strict=False)]


def _bindings(patterns: tuple[str, ...], names: Collection[str]) -> Iterator[tuple[str, ...]]:
    for first, groups in _matching(patterns[0], names):
        others = [
            [name for name, _ in _matching(Template(pattern).safe_substitute(groups), names)]
            for pattern in patterns[1:]
        ]
        yield from ((first, *rest) for rest in product(*(found[:1] for found in others)))


def _matching(pattern: str, names: Collection[str]) -> list[tuple[str, Mapping[str, str]]]:
    if pattern in names:
        return [(pattern, {})]
    if pattern.isidentifier():
        return []
    compiled = _compiled(pattern)
    return [(name, found.groupdict()) for name in names if (found := compiled.fullmatch(name))]


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@lru_cache(maxsize=16)
def _merged(files: tuple[tuple[Path, int], ...]) -> Recipes:
    """What the files hold together; the time of its last change tells one state of a file from another."""
    found = Recipes()
    for path, _ in files:
        found = found.merged(_parsed(path))
    return found


def _parsed(path: Path) -> Recipes:
    try:
        said: Any = yaml.load(path.read_text("utf-8"), _LOADER) or {}
        found = Recipes.model_validate(said)
        for pattern in _patterns(found):
            re.compile(pattern)
    except yaml.YAMLError as error:
        raise _wrong(path, "it is no YAML", error) from None
    except ValidationError as error:
        first = error.errors()[0]
        raise _wrong(path, f"{'.'.join(map(str, first['loc']))}: {first['msg']}", error) from None
    except (re.error, UnicodeDecodeError, OSError) as error:
        raise _wrong(path, str(error), error) from None
    return found


def _patterns(found: Recipes) -> Iterator[str]:
    for recipe in found.recipes.values():
        for variant in recipe.variants:
            yield variant.metrics[0]
    for condition in found.conditions.values():
        yield from condition.values()


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise _wrong(path, "it cannot be opened", error) from None


def _wrong(path: Path, reason: str, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"The file of recipes {path.name} cannot be read: {reason}.",
        suggestion=f"Mend the file, or unset {SETTING}.",
        details=error,
    )
