"""What words refer to among the label values of a measure, and which label they name."""

from __future__ import annotations

import pytest

from signalbox.agents.metrics.candidates import Values, find_label, matchers_of
from signalbox.agents.metrics.slots import Matcher

VALUES = {
    "instance": ("web-1:9100", "web-2:9100", "db-1:9100"),
    "service": ("checkout", "payment", "orders"),
    "job": ("checkout", "node"),
    "status": ("200", "404", "500", "502"),
    "country": ("de", "fr", "uk"),
    "pump": ("PMP4", "PMP14", "EXP1", "EXP2"),
    "success": ("true", "false"),
    "route": ("/", "/cart", "/api/orders"),
    "channel": ("app", "web"),
}
KNOWN = Values(VALUES, VALUES, own=("order", "call"))


@pytest.mark.parametrize(
    ("words", "label", "values"),
    [
        ("web-1", "instance", ("web-1:9100",)),
        ("WEB 1", "instance", ("web-1:9100",)),
        ("host web-1", "instance", ("web-1:9100",)),
        ("instance=web-1:9100", "instance", ("web-1:9100",)),
        ("the web hosts", "instance", ("web-1:9100", "web-2:9100")),
        ("all hosts except web-1", "instance", ("web-2:9100", "db-1:9100")),
        ("checkout", "service", ("checkout",)),
        ("chekout", "service", ("checkout",)),
        ("payments", "service", ("payment",)),
        ("5xx", "status", ("500", "502")),
        ("502", "status", ("502",)),
        ("Germany", "country", ("de",)),
        ("france and germany", "country", ("fr", "de")),
        ("pump 4", "pump", ("PMP4",)),
        ("the EXP pumps", "pump", ("EXP1", "EXP2")),
        ("failed", "success", ("false",)),
        ("/", "route", ("/",)),
        ("api orders", "route", ("/api/orders",)),
        ("app orders", "channel", ("app",)),
    ],
)
def test_words_refer_to_values_however_they_are_written(words: str, label: str, values: tuple[str, ...]) -> None:
    found = KNOWN.find(words)
    assert found is not None
    assert [(one.label, one.values) for one in found] == [(label, values)]


def test_names_of_two_labels_in_one_phrase_are_two_conditions() -> None:
    found = KNOWN.find("/ on db-1")
    assert found is not None
    assert {*matchers_of(found)} == {Matcher("route", ("/",)), Matcher("instance", ("db-1:9100",))}


@pytest.mark.parametrize("words", ["web-9", "gold tier", "503", "host 1", "nowhere"])
def test_what_is_not_there_is_not_found(words: str) -> None:
    assert KNOWN.find(words) is None


def test_all_of_a_kind_narrow_nothing() -> None:
    assert KNOWN.find("all hosts") == []


def test_the_nearest_values_are_told_for_one_that_is_not_there() -> None:
    assert {"web-1:9100", "web-2:9100"} <= {*KNOWN.nearest("web-9")}


def test_alternatives_of_one_label_are_one_condition() -> None:
    said = [one for words in ("web-1", "db-1") for one in KNOWN.find(words) or ()]
    assert matchers_of(said, KNOWN.find("500") or ()) == (
        Matcher("instance", ("web-1:9100", "db-1:9100")),
        Matcher("status", ("500",), negated=True),
    )


def test_one_of_five_thousand_values_is_found() -> None:
    many = Values({"pod": tuple(f"api-{at:04}-x" for at in range(5_000))}, ["pod"])
    found = many.find("api-4711-x")
    assert found is not None
    assert found[0].values == ("api-4711-x",)
    assert many.find("db-4711") is None


@pytest.mark.parametrize(
    ("words", "label"), [("hosts", "instance"), ("each route", "route"), ("status code", "status"), ("colour", None)]
)
def test_a_label_is_found_by_what_people_call_it(words: str, label: str | None) -> None:
    assert find_label(words, VALUES) == label
