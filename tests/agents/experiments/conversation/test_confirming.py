"""What carries out a change that was shown, and what does not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.agents.experiments.conversation.conftest import Dictated, Talk

from signalbox.agents.experiments.offline import filling
from signalbox.agents.experiments.offline.replies import replied_to
from signalbox.runs import answer

MODEL = filling._model
NEITHER = [
    "I'm fine, thanks", "am I sure", "right...", "correct that", "let me go", "👍👎", "go back", "👍 no",
    # sighs and questions
    "ugh", "well well", "yes?", "sure about that?", "you sure", "would a yes be final", "thanks", "hm",
    # conditions, and another time
    "yes, unless Marta still needs it", "go ahead if it is only a draft", "confirm it with the school first",
    "yes, once term is over", "do it later", "ok soon", "yes, and delete it once the pupils are out",
    # not the person's own yes, and no plain no
    "my boss has to say yes", "yes was what I said yesterday", "yes and no", "yeah, no", "absolutely not",
    "rather not right now", "drop it", "kill the idea", "stop", "wait", "hold on",
    # more than was asked
    "ok, bin the other one", "yep, wipe 40 of them", "yes, and then start it", "yes and also archive the rest",
    # words for the action itself
    "delete it", "remove it for good", "yep bin it", "sounds good", "sure, why not", "works for me", "of course",
]  # fmt: skip
YES = [
    "yes",
    "Yep.",
    "go for it",
    "I confirm",
    "yes I'm sure",
    "YES, GO AHEAD!!",
    "👍",
    "ja bitte",
    "oui",
    "vale",
    "sim",
]
NO = ["no", "No thanks!", "never mind", "nein danke", "non merci", "👎"]
PENDING: dict[str, Any] = {
    "field": "confirm",
    "fields": {"action": "delete", "experiment_name": "Audio Stories"},
    "message": "Delete 'Audio Stories'?",
    "options": ["yes", "no"],
}


@pytest.mark.parametrize("taken_for", ["yes", "no", None])
def test_no_reader_turns_a_reply_into_a_yes_or_a_no(monkeypatch: pytest.MonkeyPatch, taken_for: str | None) -> None:
    read = {"decision": taken_for, "means": "cancel", "confidence": 1.0}
    monkeypatch.setattr(filling, "_model", lambda: Dictated(dict.fromkeys(NEITHER, read)))
    for text in NEITHER:
        replied = asyncio.run(replied_to(PENDING, text, ["Audio Stories"]))
        assert replied is None or replied["decision"] in ("unclear", "change"), text


def test_only_whole_replies_are_a_yes_or_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "_model", lambda: Dictated({}))
    for texts, decision in ((YES, "yes"), (NO, "no")):
        for text in texts:
            replied = asyncio.run(replied_to(PENDING, text, ["Audio Stories"]))
            assert replied is not None, text
            assert replied["decision"] == decision, text


CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "delete Audio Stories": ("experiment_management", {"action": "delete", "experiment": "Audio Stories"}),
    "stop Night Reader": ("experiment_management", {"action": "stop", "experiment": "Night Reader"}),
    "initialise user u-77": ("user_simulation", {"task": "initialise", "user_id": "u-77"}),
    "mark u-77 in Night Reader": (
        "user_simulation",
        {"task": "visit", "user_id": "u-77", "experiment": "Night Reader"},
    ),
}


@pytest.mark.parametrize(("request_", "reply"), list(zip([*CHANGES, *CHANGES], NEITHER[:8], strict=True)))
def test_with_the_offline_reader_nothing_is_written_and_it_is_said_what_becomes_of_the_question(
    upgrade: Any, monkeypatch: pytest.MonkeyPatch, request_: str, reply: str
) -> None:
    kind, fields = CHANGES[request_]
    asked = Talk(monkeypatch).say(request_, as_=kind, **fields)
    assert asked.question is not None
    assert asked.question["kind"] == "confirm"
    assert asked.question["source"]["address"] == upgrade.url
    assert f"written to UpGrade at {upgrade.url}" in asked.answer
    monkeypatch.setattr(filling, "_model", MODEL)
    before = {own: dict(one) for own, one in upgrade.store.experiments.items()}
    told = answer("talk", reply).answer
    assert "the question is still open" in told or "it is dropped" in told
    assert dict(upgrade.store.experiments) == before
    assert "u-77" not in upgrade.store.users
    assert not any(call.startswith(("PUT", "DELETE", "POST /v6", "POST /experiments/state")) for call in upgrade.calls)


@pytest.mark.parametrize("button", [True, {"action": "approve"}, {"data": "yes"}])
def test_a_button_confirms(upgrade: Any, talk: Any, button: Any) -> None:
    talk.say("stop Night Reader", as_="experiment_management", action="stop", experiment="Night Reader")
    assert "'Night Reader' is paused now" in answer("talk", button).answer


def test_a_new_request_says_that_the_question_is_dropped(upgrade: Any, talk: Any) -> None:
    talk.say("delete Audio Stories", as_="experiment_management", action="delete", experiment="Audio Stories")
    told = talk.say("is the server up", decision="new_request", as_="version_check")
    assert "Nothing was done about the question before this, and it is dropped: Delete 'Audio Stories'" in told.answer
    assert "6.5" in told.answer
    assert upgrade.named("Audio Stories")["id"]
