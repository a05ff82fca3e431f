"""What carries out a change that was shown, and what does not: the replies are read by the offline model itself."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.experiments.conversation.conftest import Talk

from signalbox.agents.experiments import reading
from signalbox.runs import answer

MODEL = reading._model
NOT_AGREED = [
    # sighs
    "ugh",
    "pff, fine print as always",
    "well well",
    # questions
    "yes?",
    "sure about that?",
    "ok and what becomes of the people in it",
    "you sure",
    "would a yes be final",
    # conditions
    "yes, unless Marta still needs it",
    "ok as long as it is empty",
    "sure, provided legal has signed",
    "go ahead if it is only a draft",
    "do it only with a backup",
    "confirm it with the school first",
    # another time
    "yes, once term is over",
    "sure, after the release",
    "do it later",
    "go ahead on friday",
    "ok soon",
    # not the person's own yes
    "my boss has to say yes",
    "yes was what I said yesterday",
    "I would say yes normally",
    # no
    "absolutely not",
    "yes and no",
    "yeah, no",
    "please don't",
    "rather not right now",
    "nein danke",
    "let it go",
    # another meaning, or more than was asked
    "sure, why not tomorrow",
    "why not",
    "drop it",
    "kill the idea",
    "go away",
    "ok, bin the other one",
    "yep, wipe 40 of them",
]
AGREED = [
    "yes",
    "Yep.",
    "okay, do that",
    "sure thing",
    "go for it",
    "please go ahead, thanks",
    "yes, that is right",
    "of course",
    "sounds good",
    "sure, why not",
    "works for me",
    "I confirm",
    "let's do it",
    "yes I'm sure",
    "alright then, proceed",
    "thats fine, go ahead",
    "YES, GO AHEAD!!",
    "by all means",
    "👍",
    "ja bitte",
    "oui",
    "sí, claro",
    "vale",
    "да",
    "はい",
]


DELETION, STOP = ("delete", "Audio Stories"), ("stop", "Night Reader")


def in_turn(replies: list[str]) -> list[tuple[tuple[str, str], str]]:
    """Each reply with what it is a reply to: a deletion and a stop in turn."""
    return [((DELETION, STOP)[place % 2], reply) for place, reply in enumerate(replies)]


@pytest.fixture
def shown(upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Shows a change in a conversation; what is replied to it is read by the offline model."""

    def ask(change: tuple[str, str]) -> Any:
        action, name = change
        read = {"as_": "experiment_management", "action": action, "experiment": name}
        asked = Talk(monkeypatch).say(f"{action} {name}", **read)
        assert asked.question is not None
        assert asked.question["kind"] == "confirm"
        monkeypatch.setattr(reading, "_model", MODEL)
        return upgrade

    return ask


def is_there(upgrade: Any, name: str) -> bool:
    return name in [one["name"] for one in upgrade.store.experiments.values()]


@pytest.mark.parametrize(("change", "reply"), in_turn(NOT_AGREED))
def test_nothing_is_deleted_and_nothing_stopped_without_a_clear_yes(
    shown: Any, change: tuple[str, str], reply: str
) -> None:
    upgrade = shown(change)
    answer("talk", reply)
    assert is_there(upgrade, "Audio Stories")
    assert upgrade.named("Night Reader")["state"] == "enrolling"
    assert upgrade.sent("POST /experiments/state") == 0


@pytest.mark.parametrize(("change", "reply"), in_turn(AGREED))
def test_what_was_agreed_to_is_done(shown: Any, change: tuple[str, str], reply: str) -> None:
    upgrade = shown(change)
    assert answer("talk", reply).status == "completed"
    assert is_there(upgrade, "Audio Stories") == (change != DELETION)
    assert upgrade.named("Night Reader")["state"] == ("enrollmentComplete" if change == STOP else "enrolling")


@pytest.mark.parametrize(
    "reply", ["delete it", "yes, delete Audio Stories please", "remove it for good", "ok delete", "yep bin it"]
)
def test_the_actions_own_name_agrees(shown: Any, reply: str) -> None:
    upgrade = shown(DELETION)
    assert answer("talk", reply).status == "completed"
    assert not is_there(upgrade, "Audio Stories")


@pytest.mark.parametrize("reply", ["fire it up", "yeah kick it off", "launch it", "ok, roll it out"])
def test_what_people_say_for_the_action_agrees(shown: Any, reply: str) -> None:
    upgrade = shown(("start", "Hint Wording"))
    assert answer("talk", reply).status == "completed"
    assert upgrade.named("Hint Wording")["state"] == "enrolling"


def test_the_word_stop_alone_does_not_stop_an_experiment(shown: Any) -> None:
    upgrade = shown(STOP)
    answer("talk", "stop")
    assert upgrade.named("Night Reader")["state"] == "enrolling"


def test_a_condition_behind_a_yes_and_an_and_is_one_too(shown: Any) -> None:
    upgrade = shown(DELETION)
    answer("talk", "yes, and delete it once the pupils are out")
    assert is_there(upgrade, "Audio Stories")
