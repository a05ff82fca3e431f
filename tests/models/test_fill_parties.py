"""Whose name it is: who serves and who is served, makers, trades, and names that hold words of time."""

from __future__ import annotations

from typing import Any

from signalbox.models.offline.fill import fill_schema


def _schema(heading: str, **fields: Any) -> dict[str, Any]:
    properties = {
        name: {"type": "string", "description": told} if isinstance(told, str) else told
        for name, told in fields.items()
    }
    return {"title": heading, "type": "object", "properties": properties}


_PHYSIO = _schema(
    "PhysioBooking",
    therapist="Surname of the therapist, without title.",
    client="Name of the client, if it is said.",
    treatment={"type": "string", "enum": ["massage", "ultrasound"]},
)


def test_a_surname_without_title_is_what_the_description_asks_for() -> None:
    assert fill_schema(_PHYSIO, "A massage with Ms Farrell, please.").values["therapist"] == "Farrell"


def test_a_relative_who_needs_something_is_served() -> None:
    values = fill_schema(_PHYSIO, "My son Tomasz Wilk needs a massage.").values
    assert values == {"client": "Tomasz Wilk", "treatment": "massage"}


def test_who_is_put_down_for_something_is_served() -> None:
    values = fill_schema(_PHYSIO, "Please put Greta Holm down for ultrasound.").values
    assert values == {"client": "Greta Holm", "treatment": "ultrasound"}


def test_somebody_of_a_club_is_not_the_club() -> None:
    schema = _schema("RaceEntry", runner="Full name of the runner.", club="Name of the runner's club.")
    values = fill_schema(schema, "Put Aldo Brun of the Riverside Runners down.").values
    assert values == {"runner": "Aldo Brun", "club": "Riverside Runners"}


def test_a_name_may_hold_words_of_time() -> None:
    schema = _schema(
        "NewsletterIssue",
        name="Internal name of the newsletter.",
        date={"type": "string", "format": "date", "description": "Day it goes out."},
    )
    assert fill_schema(schema, "Call it Monday Morning Brew.").values == {"name": "Monday Morning Brew"}


def test_what_a_copy_is_of_is_a_title() -> None:
    schema = _schema("BookNote", title="Title of the book.", author="Author's name.")
    assert fill_schema(schema, "I bought a copy of Emma.").values == {"title": "Emma"}


def test_a_trade_between_commas_is_the_position() -> None:
    schema = _schema("JobInterview", applicant="Name of the applicant.", position="Job title.")
    values = fill_schema(schema, "Olu Adeyemi, bookkeeper, on the phone").values
    assert values == {"applicant": "Olu Adeyemi", "position": "bookkeeper"}
