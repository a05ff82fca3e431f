"""A one-tool loop in openai-agents on a fake that answers at once: first with a call, then with the tool's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rivals.serving import serve


def cases() -> dict[str, Callable[[], Any]]:
    """A run by its own synchronous call, and one in an event loop."""
    from agents import Agent, Runner, function_tool, set_tracing_disabled  # type: ignore[import-not-found]

    set_tracing_disabled(True)

    @function_tool  # type: ignore[untyped-decorator]
    def get_weather(city: str) -> str:
        """The weather in a city now."""
        return f"It is sunny in {city}, 21 degrees."

    agent = Agent(name="weather", model=_instant_model(), tools=[get_weather])
    question = "What is the weather in Paris?"

    async def run() -> Any:
        return (await Runner.run(agent, question)).final_output

    return {"sync": lambda: Runner.run_sync(agent, question).final_output, "async": run}


def _instant_model() -> Any:
    from agents import ModelResponse, Usage
    from agents.models.interface import Model  # type: ignore[import-not-found]
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class InstantModel(Model):  # type: ignore[misc]
        async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **named: Any) -> Any:  # noqa: A002
            done = next((item for item in input if _kind(item) == "function_call_output"), None)
            answer = _say(done["output"]) if done else _call()
            return ModelResponse(output=[answer], usage=Usage(), response_id=None)

        def stream_response(self, *arguments: Any, **named: Any) -> Any:
            raise NotImplementedError

    def _kind(item: Any) -> Any:
        return item.get("type") if isinstance(item, dict) else None

    def _call() -> Any:
        return ResponseFunctionToolCall(
            name="get_weather", arguments='{"city": "Paris"}', call_id="call_1", type="function_call"
        )

    def _say(text: str) -> Any:
        part = ResponseOutputText(text=text, type="output_text", annotations=[])
        return ResponseOutputMessage(
            id="message_1", content=[part], role="assistant", status="completed", type="message"
        )

    return InstantModel()


if __name__ == "__main__":
    serve(cases())
