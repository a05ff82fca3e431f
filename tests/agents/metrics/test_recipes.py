"""Recipes: the shipped ones, a user's own beside them, and which metrics they are bound to."""

from __future__ import annotations

import re
from pathlib import Path

import promql_parser
import pytest

from signalbox.agents.metrics.promql import fill_template
from signalbox.agents.metrics.recipes import Recipes, Variant, bind_variant, load_recipes
from signalbox.agents.metrics.slots import Matcher
from signalbox.errors import ConfigurationError

OWN = """
recipes:
  basket size:
    title: size of baskets
    words: [basket size, basket]
    variants:
      - metrics: [basket_items_sum, basket_items_count]
        promql: 'sum by ($by) (rate($metric{$match}[$window])) / sum by ($by) (rate($metric2{$match}[$window]))'
        type: ratio
  uptime:
    words: [uptime]
    variants:
      - metrics: [my_uptime_seconds]
        promql: '$agg by ($by) ($metric{$match})'
        type: gauge
"""


def templates(recipes: Recipes) -> list[str]:
    found = []
    for recipe in recipes.recipes.values():
        for variant in recipe.variants:
            names = {f"metric{at}": f"some_metric_{at}" for at in range(2, len(variant.metrics) + 1)}
            for text in filter(None, (variant.promql, variant.total)):
                for name in variant.conditions:
                    text = text.replace(f"${name}", 'status=~"5.."')
                for name, metric in names.items():
                    text = text.replace(f"${name}", metric)
                found.append(text.replace("$metric", "some_metric"))
    return found


@pytest.mark.parametrize("by", [(), ("instance",), ("service", "route")])
@pytest.mark.parametrize(
    "matchers", [(), (Matcher("service", ("payment", "checkout")), Matcher("env", ("dev",), True))]
)
def test_every_shipped_template_is_promql_with_and_without_conditions_and_groups(
    by: tuple[str, ...], matchers: tuple[Matcher, ...]
) -> None:
    shipped = templates(load_recipes([]))
    assert len(shipped) > 100
    for template in shipped:
        promql_parser.parse(fill_template(template, matchers=matchers, by=by))


def test_a_users_file_adds_recipes_and_replaces_those_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN)
    merged = load_recipes([tmp_path / "own.yaml"])
    assert merged.recipes["basket size"].title == "size of baskets"
    assert merged.recipes["uptime"].variants[0].metrics == ("my_uptime_seconds",)
    assert merged.recipes["cpu usage"] == load_recipes([]).recipes["cpu usage"]


def test_the_setting_names_the_users_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.yaml").write_text(OWN)
    monkeypatch.setenv("SIGNALBOX_METRICS_RECIPES", str(tmp_path / "own.yaml"))
    assert "basket size" in load_recipes().recipes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("recipes: [", "no YAML"),
        ("recipes: {x: {words: [x], variants: []}}", "recipes.x.variants"),
        ("recipes: {x: {words: [x], variants: [{metrics: ['(a'], promql: a, type: gauge}]}}", "unterminated"),
        ("recipes: {x: {words: [x], variants: [{metrics: [a], promql: a, type: pie}]}}", "type"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=re.escape(reason)):
        load_recipes([tmp_path / "own.yaml"])


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        load_recipes(["/nowhere.yaml"])


def test_a_variant_is_bound_to_every_pair_of_metrics_that_belong_together() -> None:
    variant = Variant(metrics=(r"(?P<stem>\w+)_hits_total", r"${stem}_miss(?:es)?_total"), promql="x", type="ratio")
    names = ["a_hits_total", "a_misses_total", "b_hits_total", "b_miss_total", "c_hits_total"]
    assert [bound.metrics for bound in bind_variant(variant, 0, names)] == [
        ("a_hits_total", "a_misses_total"),
        ("b_hits_total", "b_miss_total"),
    ]
