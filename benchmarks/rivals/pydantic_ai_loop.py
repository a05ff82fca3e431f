"""A one-tool loop in pydantic-ai on its TestModel, which calls every tool once and then answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rivals.serving import serve


def cases() -> dict[str, Callable[[], Any]]:
    """A run by its own synchronous call, and one in an event loop."""
    from pydantic_ai import Agent  # type: ignore[import-not-found]
    from pydantic_ai.models.test import TestModel  # type: ignore[import-not-found]

    def get_weather(city: str) -> str:
        """The weather in a city now."""
        return f"It is sunny in {city}, 21 degrees."

    agent = Agent(TestModel(), tools=[get_weather])
    question = "What is the weather in Paris?"

    async def run() -> Any:
        return (await agent.run(question)).output

    return {"sync": lambda: agent.run_sync(question).output, "async": run}


if __name__ == "__main__":
    serve(cases())
