"""The page, as a person uses it in a browser: the service as the command starts it, on the embedded worlds."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from .conftest import DESK, SECRET

Look = Callable[[Any, str], None]
Ask = Callable[[Any, str], Any]
Faults = Callable[[Any, str], list[str]]
PHONE = {"width": 390, "height": 844}
AXE = Path(__file__).parents[2] / ".node" / "node_modules" / "axe-core" / "axe.min.js"
STEPS = "work: Working\nopen_gate: Opening the {name} gate\n"
WRITER = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Context,Prompt\n"
    'writer,Write,llm,request,answer,"{""provider"": ""openai"", ""model"": ""m""}",Write down {request}\n'
)
MAP = "GraphName,Node,AgentType,Context\npatient,work,patient_agent:work,state:patient_agent:State\n"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Who makes this file lets the patient agent go on."""
    return tmp_path_factory.mktemp("gate") / "open"


@pytest.fixture(scope="module")
def address(
    tmp_path_factory: pytest.TempPathFactory,
    gate: Path,
    writing_model: Any,
    serve: Callable[..., AbstractContextManager[str]],
) -> Iterator[str]:
    """A service that several people use, with the patient agent and a map whose model writes slowly beside the shipped
    agents."""
    folder = tmp_path_factory.mktemp("patient")
    shutil.copy(Path(__file__).with_name("patient_agent.py"), folder)
    (folder / "patient.csv").write_text(MAP)
    (folder / "steps.yaml").write_text(STEPS)
    info = folder / "patient_agent-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: patient-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[signalbox.agents]\npatient = patient_agent:AGENT\n")
    path = f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    settings = {"SIGNALBOX_JWT_SECRET": SECRET, "SIGNALBOX_RATE_LIMIT": "9000", "PYTHONPATH": path, "GATE": str(gate)}
    settings |= {"OPENAI_API_KEY": "none", "OPENAI_API_BASE": writing_model.address}
    (folder / "writer.csv").write_text(WRITER)
    with serve(folder / "home", "--map", str(folder / "writer.csv"), **settings) as place:
        yield place


@pytest.fixture(scope="module")
def ann(visit: Callable[..., Any], address: str, sign_in_as: Callable[[Any, str], Any]) -> Any:
    return sign_in_as(visit(address), "Ann Archer")


@pytest.fixture
def page(ann: Any, address: str) -> Iterator[Any]:
    """A new conversation with all agents."""
    yield fresh(ann, address)
    ann.set_viewport_size(DESK)
    ann.emulate_media(color_scheme="light")


@pytest.fixture
def patient(page: Any, address: str, gate: Path) -> Iterator[Any]:
    """A new conversation with the patient agent."""
    yield fresh(page, f"{address}/?agent=patient")
    gate.unlink(missing_ok=True)


def fresh(page: Any, address: str) -> Any:
    page.goto(address)
    page.wait_for_selector(".example")
    return page


def test_a_newcomer_sees_one_example_for_each_agent_and_what_is_connected(
    visit: Callable[..., Any], address: str, sign_in_as: Callable[[Any, str], Any], look: Look
) -> None:
    fetched: list[Any] = []
    page = visit(address)
    page.on("response", lambda one: fetched.append(one))
    sign_in_as(page, "Ann Archer")
    page.wait_for_selector(".example")
    agents = {card.split("\n")[0] for card in page.locator(".example").all_inner_texts() for card in [card[2:]]}
    assert agents == {"experiments", "investigate", "metrics", "oncall", "tasks"}
    assert "demonstration upgrade, grafana, gnmi" in page.locator(".systems").inner_text()
    page.get_by_text("Signed in as Ann Archer").wait_for()
    assert {one.url.split("/")[2] for one in fetched} == {address.split("/")[2]}
    files = [one for one in fetched if "/page/" in one.url]
    assert sum(len(one.body()) for one in files) < 150_000
    assert not any("plotly.min" in one.url for one in files)
    look(page, "welcome")
    page.emulate_media(color_scheme="dark")
    look(page, "welcome-dark")


def test_an_unknown_agent_in_the_address_is_named_at_once(page: Any, address: str) -> None:
    page.goto(f"{address}/?agent=nobody")
    assert "There is no agent “nobody”. There are: " in page.get_by_role("alert").inner_text()
    lost = page.request.get(f"{address}/nothing")
    assert (lost.status, lost.json()["detail"]) == (404, "There is nothing at /nothing.")


