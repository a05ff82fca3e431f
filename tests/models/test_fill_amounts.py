"""Numbers: whose they are, by age, rate, rank, unit and bound; clock times and sides of a number."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import fill_schema

UTC = ZoneInfo("UTC")
WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    return fill_schema(model.model_json_schema(), text, clock=WEDNESDAY, tz=UTC).values


class Coaching(BaseModel):
    """Training with a coach."""

    sport: Literal["judo", "tennis"] = Field(description="Sport.")
    age: int | None = Field(None, description="Age of the trainee in years.", ge=3, le=99)
    practice_years: float | None = Field(None, description="For how many years the trainee has practised.")
    per_week: int | None = Field(None, description="How often a week.")
    minutes: Literal[30, 60, 90] | None = Field(None, description="Length of one session in minutes.")
    floor: int | None = Field(None, description="Floor of the gym.", ge=0, le=9)
    max_fee: float | None = Field(None, description="Highest fee in euros.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("judo for a girl, 9 years old, twice a week", {"age": 9, "per_week": 2}),
        ("judo, she is 41 and has trained for 3 years", {"age": 41, "practice_years": 3.0}),
        ("judo, an hour each time, second floor", {"minutes": 60, "floor": 2}),
        ("judo, 90 min, it shouldn't cost more than 25 euros", {"minutes": 90, "max_fee": 25.0}),
        ("judo 3x per week, no longer than an hour", {"per_week": 3, "minutes": 60}),
    ],
)
def test_age_rate_rank_and_unit_say_whose_a_number_is(text, values):
    assert fill(Coaching, text) == {"sport": "judo", **values}


class Alarm(BaseModel):
    """An alarm on a gauge."""

    gauge: Literal["pressure", "level"] = Field(description="Gauge to watch.")
    side: Literal["above", "below"] = Field(description="On which side of the limit it rings.")
    limit: float = Field(description="Value at which it rings.")


@pytest.mark.parametrize(
    ("text", "side", "limit"),
    [
        ("pressure > 12", "above", 12),
        ("ring when the pressure gets higher than 7", "above", 7),
        ("pressure drops under 3.5", "below", 3.5),
        ("pressure above 40 percent", "above", 40),
    ],
)
def test_words_that_bound_a_number_name_its_side(text, side, limit):
    assert fill(Alarm, text) == {"gauge": "pressure", "side": side, "limit": limit}


class Shift(BaseModel):
    """A shift in a shop."""

    begins: time = Field(description="When it starts.")
    ends: time | None = Field(None, description="When it ends.")


@pytest.mark.parametrize("text", ["saturday 9 to 13", "from 9:00 till 13 on Saturday", "sat 9-13h"])
def test_bare_hours_beside_a_day_are_clock_times(text):
    assert fill(Shift, text) == {"begins": "09:00:00", "ends": "13:00:00"}


class Link(BaseModel):
    """A tunnel between two machines."""

    source_ip: str = Field(description="Address the traffic comes from.")
    target_ip: str = Field(description="Address the traffic goes to.")


@pytest.mark.parametrize("text", ["10.0.0.1 -> 10.0.0.2", "to 10.0.0.2 from 10.0.0.1", "between 10.0.0.1 and 10.0.0.2"])
def test_arrows_and_small_words_tell_two_addresses_apart(text):
    assert fill(Link, text) == {"source_ip": "10.0.0.1", "target_ip": "10.0.0.2"}
