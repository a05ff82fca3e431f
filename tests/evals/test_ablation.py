"""What each layer of an agent's `offline/` folder is worth, on an agent that is installed for the test."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from signalbox.cli.app import make_app
from signalbox.contract import installed
from signalbox.errors import NotFoundError, RequestError
from signalbox.evals import ablation
from signalbox.evals.ablation import Ablation, LayerWorth, find_layers
from signalbox.evals.judge import find_judge

Write = Callable[..., Path]
# It reads a colour: what it says is right, but for what its layers do to it.
AGENT = """
from signalbox.contract import Agent

AGENT = Agent(name="colours", about="Colours", examples=("red",), tools=tuple)


class Judge:
    keys = frozenset({"colour"})

    def check(self, wanted): ...
    def settings(self, server): return {}
    def outcome(self, answer): return dict(answer)
    def is_right(self, outcome, wanted): return outcome["colour"] == wanted["colour"]

    async def expect(self, wanted, now, tz): return dict(wanted)

    async def read(self, text):
        from paint.offline import read
        return {"colour": read(text)}


JUDGE = Judge()
"""
OFFLINE = """
from signalbox.language.switches import is_on

LAYERS = ("nothing", "shorten", "shortest")


def read(text):
    text = text.strip() if is_on("colours.nothing") else text
    return text[:4] if is_on("colours.shorten") else text
"""
HEADER = {"set": "paint", "skill": "agent", "agent": "colours", "now": "2026-11-16T10:30:00", "tz": "UTC"}
CASES = [
    {"text": "red", "colour": "red"},
    {"text": "blue", "colour": "blue"},
    {"text": "green", "colour": "green"},
    {"text": "black", "colour": "black"},
    {"text": "white", "colour": "whit"},
    {"text": "pink", "colour": "grey"},
]


@pytest.fixture
def colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install the agent `colours`, as a package of somebody else's would be."""
    package = tmp_path / "site" / "paint"
    (package / "offline").mkdir(parents=True)
    (package / "__init__.py").write_text(AGENT, encoding="utf-8")
    (package / "offline" / "__init__.py").write_text(OFFLINE, encoding="utf-8")
    told = package.parent / "paint-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: paint\nVersion: 1\n", encoding="utf-8")
    points = "[signalbox.agents]\ncolours = paint:AGENT\n\n[signalbox.judges]\ncolours = paint:JUDGE\n"
    (told / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))
    forget_installed()
    yield package
    forget_installed()


def forget_installed() -> None:
    """Have the installed agents and judges looked up again."""
    installed._installed.cache_clear()
    find_judge.cache_clear()
    for name in ("paint", "paint.offline"):
        sys.modules.pop(name, None)


PLACE = "colours/paint, line {}".format
WORTH = {
    "agent": "colours",
    "base": {"cases": 5, "right": 3},
    "layers": [
        {"layer": "shorten", "right_to_wrong": [PLACE(6)], "wrong_to_right": [PLACE(4), PLACE(5)], "share": 0.6},
        {"layer": "nothing", "right_to_wrong": [], "wrong_to_right": [], "share": 0.0},
        {"layer": "shortest", "right_to_wrong": [], "wrong_to_right": [], "share": 0.0, "never_used": True},
    ],
    "under_one_in_a_hundred": ["nothing", "shortest"],
}


def ablated(path: Path) -> Any:
    told = CliRunner().invoke(make_app(), ["eval", str(path), "--ablate", "colours", "--draw", "5", "--json"])
    assert told.exit_code == 0, told.output
    return json.loads(told.stdout)


@pytest.mark.usefixtures("colours")
def test_a_layer_is_worth_the_cases_that_move_without_it(write_sets: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    # One thread in place of several processes, which take seconds to start.
    monkeypatch.setattr(ablation, "ProcessPoolExecutor", lambda *args, **options: ThreadPoolExecutor(1))
    assert ablated(write_sets(HEADER, *CASES)) == WORTH


@pytest.mark.bench
def test_what_a_room_keeps_from_one_run_does_not_answer_for_the_next(colours: Path, write_sets: Write) -> None:
    keeping = OFFLINE.replace("def read", "@__import__('functools').cache\ndef read")
    (colours / "offline" / "__init__.py").write_text(keeping, encoding="utf-8")
    assert ablated(write_sets(HEADER, *CASES)) == WORTH


def test_a_layer_that_moves_exactly_one_in_a_hundred_stays_and_the_rest_are_named() -> None:
    base = {str(number): True for number in range(300)}
    small, enough = LayerWorth("small", ("0", "1"), (), is_used=False), LayerWorth("enough", ("0", "1"), ("2",))
    console = Console(record=True, width=120)
    Ablation("colours", base, (small, enough)).render(console)
    text = console.export_text()
    assert "Moves fewer than one in a hundred: small\n" in text
    assert "With all layers: 300/300 right" in text
    assert "check that the agent asks for them by these names: small\n" in text
    assert "too few" not in text


def test_fewer_than_300_cases_are_said_to_be_too_few() -> None:
    console = Console(record=True, width=120)
    Ablation("colours", {"0": True}, ()).render(console)
    assert "too few cases to delete a layer by: at least 300" in console.export_text()


def test_an_agent_that_declares_no_layers_is_refused() -> None:
    with pytest.raises(RequestError, match="'frontdoor' has no layers"):
        find_layers("frontdoor")
    with pytest.raises(NotFoundError, match="no agent 'colors'"):
        find_layers("colors")


@pytest.mark.parametrize("option", [["--skill", "time"], ["--record", "x"], ["--model", "a/b", "--model", "c/d"]])
def test_what_an_ablation_cannot_be_combined_with_is_refused(option: list[str]) -> None:
    told = CliRunner().invoke(make_app(), ["eval", "--ablate", "colours", *option])
    assert told.exit_code == 2
