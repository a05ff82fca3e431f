"""The examples in README and docs do what they say: each page is followed from top to bottom in an empty folder."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from signalbox.cli.app import make_app

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_on_the_page_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-15T12:00:00Z")
    monkeypatch.setenv("COLUMNS", "100")
    for kind, file, text in BLOCK.findall(page.read_text("utf-8")):
        if file:
            path = tmp_path / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        elif kind == "python":
            exec(compile(text, str(page), "exec", dont_inherit=True), {"__name__": "example"})
        elif kind == "console":
            for command, expected in commands(text):
                assert output_of(command) == expected, f"$ {command}"


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output that the page shows."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2].strip()) for part in parts]


def output_of(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "signalbox"
    return CliRunner().invoke(make_app(), arguments, catch_exceptions=False).output.strip()


def test_every_link_between_the_pages_leads_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
