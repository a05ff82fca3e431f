"""The page, as a person uses it in a browser."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import pytest

from signalbox.console import Patience, create_app


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The page as the command serves it, on the embedded world."""
    command = [sys.executable, "-m", "signalbox", "serve", "--agent", "metrics", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"http://\S+", line):
                yield found.group()
                break
        process.terminate()


def ask(page: Any, question: str) -> None:
    page.locator("#question textarea").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def test_a_question_gives_a_chart_the_figures_the_data_and_the_query(
    address: str, visit: Callable[[str], Any], look: Callable[[Any, str], None]
) -> None:
    page = visit(address)
    ask(page, "Show CPU usage by instance for the last hour")
    page.wait_for_selector(".block-chart .js-plotly-plot .scatterlayer .trace")
    assert "CPU" in page.locator("#chat .bot").last.inner_text()
    look(page, "answer")
    assert "%" in page.locator(".block-table").inner_text()
    page.get_by_role("button", name="Evidence").click()
    assert "node_cpu_seconds_total" in page.locator("#evidence").inner_text()
    assert "embedded demonstration" in page.locator("#notes").inner_text()
    with page.expect_download() as download:
        page.get_by_text("Download as CSV").first.click()
    lines = Path(download.value.path()).read_text("utf-8").splitlines()
    assert lines[0].startswith("time,")
    assert len(lines) > 60


def test_an_error_stands_there_with_its_suggestion(
    address: str, visit: Callable[[str], Any], look: Callable[[Any, str], None]
) -> None:
    page = visit(address)
    ask(page, "Show anomalies in CPU usage")
    page.wait_for_selector("#error:visible")
    told = page.locator("#error").inner_text()
    assert "Anomaly detection is not supported" in told
    assert "metrics-anomalies" in told
    look(page, "error")


def test_an_example_is_asked_with_one_click(address: str, visit: Callable[[str], Any]) -> None:
    page = visit(address)
    page.get_by_role("button", name="Show CPU usage for the last hour").click()
    page.wait_for_selector(".block-chart .js-plotly-plot")
    assert page.locator("#chat .user").count() == 1


def test_what_is_not_set_up_is_said_on_the_page(
    serve_app: Callable[[Any], AbstractContextManager[str]],
    visit: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIGNALBOX_HOME", "/dev/null/home")
    with serve_app(create_app("metrics")) as address:
        page = visit(address)
        ask(page, "Show CPU usage for the last hour")
        page.wait_for_selector("#error >> text=SIGNALBOX_HOME")


@pytest.fixture
def silent_server() -> Iterator[str]:
    """A server that takes every connection and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def wait_with(
    silent_server: str,
    serve_app: Callable[[Any], AbstractContextManager[str]],
    visit: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[Patience], Any]]:
    """What a test calls to ask a server that never answers: the page, once it says that it takes long."""
    monkeypatch.setenv("GRAFANA_URL", silent_server)
    with ExitStack() as stack:

        def wait(patience: Patience) -> Any:
            page = visit(stack.enter_context(serve_app(create_app("metrics", patience))))
            ask(page, "Show CPU usage for the last hour")
            page.wait_for_selector("#chat >> text=longer than usual")
            return page

        yield wait


def test_a_slow_question_is_told_of_and_then_given_up(wait_with: Callable[[Patience], Any]) -> None:
    page = wait_with(Patience(notice=0.5, limit=3))
    page.wait_for_selector("#error >> text=No answer within 3 seconds")


def test_stop_ends_a_question(wait_with: Callable[[Patience], Any]) -> None:
    page = wait_with(Patience(notice=0.2, limit=60))
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("#chat >> text=Stopped")
