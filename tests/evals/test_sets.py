"""The sets that come with the source are whole: large enough, of enough kinds, and without repeats."""

from __future__ import annotations

from collections import Counter

import pytest

from signalbox.evals.load import EvalSet, default_folder, read_sets
from signalbox.evals.metrics.session import open_session


@pytest.fixture(scope="module")
def sets() -> list[EvalSet]:
    return read_sets([default_folder()])


@pytest.mark.parametrize(("skill", "kinds"), [("time", 3), ("filling", 9), ("tools", 7), ("metrics", 10)])
def test_each_skill_has_enough_sentences_of_enough_kinds(sets: list[EvalSet], skill: str, kinds: int) -> None:
    chosen = [s for s in sets if s.skill == skill]
    assert sum(len(s.cases) for s in chosen) >= 150
    assert len(chosen) >= kinds


def test_no_case_stands_twice_in_a_set(sets: list[EvalSet]) -> None:
    for one in sets:
        counted = Counter(str(case.messages) for case in one.cases)
        assert [text for text, times in counted.items() if times > 1] == [], one.path


def test_every_reference_query_about_the_shop_gives_its_figures(sets: list[EvalSet]) -> None:
    for one in (s for s in sets if s.skill == "metrics"):
        with open_session(one, "offline", lambda _: {}) as (resolved, _):
            outcomes = [outcome for case in resolved.cases for outcome in case.alternatives]
        assert all("figures" in outcome for outcome in outcomes if "promql" in outcome)
