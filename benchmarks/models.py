"""The offline model's reader by itself, and LangChain's one-tool loop beside those of other packages.

The models in the loops are fakes that read nothing: what is compared there is what each package takes around a model.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from asyncio import Runner
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from benchmarks.instant import InstantModel
from benchmarks.measure import Contender, awaiting, calling, race
from benchmarks.questions import ORDERS, Order, Reminder, cities
from benchmarks.report import Row, under
from benchmarks.rivals.environment import Environment, UnavailableError
from benchmarks.rivals.process import RivalProcess

__all__ = ["measure"]

REMINDER = "remind me to call the plumber about the leaking tap tomorrow, it is rather urgent"
LOOP = "one-tool agent loop on the offline model"
SKILLS = "skills of the offline model"
FRAMEWORKS = Environment("frameworks", ("pydantic-ai-slim==2.66.0", "openai-agents==0.24.0"))
FAKE = "create_agent on an instant fake"
RIVALS = {"pydantic-ai": "pydantic_ai_loop", "openai-agents": "openai_agents_loop"}


def measure() -> Iterator[Row]:
    """The loop against each rival, sync and async; then the skills by themselves."""
    with Runner() as loop:
        ours = {"sync": _our_loops(), "async": _our_async_loops(loop)}
        for rival, module in RIVALS.items():
            try:
                yield from _compare(rival, module, ours)
            except UnavailableError as error:
                yield Row(LOOP, f"against {rival}", missing=str(error))
    yield from _reading()


def _compare(rival: str, module: str, ours: dict[str, dict[str, Contender]]) -> Iterator[Row]:
    with RivalProcess(FRAMEWORKS, module) as process:
        for mode, contenders in ours.items():
            if "It is sunny" not in str(process.ask(mode)["result"]):
                raise AssertionError(f"{rival} did not answer from the tool")
            found = race({**contenders, "rival": process.contender(mode)})
            for name in contenders:
                yield Row(LOOP, f"{name}, {mode}, against {rival}", found[name], found["rival"])


def _our_loops() -> dict[str, Contender]:
    from langchain.agents import create_agent

    agent, places = create_agent(InstantModel(), [_weather()]), cities()

    def answer() -> str:
        said = agent.invoke({"messages": [("user", f"What is the weather in {next(places)}?")]})["messages"]
        return _require_answer(said[-1].content)

    return {FAKE: calling(answer)}


def _our_async_loops(loop: Runner) -> dict[str, Contender]:
    from langchain.agents import create_agent

    agent, places = create_agent(InstantModel(), [_weather()]), cities()

    async def answer() -> str:
        said = await agent.ainvoke({"messages": [("user", f"What is the weather in {next(places)}?")]})
        return _require_answer(said["messages"][-1].content)

    return {FAKE: awaiting(answer, loop)}


def _reading() -> Iterator[Row]:
    """What the offline model's reader costs: a usual request, one with many labels, a long text, and teaching."""
    from signalbox.models import load_chat_model

    model, sentences = load_chat_model("offline"), itertools.cycle(ORDERS)
    small, large = (model.with_structured_output(schema, include_raw=True) for schema in (Reminder, Order))
    long = "Please send 3 oak desks to Hamburg. " + "The weather is fine today. " * 380
    lessons = [
        {"text": f"{city} {n}", "expected": {"priority": "high"}} for n, city in zip(range(300), cities(), strict=False)
    ]
    found = race(
        {
            "small": calling(lambda: small.invoke(REMINDER)),
            "large": calling(lambda: large.invoke(next(sentences))),
            "long": calling(lambda: large.invoke(long)),
        }
    )
    yield Row(SKILLS, "a usual request, 8 labels", found["small"], target=under(0.060))
    yield Row(SKILLS, "ten fields, 25 labels", found["large"], target=under(0.150))
    yield Row(SKILLS, "a text of 10,000 characters", found["long"], target=under(1))

    def teach() -> None:
        with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, SIGNALBOX_HOME=home):
            load_chat_model("offline", examples=lessons).with_structured_output(Reminder, include_raw=True).invoke(
                "call"
            )

    yield Row(
        SKILLS, "learning from 300 examples", race({"teach": calling(teach)}, rounds=1)["teach"], target=under(10)
    )


def _weather() -> Any:
    from langchain_core.tools import tool

    @tool
    def get_weather(city: str) -> str:
        """The weather in a city now."""
        return f"It is sunny in {city}, 21 degrees."

    return get_weather


def _require_answer(answer: str) -> str:
    if "It is sunny" not in answer:
        raise AssertionError(f"the loop did not answer from the tool: {answer!r}")
    return answer
