"""What counts as a yes to a change that was shown: it is said, for now, and without a condition."""

from __future__ import annotations

import pytest

from signalbox.agents.tasks.answers import agrees


@pytest.mark.parametrize(
    "reply", ["yes", "yes please, all of them", "sure", "go ahead", "yep, and add the dentist for Friday"]
)
def test_a_yes_is_a_yes(reply: str) -> None:
    assert agrees(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "what a pity",
        "okay, one moment",
        "yes, next week",
        "sure?",
        "yes unless they are new",
        "yes, not the last",
        "I see",
    ],
)
def test_what_only_sounds_like_one_is_none(reply: str) -> None:
    assert not agrees(reply)
