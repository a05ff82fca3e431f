"""What people call things, as the names that the server has."""

from __future__ import annotations

import pytest

from signalbox.agents.experiments.offline.groups import find_groups
from signalbox.agents.experiments.offline.names import (
    as_written,
    grounded,
    mentioned,
    placed,
    whole_words,
    written_name,
)

NAMES = ["Hint Delay Study", "reward-stars-v3", "Exp 3 Starter Code", "Exp 31 Starter Code", "Glossary Popups"]
SHOWN = [{"id": "1", "name": "Hint Delay Study"}, {"id": "2", "name": "pacing_slider"}]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("hint-delay-study", "Hint Delay Study"),
        ("Reward Stars v3", "reward-stars-v3"),
        ("hint dellay study", "Hint Delay Study"),
        ("glossary popup", "Glossary Popups"),
        ("exp 3", "Exp 3 Starter Code"),
        ("starter code", None),
        ("something else", None),
    ],
)
def test_a_name_is_known_whatever_its_case_plural_and_hyphens(said: str, name: str | None) -> None:
    assert grounded(said, NAMES) == name


def test_names_in_a_sentence_are_found_whole() -> None:
    assert mentioned("stop reward stars V3, not exp 31 starter code", NAMES) == [
        "reward-stars-v3",
        "Exp 31 Starter Code",
    ]
    assert mentioned("what is running", NAMES) == []


@pytest.mark.parametrize(
    ("text", "read", "name"),
    [
        ("rename it to Playback Speed Slider please", "Playback Speed", "Playback Speed Slider"),
        ('new title "Shipping Bar (autumn)" now', "Shipping", "Shipping Bar (autumn)"),
        ("new name: tempo_slider.", "tempo", "tempo_slider"),
    ],
)
def test_a_new_name_is_the_whole_name_that_was_written(text: str, read: str, name: str) -> None:
    assert as_written(text, read) == name


def test_words_that_were_cut_off_are_made_whole() -> None:
    assert whole_words("visit lesson-stream / question-hint", "hint") == "question-hint"
    assert whole_words("user qa.bot.07, please", "qa.bot.07") == "qa.bot.07"


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("kim of school hill", {"schoolId": ["hill"]}),
        ("school hill and class 2b", {"schoolId": ["hill"], "classId": ["2b"]}),
        ("the schools hill and dale, please", {"schoolId": ["hill", "dale"]}),
        ("class 3a and class 3c, then start", {"classId": ["3a", "3c"]}),
        ("class 4a and start it", {"classId": ["4a"]}),
        ("classes 1a, 1b and 2c", {"classId": ["1a", "1b", "2c"]}),
        ("if her school is hill", {"schoolId": ["hill"]}),
        ("what about group A?", {"": ["A"]}),
        ("what about a group", {}),
        ("by class", {}),
        ("start Fractions by School now", {}),
    ],
)
def test_groups_are_found_behind_their_kind(text: str, groups: dict[str, list[str]]) -> None:
    assert find_groups(text, ["schoolId", "classId"], ["Fractions by School"]) == groups


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("bring up the Silver Dragon experiment", "Silver Dragon"),
        ("Start Marble Run Pilot", "Marble Run Pilot"),
        ("show 'night owl' please", "night owl"),
        ("Please stop it now", ""),
        ("On Site / Target, thanks", ""),
    ],
)
def test_a_name_is_known_by_its_capitals_or_quotation_marks(text: str, name: str) -> None:
    assert written_name(text, ["Site", "Target"]) == name


def test_a_name_does_not_stand_inside_an_identifier() -> None:
    assert mentioned("at glossary_popups_end", NAMES) == []
    assert mentioned("at glossary_popups", NAMES) == ["Glossary Popups"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("stop the second one", "2"), ("more about the last", "2"), ("the second condition of it", ""), ("stop it", "")],
)
def test_a_place_points_at_what_was_shown(text: str, found: str) -> None:
    assert placed(text, SHOWN)[0] == found
