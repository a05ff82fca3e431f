"""Step one of the contract: what a question says, before any server is asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.runnables import RunnableLambda

from signalbox.agents.metrics.errors import InvalidTimeRangeError, ParsingError, UnsupportedOperationError
from signalbox.agents.metrics.reading import Asked, Wording, parse_question

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


async def parse(text: str, **options: Any) -> Asked:
    return await parse_question(text, now=NOW, zone="UTC", **options)


def hours(asked: Asked) -> tuple[str, str]:
    return f"{asked.time_range.start_time:%d %H:%M}", f"{asked.time_range.end_time:%d %H:%M}"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("plot the CPU usage of web-1", "series"),
        ("Show CPU usage for the last hour", "series"),
        ("request rate by service", "series"),
        ("how many orders were placed yesterday", "value"),
        ("what is the error rate right now?", "value"),
        ("max memory on web-1 yesterday", "value"),
        ("top 3 hosts by memory", "ranking"),
        ("which service had the most errors?", "ranking"),
        ("the five busiest hosts", "ranking"),
        ("which room is the warmest?", "ranking"),
        ("when was the load highest this week", "extreme"),
        ("at what time did traffic peak?", "extreme"),
        ("what share of requests fail?", "share"),
        ("which percentage of the orders came from the app", "share"),
        ("requests today compared with yesterday", "comparison"),
        ("web-1 vs web-2 memory", "comparison"),
        ("is latency higher than an hour ago?", "comparison"),
    ],
)
async def test_the_kind_of_answer_follows_from_the_words(text: str, kind: str) -> None:
    assert (await parse(text)).kind == kind


@pytest.mark.parametrize(
    ("text", "quantile"),
    [
        ("p95 latency", 0.95),
        ("latency p99.9", 0.999),
        ("p999 of checkout", 0.999),
        ("99th percentile of latency", 0.99),
        ("median response time", 0.5),
        ("latency", None),
    ],
)
async def test_a_quantile_is_read_in_every_way_of_writing_it(text: str, quantile: float | None) -> None:
    assert (await parse(text)).quantile == quantile


async def test_without_a_time_a_curve_is_of_the_last_hour_and_a_figure_is_of_now() -> None:
    assert hours(await parse("show CPU usage")) == ("11 08:30", "11 09:30")
    assert (await parse("what is the CPU usage of web-1?")).is_current


async def test_what_is_compared_with_is_never_the_main_range() -> None:
    asked = await parse("error rate in the last hour compared with yesterday")
    assert hours(asked) == ("11 08:30", "11 09:30")
    assert asked.against_range is not None
    assert asked.against_range.start_time == datetime(2026, 3, 10, 8, 30, tzinfo=UTC)
    assert asked.against_range.end_time == datetime(2026, 3, 10, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "main", "against"),
    [
        ("orders today vs yesterday", ("11 00:00", "11 09:30"), ("10 00:00", "11 00:00")),
        ("orders in the last hour vs the hour before", ("11 08:30", "11 09:30"), ("11 07:30", "11 08:30")),
        ("were there more orders yesterday than the day before?", ("10 00:00", "11 00:00"), ("09 00:00", "10 00:00")),
        ("compare orders of the last 30 minutes with an hour ago", ("11 09:00", "11 09:30"), ("11 08:00", "11 08:30")),
        ("orders from 8am to 9am today vs same time last week", ("11 08:00", "11 09:00"), ("04 08:00", "04 09:00")),
    ],
)  # fmt: skip
async def test_another_time_may_be_said_by_its_name_or_by_its_distance(
    text: str, main: tuple[str, str], against: tuple[str, str]
) -> None:
    asked = await parse(text)
    assert hours(asked) == main
    assert asked.against_range is not None
    assert (f"{asked.against_range.start_time:%d %H:%M}", f"{asked.against_range.end_time:%d %H:%M}") == against


async def test_a_time_after_two_things_that_are_compared_is_about_both() -> None:
    asked = await parse("latency of checkout vs payment in the last 2 hours")
    assert hours(asked) == ("11 07:30", "11 09:30")
    assert asked.against_range is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("show anomalies in CPU usage", "Anomaly detection is not supported"),
        ("alert me when the disk is full", "Alerting is not supported"),
        ("predict memory for next week", "Forecasting is not supported"),
        ("what should I do about the latency?", "Recommendations are not supported"),
        ("restart web-1", "Actions are not supported"),
    ],
)
async def test_what_is_not_done_here_is_refused_kindly(text: str, message: str) -> None:
    with pytest.raises(UnsupportedOperationError, match=message) as caught:
        await parse(text)
    assert caught.value.suggestion


async def test_who_asks_for_anomalies_learns_of_the_map_that_finds_them() -> None:
    with pytest.raises(UnsupportedOperationError) as caught:
        await parse("any unusual latency today?")
    assert "metrics-anomalies" in caught.value.suggestion


@pytest.mark.parametrize("text", ["restarts of payment in the last week", "latency of the forecast service"])
async def test_words_of_other_operations_may_name_what_is_measured(text: str) -> None:
    assert (await parse(text)).kind == "series"


@pytest.mark.parametrize("text", ["", "   ", "?!", "12345", "x" * 5000])
async def test_what_is_no_question_is_not_understood_and_examples_are_given(text: str) -> None:
    with pytest.raises(ParsingError, match="Could not understand your query") as caught:
        await parse(text)
    assert "CPU usage" in caught.value.suggestion


@pytest.mark.parametrize("text", ["CPU usage tomorrow", "CPU for the last 200 days", "CPU on 31 February"])
async def test_an_impossible_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidTimeRangeError):
        await parse(text)


async def test_a_follow_up_takes_over_the_time_the_kind_and_the_quantile() -> None:
    first = await parse("p99 latency of checkout yesterday")
    second = await parse("and for payment?", previous=first)
    assert (second.kind, second.quantile, second.time_range) == (first.kind, 0.99, first.time_range)
    third = await parse("same for the last 2 hours", previous=second)
    assert hours(third) == ("11 07:30", "11 09:30")


async def test_a_long_conversation_does_not_grow_for_ever() -> None:
    asked = await parse("CPU usage of web-1")
    for _ in range(30):
        asked = await parse("and of web-2?", previous=asked)
    assert len(asked.model_dump_json()) < 20_000


class Hosted(FakeListChatModel):
    """A hosted model as far as this agent sees it: it fills the schema it is given."""

    responses: list[str] = []  # noqa: RUF012
    filled: dict[str, Any] = {}  # noqa: RUF012
    seen: list[Any] = []  # noqa: RUF012

    def with_structured_output(self, schema: Any, **_: Any) -> Any:
        assert schema is Wording

        def fill(messages: Any) -> Wording:
            self.seen.append(messages)
            return Wording.model_validate(self.filled)

        return RunnableLambda(fill)


async def test_a_hosted_model_fills_the_same_schema_and_literal_evidence_wins_over_it() -> None:
    model: BaseChatModel = Hosted(filled={"kind": "ranking", "quantile": 0.5, "group_by": ["service"]}, seen=[])
    asked = await parse("p99 latency per service", model=model)
    assert (asked.quantile, asked.group_by, asked.kind) == (0.99, ["service"], "ranking")


async def test_a_hosted_model_may_recognize_what_is_not_done_here() -> None:
    with pytest.raises(UnsupportedOperationError):
        await parse("get rid of those pods", model=Hosted(filled={"operation": "action"}, seen=[]))


async def test_a_hosted_model_may_say_the_kind_where_no_word_does() -> None:
    model = Hosted(filled={"kind": "ranking", "subject": "CPU usage"}, seen=[])
    assert (await parse("Welche Server sind am stärksten ausgelastet", model=model)).kind == "ranking"


async def test_what_a_model_fills_in_against_the_schema_is_not_understood() -> None:
    with pytest.raises(ParsingError, match="Could not understand your query"):
        await parse("CPU usage", model=Hosted(filled={"kind": "pie"}, seen=[]))


@pytest.mark.parametrize(
    ("text", "top", "lowest"),
    [
        ("three pods with the lowest memory", 3, True),
        ("name the six services using the most CPU", 6, False),
        ("all sites by temperature, coldest first", None, True),
        ("sites in descending order of humidity", None, False),
    ],
)
async def test_places_and_their_order_are_read_from_the_whole_phrase(text: str, top: int | None, lowest: bool) -> None:
    asked = await parse(text)
    assert (asked.kind, asked.top, asked.lowest) == ("ranking", top, lowest)


async def test_a_figure_at_a_moment_is_of_that_moment() -> None:
    asked = await parse("what was the temperature at 7:15 today?")
    assert hours(asked)[1] == "11 07:15"
    assert asked.time_range.end_time - asked.time_range.start_time <= timedelta(minutes=1)


async def test_days_ago_are_that_day_unless_it_is_since_then() -> None:
    assert hours(await parse("CPU of web-1 three days ago")) == ("08 00:00", "09 00:00")
    assert hours(await parse("CPU of web-1 since three days ago"))[1] == "11 09:30"


async def test_slips_in_words_of_questions_are_mended_and_names_are_not() -> None:
    assert "service" in (await parse("latncy by servcie")).text
    assert (await parse("latency of servce-2")).text == "latency of servce-2"
    with pytest.raises(UnsupportedOperationError):
        await parse("any anomalys in the traffic?")


async def test_two_times_may_stand_on_both_sides_of_with() -> None:
    asked = await parse("compare the queue between 3:00 and 4:00 yesterday with 3:00 to 4:00 today")
    assert hours(asked) == ("10 03:00", "10 04:00")
    assert asked.against_range is not None
    assert f"{asked.against_range.start_time:%d %H:%M}" == "11 03:00"


@pytest.mark.parametrize(
    "text", ["sort-01 memory last 3h", "load of max-2 yesterday", "requests of rank-api last hour"]
)
async def test_a_name_that_begins_like_a_word_of_questions_does_not_choose_the_answer(text: str) -> None:
    asked = await parse(text)
    assert asked.kind == "series"
    assert asked.aggregation is None


@pytest.mark.parametrize(
    "text", ["lag of recommendations today", "requests of the forecast-api", "errors of anomaly-finder"]
)
async def test_what_stands_in_a_name_is_no_request_to_do_something(text: str) -> None:
    assert (await parse(text)).operation == "read"


@pytest.mark.parametrize("text", ["cpu from 8:00 today to 6:00 today", "cpu between 8:00 and 6:00 today"])
async def test_a_range_of_one_day_that_ends_before_it_starts_is_refused(text: str) -> None:
    with pytest.raises(InvalidTimeRangeError):
        await parse(text)


async def test_a_range_over_midnight_is_none_that_ends_before_it_starts() -> None:
    assert hours(await parse("cpu from 22:00 yesterday to 6:00 today")) == ("10 22:00", "11 06:00")


@pytest.mark.parametrize("text", ["open connections at 7:15 today", "cpu of web-1 20 minutes ago"])
async def test_a_moment_without_any_other_word_asks_for_one_figure(text: str) -> None:
    asked = await parse(text)
    assert asked.kind == "value"
    assert asked.time_range.end_time - asked.time_range.start_time <= timedelta(minutes=1)


async def test_the_day_before_is_a_day_before_however_short_the_range_is() -> None:
    asked = await parse("orders from 7:00 to 7:45 today vs the day before")
    assert asked.against_range is not None
    assert f"{asked.against_range.start_time:%d %H:%M}" == "10 07:00"


async def test_now_may_be_compared_with_a_time_after_with() -> None:
    asked = await parse("compare the open orders now with 24 hours ago")
    assert asked.against_range is not None
    assert f"{asked.against_range.end_time:%d %H:%M}" == "10 09:30"


async def test_now_is_compared_with_the_whole_of_a_range_that_it_lies_in() -> None:
    asked = await parse("queue depth now compared with the average of the last 24 hours")
    assert asked.against_range is not None
    assert asked.against_range.end_time - asked.against_range.start_time == timedelta(days=1)


async def test_things_ranked_by_a_share_are_a_ranking() -> None:
    assert (await parse("which service has the highest share of 5xx?")).kind == "ranking"
    assert (await parse("which share of requests failed?")).kind == "share"
