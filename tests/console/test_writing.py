"""The text of an answer on the page: it grows as it is written, by code or by a model, and nothing of it flickers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import Any

import pytest

Ask = Callable[[Any, str], Any]
AGENT = """
from pathlib import Path

from signalbox.contract import Agent, Presented


def tell(request):
    return "\\n\\n".join(f"**Part {n}** is about {request}, told in some words." for n in range(1, 9))


AGENT = Agent(
    "writer", "Writes letters", ("A letter",), Path(__file__).with_name("map.csv"),
    lambda request, before: {"request": request}, lambda state: Presented(state["answer"]),
)
"""
MAP = """GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Prompt
writer,Think,llm,request,thought,Choose,Think of {request}
writer,Choose,echo,request,chosen,func:by_word,{request}
writer,Write,llm,thought,answer,,Write down {thought}
writer,Tell,writer_agent:tell,request,answer,,
"""
WORDS = """
def by_word(state):
    return "Tell" if "code" in state["request"] else "Write"
"""
SEEN = """() => {
  window.seen = [];
  const look = () => {
    const text = document.querySelector("#current .answer .text")?.innerText;
    if (text && text !== window.seen.at(-1)) window.seen.push(text);
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


@pytest.fixture(scope="module")
def page(
    writing_model: Any,
    tmp_path_factory: pytest.TempPathFactory,
    serve: Callable[..., AbstractContextManager[str]],
    visit: Callable[[str], Any],
) -> Iterator[Any]:
    """The page of an installed agent that has one answer written by a model, and another by code."""
    folder = tmp_path_factory.mktemp("writer")
    (folder / "writer_agent.py").write_text(AGENT)
    (folder / "map.csv").write_text(MAP)
    (folder / "functions").mkdir()
    (folder / "functions" / "by_word.py").write_text(WORDS)
    info = folder / "writer_agent-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: writer-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[signalbox.agents]\nwriter = writer_agent:AGENT\n")
    settings = {
        "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "SIGNALBOX_MODEL": "openai/m",
        "SIGNALBOX_MODEL_BASE_URL": writing_model.address,
    }
    with serve(folder / "home", "--agent", "writer", **settings) as address:
        opened = visit(address)
        opened.wait_for_selector("#question textarea")
        yield opened


def test_what_a_model_writes_is_read_while_it_writes(page: Any, writing_model: Any, answer_to: Ask) -> None:
    page.evaluate(SEEN)
    page.locator("#question textarea").fill("a letter")
    page.locator("#question textarea").press("Enter")
    page.locator("#current .answer strong", has_text="in bold").wait_for()
    assert page.locator("#stop").is_visible()
    assert "thought" not in page.locator("#current .answer").inner_text()
    writing_model.may_go_on.set()
    assert "The second part." in answer_to(page, "a letter").inner_text()
    seen = page.evaluate("window.seen")
    assert all(after.startswith(before) for before, after in pairwise(seen))


@pytest.mark.bench
def test_what_code_tells_is_written_down_and_only_grows(page: Any, ask: Ask, begin_anew: Callable[[Any], Any]) -> None:
    begin_anew(page)
    page.evaluate(SEEN)
    whole = ask(page, "code").locator(".text").inner_text()
    seen = page.evaluate("window.seen")
    assert len(seen) > 3
    assert seen[-1] == whole
    assert all(whole.startswith(part.rstrip()) for part in seen)
    assert [len(part) for part in seen] == sorted(len(part) for part in seen)
