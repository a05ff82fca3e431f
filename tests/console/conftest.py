"""A real browser, and a page that it can open."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@pytest.fixture
def browser(require_part: Callable[[str, bool], None]) -> Iterator[Any]:
    """Debian's chromium, driven by Playwright."""
    require_part("chromium is not installed: apt-get install chromium", CHROMIUM is not None)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any) -> Callable[[str], Any]:
    """What a test calls to open an address: the page, which fails the test's look-ups after half a minute."""

    def open_page(address: str) -> Any:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(90_000)
        page.goto(address)
        return page

    return open_page


@pytest.fixture
def look(tmp_path: Path) -> Callable[[Any, str], None]:
    """What a test calls to keep a picture of the page, where the variable PICTURES names a folder for them."""

    def take(page: Any, name: str) -> None:
        folder = Path(os.environ.get("PICTURES", tmp_path))
        page.screenshot(path=folder / f"{name}.png", full_page=True)

    return take


@pytest.fixture
def serve_app() -> Callable[[Any], AbstractContextManager[str]]:
    """What a test calls to have an application on a free port."""
    import uvicorn

    @contextmanager
    def serve(app: Any) -> Iterator[str]:
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            thread.join(0.05)
            assert thread.is_alive()
        try:
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()

    return serve
