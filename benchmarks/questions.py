"""What the offline model is asked while it is timed: cities, reminders, orders with a schema of ten fields."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

__all__ = ["ORDERS", "Order", "Reminder", "cities"]


class Order(BaseModel):
    """An order of office furniture."""

    item: Literal["desk", "chair", "lamp", "shelf", "cabinet"] = Field(description="what is ordered")
    quantity: int | None = Field(default=None, description="how many pieces")
    colour: Literal["black", "white", "grey", "oak"] | None = Field(default=None, description="the colour")
    price_limit: float | None = Field(default=None, description="the highest price in euros")
    discount: float | None = Field(default=None, description="the discount in percent")
    express: bool | None = Field(default=None, description="whether express delivery is wanted")
    city: Literal["Hamburg", "Munich", "Cologne"] | None = Field(default=None, description="where it is delivered")
    reference: str | None = Field(default=None, description="the order reference, e.g. PO-1234")
    rooms: list[str] | None = Field(default=None, description="the rooms it is for")
    note: str | None = Field(default=None, description="a note for the driver, in quotes")


class Reminder(BaseModel):
    """Something to be reminded of."""

    title: str = Field(description="what is to be done")
    due: date | None = Field(default=None, description="when it is to be done")
    priority: Literal["low", "normal", "high"] | None = Field(default=None, description="how urgent it is")
    at_home: bool | None = Field(default=None, description="whether it is done at home")


ORDERS = (
    'Order 12 black chairs to Munich, express, at most 250 euros, 5% discount, reference PO-4711, note "ring twice"',
    "please send 3 oak desks to Hamburg, no express delivery, reference PO-9",
    "we need four white shelves for rooms 2.01, 2.02 and 2.07 in Cologne, price limit 80",
    "a grey cabinet to hamburg with 10 percent off, quantity 2",
    "6 lamps, express, PO-2210, city Cologne, colour black, price under 45 euros",
)


def cities() -> Iterator[str]:
    """Names of cities that are none, each once for a long time, so that nothing remembered from one helps the next."""
    syllables = ("ba", "do", "fi", "gu", "ke", "la", "mo", "ni", "pu", "ra", "se", "ti", "vo", "wa", "xu", "ze")
    return itertools.cycle("".join(parts).capitalize() for parts in itertools.product(syllables, repeat=4))
