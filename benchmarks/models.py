"""The offline model's reader by itself."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator
from unittest.mock import patch

from benchmarks.measure import calling, race
from benchmarks.questions import ORDERS, Order, Reminder, cities
from benchmarks.report import Row, under

__all__ = ["measure"]

REMINDER = "remind me to call the plumber about the leaking tap tomorrow, it is rather urgent"
SKILLS = "skills of the offline model"


def measure() -> Iterator[Row]:
    """What the offline model's reader costs: a usual request, one with many labels, a long text, and teaching."""
    from signalbox.models import load_chat_model

    model, sentences = load_chat_model("offline"), itertools.cycle(ORDERS)
    small, large = (model.with_structured_output(schema, include_raw=True) for schema in (Reminder, Order))
    long = "Please send 3 oak desks to Hamburg. " + "The weather is fine today. " * 380
    lessons = [
        {"text": f"{city} {n}", "expected": {"priority": "high"}} for n, city in zip(range(300), cities(), strict=False)
    ]
    found = race(
        {
            "small": calling(lambda: small.invoke(REMINDER)),
            "large": calling(lambda: large.invoke(next(sentences))),
            "long": calling(lambda: large.invoke(long)),
        }
    )
    yield Row(SKILLS, "a usual request, 8 labels", found["small"], target=under(0.060))
    yield Row(SKILLS, "ten fields, 25 labels", found["large"], target=under(0.150))
    yield Row(SKILLS, "a text of 10,000 characters", found["long"], target=under(1))

    def teach() -> None:
        with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, SIGNALBOX_HOME=home):
            load_chat_model("offline", examples=lessons).with_structured_output(Reminder, include_raw=True).invoke(
                "call"
            )

    yield Row(
        SKILLS, "learning from 300 examples", race({"teach": calling(teach)}, rounds=1)["teach"], target=under(10)
    )
