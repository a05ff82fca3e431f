"""What a write leaves out of a request is said before anybody says yes; the offline model reads the requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from signalbox.contract.answer import Answer
from signalbox.runs import answer, ask

pytestmark = pytest.mark.bench


@pytest.fixture
def say(upgrade: Any) -> Callable[..., Answer]:
    """Says one thing after another in one conversation, and gives the last answer."""

    def said(first: str, *replies: str) -> Answer:
        last = ask("experiments", first, thread_id="left")
        for reply in replies:
            last = answer("left", reply)
        return last

    return said


NEW = "create an experiment called Wide Lines in reading-coach with control and large-print 50/50 at StoryPage / reward"


@pytest.mark.parametrize(
    ("request_", "left"),
    [
        (f"{NEW}, only for class 9c", ["only for class 9c"]),
        (f"{NEW}, tag it pilot, stop after 300 users", ["tag it pilot", "stop after 300 users"]),
        (f"{NEW} and start it at once", ["start it at once"]),
        ("start Hint Wording for class 7b", ["start Hint Wording for class 7b"]),
        ("archive Reward Stars unless somebody objects", ["unless somebody objects"]),
        (NEW, []),
        (f"{NEW}, afterwards people keep what they had", []),
        ("set Absolute Value Plot back to draft", []),
        ("delete the audio one", []),
        ("archive Reward Stars, it is of no use to anyone", []),
        ("rename Progress Bar to Progress Bar 2027", []),
        ("set Hint Timing to hint-early 80, hint-late 20", []),
    ],
)
def test_what_a_write_leaves_out_is_said_in_its_question(say: Any, request_: str, left: list[str]) -> None:
    asked = say(request_)
    assert asked.question is not None
    assert asked.question["kind"] == "confirm"
    assert asked.state["not_covered"] == left
    assert ("Not considered: " + "; ".join(left) in asked.question["message"]) == bool(left)


def test_what_everybody_gets_afterwards_is_a_part_of_a_new_experiment(say: Any, upgrade: Any) -> None:
    asked = say(f"{NEW}, afterwards everyone gets large-print")
    assert "Afterwards: assign large-print." in asked.answer
    assert asked.state["not_covered"] == []
    answer("left", "yes")
    assert upgrade.named("Wide Lines")["postExperimentRule"] == "assign"


def test_what_was_put_right_is_not_said_to_be_left_out(say: Any) -> None:
    asked = say(NEW, "call it Narrow Lines", "60/40 rather")
    assert "'Narrow Lines' in reading-coach with control 60%, large-print 40%" in asked.answer
    assert asked.state["not_covered"] == []


def test_a_piece_stays_left_out_while_other_things_are_put_right(say: Any) -> None:
    asked = say(f"{NEW}, only for class 9c", "60/40 rather")
    assert asked.state["not_covered"] == ["only for class 9c"]


def test_to_include_a_user_changes_the_list(say: Any, upgrade: Any) -> None:
    asked = say("include user kid-31 in Hint Timing")
    assert "Included users from nothing to kid-31." in asked.answer
    asked = answer("left", "also kid-32")
    assert "Included users from nothing to kid-31, kid-32." in asked.answer


def test_nobody_is_put_on_a_list_that_they_are_to_be_taken_off(say: Any) -> None:
    told = say("remove user x-4 from the exclusion list of Hint Timing")
    assert told.status == "error"
    assert "only added to" in told.answer


def test_a_condition_that_is_dropped_is_gone_and_the_rest_shared_out(say: Any) -> None:
    asked = say("drop condition-a from Fractions by School and split the rest evenly")
    assert "weight of condition-a from 33.34% to nothing" in asked.answer
    assert asked.state["not_covered"] == []


def test_a_target_is_not_taken_for_the_experiment_of_that_name(say: Any) -> None:
    assert "'Hint Wording'" in say("also run Hint Wording on dashboard / progress-bar").answer
