"""Reading on a real Prometheus of another business: other names, other labels, no types or help."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from itertools import product

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.reading import ground_question, parse_question

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
FAMILIES: dict[str, dict[str, tuple[str, ...]]] = {
    "gondola_rides_total": {"lift": ("north", "glacier"), "ticket": ("day", "season")},
    "gondola_stops_total": {"lift": ("north", "glacier"), "cause": ("wind", "operator", "fault")},
    "gondola_speed_meters_per_second": {"lift": ("north", "glacier")},
    "gate_wait_seconds_bucket": {"gate": ("g1", "g2"), "le": ("30", "120", "+Inf")},
    "gate_wait_seconds_sum": {"gate": ("g1", "g2")},
    "gate_wait_seconds_count": {"gate": ("g1", "g2")},
    "snow_depth_centimeters": {"slope": ("blue-3", "black-1")},
    "shop_http_requests_total": {"app": ("tickets-api", "rental-api"), "code": ("200", "404", "503")},
    "vm_cpu_usage_percent": {"vm": ("till-01", "till-02")},
    "rental_returns_total": {"late": ("true", "false")},
    "passes_scanned": {"gate": ("g1", "g2"), "country": ("AT", "IT")},
}


@pytest.fixture(scope="module")
def address(start_prometheus: Callable[..., AbstractContextManager[str]] | None) -> Iterator[str | None]:
    """Where a real Prometheus with these series answers; None where it is not installed."""
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(samples()) as url:
        yield url


def samples() -> Iterator[str]:
    """An hour of every series, in which each rises by one a minute."""
    end = int(NOW.timestamp())
    for family, labels in FAMILIES.items():
        for values in product(*labels.values()):
            said = ",".join(f'{label}="{value}"' for label, value in zip(labels, values, strict=True))
            yield from (f"{family}{{{said}}} {at} {end - 3600 + 60 * at}\n" for at in range(61))
    yield "# EOF\n"


@pytest.fixture
async def client(address: str | None, require_part: Callable[[str, bool], None]) -> AsyncIterator[GrafanaMetricsClient]:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", address is not None)
    async with GrafanaMetricsClient(address, clock=lambda: NOW) as made:
        yield made


async def ground(text: str, client: GrafanaMetricsClient) -> Question:
    return await ground_question(await parse_question(text, now=NOW, zone="UTC"), client)


@pytest.mark.parametrize(
    ("text", "metric", "conditions", "groups"),
    [
        ("how many rides on the glacier lift in the last hour", "gondola_rides_total", {"lift=glacier"}, ()),
        ("season ticket rides per lift", "gondola_rides_total", {"ticket=season"}, ("lift",)),
        ("stops caused by wind", "gondola_stops_total", {"cause=wind"}, ()),
        ("how fast is the north gondola", "gondola_speed_meters_per_second", {"lift=north"}, ()),
        ("p90 wait at gate g2", "gate_wait_seconds_bucket", {"gate=g2"}, ()),
        ("how long do people wait on average, by gate", "gate_wait_seconds_sum", set(), ("gate",)),
        ("snow depth on black 1", "snow_depth_centimeters", {"slope=black-1"}, ()),
        ("request rate of the tickets api", "shop_http_requests_total", {"app=tickets-api"}, ()),
        ("5xx by app", "shop_http_requests_total", {"code=503"}, ("app",)),
        ("cpu of till-02", "vm_cpu_usage_percent", {"vm=till-02"}, ()),
        ("late returns", "rental_returns_total", {"late=true"}, ()),
        ("which lift is the fastest?", "gondola_speed_meters_per_second", set(), ("lift",)),
    ],
)
async def test_words_find_their_metric_labels_and_values(
    client: GrafanaMetricsClient, text: str, metric: str, conditions: set[str], groups: tuple[str, ...]
) -> None:
    question = await ground(text, client)
    assert question.measure.name == metric
    assert {f"{one.label}={'|'.join(one.values)}" for one in question.matchers} == conditions
    assert question.group_by == groups


async def test_a_convention_of_labels_is_found_for_the_error_rate(client: GrafanaMetricsClient) -> None:
    measure = (await ground("error rate of the rental api", client)).measure
    assert 'code=~"5.."' in measure.promql
    assert measure.unit == "ratio"


async def test_one_counter_may_be_a_share_of_another(client: GrafanaMetricsClient) -> None:
    measure = (await ground("what share of gondola rides are stops", client)).measure
    assert (measure.type, measure.metrics) == ("ratio", ("gondola_stops_total", "gondola_rides_total"))


async def test_a_value_that_is_not_there_is_told_apart_from_a_metric_that_is_not(client: GrafanaMetricsClient) -> None:
    with pytest.raises(InvalidQueryError, match="lift") as caught:
        await ground("rides on the valley lift", client)
    assert "glacier" in caught.value.suggestion
    with pytest.raises(MetricNotFoundError):
        await ground("avalanche warnings", client)


async def test_a_metric_without_a_type_that_only_rises_is_a_counter_and_a_level_is_not(
    client: GrafanaMetricsClient,
) -> None:
    assert (await ground("how many passes were scanned in the last hour", client)).measure.type == "counter"
    assert (await ground("snow depth in the last hour", client)).measure.type == "gauge"


async def test_a_country_is_known_by_its_name_where_labels_have_its_code(client: GrafanaMetricsClient) -> None:
    question = await ground("passes scanned from Austria", client)
    assert [(one.label, one.values) for one in question.matchers] == [("country", ("AT",))]


async def test_a_part_of_a_value_that_is_left_out_is_left_out(client: GrafanaMetricsClient) -> None:
    question = await ground("requests excluding rental", client)
    assert [(one.values, one.negated) for one in question.matchers] == [(("rental-api",), True)]