def test_nothing_inline_and_nothing_from_elsewhere_may_run(page: Any) -> None:
    policy = page.request.get(page.url).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    markup = page.request.get(page.url).text()
    assert re.findall(r"<style|<script(?![^>]*src=)|style=|\son\w+=", markup) == []


def test_a_question_about_figures_is_a_curve_with_its_query(page: Any, ask: Ask, look: Look) -> None:
    turn = ask(page, "p95 latency of the checkout service yesterday")
    turn.locator(".js-plotly-plot .scatterlayer path.js-line").wait_for()
    assert "histogram_quantile" in turn.locator(".query code").inner_text()
    assert turn.inner_text().count("histogram_quantile") == 1
    assert "demonstration grafana" in turn.locator(".source").inner_text()
    turn.locator(".folded-steps > summary").click()
    turn.locator(".step.call").first.wait_for()
    assert "Querying" in turn.locator(".steps-list").inner_text()
    turn.locator(".folded-steps > summary").click()
    look(page, "metrics")
    page.set_viewport_size({"width": 2000, "height": 1100})
    look(page, "metrics-wide")


def test_curves_can_be_hovered_switched_off_taken_along_and_opened_in_grafana(patient: Any, ask: Ask) -> None:
    turn = ask(patient, "Show the curve")
    turn.locator("path.js-line").nth(1).wait_for()
    box = turn.locator(".draglayer .nsewdrag").bounding_box()
    patient.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    turn.locator(".hoverlayer text", has_text="pieces").first.wait_for()
    assert turn.get_by_text("threshold 30 pieces").count() == 1
    turn.locator(".series-name", has_text="b").click()
    turn.locator(".series-name[aria-pressed=false]").wait_for()
    turn.locator(".plot:not(:has(path.js-line ~ path.js-line))").wait_for()
    assert turn.get_by_role("link", name="Open in Grafana").get_attribute("href") == "https://grafana.example/explore"
    with patient.expect_download() as download:
        turn.get_by_label("Download as CSV").click()
    assert Path(download.value.path()).read_text("utf-8").startswith("time,name,value\n2026-03-01T10:00:00+00:00,a,0\n")


def test_a_table_sorts_and_has_no_empty_columns(patient: Any, ask: Ask) -> None:
    table = ask(patient, "Show the table").locator("sb-table")
    assert table.locator("thead th").all_inner_texts() == ["name", "left"]
    table.get_by_role("button", name="left").click()
    assert table.locator("tbody td").first.inner_text() == "plums"
    table.get_by_role("button", name="left").click()
    assert table.locator("tbody td").first.inner_text() == "apples"
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("left")


def test_evidence_opens_beside_its_sentence_and_steps_are_told_in_words(page: Any, ask: Ask, look: Look) -> None:
    turn = ask(page, "Is BGP healthy on pe2?")
    assert turn.inner_text().count(turn.locator(".verdict").inner_text()) == 1
    cited = turn.locator(".cite").first
    cited.click()
    beside = turn.locator("li:has(> .cite[aria-expanded=true]) > .beside")
    beside.get_by_text("Reading BGP neighbours of pe2").wait_for()
    assert "ESTABLISHED" in beside.locator("pre").last.inner_text()
    look(page, "evidence")
    cited.click()
    assert turn.locator(".beside").count() == 0
    turn.get_by_label("Map of the agent").click()
    assert "network executor" in turn.locator(".map").inner_text().replace("\n", " ")


def test_a_conversation_has_a_title_and_an_address_and_is_renamed_found_and_deleted(page: Any, ask: Ask) -> None:
    ask(page, "Remind me to call the bank on Friday")
    assert re.search(r"/t/[0-9a-f]{32}$", page.url)
    row = page.locator(".threads li", has_text="Remind me to call the bank")
    row.hover()
    row.get_by_label("Rename").click()
    page.get_by_label("New title").fill("Money matters")
    page.get_by_label("New title").press("Enter")
    page.locator(".threads a[aria-current]", has_text="Money matters").wait_for()
    page.reload()
    assert "bank" in page.locator(".answer").inner_text()
    page.get_by_label("Search conversations").fill("MONEY")
    page.locator(".threads li:only-child", has_text="Money matters").wait_for()
    page.locator(".threads li").hover()
    page.locator(".threads li").get_by_label("Delete").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_text("Nothing found.").wait_for()
    assert page.locator("sb-welcome").count() == 1


