"""Classes of sentences: quotes, stays, clock ranges, bounds, roles, routes, and what must stay empty."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import fill_schema

UTC = ZoneInfo("UTC")
WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    return fill_schema(model.model_json_schema(), text, clock=WEDNESDAY, tz=UTC).values


class Rehearsal(BaseModel):
    """A rehearsal to be arranged."""

    subject: str = Field(description="What the rehearsal is called.")
    start: datetime = Field(description="When it begins.")
    length_minutes: int | None = Field(None, description="How long it lasts, in minutes.")
    participants: list[str] = Field(default_factory=list, description="Names or mail addresses of those invited.")
    room: str | None = Field(None, description="Room where it is held.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('slot in "Brass" tomorrow 14:00-15:30', {"subject": "Brass", "length_minutes": 90}),
        ('Invite Ana and bo@example.org to "Brass" tomorrow at 14:00',
         {"subject": "Brass", "participants": ["Ana", "bo@example.org"]}),
        ('"Brass" tomorrow from 2 to 4 pm in room Birch', {"subject": "Brass", "length_minutes": 120, "room": "Birch"}),
    ],
)  # fmt: skip
def test_quotes_hold_the_title_and_two_clock_times_give_the_length(text, values):
    assert fill(Rehearsal, text) == {"start": "2026-11-19T14:00:00+00:00", **values}


class Cabin(BaseModel):
    """A cabin to be booked."""

    lake: str = Field(description="Lake at which the cabin lies.")
    arrival: date = Field(description="First day of the stay.")
    departure: date | None = Field(None, description="Last day of the stay.")
    extras: list[Literal["boat", "sauna", "linen"]] = Field(default_factory=list, description="What is wanted too.")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("cabin at Orta, we arrive on 3 December and leave on 8 December", "2026-12-03", "2026-12-08"),
        ("Orta, leaving on 9 Dec, arriving on 5 Dec", "2026-12-05", "2026-12-09"),
        ("Orta, check-in 4 Dec, check-out 6 Dec", "2026-12-04", "2026-12-06"),
        ("a cabin at Orta from 28 December until 2 January", "2026-12-28", "2027-01-02"),
    ],
)
def test_a_stay_never_ends_before_it_begins(text, first, last):
    assert fill(Cabin, text) == {"lake": "Orta", "arrival": first, "departure": last}


class BookSearch(BaseModel):
    """A search for books."""

    subject: str | None = Field(None, description="What the book is about.")
    title: str | None = Field(None, description="Title of the book.")
    author: str | None = Field(None, description="Name of the person who wrote it.")
    translator: str | None = Field(None, description="Name of the person who translated it.")
    min_pages: int | None = Field(None, description="Fewest pages.")
    max_pages: int | None = Field(None, description="Most pages.")
    published_from: date | None = Field(None, description="Earliest day of publication.")
    sort_by: Literal["newest", "shortest"] | None = Field(None, description="Order of the results.")
    limit: int | None = Field(None, description="How many results at most.", le=50)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("books about glaciers under 300 pages", {"subject": "glaciers", "max_pages": 300}),
        ("books about tea from 200 pages upwards", {"subject": "tea", "min_pages": 200}),
        ("anything on volcanism, shortest first", {"subject": "volcanism", "sort_by": "shortest"}),
        ("about knots which came out after 5 December", {"subject": "knots", "published_from": "2025-12-05"}),
        ("20 books with Ida Moss as translator", {"limit": 20, "translator": "Ida Moss"}),
        ('the book "Salt Roads" w/ author nora pell', {"title": "Salt Roads", "author": "nora pell"}),
    ],
)
def test_bounds_orders_clauses_and_roles_end_a_phrase(text, values):
    assert fill(BookSearch, text) == values


class StockMove(BaseModel):
    """Goods moved between depots."""

    source_depot: str = Field(description="Depot the goods leave.")
    target_depot: str = Field(description="Depot the goods go to.")
    driver: str | None = Field(None, description="Name of the driver.")
    fragile: bool | None = Field(None, description="True if it is fragile.")


@pytest.mark.parametrize(
    "text", ["leeds -> hull, fragile", "leeds=>hull, it is fragile and goes today", "fragile, leeds > hull"]
)
def test_an_arrow_leads_from_the_source_to_the_target_and_a_verb_is_no_name(text):
    assert fill(StockMove, text) == {"source_depot": "leeds", "target_depot": "hull", "fragile": True}


class Vacancy(BaseModel):
    job_title: str = Field(description="Title of the position.")
    department: str | None = Field(None, description="Department.")
    contract: Literal["full_time", "part_time", "temporary"] | None = None
    city: str | None = Field(None, description="City of the job.")


class Injury(BaseModel):
    player: str = Field(description="Name of the player.")
    body_part: str | None = Field(None, description="Part of the body that hurts, e.g. left knee.")


@pytest.mark.parametrize(
    ("model", "text", "values"),
    [
        (Vacancy, "Advertise a full-time pastry chef position in Bath.",
         {"job_title": "pastry chef", "contract": "full_time", "city": "Bath"}),
        (Vacancy, "temporary receptionist, HR department",
         {"job_title": "receptionist", "contract": "temporary", "department": "HR"}),
        (Injury, "Ann Webb twisted her right ankle", {"player": "Ann Webb", "body_part": "right ankle"}),
    ],
)  # fmt: skip
def test_nouns_of_a_known_class_go_to_the_field_that_asks_for_them(model, text, values):
    assert fill(model, text) == values
