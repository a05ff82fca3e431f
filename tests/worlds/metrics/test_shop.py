"""The shop is the same for everyone who opens it at the same moment, and tells the story of the incident."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from signalbox.worlds.incident import incident_before
from signalbox.worlds.metrics import Store, open_shop, query_instant, query_range
from signalbox.worlds.metrics.labels import NAME, label_of
from signalbox.worlds.topology import ROLES

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
INCIDENT = incident_before(OPENED)
RATIO = (
    'sum(rate(http_requests_total{{service="{0}",status=~"5.."}}[5m]))'
    ' / sum(rate(http_requests_total{{service="{0}"}}[5m]))'
)
P95 = 'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{{service="{0}"}}[5m])))'


@pytest.fixture(scope="module")
def shop() -> Store:
    return open_shop(OPENED, clock=lambda: OPENED)


def milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def value(store: Store, query: str, moment: datetime) -> float:
    """The one number that a query gives."""
    (curve,) = query_instant(store, query, milliseconds(moment)).curves
    return float(curve.values[0])


def test_it_has_the_metrics_of_a_small_shop(shop: Store) -> None:
    assert 55 <= len(shop.names()) <= 75
    assert {"node_load1", "http_requests_total", "payments_total", "orders_total", "redis_db_keys"} <= set(shop.names())
    devices = {label_of(one.labels, "device") for one in shop.select([]) if label_of(one.labels, "job") == "network"}
    assert devices == set(ROLES)


def test_every_metric_has_a_type_and_help(shop: Store) -> None:
    families = {name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in shop.names()}
    assert {name for name in families if name not in shop.metadata} == set()
    assert all(words.help and words.type for words in shop.metadata.values())


def test_two_who_open_it_at_the_same_moment_see_the_same(shop: Store) -> None:
    again = open_shop(OPENED, clock=lambda: OPENED)
    for one, other in zip(shop.select([])[::37], again.select([])[::37], strict=True):
        assert one.labels == other.labels
        for mine, theirs in zip(
            shop.samples(one, shop.ends - 3_600_000, shop.ends),
            again.samples(other, shop.ends - 3_600_000, shop.ends),
            strict=True,
        ):
            assert np.array_equal(mine, theirs)


def test_the_past_does_not_change_as_time_goes_on() -> None:
    later = open_shop(OPENED, clock=lambda: OPENED + timedelta(hours=3))
    before = open_shop(OPENED, clock=lambda: OPENED)
    query, moment = "sum(rate(orders_total[5m]))", OPENED - timedelta(hours=1)
    assert value(later, query, moment) == value(before, query, moment)
    assert value(later, query, OPENED + timedelta(hours=2)) > 0


def test_it_holds_fourteen_days_and_nothing_of_the_future(shop: Store) -> None:
    for days, seen in ((-1, 0), (13.99, 1), (14.1, 0)):
        moment = OPENED - timedelta(days=days)
        assert len(query_instant(shop, 'up{instance="web-1:9100"}', milliseconds(moment)).curves) == seen


def test_a_frozen_clock_freezes_the_shop(set_clock: Callable[[str], None]) -> None:
    set_clock("2026-03-11T09:30:00+00:00")
    assert open_shop().ends == milliseconds(OPENED)


@pytest.mark.bench
def test_a_counter_falls_only_where_its_process_started_again(shop: Store) -> None:
    falls: dict[str, int] = {}
    counters = [one for one in shop.select([]) if label_of(one.labels, NAME).endswith(("_total", "_count", "_bucket"))]
    for one in counters:
        _, values = shop.samples(one, shop.starts, shop.ends)
        count = int((np.diff(values) < 0).sum())
        instance = label_of(one.labels, "instance")
        falls[instance] = max(falls.get(instance, 0), count)
    assert {instance: count for instance, count in falls.items() if count} == {
        "checkout-2:8080": 1,
        "payment-1:8080": 2,
        "users-2:8080": 1,
        "web-3:9100": 1,
    }


def test_the_modes_of_a_cpu_add_up_to_one(shop: Store) -> None:
    query = "sum by (instance, cpu) (rate(node_cpu_seconds_total[10m]))"
    for curve in query_instant(shop, query, shop.ends).curves:
        assert curve.values[0] == pytest.approx(1.0, abs=0.001)


def test_buckets_of_a_histogram_grow_with_their_bounds(shop: Store) -> None:
    result = query_instant(
        shop, 'http_request_duration_seconds_bucket{instance="checkout-1:8080",route="/checkout"}', shop.ends
    )
    counts = sorted((float(label_of(curve.labels, "le")), curve.values[0]) for curve in result.curves)
    assert len(counts) == 12
    assert [count for _, count in counts] == sorted(count for _, count in counts)


def test_days_have_a_rhythm(shop: Store) -> None:
    day = datetime(2026, 3, 5, tzinfo=UTC)
    query = "sum(rate(http_requests_total[30m]))"
    assert value(shop, query, day + timedelta(hours=14)) > 1.8 * value(shop, query, day + timedelta(hours=3))


@pytest.mark.parametrize("service", ["checkout", "payment"])
def test_the_incident_makes_services_slow_and_wrong(shop: Store, service: str) -> None:
    quiet, during = INCIDENT.start - timedelta(minutes=10), INCIDENT.start + timedelta(minutes=20)
    assert value(shop, P95.format(service), during) > 4 * value(shop, P95.format(service), quiet)
    assert value(shop, RATIO.format(service), during) > 0.05 > 0.01 > value(shop, RATIO.format(service), quiet)
    after = INCIDENT.end + timedelta(minutes=20)
    assert value(shop, RATIO.format(service), after) < 0.01


def test_users_do_not_feel_the_incident(shop: Store) -> None:
    quiet, during = INCIDENT.start - timedelta(minutes=10), INCIDENT.start + timedelta(minutes=20)
    assert value(shop, P95.format("users"), during) < 1.2 * value(shop, P95.format("users"), quiet)


def test_the_core_link_flaps_and_carries_nothing_while_down(shop: Store) -> None:
    link = '{device="core-rtr-1",peer="core-rtr-2"}'
    start, end = INCIDENT.link_down[2]
    assert value(shop, f"changes(interface_oper_status{link}[2h])", INCIDENT.end + timedelta(minutes=30)) == 10
    assert value(shop, f"interface_oper_status{link}", start + timedelta(minutes=2)) == 0
    assert value(shop, f"rate(interface_in_octets_total{link}[2m])", end - timedelta(seconds=30)) == 0
    assert value(shop, f"rate(interface_in_octets_total{link}[2m])", start - timedelta(seconds=30)) > 1e7


def test_exactly_one_bgp_session_drops(shop: Store) -> None:
    low = query_instant(shop, "bgp_session_state < 6", milliseconds(INCIDENT.bgp_down[0] + timedelta(minutes=5)))
    ends = {(label_of(curve.labels, "device"), label_of(curve.labels, "neighbor")) for curve in low.curves}
    assert ends == {("pe2", "xrd-5"), ("xrd-5", "pe2")}


def test_the_restart_is_counted_and_leaves_a_gap(shop: Store) -> None:
    query = 'increase(kube_pod_container_status_restarts_total{pod="checkout-2"}[1h])'
    assert value(shop, query, INCIDENT.end) > 0.9
    window = [milliseconds(moment) for moment in INCIDENT.restart]
    up = query_range(shop, 'up{instance="checkout-2:8080"}', window[0] - 60_000, window[1] + 60_000, 10_000)
    assert set(up.curves[0].values.tolist()) == {0.0, 1.0}


def test_a_job_that_was_switched_off_has_data_only_before(shop: Store) -> None:
    query = "legacy_batch_duration_seconds"
    assert query_instant(shop, query, shop.ends).curves == []
    assert value(shop, query, OPENED - timedelta(days=8)) > 0
