"""sp_oncall works on our tools by its configuration alone.

Needs an installed one: `SP_ONCALL_HOME` is its folder, `SP_ONCALL_PYTHON` a Python that has what it requires. It talks
to a scripted model on loopback.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from signalbox.worlds.network import World

needs_sp_oncall = pytest.mark.skipif(
    not {"SP_ONCALL_HOME", "SP_ONCALL_PYTHON"} <= set(os.environ), reason="SP_ONCALL_HOME, SP_ONCALL_PYTHON are not set"
)
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_devices", {}),
    ("get_device_profile_api", {"device_name": "pe1"}),
    ("get_routing_info", {"device_name": "pe1", "protocol": "bgp"}),
    ("get_logs", {"device_name": "pe1", "minutes": "60", "keywords": "BGP"}),
]
FILLED: dict[str, dict[str, Any]] = {
    "InvestigationPlanningResponse": {"devices": [{"device_name": "pe1", "device_profile": "PE", "role": "PE"}]},
    "PlanningResponse": {
        "plan": [{"device_name": "pe1", "role": "PE", "objective": "BGP", "working_plan_steps": "Look at BGP."}]
    },
    "AssessmentOutput": {"is_objective_achieved": True, "notes_for_final_report": "met", "feedback_for_retry": None},
    "LearningInsights": {"learned_patterns": "none", "device_relationships": "none"},
}
# It turns tracing on by itself when it is imported: nothing is asked of it before that is known to be off.
RUN = """
import asyncio, json, logging, sys
home, settings = sys.argv[1:]
sys.path[:0] = [f"{home}/src", home]
from graph import app
from langsmith.utils import tracing_is_enabled
assert not tracing_is_enabled(), "sp_oncall would send traces"
config = {"configurable": {"mcp_client_config": json.loads(settings), "model": "openai/gpt-5-nano"}}
told = asyncio.run(app.ainvoke({"user_query": "check bgp on pe1"}, config=config))
print("REPORT", told["messages"][-1].content)
"""


@contextmanager
def scripted_model(asked: list[dict[str, Any]]) -> Iterator[str]:
    """The address of a model that calls the tools once, fills what it is given, and then reports."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked.append(body)
            answer = json.dumps(_completion(body)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    offered = [tool["function"]["name"] for tool in body.get("tools", ())]
    schema = (body.get("response_format") or {}).get("json_schema", {}).get("name", "")
    wanted = schema or next((name for name in offered if name in FILLED), "")
    calls: list[tuple[str, dict[str, Any]]] = []
    if wanted and not schema:
        calls = [(wanted, FILLED[wanted])]
    elif "get_devices" in offered and all(one["role"] != "tool" for one in body["messages"]):
        calls = CALLS
    message: dict[str, Any] = {"role": "assistant", "content": json.dumps(FILLED[schema]) if schema else "BGP is up."}
    if calls:
        message["tool_calls"] = [
            {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for at, (name, args) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "x", "choices": [choice], "usage": usage}


@needs_sp_oncall
def test_sp_oncall_works_on_our_tools_by_configuration_alone(world: World, tmp_path: Path) -> None:
    home, python = os.environ["SP_ONCALL_HOME"], os.environ["SP_ONCALL_PYTHON"]
    tools = {
        "command": sys.executable,
        "args": ["-m", "signalbox", "mcp", "gnmi"],
        "transport": "stdio",
        "env": {"NETWORK_INVENTORY": os.environ["NETWORK_INVENTORY"], "SIGNALBOX_HOME": str(tmp_path / "home")},
    }
    asked: list[dict[str, Any]] = []
    with scripted_model(asked) as address:
        environment = {
            **os.environ,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": address,
            "LANGSMITH_TRACING": "false",
            "LANGSMITH_TRACING_V2": "false",
            "LANGSMITH_ENDPOINT": address,
        }
        told = subprocess.run(
            [python, "-c", RUN, home, json.dumps({"gNMIBuddy": tools})],
            env=environment, cwd=home, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    assert told.returncode == 0, told.stderr[-2000:]
    assert "REPORT BGP is up." in told.stdout
    results = [str(one["content"]) for body in asked for one in body["messages"] if one["role"] == "tool"]
    assert len(results) == 2 * len(CALLS), "the planner and the executor called all tools"
    assert not any("Error executing" in one or '"status":"failed"' in one for one in results)
    assert any("10.255.0.9 (AS 65000): ESTABLISHED" in one for one in results)
