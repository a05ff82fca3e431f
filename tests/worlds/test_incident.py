"""The incident that the worlds share happens on the day before, and its parts follow from one another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from signalbox.worlds.incident import BGP_SESSION, CORE_LINK, incident_before
from signalbox.worlds.topology import BGP_SESSIONS, ports


def test_the_incident_is_on_the_utc_day_before() -> None:
    incident = incident_before(datetime(2026, 3, 11, 0, 30, tzinfo=timezone(timedelta(hours=2))))
    assert incident.start == datetime(2026, 3, 9, 14, 7, tzinfo=UTC)
    assert incident.end == datetime(2026, 3, 9, 14, 52, tzinfo=UTC)


def test_every_effect_comes_after_its_cause() -> None:
    incident = incident_before(datetime(2026, 3, 11, tzinfo=UTC))
    moments = [moment for span in incident.link_down for moment in span]
    assert moments == sorted(moments)
    assert incident.start < incident.shop_hurt[0] < incident.restart[0]
    assert incident.start < incident.bgp_down[0]
    assert incident.end < incident.bgp_down[1] < incident.shop_hurt[1]


def test_what_the_incident_hits_exists_in_the_network() -> None:
    wired = {(port.device, port.interface): port.peer for port in ports()}
    (one, other) = CORE_LINK
    assert wired[one] == other[0]
    assert wired[other] == one[0]
    assert BGP_SESSION in BGP_SESSIONS
