"""The page, as a person uses it in a browser: the service as the command starts it, on the embedded worlds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Look = Callable[[Any, str], None]
Ask = Callable[[Any, str], Any]
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1400, "height": 900}
AGENTS = {"metrics", "oncall", "tasks", "experiments", "investigate"}


@pytest.fixture(scope="module")
def opened(sign_in: Callable[[], Any]) -> Any:
    return sign_in()


@pytest.fixture
def page(opened: Any, begin_anew: Callable[[Any], Any]) -> Any:
    """A new conversation."""
    return begin_anew(opened)


@pytest.fixture
def dark(page: Any) -> Any:
    """A new conversation in the dark, until the test is over."""
    page.locator("#shade").click()
    page.wait_for_selector("body.dark")
    yield page
    page.locator("#shade").click()


@pytest.fixture
def phone(page: Any) -> Any:
    """A new conversation at the width of a phone, until the test is over."""
    page.set_viewport_size(PHONE)
    page.locator("#side .toggle-button").click()
    page.wait_for_function("document.querySelector('#side').getBoundingClientRect().right <= 8")
    yield page
    page.locator("#side .toggle-button").click()
    page.set_viewport_size(DESK)


def test_a_newcomer_sees_what_it_is_with_one_example_for_each_agent(page: Any, look: Look) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.reload()
    page.wait_for_selector("#question textarea")
    assert "plain language" in page.locator(".hero").first.inner_text()
    assert "embedded demonstration" in page.locator(".source").inner_text()
    cards = page.locator("#examples button")
    assert {text.splitlines()[0].lower() for text in cards.all_inner_texts()} >= AGENTS
    assert all(card.bounding_box()["y"] + card.bounding_box()["height"] < DESK["height"] for card in cards.all())
    assert len({card.locator("b").bounding_box()["y"] for card in cards.all()}) == 1
    assert {url.split("/")[2] for url in fetched if url.startswith("http")} == {page.url.split("/")[2]}
    look(page, "welcome")


@pytest.mark.bench
def test_metrics_are_a_chart_with_its_figures_its_data_its_steps_and_its_evidence(
    page: Any, look: Look, ask: Ask
) -> None:
    answer = ask(page, "p95 latency of the checkout service yesterday")
    assert answer.locator(".wide path.curve").count() == 1
    assert answer.locator(".legend tbody tr").count() == 1
    assert answer.inner_text().count("embedded") == 1
    look(page, "metrics")
    page.locator(".steps > summary").click()
    call = page.locator(".steps li.call").first
    call.locator("summary").click()
    assert {"asked", "got"} == set(call.locator("pre b").all_inner_texts())
    page.locator(".graph > summary").click()
    assert page.locator(".graph svg").is_visible()
    page.locator(".evidence > summary").click()
    page.locator(".evidence .call summary").first.click()
    assert page.locator(".evidence .call pre").first.is_visible()
    with page.expect_download() as download:
        page.get_by_label("Download as CSV").first.click()
    assert Path(download.value.path()).read_text("utf-8").startswith("time,")
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()


def test_a_device_has_a_row_and_each_thing_is_said_once(page: Any, look: Look, answer_to: Ask) -> None:
    page.locator("#examples button", has_text="oncall").click()
    answer = answer_to(page, "xrd-1")
    assert answer.locator(".block-table tbody tr").count() == 1
    assert answer.inner_text().count(answer.locator(".verdict").inner_text()) == 1
    look(page, "oncall")


def test_a_task_is_written_down_and_the_conversation_is_there_after_a_reload(
    page: Any, ask: Ask, answer_to: Ask, begin_anew: Callable[[Any], Any]
) -> None:
    said = "Remind me to call the bank on Friday"
    assert "bank" in ask(page, said).inner_text()
    page.reload()
    assert "bank" in answer_to(page, said).inner_text()
    assert page.locator(".steps").count() == 1
    begin_anew(page)
    assert page.locator(".turn").count() == 0
    page.locator("#threads label", has_text="Remind me").click()
    answer_to(page, said)


def test_a_change_of_an_experiment_is_shown_as_a_diff_and_made_only_after_a_yes(
    dark: Any, look: Look, ask: Ask, answer_to: Ask
) -> None:
    ask(dark, "Stop the experiment Hint Timing")
    assert dark.locator(".block-diff del").inner_text() == "running"
    assert dark.locator(".block-diff ins").inner_text() == "paused"
    look(dark, "confirm")
    dark.get_by_role("button", name="Reject").click()
    assert "paused now" not in answer_to(dark, "Reject").inner_text()
    dark.reload()
    answer_to(dark, "Reject")
    assert dark.locator("#earlier .said").all_inner_texts() == ["Stop the experiment Hint Timing"]


@pytest.mark.bench
def test_the_balance_of_an_experiment_is_bars_with_what_was_expected(dark: Any, look: Look, ask: Ask) -> None:
    answer = ask(dark, "Test the balance of Hint Timing with 200 users")
    assert answer.locator(".bar-row .expected").count() == answer.locator(".bar-row .whisker").count() == 2
    look(dark, "balance")


@pytest.mark.bench
def test_an_investigation_is_a_time_line_whose_evidence_opens_and_its_tasks_wait_for_a_yes(
    page: Any, look: Look, ask: Ask, answer_to: Ask, begin_anew: Callable[[Any], Any]
) -> None:
    page.locator("#question textarea").fill("Why is checkout slow?")
    page.locator("#question textarea").press("Enter")
    page.locator('.live svg[aria-label="investigate"] g:has(> title.lit)').first.wait_for()
    look(page, "running")
    answer = answer_to(page, "Why is checkout slow?")
    assert "core-rtr-1" in answer.locator(".verdict").inner_text()
    assert answer.locator(".block-timeline li.critical").count() >= 2
    answer.locator(".block-timeline").evaluate("one => one.scrollIntoView()")
    look(page, "investigate")
    cited = answer.locator(".findings .cite").first
    cited.click()
    assert answer.locator(f'[data-evidence="{cited.inner_text()}"] pre').first.is_visible()
    page.get_by_role("button", name="Approve").click()
    assert "No task" not in answer_to(page, "Approve").inner_text()
    assert "core-rtr-1" in ask(begin_anew(page), "Show my tasks").inner_text()


@pytest.mark.bench
def test_many_conversations_scroll_above_what_stands_at_the_foot(
    page: Any, ask: Ask, begin_anew: Callable[[Any], Any]
) -> None:
    for _ in range(3):
        ask(begin_anew(page), "What can you do?")
    page.set_viewport_size({"width": 1400, "height": 320})
    bottom = page.locator("#threads .wrap:has(label)").evaluate("one => one.getBoundingClientRect().bottom")
    assert bottom <= page.locator("#foot").bounding_box()["y"]
    page.set_viewport_size(DESK)


@pytest.mark.bench
def test_two_people_side_by_side_see_their_own_conversations_only(
    page: Any, sign_in: Callable[[], Any], ask: Ask
) -> None:
    other = sign_in()
    ask(page, "Remind me to water the plants tomorrow")
    other.reload()
    other.wait_for_selector("#question textarea")
    assert other.locator("#threads label").count() == 0
    assert "plants" not in other.inner_text("body")
    other.get_by_role("button", name="Sign out").click()
    other.locator("#token input").fill("nobody's")
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_selector("#refused .error")
    assert other.locator("#question").count() == 0


def test_a_phone_shows_what_fits_it(phone: Any, look: Look, ask: Ask) -> None:
    cards = phone.locator("#examples button").all()
    assert all(0 <= card.bounding_box()["x"] <= 390 - card.bounding_box()["width"] for card in cards)
    look(phone, "phone-welcome")
    phone.locator("body").evaluate("body => body.classList.add('dark')")
    answer = ask(phone, "p95 latency of the checkout service yesterday")
    assert answer.locator(".chart .narrow svg").is_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    look(phone, "phone-metrics")
    phone.locator("body").evaluate("body => body.classList.remove('dark')")


def test_what_people_and_agents_say_stays_text(page: Any, ask: Ask) -> None:
    ask(page, "Remind me to <img src=x onerror=\"document.title='owned'\"> call <b>Bo</b> tomorrow")
    assert page.title() == "Signalbox"
    assert page.locator(".turn img").count() == 0
