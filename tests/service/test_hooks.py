"""The webhooks of Alertmanager and Grafana: each group that fires is investigated once, and its report is a thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from signalbox.service.alerts import Webhook, alert_of


def notice(status: str = "firing", since: str = "2026-11-16T03:00:00Z", **more: Any) -> dict[str, Any]:
    """What Alertmanager 0.27 sends."""
    labels = {"alertname": "HighLatency", "service": "checkout", "severity": "page"}
    alert = {
        "status": status, "labels": labels, "annotations": {"summary": "Checkout is slow"}, "startsAt": since,
        "endsAt": "0001-01-01T00:00:00Z", "generatorURL": "http://prometheus/graph", "fingerprint": "c1a2",
    }  # fmt: skip
    return {
        "version": "4", "groupKey": '{}:{alertname="HighLatency"}', "truncatedAlerts": 0, "status": status,
        "receiver": "signalbox", "groupLabels": {"alertname": "HighLatency"}, "commonLabels": labels,
        "commonAnnotations": {"summary": "Checkout is slow"}, "externalURL": "http://alertmanager", "alerts": [alert],
        **more,
    }  # fmt: skip


@pytest.fixture(autouse=True)
def investigator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_INVESTIGATE_AGENT", "Hello")


def test_a_group_that_fires_is_investigated_once(ann: httpx.Client) -> None:
    first = ann.post("/hooks/alertmanager", json=notice())
    assert (first.status_code, first.json()["status"]) == (202, "started")
    thread = first.json()["thread_id"]
    report = ann.get(f"/threads/{thread}/runs/{first.json()['run_id']}/join").json()
    assert report["answer"] == "Hello Why: Checkout is slow (service checkout) since 2026-11-16T03:00:00+00:00"
    assert ann.post("/hooks/alertmanager", json=notice()).json() == {"status": "known", "thread_id": thread}
    more = notice(
        alerts=[*notice()["alerts"], {**notice(since="2026-11-16T03:05:00Z")["alerts"][0], "fingerprint": "d"}]
    )
    assert ann.post("/hooks/alertmanager", json=more).json()["status"] == "known"
    assert ann.get(f"/threads/{thread}").json()["metadata"]["source"] == "alertmanager"
    assert len(ann.get(f"/threads/{thread}/runs").json()) == 1


def resolved(until: str = "2026-11-16T03:42:10Z", **more: Any) -> dict[str, Any]:
    told = notice("resolved", **more)
    told["alerts"] = [{**one, "endsAt": until} for one in told["alerts"]]
    return told


def test_a_resolved_group_closes_its_thread_with_how_long_it_lasted(ann: httpx.Client) -> None:
    first = ann.post("/hooks/alertmanager", json=notice()).json()
    ann.get(f"/threads/{first['thread_id']}/runs/{first['run_id']}/join")
    closed = ann.post("/hooks/alertmanager", json=resolved()).json()
    assert (closed["status"], closed["thread_id"]) == ("resolved", first["thread_id"])
    assert closed["message"] == "Resolved 2026-11-16 03:42 (UTC), after 42 minutes 10 seconds."
    metadata = ann.get(f"/threads/{first['thread_id']}").json()["metadata"]
    assert (metadata["status"], metadata["lasted"]) == ("resolved", "42 minutes 10 seconds")
    assert ann.post("/hooks/alertmanager", json=resolved()).json()["status"] == "ignored"


def test_what_was_never_told_of_and_is_resolved_is_ignored(ann: httpx.Client) -> None:
    assert ann.post("/hooks/alertmanager", json=resolved()).json() == {"status": "ignored", "thread_id": None}


def test_the_end_of_what_was_deleted_is_ignored(ann: httpx.Client) -> None:
    first = ann.post("/hooks/alertmanager", json=notice()).json()
    ann.get(f"/threads/{first['thread_id']}/runs/{first['run_id']}/join")
    assert ann.delete(f"/threads/{first['thread_id']}").status_code == 204
    assert ann.post("/hooks/alertmanager", json=resolved()).json()["status"] == "ignored"


def test_a_group_that_fires_again_is_another_incident(ann: httpx.Client) -> None:
    first = ann.post("/hooks/alertmanager", json=notice()).json()["thread_id"]
    ann.post("/hooks/alertmanager", json=resolved())
    again = ann.post("/hooks/alertmanager", json=notice(since="2026-11-17T03:00:00Z")).json()
    assert (again["status"], again["thread_id"] != first) == ("started", True)


def test_a_group_that_began_again_without_word_of_its_end_is_another_incident(ann: httpx.Client) -> None:
    first = ann.post("/hooks/alertmanager", json=notice()).json()["thread_id"]
    again = ann.post("/hooks/alertmanager", json=notice(since="2026-11-17T03:00:00Z")).json()
    assert (again["status"], again["thread_id"] != first) == ("started", True)


def test_a_group_stays_one_incident_when_its_first_alert_has_left_it(ann: httpx.Client) -> None:
    first = ann.post("/hooks/alertmanager", json=notice()).json()["thread_id"]
    later = {**notice(since="2026-11-16T03:05:00Z")["alerts"][0], "fingerprint": "d"}
    ann.post("/hooks/alertmanager", json=notice(alerts=[*notice()["alerts"], later]))
    assert ann.post("/hooks/alertmanager", json=notice(alerts=[later])).json() == {
        "status": "known", "thread_id": first,
    }  # fmt: skip


def test_the_same_group_told_of_twice_at_once_is_one_incident(ann: httpx.Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: ann.post("/hooks/alertmanager", json=notice()).json(), range(8)))
    assert len({one["thread_id"] for one in told}) == 1
    assert [one["status"] for one in told].count("started") == 1


def test_grafanas_webhook_is_understood(ann: httpx.Client) -> None:
    body = notice(
        version="1", orgId=1, state="alerting", title="[FIRING:1] HighLatency", message="**Firing**",
        commonAnnotations={}, appVersion="11.6.0",
    )  # fmt: skip
    body["alerts"][0] |= {"values": {"A": 1.2}, "valueString": "[ var='A' ]", "dashboardURL": "", "silenceURL": "x"}
    told = ann.post("/hooks/grafana", json=body).json()
    assert told["status"] == "started"
    report = ann.get(f"/threads/{told['thread_id']}/runs/{told['run_id']}/join").json()
    assert "Checkout is slow (service checkout)" in report["answer"]
    assert ann.get(f"/threads/{told['thread_id']}").json()["metadata"]["source"] == "grafana"


def test_labels_go_in_as_labels() -> None:
    one, other = (
        {**notice()["alerts"][0], "labels": {"alertname": "Down", "service": "pay", "instance": f"pay-{number}:80"}}
        for number in (1, 2)
    )
    common = {"alertname": "Down", "service": "pay"}
    told = Webhook.model_validate(notice(commonLabels=common, groupLabels=common, alerts=[one, other]))
    assert alert_of(told) == {
        "summary": "Checkout is slow",
        "labels": {"alertname": "Down", "service": "pay", "instances": "pay-1:80,pay-2:80"},
        "since": "2026-11-16T03:00:00+00:00",
        "until": "",
    }


def test_another_persons_report_is_not_there(ann: httpx.Client, bob: httpx.Client) -> None:
    thread = ann.post("/hooks/alertmanager", json=notice()).json()["thread_id"]
    assert bob.get(f"/threads/{thread}").status_code == 404


def test_what_is_no_webhook_is_not_understood(ann: httpx.Client) -> None:
    assert ann.post("/hooks/alertmanager", json={"alerts": 5}).status_code == 422


def test_where_nothing_investigates_it_is_said(ann: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_INVESTIGATE_AGENT", "nobody")
    assert ann.post("/hooks/alertmanager", json=notice()).status_code == 503
