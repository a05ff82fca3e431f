"""The words of a call are taken whole: quotes, dates, lists."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.tasks.offline.grounding import unheard_quotes, whole_words
from signalbox.agents.tasks.offline.listed import add_each


@pytest.mark.parametrize(
    ("name", "args", "request_", "whole"),
    [
        ("add_task", {"title": "lend Mo"}, "put down 'lend Mo 20 pounds'", {"title": "lend Mo 20 pounds"}),
        ("add_task", {"title": "restart"}, "remind me to restart the proxy", {"title": "restart"}),
        (
            "add_task",
            {"title": "look at the logs", "due": "friday"},
            "add look at the logs on friday",
            {"title": "look at the logs", "due": "friday"},
        ),
        (
            "update_task",
            {"task": "it", "due": "9:15"},
            "move it to 9:15 on Friday",
            {"task": "it", "due": "9:15 on Friday"},
        ),
        (
            "update_task",
            {"task": "it", "due": "three days"},
            "push it back by three days",
            {"task": "it", "due": "by three days"},
        ),
        ("update_task", {"task": "it", "due": "week"}, "push it back a week", {"task": "it", "due": "by a week"}),
        ("update_task", {"task": "it", "due": "week"}, "do it this week", {"task": "it", "due": "this week"}),
        (
            "update_task",
            {"task": "second one", "due": "friday"},
            "move the second one to friday",
            {"task": "second one", "due": "friday"},
        ),
        ("add_task", {"title": 'sweep" and "mop'}, 'add "sweep" and "mop"', {"title": "sweep"}),
        (
            "update_task",
            {"task": "it", "due": "three days"},
            "make it three days earlier",
            {"task": "it", "due": "three days earlier"},
        ),
        (
            "update_task",
            {"task": "it", "due": "two days"},
            "do it two days before.",
            {"task": "it", "due": "two days before"},
        ),
        (
            "update_task",
            {"task": "all I have for monday", "due": "friday"},
            "shift all I have for monday to friday",
            {"task": "all I have for monday", "due": "friday"},
        ),
        (
            "update_task",
            {"task": "the call", "due": "nine"},
            "move the call to ten to nine tomorrow",
            {"task": "the call", "due": "ten to nine tomorrow"},
        ),
        ("update_task", {"note": "no nuts' to the cake"}, "put the note 'no nuts' to the cake", {"note": "no nuts"}),
        ("add_task", {"title": "Ring Eve"}, "please phone Eve", {"title": "Ring Eve"}),
    ],
)
def test_words_are_taken_whole(name: str, args: dict[str, Any], request_: str, whole: dict[str, Any]) -> None:
    assert whole_words(name, args, request_) == whole


@pytest.mark.parametrize(
    ("request_", "calls", "added"),
    [
        (
            "three things: sweep, mop and dust",
            [{"title": "sweep"}],
            [{"title": "sweep"}, {"title": "mop"}, {"title": "dust"}],
        ),
        (
            "three things: sweep, mop and dust",
            [{"title": "sweep, mop"}],
            [{"title": "sweep"}, {"title": "mop"}, {"title": "dust"}],
        ),
        ("put these down: sweep, mop", [{"title": "sweep"}], [{"title": "sweep"}, {"title": "mop"}]),
        ("add this: sweep, mop", [{"title": "sweep"}], [{"title": "sweep"}]),
        ("add sweep, it is urgent", [{"title": "sweep"}], [{"title": "sweep"}]),
        ("two things: sweep, mop and dust", [{"title": "sweep"}], [{"title": "sweep"}]),
        (
            "three things: sweep, mop and dust",
            [{"title": "sweep"}, {"title": "mop", "priority": "low"}],
            [{"title": "sweep"}, {"title": "dust"}, {"title": "mop", "priority": "low"}],
        ),
        (
            "two jobs: sweep, mop. hurry up",
            [{"title": "sweep"}, {"title": "sweep, mop"}],
            [{"title": "sweep"}, {"title": "mop"}],
        ),
        ("add sweep and mop, both low", [{"title": "sweep and mop"}], [{"title": "sweep"}, {"title": "mop"}]),
        ("add salt and pepper soup", [{"title": "salt and pepper soup"}], [{"title": "salt and pepper soup"}]),
        ('add "sweep" and "mop"', [{"title": "sweep"}], [{"title": "sweep"}, {"title": "mop"}]),
        ('add "sweep" and tick off "mop" please', [{"title": "sweep"}], [{"title": "sweep"}]),
        (
            "for friday two tasks: sweep, mop",
            [{"title": "sweep", "due": "friday"}],
            [{"title": "sweep", "due": "friday"}, {"title": "mop", "due": "friday"}],
        ),
        (
            "three tasks: sweep, mop the hall on friday, dust",
            [{"title": "sweep", "due": "friday"}],
            [{"title": "sweep"}, {"title": "mop the hall", "due": "friday"}, {"title": "dust"}],
        ),
        (
            'add "sweep" for friday and "mop" for later',
            [{"title": "sweep", "due": "friday"}],
            [{"title": "sweep", "due": "friday"}, {"title": "mop"}],
        ),
        (
            'add "sweep" for friday and "mop" for sunday',
            [{"title": "sweep", "due": "friday"}],
            [{"title": "sweep", "due": "friday"}, {"title": "mop", "due": "sunday"}],
        ),
    ],
)
def test_a_list_of_new_things_is_added_in_full_and_each_has_its_own_day(
    request_: str, calls: list[dict[str, Any]], added: list[dict[str, Any]]
) -> None:
    assert [args for _, args in add_each([("add_task", one) for one in calls], request_)] == added


def test_what_stands_in_quotes_and_goes_nowhere_is_noticed() -> None:
    assert unheard_quotes([{"title": "the shed"}], 'drop the shed and add "buy nails"') == ["buy nails"]
    assert unheard_quotes([{"title": "Buy some nails"}], 'add "buy nails"') == []
