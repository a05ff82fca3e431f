"""An agent of somebody else's, installed from a package of its own (`examples/agent`): listed, asked, drawn."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "agent"
PROGRAM = [sys.executable, "-m", "signalbox"]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """A folder into which the example is installed; None where nothing can build it."""
    if find_spec("hatchling") is None:
        return None
    folder = tmp_path_factory.mktemp("packages")
    options = "--no-deps --no-build-isolation --no-index --quiet --disable-pip-version-check --target".split()
    subprocess.run([sys.executable, "-m", "pip", "install", *options, folder, EXAMPLE], check=True, timeout=120)
    return folder


@pytest.fixture
def environment(packages: Path | None, require_part: Callable[[str, bool], None]) -> dict[str, str]:
    require_part("hatchling is not installed", packages is not None)
    return {**os.environ, "PYTHONPATH": f"{packages}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


def signalbox(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], env=environment, capture_output=True, text=True, timeout=60)


def test_it_is_listed_with_its_package(environment: dict[str, str]) -> None:
    assert "What is in stock, and where (stock-agent 0.1.0)" in signalbox(environment, "agents").stdout
    names = [one["name"] for one in json.loads(signalbox(environment, "agents", "--json").stdout)]
    assert names[-1] == "stock"


def test_it_is_asked_and_drawn_in_the_terminal(environment: dict[str, str]) -> None:
    done = signalbox(environment, "ask", "How many apples and plums are left?", "--agent", "stock")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "2 kinds of goods were looked up.",
        "",
        "In stock: 420 pieces",
        "",
        "goods   where         left",
        "apples  Hall 1  420 pieces",
        "plums   Hall 3    0 pieces",
        "",
        "Source: list",
    ]


def test_its_answer_and_its_plan_have_the_shape_of_all_answers(environment: dict[str, str]) -> None:
    answer = json.loads(signalbox(environment, "ask", "pears", "--agent", "stock", "--json").stdout)
    assert (answer["agent"], answer["status"], answer["state"]["goods"]) == ("stock", "completed", ["pears"])
    assert [block["type"] for block in answer["blocks"]] == ["value", "table"]
    plan = json.loads(signalbox(environment, "ask", "pears", "--agent", "stock", "--dry-run", "--json").stdout)
    assert (plan["answer"], "goods" in plan["state"]) == ("Would look up: pears.", False)


@pytest.mark.bench
def test_it_can_be_the_default(environment: dict[str, str]) -> None:
    done = signalbox({**environment, "SIGNALBOX_DEFAULT_AGENT": "stock"}, "ask", "pears")
    assert "75 pieces" in done.stdout


@pytest.fixture
def address(environment: dict[str, str]) -> Iterator[str]:
    with subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0", "--agent", "stock"], stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"http://\S+/sign-in#\S+", line):
                yield found.group()
                break
        process.terminate()


@pytest.mark.bench
def test_it_is_chosen_and_drawn_on_the_page(
    address: str, visit: Callable[[str], Any], look: Callable[[Any, str], None]
) -> None:
    page = visit(address)
    page.get_by_role("button", name="How many apples are left?").wait_for()
    page.locator("#question").fill("What is in stock?")
    page.locator("#question").press("Enter")
    page.wait_for_selector(".block-table")
    assert "495 pieces" in page.locator(".block-value").inner_text()
    assert "Hall 3" in page.locator(".block-table").inner_text()
    assert "3 kinds of goods" in page.locator(".answer").inner_text()
    with page.expect_download() as download:
        page.get_by_label("Download as CSV").click()
    assert Path(download.value.path()).read_text("utf-8").splitlines()[1] == "apples,Hall 1,420"
    look(page, "third-party")


def offer(folder: Path, module: str, text: str, *entries: str) -> dict[str, str]:
    """An installed package of one module with these entry points; the environment in which it is found."""
    (folder / f"{module}.py").write_text(text)
    info = folder / f"{module}-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("\n".join(["[signalbox.agents]", *entries]) + "\n")
    return {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


RUDE = """
from pathlib import Path
from signalbox.contract import Agent, Presented, blocks

NASTY = "x\\x1b[2Jy"

def answer(inputs):
    if "fail" in inputs["request"]:
        raise ValueError(NASTY)
    return NASTY

def present(state):
    drawn = [blocks.table([NASTY], [[NASTY]], NASTY)]
    return Presented(NASTY, drawn, {"kind": "live", "system": NASTY, "address": NASTY}, [NASTY])

AGENT = Agent(
    "rude", NASTY, (), Path(__file__).with_name("map.csv"), lambda request, before: {"request": request}, present
)
"""


@pytest.mark.bench
def test_nothing_that_an_agent_says_commands_the_terminal(tmp_path: Path) -> None:
    environment = offer(tmp_path, "rude_agent", RUDE, "rude = rude_agent:AGENT")
    (tmp_path / "map.csv").write_text(
        "GraphName,Node,AgentType,Input_Fields,Output_Field\nrude,Answer,rude_agent:answer,request,answer\n"
    )
    answered = signalbox(environment, "ask", "q", "--agent", "rude", "-v")
    assert (answered.returncode, "Not considered: x\\u001b[2Jy" in answered.stdout) == (0, True)
    failed = signalbox(environment, "ask", "fail", "--agent", "rude")
    assert (failed.returncode, "x\\u001b[2Jy" in failed.stderr) == (1, True)
    unplanned = signalbox(environment, "ask", "q", "--agent", "rude", "--dry-run")
    assert (unplanned.returncode, "has no dry run" in unplanned.stderr) == (1, True)
    for done in (answered, failed, signalbox(environment, "agents")):
        assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.bench
def test_a_broken_one_is_reported_and_breaks_only_itself(tmp_path: Path) -> None:
    entries = ("broken = broken_agent:AGENT", "nothing = json:dumps", "misnamed = signalbox.agents.metrics:AGENT")
    environment = offer(tmp_path, "broken_agent", "raise RuntimeError('no good')\n", *entries)
    listed = signalbox(environment, "agents")
    assert listed.returncode == 0
    assert "metrics" in listed.stdout
    assert "'broken' of broken-agent 1.2 cannot be used: broken_agent:AGENT does not load" in listed.stderr
    assert "'nothing' of broken-agent 1.2 cannot be used: json:dumps is not a signalbox.contract.Agent" in listed.stderr
    assert "signalbox.agents.metrics:AGENT calls itself 'metrics'" in listed.stderr
    asked = signalbox(environment, "ask", "q", "--agent", "broken")
    assert asked.returncode == 1
    assert "no good" in asked.stderr
    checked = signalbox(environment, "doctor")
    assert checked.returncode == 1
    assert "FAIL broken (broken-agent 1.2): " in checked.stdout
