"""How the page talks with an agent, whatever it does: asks back, fails, takes long, is stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

Ask = Callable[[Any, str], Any]
PATIENT = """
import asyncio
from pathlib import Path
from typing import TypedDict

from langgraph.types import interrupt

from signalbox.contract import Agent, Presented
from signalbox.toolbox.confirmation import confirmed
GATE = Path(__file__).with_name("gate")


class State(TypedDict, total=False):
    request: str
    done: str
    error: dict


async def work(state):
    said = state["request"]
    if "which" in said:
        chosen = interrupt({"kind": "clarify", "message": "Which one?", "options": ["red", "blue"]})
        return {"done": "You chose " + chosen}
    if "delete" in said:
        return {"done": "Deleted." if confirmed("Delete all goods?") else "Kept."}
    if "fail" in said:
        told = {"message": "It cannot be done.", "suggestion": "Ask for something else."}
        return {"error": {"error_type": "not_found", **told}}
    while "wait" in said and not GATE.exists():
        await asyncio.sleep(0.02)
    return {"done": "Done: " + said}


AGENT = Agent(
    "patient", "Does what it is told", ("Say hello",), Path(__file__).with_name("map.csv"),
    lambda request, before: {"request": request}, lambda state: Presented(state["done"]),
    source=lambda: {"kind": "live", "system": "stock", "address": "http://ann:hunter2@stock.example"},
)
"""
MAP = "GraphName,Node,AgentType,Context\npatient,work,patient_agent:work,state:patient_agent:State\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed package with one agent; who makes the file `gate` lets it go on."""
    folder = tmp_path_factory.mktemp("patient")
    (folder / "patient_agent.py").write_text(PATIENT)
    (folder / "map.csv").write_text(MAP)
    info = folder / "patient_agent-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: patient-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[signalbox.agents]\npatient = patient_agent:AGENT\n")
    return folder


@pytest.fixture(scope="module")
def address(folder: Path, serve: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    paths = f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    with serve(folder / "home", "--agent", "patient", PYTHONPATH=paths) as address:
        yield address


@pytest.fixture(scope="module")
def opened(visit: Callable[[str], Any], address: str) -> Any:
    """The page, by the link that was printed: the machine is one person's."""
    page = visit(address)
    page.wait_for_selector("#question textarea")
    return page


@pytest.fixture
def page(opened: Any, begin_anew: Callable[[Any], Any]) -> Any:
    """A new conversation."""
    return begin_anew(opened)


def begin(page: Any, said: str) -> None:
    page.locator("#question textarea").fill(said)
    page.locator("#question textarea").press("Enter")
    page.locator(".live .map g:has(> title.lit)").wait_for()


def test_a_question_back_is_answered_by_its_button(page: Any, ask: Ask, answer_to: Ask) -> None:
    answer = ask(page, "which one")
    assert answer.inner_text().count("Which one?") == 1
    page.locator("#options button", has_text="blue").click()
    assert "You chose blue" in answer_to(page, "blue").inner_text()
    page.reload()
    assert "You chose blue" in answer_to(page, "blue").inner_text()
    assert page.locator("#earlier .said").all_inner_texts() == ["which one"]
    assert page.locator("#options button").count() == 0


def test_a_question_back_waits_through_a_reload_and_takes_words_too(page: Any, ask: Ask, answer_to: Ask) -> None:
    ask(page, "which of them")
    page.reload()
    answer_to(page, "which of them")
    assert page.locator("#options button").all_inner_texts() == ["red", "blue"]
    assert "You chose green" in ask(page, "green").inner_text()


def test_only_a_yes_confirms_and_anything_else_drops_the_question(page: Any, ask: Ask, answer_to: Ask) -> None:
    asked = ask(page, "delete all of it").inner_text()
    assert "Source: stock at http://stock.example" in asked
    told = ask(page, "I'm fine, thanks").inner_text()
    assert "Done: I'm fine, thanks" in told
    assert "I dropped my question “Delete all goods?”: nothing was changed by it." in told
    assert page.locator("#options button").count() == 0
    assert "Source: stock at http://stock.example" in ask(page, "delete all of them").inner_text()
    assert page.locator("#options button").all_inner_texts() == ["Approve", "Reject"]
    page.locator("#options button", has_text="Approve").click()
    assert "Deleted." in answer_to(page, "Approve").inner_text()
    assert "hunter2" not in page.content()


def test_an_error_is_said_once(page: Any, ask: Ask) -> None:
    answer = ask(page, "please fail")
    assert page.inner_text("body").count("It cannot be done.") == 1
    assert "Ask for something else." in answer.locator(".error").inner_text()
    assert page.locator(".toast-body").count() == 0
    assert "Done: go on" in ask(page, "go on").inner_text()


def test_a_run_can_be_stopped_and_the_conversation_goes_on(page: Any, ask: Ask, answer_to: Ask) -> None:
    begin(page, "wait for ever")
    page.get_by_role("button", name="Stop").click()
    assert "Stopped" in answer_to(page, "wait for ever").inner_text()
    assert "Done: hello" in ask(page, "hello").inner_text()
    page.reload()
    answer_to(page, "hello")
    assert "Stopped" in page.locator("#earlier .answer").inner_text()


def test_the_keyboard_is_enough(page: Any, answer_to: Ask) -> None:
    begin(page, "wait, and wait")
    page.keyboard.press("Escape")
    answer_to(page, "wait, and wait")
    page.locator(".steps > summary").focus()
    page.keyboard.press("Enter")
    assert page.locator(".steps li").first.is_visible()
    page.keyboard.press("/")
    page.keyboard.type("hello again")
    page.keyboard.press("Enter")
    answer_to(page, "hello again")
    page.locator(".steps > summary").last.focus()
    page.keyboard.press("n")
    page.wait_for_selector("#welcome")


def test_a_run_is_followed_again_after_a_reload(page: Any, folder: Path, answer_to: Ask) -> None:
    begin(page, "wait a while")
    page.locator(".steps > summary").click()
    page.reload()
    page.locator(".live .map g:has(> title.lit)").wait_for()
    (folder / "gate").touch()
    try:
        assert "Done: wait a while" in answer_to(page, "wait a while").inner_text()
    finally:
        (folder / "gate").unlink()


def test_another_conversation_is_not_written_into(
    begin_anew: Callable[[Any], Any], page: Any, folder: Path, ask: Ask, answer_to: Ask
) -> None:
    begin(page, "wait elsewhere")
    begin_anew(page)
    ask(page, "meanwhile")
    (folder / "gate").touch()
    try:
        page.locator("#threads label", has_text="wait elsewhere").click()
        assert "Done: wait elsewhere" in answer_to(page, "wait elsewhere").inner_text()
    finally:
        (folder / "gate").unlink()
    page.locator("#threads label", has_text="meanwhile").click()
    assert "Done: meanwhile" in answer_to(page, "meanwhile").inner_text()
