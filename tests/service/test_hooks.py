"""Alertmanager's webhook: each group that fires is investigated once, and its report is a thread."""

from __future__ import annotations

from typing import Any

import httpx
import pytest


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
    assert report["answer"] == "Hello Why: Checkout is slow (service checkout) since 2026-11-16T03:00:00Z"
    assert ann.post("/hooks/alertmanager", json=notice()).json() == {"status": "known", "thread_id": thread}
    more = notice(
        alerts=[*notice()["alerts"], {**notice(since="2026-11-16T03:05:00Z")["alerts"][0], "fingerprint": "d"}]
    )
    assert ann.post("/hooks/alertmanager", json=more).json()["status"] == "known"
    assert ann.get(f"/threads/{thread}").json()["metadata"]["source"] == "alertmanager"
    assert len(ann.get(f"/threads/{thread}/runs").json()) == 1


def test_what_is_resolved_is_not_investigated_and_what_fires_again_is(ann: httpx.Client) -> None:
    first = ann.post("/hooks/alertmanager", json=notice()).json()["thread_id"]
    assert ann.post("/hooks/alertmanager", json=notice("resolved")).json()["status"] == "ignored"
    again = ann.post("/hooks/alertmanager", json=notice(since="2026-11-17T03:00:00Z")).json()
    assert (again["status"], again["thread_id"] != first) == ("started", True)


def test_another_persons_report_is_not_there(ann: httpx.Client, bob: httpx.Client) -> None:
    thread = ann.post("/hooks/alertmanager", json=notice()).json()["thread_id"]
    assert bob.get(f"/threads/{thread}").status_code == 404


def test_what_is_no_webhook_is_not_understood(ann: httpx.Client) -> None:
    assert ann.post("/hooks/alertmanager", json={"alerts": 5}).status_code == 422


def test_where_nothing_investigates_it_is_said(ann: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_INVESTIGATE_AGENT", "nobody")
    assert ann.post("/hooks/alertmanager", json=notice()).status_code == 503