def test_what_is_thought_of_an_answer_is_kept(patient: Any, ask: Ask) -> None:
    ask(patient, "Say hello").get_by_label("Good answer").click()
    patient.locator(".vote.up[aria-pressed=true]").wait_for()
    patient.reload()
    patient.locator(".vote.up[aria-pressed=true]").wait_for()


def test_a_question_is_edited_and_asked_again_and_has_a_link(patient: Any, ask: Ask) -> None:
    turn = ask(patient, "Say hello")
    turn.hover()
    turn.get_by_label("Edit and ask again").click()
    assert patient.locator("#question").input_value() == "Say hello"
    ask(patient, "Say hello twice")
    linked = f"{patient.url}#{turn.get_attribute('id').removeprefix('turn-')}"
    patient.goto("about:blank")
    patient.goto(linked)
    patient.locator("sb-turn.named", has_text="Done: Say hello").wait_for()


def test_steps_show_as_they_happen_and_a_run_is_joined_after_a_reload_and_by_a_second_tab(
    patient: Any, gate: Path, look: Look
) -> None:
    patient.locator("#question").fill("wait for it")
    patient.locator("#question").press("Enter")
    patient.locator(".step.running", has_text="Opening the north gate").wait_for()
    patient.locator(".threads .spinner").wait_for()
    patient.reload()
    patient.locator(".step.running", has_text="Opening the north gate").wait_for()
    second = patient.context.new_page()
    second.goto(patient.url)
    second.locator(".step.running", has_text="Opening the north gate").wait_for()
    gate.touch()
    for one in (patient, second):
        one.locator(".answer", has_text="Done: wait for it").wait_for()
        assert one.locator("sb-turn").count() == 1
    second.close()


def test_what_a_model_writes_is_read_while_it_writes(page: Any, address: str, writing_model: Any) -> None:
    page.goto(f"{address}/?agent=writer")
    page.locator("#question").fill("a letter")
    page.locator("#question").press("Enter")
    page.locator(".draft strong", has_text="in bold").wait_for()
    assert "The second part." not in page.locator("sb-turn").inner_text()
    assert page.get_by_role("button", name="Stop").is_visible()
    writing_model.may_go_on.set()
    page.locator(".answer", has_text="The second part.").wait_for()
    assert page.locator(".answer strong", has_text="in bold").count() == 1


def test_a_run_is_stopped(patient: Any) -> None:
    patient.locator("#question").fill("wait for ever")
    patient.locator("#question").press("Enter")
    spinner = patient.locator(".step.running .spinner").first
    spinner.wait_for()
    patient.emulate_media(reduced_motion="reduce")
    assert spinner.evaluate("one => getComputedStyle(one).animationName") == "none"
    patient.get_by_role("button", name="Stop").click()
    patient.get_by_text("Stopped before there was an answer.").wait_for()
    assert patient.locator(".failure").count() == 0
    patient.reload()
    patient.get_by_text("Stopped before there was an answer.").wait_for()


def test_a_question_back_has_its_options_and_takes_words(patient: Any, ask: Ask) -> None:
    ask(patient, "which?")
    patient.get_by_role("button", name="blue").click()
    patient.locator(".answer", has_text="You chose blue").wait_for()
    ask(patient, "and which?")
    patient.locator("#question").fill("red")
    patient.locator("#question").press("Enter")
    patient.locator(".answer", has_text="You chose red").wait_for()
    assert patient.locator("sb-turn").count() == 2
    assert patient.locator(".reply").all_inner_texts() == ["blue", "red"]
    patient.reload()
    patient.locator(".answer", has_text="You chose red").wait_for()
    assert patient.locator(".reply").all_inner_texts() == ["blue", "red"]


def test_a_change_waits_where_the_question_box_is_and_says_what_and_where(patient: Any, ask: Ask) -> None:
    turn = ask(patient, "delete")
    waiting = patient.locator(".confirm")
    assert waiting.inner_text().startswith("Delete all goods on stock at https://stock.example?")
    assert not patient.locator("#question").is_visible()
    assert turn.locator(".diff li").all_inner_texts() == ["old", "older", "new"]
    patient.reload()
    waiting.wait_for()
    patient.keyboard.press("Enter")
    patient.keyboard.press("r")
    patient.locator(".answer", has_text="Kept.").wait_for()
    assert patient.locator(".reply").inner_text() == "Reject"
    ask(patient, "delete them")
    patient.get_by_role("button", name="Approve").click()
    patient.locator(".answer", has_text="Deleted.").wait_for()


