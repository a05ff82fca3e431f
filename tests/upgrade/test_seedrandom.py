"""The generator gives what npm's seedrandom gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signalbox.upgrade.seedrandom import first, firsts

# From the package's own documentation, and from runs of it.
KNOWN = {"hello.": 0.9282578795792454, "hello": 0.5463663768140734}


@pytest.mark.parametrize(("seed", "number"), KNOWN.items())
def test_known_seeds_give_their_known_numbers(seed: str, number: float) -> None:
    assert first(seed) == number


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=700), min_size=1, max_size=8))
def test_many_at_once_are_the_same_as_one_by_one(seeds: list[str]) -> None:
    assert firsts(seeds).tolist() == [first(seed) for seed in seeds]


def test_more_than_one_batch_is_the_same_as_one_by_one() -> None:
    seeds = [f"755f7de1-2fb6-4608-838b-53239b4cbfe7_user{number}" for number in range(2_500)]
    assert firsts(seeds).tolist() == [first(seed) for seed in seeds]


def test_numbers_lie_between_nought_and_one() -> None:
    numbers = firsts([str(number) for number in range(5_000)])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 0.02


def test_no_seeds_give_no_numbers() -> None:
    assert firsts([]).tolist() == []
