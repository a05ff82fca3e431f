"""Units of measure: what a word for one may mean, and the symbol of each."""

from __future__ import annotations

import pytest

from signalbox.language.time import lexicon
from signalbox.language.units import BINARY_PREFIXES, TIME_UNITS, dimension_of, factor_of, symbol_of

_COUNTED = ("second", "minute", "hour", "day", "week", "fortnight", "month", "year")


def test_a_word_means_its_unit() -> None:
    assert dimension_of("Hours") == (("time", "hour", 3600),)


def test_a_word_of_several_meanings_gives_the_likeliest_first() -> None:
    assert [(dimension, unit) for dimension, unit, _ in dimension_of("m")] == [("time", "minute"), ("length", "m")]


def test_a_word_that_is_no_unit_means_nothing() -> None:
    assert dimension_of("orders") == ()


@pytest.mark.parametrize(
    ("word", "symbol"),
    [("minutes", "min"), ("microsecond", "µs"), ("mebibytes", "MiB"), ("celsius", "°C"), ("meters", "m"), ("km", "km")],
)
def test_a_unit_has_one_symbol_whatever_it_is_called(word: str, symbol: str) -> None:
    assert symbol_of(word) == symbol


def test_a_word_that_is_no_unit_stands_for_itself() -> None:
    assert symbol_of("orders") == "orders"


def test_binary_prefixes_go_by_1024() -> None:
    assert BINARY_PREFIXES == {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
    assert factor_of("bytes", "gib") == BINARY_PREFIXES["Gi"]


def test_the_time_grammar_reads_the_units_of_the_table() -> None:
    assert {word for unit, words in TIME_UNITS.items() if unit in _COUNTED for word in words} <= set(lexicon.UNITS)