def test_a_change_of_an_experiment_is_shown_as_a_diff_and_made_only_after_a_yes(
    page: Any, ask: Ask, look: Look
) -> None:
    page.emulate_media(color_scheme="dark")
    turn = ask(page, "Stop the experiment Hint Timing")
    assert (turn.locator("del").inner_text(), turn.locator("ins").inner_text()) == ("running", "paused")
    assert page.locator("#confirm-what").inner_text() == "Stop 'Hint Timing' on upgrade (demonstration)?"
    look(page, "confirm")
    page.locator(".confirm").press("r")
    page.locator(".answer", has_text="Nothing was changed").wait_for()


def test_a_change_asked_for_in_place_of_another_says_only_what_it_would_do(page: Any, ask: Ask) -> None:
    ask(page, "Remind me to feed the cat on Sunday")
    ask(page, "Delete it")
    page.get_by_role("button", name="Say something else").click()
    turn = ask(page, "Please delete it")
    assert "I dropped my question" in turn.inner_text()
    assert page.locator("#confirm-what").inner_text() == "Delete this task?"


def test_only_what_is_broken_is_an_alarm(patient: Any, ask: Ask) -> None:
    turn = ask(patient, "fail")
    assert "It cannot be done." in turn.locator(".failure[role=alert]").inner_text()
    turn = ask(patient, "lack something")
    assert "It cannot be done." in turn.locator(".note-card").inner_text()
    assert turn.locator(".failure").count() == 0


def test_an_investigation_has_its_verdict_on_top_and_all_that_was_seen_on_one_axis(
    page: Any, ask: Ask, look: Look, axe: Faults
) -> None:
    turn = ask(page, "Why is checkout slow?")
    assert "core-rtr-1" in turn.locator(".verdict-head .verdict").inner_text()
    assert turn.locator(".sureness").inner_text() == "confirmed"
    way = turn.locator(".connection .thing").all_inner_texts()
    assert ("core-rtr-1" in way[0], way[-1]) == (True, "checkout")
    assert {"metrics", "oncall"} <= {name.split("\n")[0] for name in turn.locator(".lane-name").all_inner_texts()}
    turn.locator(".event.cause").focus()
    assert "Suspected cause" in turn.locator(".lane-detail").inner_text()
    assert axe(page, "an investigation") == []
    page.emulate_media(color_scheme="light")
    turn.evaluate("one => one.scrollIntoView()")
    look(page, "investigate")
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    look(page, "phone-investigate")
    page.set_viewport_size(DESK)
    page.get_by_role("button", name="Approve").click()
    page.get_by_text(re.compile("tasks? (was|were) added|Added", re.IGNORECASE)).first.wait_for()


def test_a_phone_shows_what_fits_it(page: Any, ask: Ask, look: Look) -> None:
    page.set_viewport_size(PHONE)
    look(page, "phone-welcome")
    page.get_by_label("Conversations", exact=True).first.click()
    page.locator("#side").get_by_text("New conversation").wait_for()
    page.keyboard.press("Escape")
    page.emulate_media(color_scheme="dark")
    turn = ask(page, "Which services have the highest error rate?")
    assert turn.locator(".bars li").count() > 3
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    look(page, "phone-ranking")


@pytest.mark.bench
def test_the_balance_of_an_experiment_is_bars_with_what_was_expected(page: Any, ask: Ask, look: Look) -> None:
    turn = ask(page, "Test the balance of Hint Timing with 200 users")
    assert turn.locator(".bars .expected").count() == turn.locator(".bars .whisker").count() == 2
    look(page, "balance")


def test_two_people_see_their_own_conversations_only(
    patient: Any, ask: Ask, visit: Callable[..., Any], address: str, sign_in_as: Callable[[Any, str], Any]
) -> None:
    ask(patient, "Say something of Ann's")
    ben = sign_in_as(visit(address), "Ben")
    ben.get_by_text("Signed in as Ben").wait_for()
    ben.get_by_text("No conversations yet.").wait_for()
    ben.goto(patient.url)
    ben.get_by_text("There is no such conversation.").wait_for()
    assert "Ann's" not in ben.locator("body").inner_text()
    ben.get_by_label("Sign out").click()
    ben.locator("#token input").fill("nobody's")
    ben.get_by_role("button", name="Sign in").click()
    ben.wait_for_selector("#refused .error")


def test_what_people_and_agents_say_stays_text(patient: Any, ask: Ask) -> None:
    turn = ask(patient, '<img src=x onerror="document.title=1"> [a](javascript:alert(1)) [b](https://b.example) **c**')
    assert patient.title() == "Signalbox"
    assert patient.locator("sb-turn img").count() == 0
    assert turn.locator(".answer .text a").evaluate_all("all => all.map((one) => one.href)") == ["https://b.example/"]
    assert turn.locator(".answer .text strong").inner_text() == "c"


