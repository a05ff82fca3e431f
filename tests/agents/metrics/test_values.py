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
