"""Lists of conditions in one sentence, taken apart by code."""

from __future__ import annotations

import pytest

from signalbox.agents.experiments.offline.weights import read_split, said_split
from signalbox.agents.experiments.shares import even

SPLITS = [
    ("control 30, treatment 70", (), {"control": 30, "treatment": 70}),
    ("30% control and 70% delayed", (), {"control": 30, "delayed": 70}),
    ("A/B/C at 50/25/25", (), {"A": 50, "B": 25, "C": 25}),
    ("fast=20 medium=30 slow=50", (), {"fast": 20, "medium": 30, "slow": 50}),
    ("plain 40%, blocks 60%", (), {"plain": 40, "blocks": 60}),
    ("two thirds bars, one third text", (), {"bars": 66.67, "text": 33.33}),
    ("control, script and video at 20, 40 and 40 percent", (), {"control": 20, "script": 40, "video": 40}),
    ("old gets 5% and new gets 95%", ("old", "new"), {"old": 5, "new": 95}),
    ("no_prompt 20, prompt 80", ("prompt", "no_prompt"), {"no_prompt": 20, "prompt": 80}),
    ("hint early 10 and hint late 90", ("hint-early", "hint-late"), {"hint-early": 10, "hint-late": 90}),
    ("half the kids 'song', half 'chant'", (), {"song": 50, "chant": 50}),
]


@pytest.mark.parametrize(("words", "known", "weights"), SPLITS)
def test_names_and_weights_are_paired(words: str, known: tuple[str, ...], weights: dict[str, float]) -> None:
    split = read_split(words, known)
    assert split.is_complete
    assert dict(zip(split.names, split.weights, strict=True)) == pytest.approx(weights)


@pytest.mark.parametrize("words", ["60/40", "60:40", "60 40", "60-40", "60% / 40%"])
def test_weights_may_come_without_names(words: str) -> None:
    split = read_split(words)
    assert (split.names, split.weights) == ((), (60, 40))


@pytest.mark.parametrize("words", ["evenly", "an even split", "equal weights", "the same share"])
def test_an_even_split_is_known(words: str) -> None:
    assert read_split(words).is_even


def test_names_may_come_without_weights() -> None:
    split = read_split("dim and bright")
    assert (split.names, split.weights, split.is_complete) == (("dim", "bright"), (), False)


@pytest.mark.parametrize("count", [1, 2, 3, 6, 7])
def test_equal_weights_add_up_to_a_hundred(count: int) -> None:
    assert sum(even(count)) == pytest.approx(100)


def test_a_share_may_be_what_the_others_leave() -> None:
    assert read_split("low 30, mid 30 and the rest for high").weights == (30.0, 30.0, 40.0)
    assert read_split("the rest for high").weights == ()


def test_one_share_for_each_is_an_even_split() -> None:
    assert read_split("50 percent for each", ["control", "audio"]).is_even
    assert not read_split("33 for each", ["control", "audio"]).is_even


def test_shares_that_do_not_add_up_are_not_left_out() -> None:
    words = said_split("control 40", "set it to control 40, audio 70", ["control", "audio"])
    assert read_split(words, ["control", "audio"]).weights == (40.0, 70.0)
