"""A one-tool loop in agno on a fake that answers at once: first with a call, then with the tool's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.rivals.serving import serve


def cases() -> dict[str, Callable[[], Any]]:
    """A run in an event loop."""
    from agno.agent import Agent  # type: ignore[import-not-found]

    async def get_weather(city: str) -> str:
        """The weather in a city now."""
        return f"It is sunny in {city}, 21 degrees."

    agent = Agent(model=_instant_model(), tools=[get_weather], telemetry=False)

    async def run() -> Any:
        return (await agent.arun("What is the weather in Paris?")).content

    return {"async": run}


def _instant_model() -> Any:
    from agno.models.base import Model  # type: ignore[import-not-found]
    from agno.models.response import ModelResponse  # type: ignore[import-not-found]

    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}

    @dataclass
    class InstantModel(Model):  # type: ignore[misc]
        id: str = "instant"

        async def ainvoke(self, messages: Any, *rest: Any, **named: Any) -> Any:
            done = next((one for one in messages if one.role == "tool"), None)
            if done is not None:
                return ModelResponse(role="assistant", content=str(done.content))
            return ModelResponse(role="assistant", content="", tool_calls=[call])

        def invoke(self, *rest: Any, **named: Any) -> Any:
            raise NotImplementedError

        invoke_stream = ainvoke_stream = _parse_provider_response_delta = invoke

        def _parse_provider_response(self, response: Any, **named: Any) -> Any:
            return response

    return InstantModel()


if __name__ == "__main__":
    serve(cases())
