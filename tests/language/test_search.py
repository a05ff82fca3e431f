"""Which of many described things a text means, and which known values stand in it."""

from __future__ import annotations

import pytest

from signalbox.language.mentions import Values, find_mentions
from signalbox.language.search import Entry, Index

THINGS = {
    "http_requests_total": "HTTP requests answered",
    "http_request_duration_seconds": "Time taken to answer an HTTP request",
    "orders_total": "Orders placed",
    "payments_failed_total": "Payments that the provider refused",
    "oven_temperature_celsius": "Temperature inside an oven",
    "tank_level_litres": "How much is in a tank",
    "node_memory_used_bytes": "Memory in use",
    "build_info": "Version that is running",
}
INDEX = Index([Entry(name, name.split("_"), about, (name,)) for name, about in THINGS.items()])
VALUES = Values({"host": ["web-1", "db-1", "db1"], "pub": ["Brewery Tap", "tap"], "result": ["failure", "ok"]})


def best(text: str, values: Values | None = None) -> str:
    return INDEX.search(text, 3, values).hits[0].thing


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("how many orders did we get yesterday?", "orders_total"),
        ("RAM usage of the box", "node_memory_used_bytes"),
        ("hottest oven right now", "oven_temperature_celsius"),
        ("latency of http requests", "http_request_duration_seconds"),
        ("requests per second", "http_requests_total"),
        ("oven temperatur today", "oven_temperature_celsius"),
        ("declined payments", "payments_failed_total"),
        ("which version is live?", "build_info"),
        ("plot `tank_level_litres{tank='3'}`, please", "tank_level_litres"),
    ],
)
def test_a_thing_is_found_by_its_name_its_help_and_what_people_call_it(text: str, thing: str) -> None:
    assert best(text) == thing


def test_an_exact_name_comes_before_all_that_the_other_words_fit() -> None:
    found = INDEX.search("orders and payments: Tank_Level_Litres")
    assert found.hits[0].thing == "tank_level_litres"
    assert found.unexplained(found.hits[0]) == ()


def test_a_thing_has_the_identifier_it_was_given() -> None:
    assert INDEX.named("ORDERS_TOTAL") == "orders_total"
    assert INDEX.named("orders") is None


@pytest.mark.parametrize("made_up", ["florbulator", "unicorn", "zorptastic"])
@pytest.mark.parametrize("text", ["Show the {} rate for the last hour", "average {} requests", "{} of web-1 at 8pm"])
def test_words_that_no_thing_explains_are_told(text: str, made_up: str) -> None:
    found = INDEX.search(text.format(made_up), values=VALUES)
    assert all(made_up in found.unexplained(hit) for hit in found.hits)
    assert made_up in found.words


@pytest.mark.parametrize(
    "text",
    ["orders of web-1 in the last 24h", "failed orders by host since 2pm", "how many ordrs were there on Friday"],
)
def test_names_labels_times_and_slips_of_the_pen_are_not_unexplained(text: str) -> None:
    found = INDEX.search(text, values=VALUES)
    assert found.hits[0].thing == "orders_total"
    assert found.unexplained(found.hits[0]) == ()


@pytest.mark.parametrize("text", ["", "?!", "show me", "12 34"])
def test_a_text_that_says_nothing_means_nothing(text: str) -> None:
    assert INDEX.search(text).hits == []


def test_an_index_of_nothing_finds_nothing() -> None:
    assert Index[str]([]).search("orders of web-1", values=VALUES).hits == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("load of WEB-1", ["web-1"]),
        ("load of web 1", ["web-1"]),
        ("load of db-1", ["db-1"]),
        ("load of db1", ["db1"]),
        ("load of db 1", ["db-1", "db1"]),
        ("pints at the Brewery Tap", ["Brewery Tap"]),
        ("who failed?", ["failure"]),
        ("web-10 and cobweb-1", []),
        ("tap, then web-1", ["web-1", "tap"]),
    ],
)
def test_values_are_found_where_they_stand_however_they_are_spelt(text: str, values: list[str]) -> None:
    found = find_mentions(text, VALUES)
    assert [one.value for one in found] == values
    assert all(text[one.start : one.end].strip() == text[one.start : one.end] != "" for one in found)


def test_a_text_full_of_values_is_read_as_fast_as_any() -> None:
    """Comparing every value in a text with every other took a minute for this one."""
    many = Values({f"label{number}": ["north", "south", "east"] for number in range(60)})
    assert len(find_mentions("north south east " * 600, many)) == 20
