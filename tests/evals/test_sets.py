"""The sets that come with the source are whole: large enough, of enough kinds, and without repeats."""

from __future__ import annotations

from collections import Counter

import pytest

from signalbox.evals.agent import open_agent
from signalbox.evals.load import EvalSet, default_folder, read_sets


@pytest.fixture(scope="module")
def sets() -> list[EvalSet]:
    return read_sets([default_folder()])


@pytest.mark.parametrize(("skill", "kinds"), [("time", 3), ("filling", 9), ("tools", 7), ("agent", 10)])
def test_each_skill_has_enough_sentences_of_enough_kinds(sets: list[EvalSet], skill: str, kinds: int) -> None:
    chosen = [s for s in sets if s.skill == skill]
    assert sum(len(s.cases) for s in chosen) >= 150
    assert len(chosen) >= kinds


def test_no_case_stands_twice_in_a_set(sets: list[EvalSet]) -> None:
    for one in sets:
        counted = Counter(str((case.messages, case.then)) for case in one.cases)
        assert [text for text, times in counted.items() if times > 1] == [], one.label


def test_no_set_stands_twice_and_each_has_its_round(sets: list[EvalSet]) -> None:
    assert [label for label, times in Counter(one.label for one in sets).items() if times > 1] == []
    assert [one.label for one in sets if one.round is None] == []


@pytest.mark.bench
def test_every_reference_gives_what_it_is_expected_by(sets: list[EvalSet]) -> None:
    for one in (s for s in sets if s.agent and not s.server.endswith("_URL")):
        with open_agent(one, "offline") as (resolved, _):
            outcomes = [outcome for case in resolved.cases for outcome in case.alternatives]
        assert all("figures" in outcome for outcome in outcomes if "promql" in outcome)
