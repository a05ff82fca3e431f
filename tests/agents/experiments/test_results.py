"""What the metrics of an experiment show: figures of the server, differences with intervals, and their limits."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.metric_results import get_experiment_results as read
from signalbox.agents.experiments.read_tools import get_experiment_results, get_feature_flags
from signalbox.agents.experiments.statistics import difference_of_means, difference_of_shares


async def told(experiment: str, **more: Any) -> str:
    return (await get_experiment_results.call({"experiment": experiment, **more})).text


async def test_the_answer_comes_first_and_its_limits_last(upgrade: Any) -> None:
    text = await told("Hint Timing")
    assert text.startswith("**Hint Timing**: hint-late is lower than hint-early in mean of problemsSolved")
    assert "95% interval" in text
    assert "Cohen's d" in text
    last = text.rpartition("\n\n")[2]
    assert last.startswith("What this does not show: only users who logged a value are counted")
    assert "it is still enrolling" in last


async def test_the_users_behind_a_figure_are_those_who_logged_of_those_enrolled(upgrade: Any) -> None:
    data = (await read("Hint Timing"))["data"]
    solved = next(one for one in data["metrics"] if one["metric"] == "problemsSolved")
    for code, arm in solved["arms"].items():
        assert 0 < arm["users"] < data["enrolled"][code]
        assert f"{arm['users']} of {data['enrolled'][code]} users" in await told("Hint Timing")


async def test_no_clear_difference_is_not_told_as_no_effect(upgrade: Any) -> None:
    text = await told("One-Page Checkout")
    assert "shows no clear difference from control" in text
    assert "does not prove that there is no effect" in text


async def test_intervals_by_user_are_doubted_where_groups_were_assigned(upgrade: Any) -> None:
    assert "are too narrow" in await told("Progress Bar")


async def test_an_experiment_without_metrics_says_so_and_what_there_is(upgrade: Any) -> None:
    result = await get_experiment_results.call({"experiment": "Cart Reminder"})
    assert "has no metrics" in result.text
    assert "purchased" in result.text
    assert result.is_empty


async def test_a_metric_that_it_does_not_have_is_refused_with_the_nearest(upgrade: Any) -> None:
    with pytest.raises(UpgradeError) as failed:
        await told("Hint Timing", metric="problemSolved")
    assert failed.value.error_type == "not_found"
    assert "problemsSolved" in str(failed.value.suggestion)


async def test_a_server_without_feature_flags_is_told_as_such(upgrade: Any) -> None:
    assert (await get_feature_flags.call({})).text == "0 feature flags."


def test_means_differ_by_the_interval_of_welch() -> None:
    # 1 to 5 against 2, 4, 6, 8, 10: a standard error of the square root of 2.5, and 5.88 degrees of freedom.
    effect = difference_of_means((3.0, 1.5811388, 5), (6.0, 3.1622777, 5))
    assert effect is not None
    assert (effect.low, effect.high) == (pytest.approx(-0.8877, abs=0.0001), pytest.approx(6.8877, abs=0.0001))
    assert not effect.is_clear
    assert difference_of_means((3.0, 1.0, 1), (6.0, 1.0, 5)) is None


def test_shares_differ_by_the_interval_of_newcombe() -> None:
    # Newcombe 1998, the tenth method: 56 of 70 against 48 of 80.
    effect = difference_of_shares((48, 80), (56, 70))
    assert effect is not None
    assert (effect.low, effect.high) == (pytest.approx(0.0524, abs=0.0005), pytest.approx(0.3339, abs=0.0005))
    assert effect.is_clear
    assert difference_of_shares((0, 0), (1, 2)) is None
