"""A scripted chat model, and a scripted server of tools: what they say is written in the test."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fastmcp import FastMCP
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from mcp.types import ToolAnnotations
from pydantic import ConfigDict, Field

import signalbox.agents.oncall as room

EXAMPLES = Path(room.__file__).with_name("examples.jsonl")
READS = ToolAnnotations(readOnlyHint=True)


def taught_calls() -> dict[str, list[dict[str, Any]]]:
    """The calls that the examples of the room give for steps."""
    lines = [json.loads(line) for line in EXAMPLES.read_text("utf-8").splitlines()]
    return {one["text"]: one["expected"] for one in lines if isinstance(one["expected"], list)}


class ScriptedModel(BaseChatModel):
    """A model that reads every request as `plan`, or as what `plan` makes of its text, and calls what `calls` says."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    plan: Any = Field(default_factory=dict)
    calls: Any = None
    assessment: Any = None
    phrase: str = "It is as the findings say."
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    asked: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Runnable[Any, Any]:
        def fill(messages: Any) -> Any:
            self.asked.append(schema["title"])
            if schema["title"] == "Assessment":
                told = self.assessment
                return (told() if callable(told) else told) or {}
            return dict(self.plan(messages[-1].text) if callable(self.plan) else self.plan)

        return RunnableLambda(fill)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        def choose(messages: Sequence[BaseMessage]) -> AIMessage:
            self.seen.append(list(messages))
            wanted = self._wanted(messages)
            calls = [
                {"name": name, "args": args, "id": f"c{len(self.seen)}-{at}"} for at, (name, args) in enumerate(wanted)
            ]
            return AIMessage("" if calls else "None of the tools does that.", tool_calls=calls)

        return RunnableLambda(choose)

    def _wanted(self, messages: Sequence[BaseMessage]) -> list[tuple[str, dict[str, Any]]]:
        said = next(str(one.content) for one in reversed(messages) if one.type == "human")
        if callable(self.calls):
            return list(self.calls(said, messages))
        known: Mapping[str, Any] = self.calls if self.calls is not None else taught_calls()
        found = known.get(said, [])
        return [one if isinstance(one, tuple) else (one["name"], dict(one["args"])) for one in found]

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.phrase))])


Answer = Callable[..., Any]


def envelope(
    device: str, data: Any = None, status: str = "success", error: tuple[str, str] | None = None
) -> dict[str, Any]:
    """An answer of a tool, in the envelope of all of them."""
    told = {"type": error[0], "message": error[1], "details": {}} if error else None
    return {
        "device_name": device,
        "ip_address": "192.0.2.1",
        "nos": "iosxr",
        "operation_type": "test",
        "status": "failed" if error else status,
        "data": data or {},
        "metadata": {},
        "error_response": told,
        "feature_not_found_response": None,
    }


def scripted_server(
    devices: Sequence[Mapping[str, Any] | str], answers: Mapping[str, Answer], made: list[tuple[str, dict[str, Any]]]
) -> FastMCP:
    """A server with the tools of `answers`, each a function of the device's name and the other arguments. `made` gets
    every call that arrives."""
    server: FastMCP = FastMCP("scripted")
    inventory = [{"name": one} if isinstance(one, str) else dict(one) for one in devices]

    @server.tool(annotations=READS)
    def get_devices() -> dict[str, Any]:
        """List the devices."""
        made.append(("get_devices", {}))
        return {"status": "success", "devices": inventory}

    def add(name: str, answer: Answer) -> None:
        async def tool(
            device_name: str, protocol: str | None = None, keywords: str | None = None, minutes: int | None = None
        ) -> dict[str, Any]:
            given = {"protocol": protocol, "keywords": keywords, "minutes": minutes}
            made.append(
                (
                    name,
                    {"device_name": device_name, **{key: value for key, value in given.items() if value is not None}},
                )
            )
            found = answer(device_name)
            given_back: dict[str, Any] = await found if inspect.isawaitable(found) else found
            return given_back

        tool.__name__ = name
        server.tool(
            tool,
            name=name,
            description=f"{name.replace('_', ' ')} of a device: {_ABOUT.get(name, '')}",
            annotations=READS,
        )

    for name, answer in answers.items():
        add(name, answer)
    return server


_ABOUT = {
    "get_routing_info": "BGP sessions, neighbours, IS-IS adjacencies",
    "get_interface_info": "interfaces, state, counters",
    "get_logs": "log messages",
    "get_topology_neighbors": "links to neighbours, both ends, MTU",
    "get_ldp_neighbors": "LDP sessions",
    "get_vpn_info": "VRFs, route targets",
    "get_device_health": "overall health, first look, indicators",
}
