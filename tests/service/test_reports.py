"""Reports that go out: where the settings say, in the form that is set, and with nothing secret in the log."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from signalbox.contract import blocks
from signalbox.errors import ConfigurationError, UnavailableError
from signalbox.service import reports
from signalbox.service.reports import message_for, send_report

ALERT = {"summary": "Checkout is slow", "labels": {"service": "checkout"}, "since": "", "until": ""}


class Inbox:
    """A webhook that keeps what it is sent, and answers with these codes, one after the other."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self.given: list[tuple[str, dict[str, Any]]] = []
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                inbox.given.append((self.headers["Host"], body))
                self.send_response(inbox.codes.pop(0) if inbox.codes else 200)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://localhost:{self.server.server_port}/hooks/T0P-s3cret"


@pytest.fixture
def inbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Inbox]:
    made = Inbox()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    monkeypatch.setenv("SIGNALBOX_REPORT_WEBHOOK", made.address)
    monkeypatch.setenv("SIGNALBOX_REPORT_PRIVATE", "1")
    monkeypatch.setattr(reports, "_PAUSE", 0.0)
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


async def test_a_report_goes_to_the_generic_webhook_with_the_answer(inbox: Inbox) -> None:
    await send_report(ALERT, "alert-1", "Cause: a link.", answer={"answer": "Cause: a link.", "state": {"big": 1}})
    [(host, body)] = inbox.given
    assert host.startswith("localhost:")
    assert (body["thread_id"], body["alert"]["labels"]) == ("alert-1", {"service": "checkout"})
    assert body["answer"] == {"answer": "Cause: a link."}


def test_the_text_of_every_form_has_the_next_steps() -> None:
    steps = [("Next steps", [blocks.text("- Look at the boiler")])]
    report = blocks.report("Investigation", "Cause: a valve.", [], steps)
    for form in ("json", "slack", "mattermost"):
        told = message_for(form, ALERT, "alert-1", "Cause: a valve.", answer={"blocks": [report]})["text"]
        assert "Cause: a valve." in told
        assert "Next steps:\n- Look at the boiler" in told


@pytest.mark.parametrize("form", ["slack", "mattermost"])
async def test_a_message_mentions_nobody(inbox: Inbox, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.setenv("SIGNALBOX_REPORT_FORMAT", form)
    await send_report(ALERT, "alert-1", "<!channel> @all the cause: a & b")
    text = inbox.given[0][1]["text"]
    assert "Checkout is slow" in text
    assert ("&lt;!channel&gt;" if form == "slack" else "@\u200ball") in text
    assert ("<!channel>" if form == "slack" else "@all") not in text


@pytest.mark.parametrize("form", ["slack", "mattermost"])
def test_a_message_has_the_verdict_and_what_to_do_and_leaves_the_rest_to_the_thread(form: str) -> None:
    sections = [("Ruled out", [blocks.text("- the moon")]), ("Next steps", [blocks.text("- Look at a")])]
    answer = {"blocks": [blocks.report("Investigation", "Cause: a link.", [], sections, sureness="likely")]}
    told = message_for(form, ALERT, "alert-1", "Cause: a link.\n\nRuled out:\n- the moon", answer=answer)["text"]
    lines = [line for line in told.splitlines() if line]
    assert lines[1:-1] == ["Cause: a link.", "How sure: likely", "Next steps:", "- Look at a"]
    assert "alert-1" in lines[-1]


def test_a_message_is_no_longer_than_the_system_takes() -> None:
    assert len(message_for("slack", ALERT, "t", "x" * 50_000)["text"]) <= 3_000
    assert len(message_for("mattermost", ALERT, "t", "x" * 50_000)["text"]) <= 12_000


async def test_without_an_address_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIGNALBOX_REPORT_WEBHOOK", raising=False)
    await send_report(ALERT, "alert-1", "text")


async def test_what_is_busy_is_asked_again_and_what_refuses_is_not(inbox: Inbox) -> None:
    inbox.codes = [503, 429, 200]
    await send_report(ALERT, "alert-1", "text")
    assert len(inbox.given) == 3
    inbox.codes = [404]
    with pytest.raises(UnavailableError) as told:
        await send_report(ALERT, "alert-1", "text")
    assert len(inbox.given) == 4
    assert "s3cret" not in str(told.value.as_dict())


async def test_a_redirect_is_not_followed(inbox: Inbox) -> None:
    inbox.codes = [307]
    with pytest.raises(UnavailableError, match="it answered 307"):
        await send_report(ALERT, "alert-1", "text")
    assert len(inbox.given) == 1


async def test_a_private_address_is_refused_unless_it_is_allowed(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_REPORT_PRIVATE", "0")
    with pytest.raises(ConfigurationError, match="is a private address"):
        await send_report(ALERT, "alert-1", "text")
    assert inbox.given == []


@pytest.mark.parametrize("address", ["ftp://a.example/x", "file:///etc/passwd", "https://joe:pw@a.example/", "x"])
async def test_what_is_no_webhook_is_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("SIGNALBOX_REPORT_WEBHOOK", address)
    with pytest.raises(ConfigurationError) as told:
        await send_report(ALERT, "alert-1", "text")
    assert "pw" not in str(told.value.as_dict())


async def test_the_secret_of_the_address_is_in_no_log(inbox: Inbox, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await send_report(ALERT, "alert-1", "text")
    ours = [one.getMessage() for one in caplog.records if one.name.startswith("signalbox")]
    assert any("localhost" in one for one in ours)
    assert not any("s3cret" in one.getMessage() for one in caplog.records)
