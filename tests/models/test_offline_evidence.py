"""What speaks for a tool beside its verb and noun: values that are surely said, and how often they are."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Literal

import pytest
from langchain_core.tools import tool

from signalbox.models.offline import OfflineChatModel

NOW = datetime(2026, 4, 1, 10, 0, tzinfo=UTC)


@tool
def water_bed(bed: str, minutes: int) -> str:
    """Water a bed for some minutes.

    Args:
        bed: The bed, such as B14
        minutes: How long
    """
    return ""


@tool
def sign_up_club(pupil: str, club: Literal["chess", "choir", "robotics"]) -> str:
    """Register a pupil for an afternoon club.

    Args:
        pupil: Name of the pupil
        club: Which club
    """
    return ""


@tool
def pay_fine(fine_no: str, method: Literal["card", "transfer", "cash"] | None = None) -> str:
    """Pay a parking fine.

    Args:
        fine_no: Number of the fine
        method: How it is paid
    """
    return ""


@tool
def change_stage(deal_id: str, stage: Literal["qualified", "won", "lost"]) -> str:
    """Change the stage of a deal.

    Args:
        deal_id: Id of the deal
        stage: New stage
    """
    return ""


@tool
def schedule_demo(company: str, date: date, time: str) -> str:
    """Schedule a product demo with a company.

    Args:
        company: Name of the company
        date: Day
        time: Start, HH:MM
    """
    return ""


@tool
def report_damage(object_no: str, damage: str) -> str:
    """Report damage to an object.

    Args:
        object_no: Inventory number
        damage: What happened
    """
    return ""


@tool
def locate_object(object_no: str) -> str:
    """Tell in which room or store an object is.

    Args:
        object_no: Inventory number
    """
    return ""


TOOLS = [water_bed, sign_up_club, pay_fine, change_stage, schedule_demo, report_damage, locate_object]


def calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = OfflineChatModel(clock=NOW).bind_tools(TOOLS).invoke(text)
    return [(call["name"], call["args"]) for call in found.tool_calls]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Emma would love to play chess in the afternoon.", "sign_up_club"),
        ("I want to settle F-7781 by card.", "pay_fine"),
    ],
)
def test_said_arguments_speak_for_a_tool_with_another_verb(text: str, name: str) -> None:
    assert [called for called, _ in calls(text)] == [name]


def test_a_guess_for_a_parameter_does_not_speak_for_a_tool() -> None:
    assert calls("Where is A-1907-33 kept at the moment?") == [("locate_object", {"object_no": "A-1907-33"})]
    assert calls("Sell the old tractor online.") == []


def test_one_deed_is_done_for_each_thing_with_its_own_details() -> None:
    assert calls("B1 for five minutes and B2 for eight") == [
        ("water_bed", {"bed": "B1", "minutes": 5}),
        ("water_bed", {"bed": "B2", "minutes": 8}),
    ]
    assert calls("Ben goes to robotics and Lia to the choir this term.") == [
        ("sign_up_club", {"pupil": "Ben", "club": "robotics"}),
        ("sign_up_club", {"pupil": "Lia", "club": "choir"}),
    ]


def test_two_remarks_joined_by_and_are_two_deeds() -> None:
    assert calls("D-12 is lost, and Halden Marine want to see the product on 6 October 2026 at 14:00.") == [
        ("change_stage", {"deal_id": "D-12", "stage": "lost"}),
        ("schedule_demo", {"company": "Halden Marine", "date": "2026-10-06", "time": "14:00"}),
    ]


def test_the_way_back_begins_where_the_way_there_ended() -> None:
    @tool
    def find_trains(from_town: str, to_town: str, day: date) -> str:
        """Find trains between two towns.

        Args:
            from_town: Town of departure
            to_town: Town of arrival
            day: Day of travel
        """
        return ""

    text = "Trains from Selby to York on 4 May and back to Selby on 6 May"
    found = OfflineChatModel(clock=NOW).bind_tools([find_trains, *TOOLS]).invoke(text)
    assert [call["args"] for call in found.tool_calls] == [
        {"from_town": "Selby", "to_town": "York", "day": "2026-05-04"},
        {"from_town": "York", "to_town": "Selby", "day": "2026-05-06"},
    ]
