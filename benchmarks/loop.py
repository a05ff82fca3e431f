"""The loop beside those of other packages: CPU of one request with one call of a tool and an answer, two rounds.

The models are fakes that read nothing: what is compared is what each package takes around a model. Ours also keeps the
evidence and checks the answer against it.
"""

from __future__ import annotations

from asyncio import Runner
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack

from benchmarks.instant import ANSWER, InstantModel
from benchmarks.measure import awaiting, race
from benchmarks.report import Row, at_most_times
from benchmarks.rivals.environment import Environment, UnavailableError
from benchmarks.rivals.process import RivalProcess
from signalbox.toolbox import Ledger, use_ledger
from signalbox.toolbox.loop import LoopContext, build_loop, run_loop, start_loop
from signalbox.toolbox.typed_tools import Result, tool

__all__ = ["measure"]

GROUP = "a request of two rounds with one call, on an instant fake"
QUESTION = "What is the weather in Paris?"
FRAMEWORKS = Environment("frameworks", ("pydantic-ai-slim==2.66.0", "openai-agents==0.24.0", "agno==3.1.10"))
RIVALS = {"pydantic-ai": "pydantic_ai_loop", "openai-agents": "openai_agents_loop", "agno": "agno_loop"}


def measure() -> Iterator[Row]:
    """Ours against each of the others in turns, and against the second fastest of them."""
    with Runner() as loop, ExitStack() as open_processes:
        contenders = {"ours": awaiting(_ours(), loop), "create_agent": awaiting(_langchain(), loop)}
        missing: dict[str, str] = {}
        for rival, module in RIVALS.items():
            try:
                process = open_processes.enter_context(RivalProcess(FRAMEWORKS, module))
                if "It is sunny" not in str(process.ask("async")["result"]):
                    raise AssertionError(f"{rival} did not answer from the tool")
                contenders[rival] = process.contender("async")
            except UnavailableError as error:
                missing[rival] = str(error)
        found = race(contenders)
    ours = found.pop("ours")
    yield from (Row(GROUP, f"against {rival}", ours, theirs) for rival, theirs in found.items())
    yield from (Row(GROUP, f"against {rival}", missing=why) for rival, why in missing.items())
    if missing:
        yield Row(GROUP, "against the second fastest", missing="not all of them were measured")
    else:
        yield Row(GROUP, "against the second fastest", ours, sorted(found.values())[1], at_most_times(1.0))


def _ours() -> Callable[[], Awaitable[object]]:
    @tool(effect="read")
    async def get_weather(city: str) -> Result:
        """The weather in a city now."""
        return Result(f"It is sunny in {city}, 21 degrees.")

    loop, model = build_loop([get_weather], "You know the weather."), InstantModel()

    async def answer() -> str:
        with use_ledger(Ledger()):
            told = await run_loop(loop, start_loop(QUESTION), LoopContext(model))
        return _require_answer(told["answer"], f"{ANSWER[:-1]} [E1].")

    return answer


def _langchain() -> Callable[[], Awaitable[object]]:
    from langchain.agents import create_agent
    from langchain_core.tools import tool as langchain_tool

    @langchain_tool
    async def get_weather(city: str) -> str:
        """The weather in a city now."""
        return f"It is sunny in {city}, 21 degrees."

    agent = create_agent(InstantModel(), [get_weather], system_prompt="You know the weather.")

    async def answer() -> str:
        said = await agent.ainvoke({"messages": [("user", QUESTION)]})
        return _require_answer(said["messages"][-1].content, ANSWER)

    return answer


def _require_answer(answer: str, expected: str) -> str:
    if answer != expected:
        raise AssertionError(f"the loop did not answer from the tool: {answer!r}")
    return answer
