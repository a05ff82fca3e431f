"""Choosing tools by how people put things: passives, who takes what, what is off, deeds without their object."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Literal

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from signalbox.models.offline import OfflineChatModel

NOW = datetime(2026, 7, 20, 8, 0, tzinfo=UTC)


@tool
def delete_task(task_id: str) -> str:
    """Delete a task for good.

    Args:
        task_id: Id of the task, e.g. T-14
    """
    return ""


@tool
def assign_task(task_id: str, assignee: str) -> str:
    """Give a task to somebody.

    Args:
        task_id: Id of the task, e.g. T-14
        assignee: Who gets it
    """
    return ""


@tool
def comment_task(task_id: str, text: str) -> str:
    """Write a comment on a task.

    Args:
        task_id: Id of the task, e.g. T-14
        text: The comment
    """
    return ""


@tool
def upgrade_firmware(device: str, version: str) -> str:
    """Install a firmware version on a device.

    Args:
        device: Name of the device
        version: Firmware version, e.g. 17.9.4
    """
    return ""


@tool
def reboot_device(device: str) -> str:
    """Restart a device.

    Args:
        device: Name of the device
    """
    return ""


@tool
def log_harvest(barrel: int, litres: float, grape: Literal["riesling", "merlot"]) -> str:
    """Record the juice pressed into a barrel.

    Args:
        barrel: Number of the barrel
        litres: Amount in litres
        grape: Kind of grape
    """
    return ""


@tool
def check_stock(article: str) -> str:
    """Tell how many pieces of an article are in stock.

    Args:
        article: Name of the article
    """
    return ""


@tool
def showtimes(film: str | None = None, day: date | None = None) -> str:
    """Tell when films are shown.

    Args:
        film: Title of the film
        day: Day, YYYY-MM-DD
    """
    return ""


TASKS = [delete_task, assign_task, comment_task]
DEVICES = [upgrade_firmware, reboot_device]


def calls_for(text: str, tools: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    model = OfflineChatModel(clock=lambda: NOW, tz=UTC).bind_tools(tools)
    return [(call["name"], call["args"]) for call in model.invoke([HumanMessage(text)]).tool_calls]


def test_what_can_be_thrown_away_is_deleted() -> None:
    assert calls_for("T-12 and T-13 can be thrown away.", TASKS) == [
        ("delete_task", {"task_id": "T-12"}),
        ("delete_task", {"task_id": "T-13"}),
    ]


def test_somebody_who_can_take_a_thing_gets_it() -> None:
    assert calls_for("Tomek can take T-40.", TASKS) == [("assign_task", {"task_id": "T-40", "assignee": "Tomek"})]


def test_a_bare_deed_is_done_to_what_stands_before() -> None:
    assert calls_for("Bring rtr-bergen-01 to 17.9.4 and then bounce it.", DEVICES) == [
        ("upgrade_firmware", {"device": "rtr-bergen-01", "version": "17.9.4"}),
        ("reboot_device", {"device": "rtr-bergen-01"}),
    ]


def test_a_figure_with_its_unit_is_no_number_of_a_thing_too() -> None:
    assert calls_for("Please write down 90 litres of riesling.", [log_harvest]) == []


@pytest.mark.parametrize("text", ["Got any candles left?", "how many candles are left?", "Do we still have candles?"])
def test_a_question_after_what_is_left_looks_at_the_stock(text: str) -> None:
    assert calls_for(text, [check_stock, *DEVICES]) == [("check_stock", {"article": "candles"})]


def test_a_question_word_speaks_for_the_tool_that_tells_it() -> None:
    assert calls_for("When is Paper Moon on?", [check_stock, showtimes]) == [("showtimes", {"film": "Paper Moon"})]


@pytest.mark.parametrize(
    "text", ["Good evening, how was your weekend?", "great, have a lovely weekend", "do you also repair bicycles?"]
)
def test_a_greeting_or_a_deed_nobody_does_calls_nothing(text: str) -> None:
    assert calls_for(text, [check_stock, showtimes, *DEVICES]) == []
