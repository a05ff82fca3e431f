"""A real browser, and the service as the command starts it, each once for all tests of a file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
SECRET = "a secret that is long enough for a test of tokens"
PATIENCE = int(os.environ.get("PATIENCE", 90_000))
"""Milliseconds after which something that does not come is missed: far more than it takes on a busy machine."""
DESK = {"width": 1400, "height": 900}
REFUSED = "Content Security Policy"
MAPS = "sha256-ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE/o="
"""The style sheet for maps that Plotly brings along: the policy refuses it, and nothing here draws maps."""


@contextmanager
def serving(home: Path, *arguments: str, **environment: str) -> Iterator[str]:
    """The address of a service of its own, on a free port; on a machine of one person, the link that signs them in."""
    command = [sys.executable, "-m", "signalbox", "serve", "--port", "0", *arguments]
    own = {name: value for name, value in os.environ.items() if not name.startswith("SIGNALBOX_")}
    settings = {**own, "SIGNALBOX_HOME": str(home), **environment}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=settings) as process:
        assert process.stderr is not None
        try:
            shown = (found.group() for line in process.stderr if (found := re.search(r"http://\S+", line)))
            address = next(shown)
            yield address if "SIGNALBOX_JWT_SECRET" in environment else next(shown)
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's chromium, driven by Playwright; None where it is not installed.

    For one file: while Playwright is open its event loop runs in this thread, and asynchronous tests cannot.
    """
    if CHROMIUM is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """What a test calls to open an address, in a browser window of its own that keeps nothing of another's. What the
    page's policy refuses in it fails the tests."""
    if chromium is None:
        reason = "chromium is not installed: apt-get install chromium"
        (pytest.fail if os.environ.get("SIGNALBOX_REQUIRE_ALL") == "1" else pytest.skip)(reason)
    opened, refused = [], []

    def open_page(address: str, **options: Any) -> Any:
        window = chromium.new_context(viewport=DESK, **options)
        opened.append(window)
        window.set_default_timeout(PATIENCE)
        page = window.new_page()
        page.on("console", lambda told: refused.append(told.text) if is_refusal(told.text) else None)
        page.on("pageerror", lambda error: refused.append(str(error)))
        page.goto(address)
        return page

    yield open_page
    for window in opened:
        window.close()
    assert refused == []


def is_refusal(told: str) -> bool:
    return REFUSED in told and MAPS not in told


@pytest.fixture(scope="session")
def serve() -> Callable[..., AbstractContextManager[str]]:
    """What a fixture calls to have a service of its own."""
    return serving


@pytest.fixture(scope="session")
def sign_in_as() -> Callable[[Any, str], Any]:
    """What a test calls to sign in on an open page as somebody new of that name."""

    def sign_in(page: Any, name: str) -> Any:
        page.locator("#token input").fill(new_token(name))
        page.locator("#token input").press("Enter")
        page.wait_for_selector("#question")
        return page

    return sign_in


def new_token(name: str) -> str:
    """A token of somebody new."""
    import jwt

    claims = {"sub": str(uuid4()), "name": name, "exp": datetime.now(UTC) + timedelta(hours=1)}
    return jwt.encode(claims, SECRET, "HS256")


@pytest.fixture(scope="session")
def ask() -> Callable[[Any, str], Any]:
    """What a test calls to say something in the open conversation and have its turn, when it is over or asks."""

    def say(page: Any, question: str) -> Any:
        place = page.locator("sb-turn").count()
        page.locator("#question").fill(question)
        page.locator("#question").press("Enter")
        turn = page.locator("sb-turn").nth(place)
        turn.locator(".answer-body > *").first.wait_for()
        return turn

    return say


@pytest.fixture
def look() -> Callable[[Any, str], None]:
    """What a test calls to keep a picture of the page, where the variable PICTURES names a folder for them."""

    def take(page: Any, name: str) -> None:
        if "PICTURES" in os.environ:
            page.wait_for_timeout(400)
            page.screenshot(path=Path(os.environ["PICTURES"]) / f"{name}.png")

    return take
