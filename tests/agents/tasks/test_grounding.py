"""The words of a call are taken whole: quotes, dates, lists."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.tasks.grounding import further_adds, unheard_quotes, whole_words


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
        (
            "update_task",
            {"task": "second one", "due": "friday"},
            "move the second one to friday",
            {"task": "second one", "due": "friday"},
        ),
        ("add_task", {"title": 'sweep" and "mop'}, 'add "sweep" and "mop"', {"title": "sweep"}),
        ("add_task", {"title": "sweep, mop"}, "three things: sweep, mop and dust", {"title": "sweep"}),
        ("add_task", {"title": "Ring Eve"}, "please phone Eve", {"title": "Ring Eve"}),
    ],
)
def test_words_are_taken_whole(name: str, args: dict[str, Any], request_: str, whole: dict[str, Any]) -> None:
    assert whole_words(name, args, request_) == whole


@pytest.mark.parametrize(
    ("title", "request_", "others", "more"),
    [
        ("sweep", "three things: sweep, mop and dust", [], ["mop", "dust"]),
        ("sweep", "put these down: sweep, mop", [], ["mop"]),
        ("sweep", "add this: sweep, mop", [], []),
        ("sweep", "add sweep, it is urgent", [], []),
        ("sweep", "two things: sweep, mop and dust", [], []),
        ("sweep", "three things: sweep, mop and dust", [{"title": "mop"}, {"title": "dust"}], []),
        ("sweep", 'add "sweep" and "mop"', [], ["mop"]),
        ("sweep", 'add "sweep" and tick off "mop" please', [], []),
    ],
)
def test_a_list_of_new_things_is_added_in_full(
    title: str, request_: str, others: list[dict[str, Any]], more: list[str]
) -> None:
    assert [one["title"] for one in further_adds({"title": title}, request_, others)] == more


def test_what_stands_in_quotes_and_goes_nowhere_is_noticed() -> None:
    assert unheard_quotes([{"title": "the shed"}], 'drop the shed and add "buy nails"') == ["buy nails"]
    assert unheard_quotes([{"title": "Buy some nails"}], 'add "buy nails"') == []


def test_what_was_said_of_the_first_holds_for_all_of_a_bare_list_and_not_for_others() -> None:
    bare = further_adds({"title": "sweep", "due": "friday"}, "for friday two tasks: sweep, mop", [])
    assert bare == [{"title": "mop", "due": "friday"}]
    apart = further_adds({"title": "sweep", "due": "friday"}, 'add "sweep" for friday and "mop" for later', [])
    assert apart == [{"title": "mop"}]
