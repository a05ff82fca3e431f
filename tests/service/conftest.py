"""A real server on a free port, two people with tokens, maps to run, and something that answers the chat."""

from __future__ import annotations

import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

ANN, BOB = str(uuid.UUID(int=0xA)), str(uuid.UUID(int=0xB))
MAPS = """GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context
Review,Approve,human,text,approved,Publish,Return,Publish this? {text},"{""interaction_type"": ""approval""}"
Review,Publish,echo,text,answer,,,Published: {text},
Review,Return,echo,text,answer,,,Sent back: {text},
Hello,Greet,echo,name,greeting,,,Hello {name},
Slow,Note,note,name,noted,Wait,,,
Slow,Wait,hold,name,held,Tell,,,
Slow,Tell,echo,name,answer,,,Done: {name},
Broken,Fail,fail,name,answer,,,,
"""
CODE = {
    "fail.py": """
def fail(name):
    raise ValueError("nothing works")
""",
    "note.py": """
from pathlib import Path
from signalbox.toolbox.ledger import current_ledger

def note(name):
    with current_ledger().call("note", {"name": name}, "Note") as call:
        with (Path(__file__).parent.parent / "log").open("a") as log:
            log.write(f"{name} {call.key}\\n")
        call.returned("noted")
    return name
""",
    "hold.py": """
import asyncio
from pathlib import Path

async def hold(name):
    while not (Path(__file__).parent.parent / "go").exists():
        await asyncio.sleep(0.02)
    return name
""",
}
CHAT = """
import asyncio
from dataclasses import dataclass
from pathlib import Path
from signalbox.errors import LLMAPIError
from signalbox.toolbox.ledger import current_ledger

@dataclass
class Reply:
    status: str
    final_response: str | None
    error: str | None = None
    iterations: int = 1
    warning: str | None = None

async def run_agent(message_history, user_id, config=None):
    said = message_history[-1]["content"]
    if said.startswith("wait"):
        while not (Path(__file__).parent / "go").exists():
            await asyncio.sleep(0.02)
    if said == "model down":
        return Reply("error", None, LLMAPIError().user_message)
    if said == "break":
        raise RuntimeError("password=hunter2 in a trace")
    with current_ledger().call("add", {"title": said}, "tools") as call:
        with (Path(__file__).parent / "added").open("a") as log:
            log.write(f"{user_id} {said}\\n")
        call.returned("added")
    return Reply("completed", f"{said}\\n\\nYou said {len(message_history)} things.")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with maps that the service offers, and a package that answers the chat."""
    (tmp_path / "maps.csv").write_text(MAPS)
    (tmp_path / "agents").mkdir()
    for name, text in CODE.items():
        (tmp_path / "agents" / name).write_text(text)
    (tmp_path / "echo_chat.py").write_text(CHAT)
    info = tmp_path / "echo_chat-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-chat\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[signalbox.chat]\necho = echo_chat:run_agent\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("SIGNALBOX_MAPS", str(tmp_path / "maps.csv"))
    monkeypatch.setenv("SIGNALBOX_CHAT", "echo")
    return tmp_path


@pytest.fixture
def serve(folder: Path) -> Callable[..., Any]:
    """What a test calls to have the service on a free port of this process."""
    import uvicorn

    from signalbox.service import create_app, turns

    @contextmanager
    def started(**options: Any) -> Iterator[str]:
        turns._found.cache_clear()
        sys.modules.pop("echo_chat", None)
        server = uvicorn.Server(uvicorn.Config(create_app(**options), log_level="error", log_config=None))
        listening = socket.create_server(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
            listening.close()

    return started


@pytest.fixture
def address(serve: Callable[..., Any]) -> Iterator[str]:
    """Where the service is."""
    with serve() as place:
        yield place


def tiny_page() -> Any:
    """A page that is there at once."""
    from fastapi import FastAPI

    page = FastAPI()

    @page.api_route("/{path:path}", methods=["GET", "POST"])
    def shown(path: str) -> str:
        if path == "broken":
            raise RuntimeError("password=hunter2")
        return "the page"

    return page


@pytest.fixture
def place(serve: Callable[..., Any]) -> Iterator[httpx.Client]:
    """Somebody at a service with a page, who is not signed in."""
    with serve(page=tiny_page) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def token(person: str) -> str:
    """A token of a person."""
    from signalbox.service.tokens import make_token

    return make_token(person)


@pytest.fixture
def ann(address: str) -> Iterator[httpx.Client]:
    """A client that is Ann's."""
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token(ANN)}"}, timeout=30) as client:
        yield client


@pytest.fixture
def bob(address: str) -> Iterator[httpx.Client]:
    """A client that is Bob's."""
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token(BOB)}"}, timeout=30) as client:
        yield client


def events_of(text: str) -> list[tuple[str, str, Any]]:
    """The events of a stream: id, name and data."""
    import json

    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = dict(line.partition(": ")[::2] for line in block.splitlines() if not line.startswith(":"))
        if "data" in lines:
            found.append((lines.get("id", ""), lines.get("event", ""), json.loads(lines["data"])))
    return found
