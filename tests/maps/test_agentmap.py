"""Agents written for AgentMap run as they stand: their base classes, their services, and where their files lie."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from signalbox.maps import MapResult, arun_map, check_map, run_map

Write = Callable[..., Path]
HEADER = "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context\n"


class Recording(BaseChatModel):
    """A chat model that answers with what it was sent last, and keeps all of it."""

    sent: list[Any] = []  # noqa: RUF012

    @property
    def _llm_type(self) -> str:
        return "recording"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.sent.append([message.content for message in messages])
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"read: {messages[-1].text}"))])


@pytest.fixture
def run_agent(write_file: Write) -> Callable[..., MapResult]:
    """What a test calls to run one agent, given as the text of its file."""

    def run(code: str, state: dict[str, Any] | None = None, row: str = "G,A,own,x,y,,,,", **options: Any) -> MapResult:
        write_file(code, "custom_agents/own.py")
        path = write_file(HEADER + row + "\n")
        assert [finding for finding in check_map(path)[1] if finding.level == "error"] == []
        return run_map(path, state or {"x": "seven"}, **options)

    return run


Run = Callable[..., MapResult]
BASE = "from agentmap.agents.base_agent import BaseAgent\n"


def test_an_agent_has_a_logger(run_agent: Run, caplog: pytest.LogCaptureFixture) -> None:
    code = BASE + (
        "class Own(BaseAgent):\n"
        "    def __init__(self, name, prompt='', context=None, logger=None, **kwargs):\n"
        "        super().__init__(name, prompt, context, logger, **kwargs)\n"
        "        self.logger.debug('made')\n"
        "    def process(self, inputs):\n"
        "        self.logger.info('counting %s', inputs['x'])\n"
        "        return len(inputs['x'])\n"
    )
    with caplog.at_level(logging.INFO, "signalbox"):
        assert run_agent(code).output == 5
    assert "counting seven" in caplog.text


@pytest.mark.parametrize("names", ["execution_tracker_service", "execution_tracking_service", "tracker, adapter"])
def test_a_constructor_may_ask_for_services_by_any_name(run_agent: Run, names: str) -> None:
    code = BASE + (
        "class Own(BaseAgent):\n"
        f"    def __init__(self, name, prompt, context, logger, {names}, state_adapter_service, limit=3):\n"
        "        super().__init__(name=name, prompt=prompt, context=context, logger=logger)\n"
        "        self.limit, self.adapter = limit, state_adapter_service\n"
        "    def process(self, inputs):\n"
        "        return self.adapter.get_value({'k': self.limit}, 'k')\n"
    )
    assert run_agent(code).output == 3


ASYNC = BASE + (
    "import asyncio\n"
    "class Own(BaseAgent):\n"
    "    async def process_async(self, inputs):\n"
    "        await asyncio.sleep(0)\n"
    "        return inputs['x'].upper()\n"
)


def test_an_agent_may_have_process_async_alone(run_agent: Run) -> None:
    assert run_agent(ASYNC).output == "SEVEN"


async def test_process_async_is_awaited_in_an_event_loop(write_file: Write) -> None:
    write_file(ASYNC, "custom_agents/own.py")
    result = await arun_map(write_file(HEADER + "G,A,own,x,y,,,,\n"), {"x": "seven"})
    assert result.output == "SEVEN"


def test_process_async_of_the_base_class_gives_what_process_gives(run_agent: Run) -> None:
    code = BASE + (
        "class Plain(BaseAgent):\n"
        "    def process(self, inputs):\n"
        "        return inputs['x']\n"
        "class Own(Plain):\n"
        "    async def process_async(self, inputs):\n"
        "        return 'twice ' + await super().process_async(inputs)\n"
    )
    assert run_agent(code).output == "twice seven"


LLM = "from agentmap.agents.builtins.llm.llm_agent import LLMAgent\n"


def test_a_subclass_of_llm_agent_asks_the_model(run_agent: Run) -> None:
    code = LLM + (
        "class Own(LLMAgent):\n"
        "    def __init__(self, name, prompt, context=None, logger=None,\n"
        "                 execution_tracking_service=None, state_adapter_service=None):\n"
        "        context = dict(context or {})\n"
        "        context.setdefault('provider', 'anthropic')\n"
        "        super().__init__(name=name, prompt=prompt, context=context, logger=logger,\n"
        "                         execution_tracking_service=execution_tracking_service,\n"
        "                         state_adapter_service=state_adapter_service)\n"
        "    def process(self, inputs):\n"
        "        return super().process(inputs) + '!'\n"
    )
    model = Recording(sent=[])
    assert run_agent(code, row="G,A,own,x,y,,,Say {x},", model=model).output == "read: Say seven!"


# As the vision example has it: the agent stands beside the map, and a YAML file declares it.

VISION = LLM + (
    "class Looker(LLMAgent):\n"
    "    def process(self, inputs):\n"
    "        text = (self.resolved_prompt or self.prompt).replace('{what}', inputs['what'])\n"
    "        routing = self._prepare_routing_context(inputs)\n"
    "        return self.llm_service.ask_vision(\n"
    "            prompt=text, image=inputs['image'], provider=None if routing else self.provider_name,\n"
    "            model=self.model, temperature=self.temperature, routing_context=routing)\n"
)


@pytest.fixture
def vision(write_file: Write, tmp_path: Path) -> Path:
    write_file(VISION, "looker_agent.py")
    write_file("agents:\n  picture_reader:\n    class: looker_agent.Looker\n", "custom_agents.yaml")
    (tmp_path / "table.png").write_bytes(b"pixels")
    row = 'G,Look,picture_reader,image|what,y,,,Read the {what},"{""provider"": ""anthropic""}"\n'
    return write_file(HEADER + row)


def test_an_agent_that_looks_at_an_image_runs(vision: Path, tmp_path: Path) -> None:
    model = Recording(sent=[])
    result = run_map(vision, {"image": str(tmp_path / "table.png"), "what": "table"}, model=model)
    assert result.output == "read: Read the table"
    ((content,),) = model.sent
    assert content[1]["image_url"]["url"] == "data:image/png;base64," + base64.b64encode(b"pixels").decode()


def test_an_image_outside_the_folder_of_the_map_is_not_read(vision: Path, tmp_path: Path) -> None:
    (tmp_path.parent / "secret.png").write_bytes(b"secret")
    model = Recording(sent=[])
    result = run_map(vision, {"image": str(tmp_path.parent / "secret.png"), "what": "it"}, model=model)
    assert "outside the map's folder" in result.state["errors"][0]
    assert model.sent == []


def test_declared_agents_are_found_without_running_them(vision: Path) -> None:
    assert [finding.level for finding in check_map(vision, code=False)[1]] == ["note"]


# As the host integration example has it: own protocols, services declared beside the agents, an own run().

HOST_AGENT = BASE + (
    "from typing import Any, Protocol, runtime_checkable\n"
    "@runtime_checkable\n"
    "class StockProtocol(Protocol):\n"
    "    def configure_stock_service(self, stock_service: Any) -> None: ...\n"
    "class Own(BaseAgent, StockProtocol):\n"
    "    def __init__(self, name, prompt='', context=None, logger=None, **kwargs):\n"
    "        super().__init__(name, prompt, context, logger, **kwargs)\n"
    "        self.stock_service = None\n"
    "    def configure_stock_service(self, stock_service):\n"
    "        if not hasattr(stock_service, 'count'):\n"
    "            raise ValueError('no such service')\n"
    "        self.stock_service = stock_service\n"
    "        self.logger.debug('configured')\n"
    "    def run(self, state):\n"
    "        return {**state, 'counted': self.stock_service.count(state['x']), 'status': 'success'}\n"
)
HOST_SERVICE = (
    "class Stock:\n"
    "    def __init__(self, pieces=1):\n"
    "        self.pieces = pieces\n"
    "    def count(self, what):\n"
    "        return f'{self.pieces} {what}'\n"
)


def test_services_declared_beside_the_agents_are_given_to_them(run_agent: Run, write_file: Write) -> None:
    write_file(HOST_SERVICE, "custom_agents/stock.py")
    write_file(
        "services:\n  stock_service:\n    class_path: stock.Stock\n    config:\n      pieces: 12\n",
        "custom_agents/host_services.yaml",
    )
    result = run_agent(HOST_AGENT, {"x": "eggs", "last_action_success": False})
    assert result.status == "completed"
    assert (result.values["counted"], result.values["status"]) == ("12 eggs", "success")
    assert [node.node_name for node in result.summary.node_executions] == ["A"]


def test_a_constructor_may_take_the_name_and_hand_on_the_rest(run_agent: Run) -> None:
    code = BASE + (
        "class Own(BaseAgent):\n"
        "    def __init__(self, name: str, **kwargs):\n"
        "        super().__init__(name, **kwargs)\n"
        "    def process(self, inputs):\n"
        "        self.logger.debug('at work')\n"
        "        return f'{self.name}: {self.prompt}, {self.context[\"limit\"]}'\n"
    )
    assert run_agent(code, row="G,A,own,x,y,,,Count,limit:3").output == "A: Count, 3"


SHOP = (
    "class Stock(object):\n"
    "    def __init__(self, shelf, pieces):\n"
    "        self.shelf, self.pieces = shelf, pieces\n"
    "    @classmethod\n"
    "    def full(cls, shelf_service, pieces):\n"
    "        return cls(shelf_service, pieces)\n"
    "    def count(self, what):\n"
    "        return f'{self.pieces} {what} on {self.shelf.name}'\n"
    "class Shelf:\n"
    "    name = 'the top shelf'\n"
)


def declare(write_file: Write, text: str) -> None:
    write_file(SHOP, "custom_agents/shop.py")
    write_file(f"services:\n{text}", "custom_agents/host_services.yaml")


MADE = (
    "  stock_service:\n    class: shop.Stock\n    factory_method: full\n    dependencies: [shelf_service]\n"
    "    config: {pieces: 'env:PIECES:4'}\n"
)


def test_a_service_may_need_another_and_the_environment(run_agent: Run, write_file: Write) -> None:
    declare(write_file, MADE + "  shelf_service: shop.Shelf\n")
    assert run_agent(HOST_AGENT, {"x": "eggs"}).values["counted"] == "4 eggs on the top shelf"


def test_a_service_that_cannot_be_made_troubles_only_who_asks_for_it(run_agent: Run, write_file: Write) -> None:
    declare(write_file, MADE + "  shelf_service: shop.Shelf\n  broken_service:\n    class_path: no_such_module.Thing\n")
    assert run_agent(HOST_AGENT, {"x": "eggs"}).status == "completed"
    declare(write_file, MADE + "  shelf_service:\n    class_path: no_such_module.Thing\n")
    assert "'shelf_service' cannot be made" in run_agent(HOST_AGENT, {"x": "eggs"}).state["errors"][0]


BOUND = (
    "import sqlite3\n"
    "class Stock:\n"
    "    def __init__(self):\n"
    "        self.pieces = sqlite3.connect(':memory:')\n"
    "        self.pieces.execute('create table counted (what)')\n"
    "    def count(self, what):\n"
    "        self.pieces.execute('insert into counted values (?)', (what,))\n"
    "        return self.pieces.execute('select count(*) from counted').fetchone()[0]\n"
    "    def __len__(self):\n"
    "        return self.pieces.execute('select count(*) from counted').fetchone()[0]\n"
)
COUNTING = BASE + (
    "class Own(BaseAgent):\n"
    "    def configure_stock_service(self, stock_service):\n"
    "        self.stock_service = stock_service\n"
    "    def process(self, inputs):\n"
    "        self.stock_service.count(self.name)\n"
    "        return len(self.stock_service)\n"
)


def test_a_service_bound_to_a_thread_serves_nodes_of_many(write_file: Write) -> None:
    write_file(BOUND, "custom_agents/stock.py")
    write_file("services:\n  stock_service:\n    class_path: stock.Stock\n", "custom_agents/host_services.yaml")
    write_file(COUNTING, "custom_agents/own.py")
    side = "".join(f"G,S{i},own,x,s{i},Last,,,\n" for i in range(5))
    path = write_file(HEADER + "G,First,own,x,f,S0|S1|S2|S3|S4,,,\n" + side + "G,Last,own,x,y,,,,\n")
    result = run_map(path, {"x": "eggs"})
    assert (result.status, result.output) == ("completed", 7)


def test_services_that_need_each_other_are_an_error_that_names_them(run_agent: Run, write_file: Write) -> None:
    declare(write_file, MADE + "  shelf_service:\n    class: shop.Shelf\n    dependencies: [stock_service]\n")
    error = run_agent(HOST_AGENT, {"x": "eggs"}).state["errors"][0]
    assert "stock_service needs shelf_service needs stock_service" in error


STORING = BASE + (
    "from agentmap.services.protocols import StorageCapableAgent, StorageServiceProtocol\n"
    "class Own(BaseAgent, StorageCapableAgent):\n"
    "    def configure_storage_service(self, storage_service: StorageServiceProtocol):\n"
    "        self._storage_service = storage_service\n"
    "    def process(self, inputs):\n"
    "        return self._storage_service.read(inputs['x'])\n"
)
READING = (
    BASE + "class Own(BaseAgent):\n    def process(self, inputs):\n        return self.storage_service.read('x')\n"
)


@pytest.mark.parametrize("code", [STORING, READING], ids=["configured", "asked for"])
def test_a_service_that_is_not_here_fails_at_the_node_and_says_so(run_agent: Run, code: str) -> None:
    result = run_agent(code)
    assert result.status == "error"
    assert "needs AgentMap's storage_service, which Signalbox does not have" in result.state["errors"][0]


def test_an_llm_service_is_given_to_who_asks_for_it(run_agent: Run) -> None:
    code = BASE + (
        "from agentmap.services.protocols import LLMCapableAgent, LLMServiceProtocol\n"
        "class Own(LLMCapableAgent, BaseAgent):\n"
        "    def configure_llm_service(self, llm_service: LLMServiceProtocol) -> None:\n"
        "        self._llm_service = llm_service\n"
        "    async def process_async(self, inputs):\n"
        "        said = [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': inputs['x']}]\n"
        "        return await self._llm_service.call_llm_async(provider='openai', messages=said, temperature=0.3)\n"
    )
    model = Recording(sent=[])
    assert run_agent(code, model=model).output == "read: seven"
    assert model.sent == [["Be brief.", "seven"]]


@pytest.mark.parametrize(
    ("name", "given"),
    [("EchoAgent", "seven"), ("DefaultAgent", "Own prompt"), ("SuccessAgent", "SUCCESS: A with x=seven: Own prompt")],
)
def test_the_built_in_agents_may_be_inherited_from(run_agent: Run, name: str, given: str) -> None:
    code = f"from agentmap.agents.builtins.some_agent import {name}\nclass Own({name}):\n    pass\n"
    assert run_agent(code, row="G,A,own,x,y,,,Own prompt,").output == given
