"""Which of very many things are shown for a text."""

from __future__ import annotations

import pytest

from signalbox.language.shortlist import shortlist

DEVICES = [(f"xrd-{number}", "RR" if number % 100 == 0 else "PE") for number in range(1, 1001)]


def shown(text: str, earlier: str = "", most: int = 20) -> list[str]:
    places = shortlist(text, DEVICES, most, earlier)
    assert places == sorted(places)
    assert len(places) == most
    return [DEVICES[place][0] for place in places]


def test_few_things_are_all_shown() -> None:
    assert shortlist("anything", DEVICES[:5], 5) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "text", ["is xrd-7 up?", "XRD7", "xrd 007 bitte prüfen", "检查xrd-7的邻居", f"{'so it goes. ' * 900}xrd-7"]
)
def test_what_a_text_names_is_shown_however_it_is_written(text: str) -> None:
    assert "xrd-7" in shown(text)


def test_the_few_of_a_role_are_shown_before_the_many() -> None:
    assert {f"xrd-{number}" for number in range(100, 1001, 100)} <= {*shown("check all RR")}


def test_what_was_spoken_of_before_is_shown_beside_what_the_text_names() -> None:
    assert {"xrd-7", "xrd-901"} <= {*shown("and xrd-7?", earlier="xrd-901 is healthy.")}
    assert "xrd-901" in shown("and its logs?", earlier="xrd-901 is healthy.")


@pytest.mark.parametrize("text", ["stop the checkuot study", "停止提示时间实验", "the one with the clues"])
def test_misspelt_names_other_scripts_and_like_meanings_are_near(text: str) -> None:
    wanted = [("a1", "Checkout Study"), ("a2", "提示时间"), ("a3", "Clue Wording")]
    things = [*((f"b{number}", f"Banner Colour {number}") for number in range(500)), *wanted]
    place = 500 + ["checkuot" in text, "提示" in text, "clue" in text].index(True)
    assert place in shortlist(text, things, 10)
