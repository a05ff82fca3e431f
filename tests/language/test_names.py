"""Near names: suggestions for a name that is not known, and slips of the keyboard."""

from __future__ import annotations

import pytest

from signalbox.language.names import close, did_you_mean, nearest

NAMES = ("anthropic", "openai", "ollama", "google_genai")


def test_the_nearest_name_comes_first() -> None:
    assert nearest("opnai", NAMES)[0] == "openai"


def test_no_more_names_are_given_than_asked_for() -> None:
    assert len(nearest("web-1", ["web-1a", "web-1b", "web-1c"], 2)) == 2


def test_a_part_of_a_longer_name_is_near_it() -> None:
    assert nearest("google", NAMES) == ["google_genai"]


def test_nothing_is_near_a_name_unlike_all_others() -> None:
    assert nearest("zzz", NAMES) == []


def test_a_suggestion_names_what_is_near() -> None:
    assert did_you_mean("opnai", NAMES) == "Did you mean 'openai'?"


def test_a_suggestion_lists_what_there_is_where_nothing_is_near() -> None:
    assert did_you_mean("zzz", ["one", "two"]) == "There is: one, two."


def test_a_long_list_is_cut_short() -> None:
    assert did_you_mean("zzz", [f"name-{n}" for n in range(9)]).endswith("name-7, ….")


def test_there_is_no_suggestion_where_there_is_nothing() -> None:
    assert did_you_mean("zzz", []) == ""


@pytest.mark.parametrize(("typed", "meant"), [("servce", "service"), ("anomolies", "anomalies"), ("hsot", "host")])
def test_a_slip_is_close_to_what_was_meant(typed: str, meant: str) -> None:
    assert close(typed, meant)


@pytest.mark.parametrize(
    ("word", "other"),
    [("cat", "cut"), ("house", "mouse"), ("server", "service"), ("web1", "web2")],
    ids=["too short", "another first letter", "two slips in a short word", "a name with a digit"],
)
def test_another_word_is_not_close(word: str, other: str) -> None:
    assert not close(word, other)
