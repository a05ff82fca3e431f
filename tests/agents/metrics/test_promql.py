"""Templates become PromQL that says what was meant, whatever stands in a label."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import promql_parser
import pytest

from signalbox.agents.metrics import InvalidQueryError, TimeRange
from signalbox.agents.metrics.promql import check_promql, duration_text, fill_template, match_text, selector_text
from signalbox.agents.metrics.slots import Matcher
from signalbox.agents.metrics.windows import choose_resolution

NASTY = [
    'a"b',
    "back\\slash",
    "new\nline",
    '"} or vector(1) or up{x="',
    "ünïcode ☃",
    "$match",
    "a|b.*",
    "",
    " ",
    "'",
    "`",
]


@pytest.mark.parametrize("value", NASTY)
def test_any_value_of_a_label_stays_a_value(value: str) -> None:
    made = fill_template("sum by ($by) (rate(x_total{$match}[$window]))", matchers=[Matcher("host", (value,))])
    tree: Any = promql_parser.parse(check_promql(made))
    (matcher,) = tree.expr.args[0].vector_selector.matchers.matchers
    assert (matcher.name, matcher.value) == ("host", value)


@pytest.mark.parametrize("value", NASTY)
def test_any_value_among_alternatives_matches_itself_and_nothing_else(value: str) -> None:
    import re

    tree: Any = promql_parser.parse(check_promql(f"x{{{match_text([Matcher('host', (value, 'other'))])}}}"))
    (matcher,) = tree.matchers.matchers
    assert re.fullmatch(matcher.value, value)
    assert re.fullmatch(matcher.value, "other")
    assert not re.fullmatch(matcher.value, f"{value}x")
    assert not re.fullmatch(matcher.value, "b.c")


@pytest.mark.parametrize(
    ("matcher", "text"),
    [
        (Matcher("a", ("b",)), 'a="b"'),
        (Matcher("a", ("b",), negated=True), 'a!="b"'),
        (Matcher("a", ("b", "c.d")), r'a=~"b|c\\.d"'),
        (Matcher("a", ("b", "c"), negated=True), 'a!~"b|c"'),
    ],
)
def test_a_matcher_is_written_as_promql_does(matcher: Matcher, text: str) -> None:
    assert match_text([matcher]) == text


@pytest.mark.parametrize(
    ("template", "bare", "full"),
    [
        ("$agg by ($by) (x{$match})", "sum(x)", 'sum by (job, host) (x{a="b"})'),
        ('x{mode="idle",$match}', 'x{mode="idle"}', 'x{mode="idle",a="b"}'),
        ('x{$match,mode="idle"}', 'x{mode="idle"}', 'x{a="b",mode="idle"}'),
        ("sum by (le, $by) (x{$match})", "sum by (le) (x)", 'sum by (le, job, host) (x{a="b"})'),
        ("sum(x) by ($by)", "sum(x)", "sum(x) by (job, host)"),
        ("${agg}(x{${match}})", "sum(x)", 'sum(x{a="b"})'),
        ('x{a=~"5..$"}', 'x{a=~"5..$"}', 'x{a=~"5..$"}'),
        ("a / on ($by) b", "a / on () b", "a / on (job, host) b"),
    ],
)
def test_what_has_nothing_to_say_leaves_no_trace(template: str, bare: str, full: str) -> None:
    assert fill_template(template) == bare
    assert fill_template(template, matchers=[Matcher("a", ("b",))], by=["job", "host"]) == full
    assert check_promql(bare)
    assert check_promql(full)


def test_the_window_the_quantile_and_the_aggregation_are_filled_in() -> None:
    made = fill_template("$agg(quantile_over_time($quantile, x[$window]))", window=5400, quantile=0.999, agg="max")
    assert made == "max(quantile_over_time(0.999, x[1h30m]))"


@pytest.mark.parametrize(
    ("seconds", "text"), [(300, "5m"), (1, "1s"), (0.2, "1s"), (86_400, "1d"), (90_061, "1d1h1m1s"), (3_600, "1h")]
)
def test_durations_are_written_as_promql_does(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_a_selector_takes_any_name() -> None:
    assert selector_text("up") == "up"
    assert selector_text("up", [Matcher("job", ("a",))]) == 'up{job="a"}'
    assert selector_text("http.requests", [Matcher("job", ("a",))]) == '{__name__="http.requests",job="a"}'


@pytest.mark.parametrize("promql", ["rate(x)", "sum by", "x{", "((((x)", "x[5m", ""])
def test_what_is_no_promql_is_never_sent(promql: str) -> None:
    with pytest.raises(InvalidQueryError) as caught:
        check_promql(promql)
    assert caught.value.suggestion


@pytest.mark.parametrize("promql", ["(" * 100_000 + "x" + ")" * 100_000, "-" * 50_000 + "x", "x" + "+x" * 50_000])
def test_what_nests_without_end_is_refused_before_it_is_parsed(promql: str) -> None:
    with pytest.raises(InvalidQueryError, match="nested"):
        check_promql(promql)


def span(**length: float) -> TimeRange:
    end = datetime(2026, 3, 11, tzinfo=UTC)
    return TimeRange(start_time=end - timedelta(**length), end_time=end)


@pytest.mark.parametrize("scrape", [1, 15, 30, 60, 300, 3_600])
@pytest.mark.parametrize("length", [60, 600, 3_600, 86_400, 7 * 86_400, 90 * 86_400])
def test_the_resolution_passes_no_sample_over_and_stays_within_the_limits(scrape: float, length: float) -> None:
    chosen = choose_resolution(span(seconds=length), scrape)
    assert chosen.window >= 4 * scrape
    assert chosen.close_window >= 4 * scrape
    assert chosen.window >= chosen.step
    assert chosen.close_window >= chosen.grain
    assert length / chosen.step <= 361
    assert length / chosen.grain <= 20_000
    assert chosen.step >= min(scrape, length)


def test_an_hour_is_drawn_as_finely_as_it_was_sampled_and_a_week_is_not() -> None:
    assert choose_resolution(span(hours=1), 30).step == 30
    assert choose_resolution(span(hours=1), 30).window == 300
    assert choose_resolution(span(days=7), 30).step == 1_800
