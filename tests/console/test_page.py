"""The page, as a person uses it in a browser: the service as the command starts it, on the embedded worlds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from signalbox.service.tokens import make_token

ANN, BEN = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
SECRET = "a secret that is long enough for a test of tokens"


@contextmanager
def served(home: Path, **environment: str) -> Iterator[str]:
    command = [sys.executable, "-m", "signalbox", "serve", "--port", "0"]
    settings = {**os.environ, "SIGNALBOX_HOME": str(home), **environment}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=settings) as process:
        assert process.stderr is not None
        try:
            yield next(found.group() for line in process.stderr if (found := re.search(r"http://\S+", line)))
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("home")) as url:
        yield url


def open_page(visit: Callable[[str], Any], address: str) -> Any:
    page = visit(address)
    page.wait_for_selector("#question textarea", state="visible")
    return page


def ask(page: Any, question: str) -> Any:
    """Ask, and wait for the answer, which is given."""
    before = page.locator(".turn").count()
    page.locator("#question textarea").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_function(f"document.querySelectorAll('.turn').length > {before}")
    page.wait_for_selector("#current .answer", state="visible")
    return page.locator("#current .answer")


def test_a_newcomer_sees_what_it_is_and_one_example_for_each_agent(
    address: str, visit: Callable[[str], Any], look: Callable[[Any, str], None]
) -> None:
    page = open_page(visit, address)
    assert "plain language" in page.locator(".hero").first.inner_text()
    assert page.locator("#examples button").count() >= 2
    assert "embedded demonstration" in page.locator(".source").inner_text()
    look(page, "welcome")


def test_a_question_gives_a_chart_the_data_and_the_evidence(
    address: str, visit: Callable[[str], Any], look: Callable[[Any, str], None]
) -> None:
    page = open_page(visit, address)
    answer = ask(page, "p95 latency of the checkout service yesterday")
    assert page.locator(".chart .wide svg path.curve").count() == 1
    assert "embedded demonstration" in answer.inner_text()
    page.locator("details.evidence > summary").click()
    page.locator("details.evidence details > summary").first.click()
    assert page.locator("details.evidence pre").first.is_visible()
    page.locator("details.steps > summary").click()
    assert "metrics_agent" in page.locator("details.steps").inner_text()
    page.locator("details.graph > summary").click()
    assert page.locator("details.graph svg").is_visible()
    with page.expect_download() as download:
        page.get_by_text("Download as CSV").first.click()
    assert Path(download.value.path()).read_text("utf-8").startswith("time,")
    look(page, "metrics")


def test_the_conversation_survives_a_reload_and_is_listed(address: str, visit: Callable[[str], Any]) -> None:
    page = open_page(visit, address)
    ask(page, "How many orders were there yesterday?")
    page.reload()
    page.wait_for_selector("#current .answer", state="visible")
    assert "How many orders" in page.locator(".said").inner_text()
    page.get_by_role("button", name="New conversation").click()
    page.wait_for_selector("#welcome", state="visible")
    page.locator("#threads label", has_text="How many orders").first.click()
    page.wait_for_selector("#current .answer", state="visible")


def test_what_nothing_does_is_said_once(address: str, visit: Callable[[str], Any]) -> None:
    page = open_page(visit, address)
    answer = ask(page, "Please book me a flight to Lisbon next Tuesday")
    assert answer.locator(".error").count() + answer.locator(".question").count() == 1


def test_two_people_see_their_own_conversations_only(
    tmp_path: Path, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_JWT_SECRET", SECRET)
    with served(tmp_path, SIGNALBOX_JWT_SECRET=SECRET) as address:

        def signed_in(person: str) -> Any:
            page = browser.new_context().new_page()
            page.set_default_timeout(90_000)
            page.goto(address)
            page.locator("#token input").fill("nobody's")
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_selector("#refused .error")
            page.locator("#token input").fill(make_token(person))
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_selector("#question textarea", state="visible")
            return page

        ann, ben = signed_in(ANN), signed_in(BEN)
        ask(ann, "CPU usage of web-1 in the last hour")
        assert ann.locator("#threads label").count() == 1
        ben.reload()
        ben.wait_for_selector("#question textarea", state="visible")
        assert ben.locator("#threads label").count() == 0
        assert "web-1" not in ben.inner_text("body")


def test_what_agents_say_stays_text(address: str, visit: Callable[[str], Any]) -> None:
    page = open_page(visit, address)
    ask(page, "<img src=x onerror=\"document.title='owned'\"> cpu usage of <b>web-1</b>")
    assert page.title() == "Signalbox"
    assert page.locator(".turn img").count() == 0


def test_a_phone_shows_the_chart_that_fits_it(address: str, browser: Any, look: Callable[[Any, str], None]) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_default_timeout(90_000)
    page.goto(address)
    page.wait_for_selector("#question textarea", state="visible")
    ask(page, "p95 latency of the checkout service yesterday")
    assert page.locator(".chart .narrow svg").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 392
    look(page, "phone")
