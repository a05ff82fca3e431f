from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from signalbox.agents.metrics.evaluation.expectation import check_expectation, moment_of

ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 5, 4, 12, tzinfo=ROME)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ({}, "needs `error`"),
        ({"kind": "poem", "promql": "up"}, "needs `error`"),
        ({"kind": "value"}, "promql"),
        ({"kind": "series", "promql": "up"}, "needs `from`"),
        ({"kind": "comparison", "promql": "up"}, "against"),
        ({"kind": "value", "promql": "up", "top": 3}, "`top` is not for a value"),
        ({"kind": "extreme", "promql": "up", "from": "-1h", "extreme": "odd"}, "highest or lowest"),
        ({"kind": "value", "promql": "up", "at": "noonish"}, "noonish"),
        ({"kind": "value", "promql": "up", "none": True}, "`none` is not for a value"),
        ({"kind": "says"}, "words"),
        ({"error": "shrug"}, "parsing_error"),
        ({"error": "parsing_error", "kind": "value"}, "stand alone"),
    ],
)
def test_an_expectation_that_cannot_be_judged_is_refused(outcome: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        check_expectation(outcome)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", datetime(2026, 5, 4, 10, tzinfo=UTC)),
        ("-90m", datetime(2026, 5, 4, 8, 30, tzinfo=UTC)),
        ("-2d", datetime(2026, 5, 2, 10, tzinfo=UTC)),
        ("2026-05-03T09:00", datetime(2026, 5, 3, 7, tzinfo=UTC)),
        ("2026-05-03T09:00+00:00", datetime(2026, 5, 3, 9, tzinfo=UTC)),
    ],
)
def test_a_moment_is_read_in_the_zone_of_the_set(text: str, moment: datetime) -> None:
    assert moment_of(text, NOW, ROME) == moment
