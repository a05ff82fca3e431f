"""What is a yes, what is a no, and what is neither."""

import pytest

from signalbox.toolbox.confirmation import NO, YES, read_reply

NEITHER = (
    "I'm fine, thanks", "am I sure", "right...", "right", "correct that", "let me go", "👍👎", "go back", "", " ", "?",
    "yes?", "ok?", "yes, once the term is over", "yes but only the first", "yes and no", "not yes", "yesterday",
    "no idea", "no problem", "not sure", "sure about that", "okay then what happens", "yes or no", "stop", "wait",
    "who said yes", "do it later", "don't do it yet", "confirm tomorrow", "say yes", "y/n", "ja aber", "oui mais non",
    "si no", "say no more", "ok thanks", "thanks", "1", "delete", "the answer is yes", "true", "True.",
)  # fmt: skip


@pytest.mark.parametrize("reply", ["yes", "Yes!", " YES ", "yes, please", "Yes please.", "ok", "OK…", "do it", "y",
    "Go ahead.", "confirm", "Ja", "ja, bitte", "oui", "Oui, vas-y !", "d’accord", "sí", "Si", "¡Sí!", "sì", "va bene",
    "sim", "Sim, por favor", "ja graag", "doe maar", "👍", "\"yes\""])  # fmt: skip
def test_a_reply_that_as_a_whole_says_yes_is_one(reply: str) -> None:
    assert read_reply(reply) == "yes"


@pytest.mark.parametrize("reply", ["no", "No.", "no, thanks", "never mind", "cancel", "nein", "Nein danke", "non merci",
    "no gracias", "no grazie", "não", "nee bedankt", "👎", "don’t"])  # fmt: skip
def test_a_reply_that_as_a_whole_says_no_is_one(reply: str) -> None:
    assert read_reply(reply) == "no"


@pytest.mark.parametrize("reply", NEITHER)
def test_anything_else_is_neither(reply: str) -> None:
    assert read_reply(reply) == "other"


@pytest.mark.parametrize(
    ("reply", "decision"),
    [
        (True, "yes"), (False, "no"), ({"action": "approve"}, "yes"), ({"action": "reject"}, "no"),
        ({"action": "respond", "data": "yes"}, "yes"), ({"action": "approve", "data": "not yet"}, "other"),
        ({"data": False}, "no"), ({}, "other"), (None, "other"), (1, "other"), (["yes"], "other"),
    ],
)  # fmt: skip
def test_a_button_is_read_by_its_value(reply: object, decision: str) -> None:
    assert read_reply(reply) == decision


def test_no_reply_is_both() -> None:
    said = [{reply for replies in table.values() for reply in replies} for table in (YES, NO)]
    assert not said[0] & said[1]
