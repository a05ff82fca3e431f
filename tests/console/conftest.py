"""A real browser, and the service as the command starts it, each once for all tests."""

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
PATIENCE = 120_000
"""Milliseconds after which something that does not come is missed: far more than it takes on a busy machine."""


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
    """What a test calls to open an address, in a browser window of its own that keeps nothing of another's."""
    if chromium is None:
        reason = "chromium is not installed: apt-get install chromium"
        (pytest.fail if os.environ.get("SIGNALBOX_REQUIRE_ALL") == "1" else pytest.skip)(reason)
    opened = []

    def open_page(address: str) -> Any:
        window = chromium.new_context(viewport={"width": 1400, "height": 900})
        opened.append(window)
        window.set_default_timeout(PATIENCE)
        page = window.new_page()
        page.goto(address)
        return page

    yield open_page
    for window in opened:
        window.close()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service that several people use, on the embedded worlds."""
    with serving(tmp_path_factory.mktemp("home"), SIGNALBOX_JWT_SECRET=SECRET) as address:
        yield address


@pytest.fixture(scope="module")
def sign_in(visit: Callable[[str], Any], shared: str) -> Callable[[], Any]:
    """What a test calls to have the page as a person who has never used it."""

    def signed_in() -> Any:
        page = visit(shared)
        page.locator("#token input").fill(new_token())
        page.locator("#token input").press("Enter")
        page.wait_for_selector("#question textarea")
        return page

    return signed_in


def new_token() -> str:
    """A token of somebody new."""
    import jwt

    claims = {"sub": str(uuid4()), "exp": datetime.now(UTC) + timedelta(hours=1)}
    return jwt.encode(claims, SECRET, "HS256")


@pytest.fixture(scope="session")
def serve() -> Callable[..., AbstractContextManager[str]]:
    """What a fixture calls to have a service of its own."""
    return serving


@pytest.fixture(scope="session")
def answer_to() -> Callable[[Any, str], Any]:
    """What a test calls to have the answer to what was said last, when it has come and the page can be asked again."""

    def wait(page: Any, said: str) -> Any:
        page.locator("#current .said", has_text=said).wait_for()
        page.wait_for_selector("#current .answer")
        page.wait_for_selector("#ask")
        return page.locator("#current .answer")

    return wait


@pytest.fixture(scope="session")
def begin_anew() -> Callable[[Any], Any]:
    """What a test calls to have a page with a new conversation."""

    def press(page: Any) -> Any:
        page.get_by_role("button", name="New conversation").click()
        page.wait_for_selector("#welcome")
        return page

    return press


@pytest.fixture(scope="session")
def ask(answer_to: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """What a test calls to say something and have the answer."""

    def say(page: Any, question: str) -> Any:
        page.locator("#question textarea").fill(question)
        page.locator("#question textarea").press("Enter")
        return answer_to(page, question)

    return say


@pytest.fixture
def look() -> Callable[[Any, str], None]:
    """What a test calls to keep a picture of the page, where the variable PICTURES names a folder for them."""

    def take(page: Any, name: str) -> None:
        if "PICTURES" in os.environ:
            page.screenshot(path=Path(os.environ["PICTURES"]) / f"{name}.png")

    return take
