"""The routes of Agent Server, used through LangGraph's public client for JavaScript."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import ANN, token

PARTS = Path(__file__).parents[2] / ".node" / "node_modules"


def test_the_javascript_client_works_as_it_is(address: str, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not (PARTS / "@langchain" / "langgraph-sdk").is_dir():
        missing = "Node and LangGraph's client for JavaScript are not installed: make check-page"
        if os.environ.get("SIGNALBOX_REQUIRE_ALL") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    (tmp_path / "node_modules").symlink_to(PARTS)
    script = shutil.copy(Path(__file__).with_name("agent_server.mjs"), tmp_path)
    done = subprocess.run([node, script, address, token(ANN)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told.pop("kinds")[0] == "metadata"
    assert told == {
        "waited": "Hello JS",
        "asked": "Publish this? Hi",
        "status": "interrupted",
        "resumed": "Published: Hi",
        "history": ["Published: Hi", True],
        "again": "Publish this? Hi",
        "updated": "Publish this? Ho",
        "later": ["pending", "Hello later"],
        "batch": 2,
        "copy": "js",
        "found": 2,
        "count": 2,
        "versions": [2, 1],
        "own": "Hello Eva",
        "item": "Hi",
        "items": 1,
        "namespaces": [["notes", "js"]],
        "gone": None,
        "crons": ["0 8 * * 1"],
        "missing": 404,
    }