def test_the_connections_tell_systems_and_model_with_their_health(page: Any, look: Look) -> None:
    page.get_by_role("link", name="Connections").first.click()
    page.locator(".connection-card", has_text="Model offline").wait_for()
    cards = page.locator(".connection-card")
    assert cards.count() == 4
    assert cards.locator(".lamp.ok").count() == 4
    assert page.url.endswith("/connections")
    look(page, "connections")
    page.go_back()
    page.wait_for_selector(".example")


def test_the_keyboard_alone_asks_goes_back_and_begins_anew(patient: Any) -> None:
    patient.evaluate("document.activeElement.blur()")
    patient.keyboard.press("/")
    patient.keyboard.type("Say hello")
    patient.keyboard.press("Enter")
    patient.locator(".answer").wait_for()
    patient.keyboard.press("Shift+Tab")
    patient.keyboard.press("n")
    patient.wait_for_selector(".example")
    patient.go_back()
    patient.locator(".answer", has_text="Done: Say hello").wait_for()


def test_a_thousand_turns_are_reached_by_scrolling_and_by_link_and_only_those_in_sight_are_drawn(
    patient: Any, ask: Ask
) -> None:
    ask(patient, "Say hello")
    link = patient.url.split("?")[0]
    thread = link.replace("/t/", "/threads/")
    turn = patient.request.get(f"{thread}/turns?state=false").json()[0]
    turns = [{**turn, "run_id": f"run-{number}", "said": f"number {number}"} for number in range(1000)]

    def page_of_turns(route: Any) -> None:
        asked = parse_qs(urlsplit(route.request.url).query)
        end = int(asked["before"][0].removeprefix("run-")) if "before" in asked else len(turns)
        route.fulfill(json=turns[max(0, end - int(asked["limit"][0])) : end])

    patient.route(re.compile("/turns[?]"), page_of_turns)
    patient.reload()
    patient.locator("sb-turn", has_text="number 999").locator(".answer").wait_for()
    drawn = patient.locator("sb-turn .answer")
    assert patient.locator("sb-turn").count() == 30
    assert drawn.count() < 30
    patient.locator(".scroller").evaluate("one => one.scrollTo(0, 0)")
    patient.locator("sb-turn").nth(59).wait_for(state="attached")
    patient.goto("about:blank")
    patient.goto(f"{link}#run-0")
    first = patient.locator("sb-turn.named", has_text="number 0")
    first.locator(".answer").wait_for()
    first.locator(".folded-steps > summary").click()
    assert patient.locator("sb-turn .said").all_text_contents() == [one["said"] for one in turns]
    patient.locator(".scroller").evaluate("one => one.scrollTo(0, one.scrollHeight)")
    patient.locator("sb-turn").last.locator(".answer").wait_for()
    assert drawn.count() < 60
    assert first.locator(".folded-steps[open]").count() == 1
    patient.unroute_all()


@pytest.fixture
def axe() -> Faults:
    """What a test calls for the serious faults of accessibility of a page as it is, in light and in dark."""

    def faults(page: Any, what: str) -> list[str]:
        if not AXE.is_file():
            return []
        page.evaluate(AXE.read_text("utf-8"))
        told = []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            found = page.evaluate("() => axe.run()")["violations"]
            told += [
                f"{what}, {scheme}: {one['id']} at {one['nodes'][0]['target']}"
                for one in found if one["impact"] in ("serious", "critical")
            ]  # fmt: skip
        return told

    return faults


def test_no_view_has_a_serious_fault_of_accessibility(
    page: Any, address: str, ask: Ask, axe: Faults, require_part: Callable[[str, bool], None]
) -> None:
    require_part("axe-core is not installed: make check does it", AXE.is_file())
    found = axe(page, "welcome")
    ask(page, "Which services have the highest error rate?")
    found += axe(page, "a ranking")
    page.goto(f"{address}/connections")
    page.locator(".connection-card").nth(1).wait_for()
    found += axe(page, "connections")
    fresh(page, f"{address}/?agent=patient")
    for said in ("fail", "lack", "Show the table"):
        ask(page, said)
    ask(page, "Show the curve").locator("path.js-line").nth(1).wait_for()
    ask(page, "delete")
    assert found + axe(page, "a curve and a confirmation") == []
