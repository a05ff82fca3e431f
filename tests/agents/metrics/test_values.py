"""Words of a question as values of a label."""

from __future__ import annotations

import pytest

from signalbox.agents.metrics.live import Series
from signalbox.agents.metrics.values import find_value


@pytest.mark.parametrize(
    ("words", "label", "values", "value"),
    [
        ("Portuguese", "locale", ("en", "pt", "de"), "pt"),
        ("Dutch", "lang", ("nl", "fr"), "nl"),
        ("Switzerland", "market", ("CH", "AT", "DE"), "CH"),
        ("middle east", "zone", ("mea", "apac", "other"), "mea"),
        ("sterling", "currency", ("GBP", "USD", "points"), "GBP"),
        ("ipad", "client", ("web", "ios", "kiosk"), "ios"),
    ],
)
def test_a_code_is_found_by_what_people_call_it(words: str, label: str, values: tuple[str, ...], value: str) -> None:
    found = find_value(words, Series({label: values}), [label])
    assert found is not None
    assert found.values == (value,)


def test_a_value_of_two_letters_among_others_that_are_no_codes_is_no_language() -> None:
    assert find_value("Italian", Series({"team": ("it", "sales", "support", "legal")}), ["team"]) is None


@pytest.mark.parametrize(
    ("words", "values", "found"),
    [
        ("pump 4", ("PMP1", "PMP4", "PMP14"), ("PMP4",)),
        ("the pump 2", ("main-01", "main-02"), ("main-02",)),
        ("EXP pumps", ("EXP1", "EXP2", "IMP1"), ("EXP1", "EXP2")),
        ("cellar pump P3", ("P3 cellar", "P4 cellar"), ("P3 cellar",)),
    ],
)
def test_beside_its_kind_a_number_or_some_letters_are_a_name(
    words: str, values: tuple[str, ...], found: tuple[str, ...]
) -> None:
    meant = find_value(words, Series({"pump": values, "site": ("Aa", "Bb")}), ["pump", "site"])
    assert meant is not None
    assert (meant.label, meant.values) == ("pump", found)


def test_a_number_that_no_thing_of_the_kind_has_is_none() -> None:
    assert find_value("pump 7", Series({"pump": ("PMP1", "PMP4"), "site": ("A7", "B2")}), ["pump", "site"]) is None
