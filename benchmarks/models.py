"""The offline model: a one-tool loop beside other packages' loops, filling a schema, and finding a candidate.

The rivals' models are fakes that read nothing. Ours reads the question, chooses the tool and fills its argument. Its
loop is measured twice: in `create_agent`, whose graph is LangChain's, and in a plain loop on the model. A third row has
`create_agent` on a fake as instant as the rivals': what LangChain takes before any model of ours has a part in it.
"""

from __future__ import annotations

import itertools
from asyncio import Runner
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.instant import InstantModel
from benchmarks.measure import Contender, awaiting, calling, race
from benchmarks.questions import ORDERS, Order, cities, service_names
from benchmarks.report import Row, at_most_times, under
from benchmarks.rivals.environment import Environment, UnavailableError
from benchmarks.rivals.process import RivalProcess

__all__ = ["measure"]

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
                yield Row(LOOP, f"against {rival}", target=at_most_times(1), missing=str(error))
    yield from _filling()
    yield from _candidates()


def _compare(rival: str, module: str, ours: dict[str, dict[str, Contender]]) -> Iterator[Row]:
    with RivalProcess(FRAMEWORKS, module) as process:
        for mode, contenders in ours.items():
            if "It is sunny" not in str(process.ask(mode)["result"]):
                raise AssertionError(f"{rival} did not answer from the tool")
            found = race({**contenders, "rival": process.contender(mode)})
            for name in contenders:
                target = None if name == FAKE else at_most_times(1)
                yield Row(LOOP, f"{name}, {mode}, against {rival}", found[name], found["rival"], target)


def _our_loops() -> dict[str, Contender]:
    from langchain.agents import create_agent

    model, tool, places = _model(), _weather(), cities()
    agents = {"create_agent": create_agent(model, [tool]), FAKE: create_agent(InstantModel(), [tool])}
    bound = model.bind_tools([tool])

    def in_graph(agent: Any) -> str:
        said = agent.invoke({"messages": [("user", f"What is the weather in {next(places)}?")]})["messages"]
        return _require_answer(said[-1].content)

    def in_plain_loop() -> str:
        messages: list[Any] = [("user", f"What is the weather in {next(places)}?")]
        while (reply := bound.invoke(messages)).tool_calls:
            messages += [reply, *(tool.invoke(call) for call in reply.tool_calls)]
        return _require_answer(reply.content)

    graphs = {name: calling(partial(in_graph, agent)) for name, agent in agents.items()}
    return {**graphs, "plain loop": calling(in_plain_loop)}


def _our_async_loops(loop: Runner) -> dict[str, Contender]:
    from langchain.agents import create_agent

    model, tool, places = _model(), _weather(), cities()
    agents = {"create_agent": create_agent(model, [tool]), FAKE: create_agent(InstantModel(), [tool])}
    bound = model.bind_tools([tool])

    async def in_graph(agent: Any) -> str:
        said = await agent.ainvoke({"messages": [("user", f"What is the weather in {next(places)}?")]})
        return _require_answer(said["messages"][-1].content)

    async def in_plain_loop() -> str:
        messages: list[Any] = [("user", f"What is the weather in {next(places)}?")]
        while (reply := await bound.ainvoke(messages)).tool_calls:
            messages += [reply, *[await tool.ainvoke(call) for call in reply.tool_calls]]
        return _require_answer(reply.content)

    graphs = {name: awaiting(partial(in_graph, agent), loop) for name, agent in agents.items()}
    return {**graphs, "plain loop": awaiting(in_plain_loop, loop)}


def _filling() -> Iterator[Row]:
    from signalbox.models.offline.fill import fill_schema

    schema, sentences, fresh = Order.model_json_schema(), itertools.cycle(ORDERS), itertools.count()
    structured = _model().with_structured_output(Order)
    found = race(
        {
            "fill": calling(lambda: fill_schema(schema, next(sentences))),
            "unseen": calling(lambda: fill_schema({**schema, "title": f"Order{next(fresh)}"}, next(sentences))),
            "structured": calling(lambda: structured.invoke(next(sentences))),
        }
    )
    filled = [len(fill_schema(schema, sentence).values) for sentence in ORDERS]
    size = f"10 fields, {min(filled)} to {max(filled)} of them in the sentence"
    yield Row(SKILLS, f"fill_schema, {size}", found["fill"], target=under(0.005))
    yield Row(SKILLS, "fill_schema, a schema never seen before", found["unseen"], target=under(0.005))
    yield Row(SKILLS, "with_structured_output, the same", found["structured"], target=under(0.005))


def _candidates() -> Iterator[Row]:
    from signalbox.models.offline.fill import best_candidate

    names = service_names(1000)
    asked = itertools.cycle([name.replace("-", " ") for name in names[::97]])
    # More lists than the model remembers, so that each is new to it when its turn comes.
    lists = itertools.cycle([[f"{name}-{i}" for name in names] for i in range(200)])
    if best_candidate(names[97].replace("-", " "), names) is None:
        raise AssertionError("the candidate was not found")
    found = race(
        {
            "again": calling(lambda: best_candidate(next(asked), names)),
            "unseen": calling(lambda: best_candidate(next(asked), next(lists))),
        }
    )
    yield Row(SKILLS, "best of 1,000 candidates", found["again"], target=under(0.010))
    yield Row(SKILLS, "best of 1,000 candidates never seen before", found["unseen"], target=under(0.010))


def _model() -> Any:
    from signalbox.models import load_chat_model

    return load_chat_model("offline")


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
