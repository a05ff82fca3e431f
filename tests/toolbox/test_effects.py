"""The policy of effects: what runs at once, and what is shown and confirmed."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.toolbox.effects import Effect, Said, Thing, contains, decide, names

THINGS = tuple(
    Thing(str(number), name)
    for number, name in enumerate(
        (
            "Buy milk",
            "Buy oat milk",
            "Call the dentist",
            "Mark exam papers",
            "Steuererklärung machen",
            "牛乳を買う",
            "Art",
        ),
        1,
    )
)


def named(message: str, **more: Any) -> list[str]:
    said = Said(message, things=THINGS, **more)
    return [one.key for one in THINGS if names(said, one)]


@pytest.mark.parametrize(
    ("message", "keys"),
    [
        ("mark buy milk as done", ["1"]),
        ("BUY  OAT MILK is done", ["2"]),
        ("buymilk", ["1"]),
        ("the dentist, please", ["3"]),
        ("milk is done", []),
        ("the steuererklarung is done", ["5"]),
        ("die Steuererklärungen sind fertig", ["5"]),
        ("牛乳を買うのは終わった", ["6"]),
        ("start the party", []),
        ("#3 and #4", ["3", "4"]),
        ("2", ["2"]),
        ("move the dentist to 2 December", ["3"]),
        ("show me my tasks", []),
        ("how busy is web-1?", []),
        ("ping 10.0.0.1 at 14:02", []),
        ("1, and then nr.2.", ["1", "2"]),
    ],
)
def test_a_thing_is_named_by_its_number_or_by_words_that_fit_no_other(message: str, keys: list[str]) -> None:
    assert named(message) == keys


@pytest.mark.parametrize("message", ["the second one", "der zweite", "la deuxième", "el segundo", "2", "o último"])
def test_a_place_in_the_list_last_shown_is_a_name(message: str) -> None:
    assert named(message, shown=("4", "3")) == (["2", "3"] if message == "2" else ["3"])


@pytest.mark.parametrize(
    ("message", "text", "is_there"),
    [
        ("remind me to call the bank", "Call the bank", True),
        ("erinnere mich daran, den Zahnarzt anzurufen", "Zahnarzt anrufen", True),
        ("show me my tasks", "Send money to Eve", False),
        ("erinnere mich an den Müll", "Take out the trash", False),
        ("植物に水をやるのを忘れないで", "植物に水をやる", True),
    ],
)
def test_a_text_counts_as_said_if_most_of_its_words_were(message: str, text: str, is_there: bool) -> None:
    assert contains([message], text) is is_there


MILK, DENTIST = THINGS[0], THINGS[2]


@pytest.mark.parametrize(
    ("effect", "message", "verdict"),
    [
        (Effect(is_read=True, after_data=True), "", "run"),
        (Effect(is_reversible=True, targets=(MILK,)), "buy milk is done", "run"),
        (Effect(is_reversible=True, targets=(MILK,), after_data=True), "buy milk is done", "run"),
        (Effect(is_reversible=True, targets=(DENTIST,)), "buy milk is done", "confirm"),
        (Effect(is_reversible=True, targets=(MILK,), texts=("Owned",)), "buy milk is done", "confirm"),
        (Effect(targets=(MILK,)), "delete buy milk", "confirm"),
        (Effect(is_reversible=True, targets=(MILK,), is_unsure=True), "buy milk is done", "confirm"),
        (Effect(is_reversible=True, targets=(MILK, DENTIST)), "all done", "confirm"),
        (Effect(is_reversible=True, targets=(MILK, DENTIST)), "buy milk and the dentist are done", "run"),
    ],
)
def test_what_a_call_does_decides(effect: Effect, message: str, verdict: str) -> None:
    assert decide(effect, Said(message, things=THINGS)) == verdict


def test_the_only_one_shown_needs_no_name_until_data_has_come_in() -> None:
    said = Said("make it urgent", only="1", things=THINGS)
    assert decide(Effect(is_reversible=True, targets=(MILK,)), said) == "run"
    assert decide(Effect(is_reversible=True, targets=(MILK,), after_data=True), said) == "confirm"
    assert decide(Effect(is_reversible=True, targets=(DENTIST,)), said) == "confirm"
    other = Said("the dentist is urgent", only="1", things=THINGS)
    assert decide(Effect(is_reversible=True, targets=(MILK,)), other) == "confirm"
