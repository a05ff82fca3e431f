"""An agent of another package that gives tools and nothing else: models work with them in the loop."""

from __future__ import annotations

import importlib
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.models.provider_server import ProviderServer, Reply

from signalbox.contract import Agent, installed
from signalbox.errors import ContractError
from signalbox.runs import aask, aclose
from signalbox.runs.asking import say_in_thread
from signalbox.settings import forget_settings
from signalbox.storage import close_stores

PACKAGE = '''
from pathlib import Path
from signalbox.contract import Agent
from signalbox.errors import NotFoundError
from signalbox.language.names import did_you_mean
from signalbox.toolbox import Result, tool

STOCK = {"apples": 420, "pears": 7}
SOURCE = {"kind": "live", "system": "warehouse", "address": "http://stock.test"}


@tool(effect="read")
async def count_goods(goods: str) -> Result:
    """How many pieces of some goods are in stock."""
    if goods not in STOCK:
        raise NotFoundError(f"There are no '{goods}'.", suggestion=did_you_mean(goods, STOCK))
    return Result(f"There are {STOCK[goods]} {goods} in stock.", source=SOURCE)


@tool
async def order_goods(goods: str, pieces: int, key: str) -> Result:
    """Order more of some goods."""
    with (Path(__file__).parent / "orders").open("a") as orders:
        orders.write(f"{pieces} {goods} {key}\\n")
    return Result(f"Ordered {pieces} {goods}.", source=SOURCE)


AGENT = Agent(
    name="warehouse", about="What is in stock in the warehouse", examples=("How many apples are left?",),
    tools=lambda: [count_goods, order_goods],
)
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    info = tmp_path / "warehouse_agent-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: warehouse-agent\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[signalbox.agents]\nwarehouse = warehouse_agent:AGENT\n")
    (tmp_path / "warehouse_agent.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    installed._installed.cache_clear()
    yield tmp_path
    sys.modules.pop("warehouse_agent", None)
    installed._installed.cache_clear()


@pytest.fixture
async def server(package: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ProviderServer]:
    server = ProviderServer()
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/gpt-4.1-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
    forget_settings()
    yield server
    await aclose()
    await close_stores()
    server.close()


async def test_a_call_marked_as_the_answer_is_presented_with_its_source_and_evidence(server: ProviderServer) -> None:
    server.say(Reply(calls=[("count_goods", {"goods": "pears", "answer": True})]))
    answer = await aask("warehouse", "pears?")
    assert (answer.status, answer.answer) == ("completed", "There are 7 pears in stock.")
    assert answer.source == {"kind": "live", "system": "warehouse", "address": "http://stock.test"}
    assert [one["tool"] for one in answer.evidence] == ["count_goods"]
    assert len(server.bodies) == 1


async def test_the_model_sees_results_and_what_it_writes_is_checked(server: ProviderServer) -> None:
    server.say(
        Reply(calls=[("count_goods", {"goods": "peers"})]),
        Reply(calls=[("count_goods", {"goods": "pears"}), ("count_goods", {"goods": "apples"})]),
        Reply("`apples`: 420, `pears`: 8."),
        Reply("There are 420 `apples` and 7 `pears`."),
    )
    answer = await aask("warehouse", "what is left?")
    assert answer.answer == "There are 420 `apples` and 7 `pears` [E2, E3]."
    assert "pears" in str(server.bodies[1]["messages"][-1])
    assert "8" in str(server.bodies[3]["messages"][-1])


async def test_a_change_waits_for_a_yes(server: ProviderServer, package: Path) -> None:
    server.say(Reply(calls=[("order_goods", {"goods": "pears", "pieces": 50, "answer": True})]))
    asked = await aask("warehouse", "order 50 pears", thread_id="t")
    assert asked.status == "needs_input"
    assert not (package / "orders").exists()
    done = await say_in_thread("warehouse", "yes", thread_id="t")
    assert (done.status, done.answer) == ("completed", "Ordered 50 pears.")
    assert len((package / "orders").read_text().splitlines()) == 1


@pytest.mark.parametrize("said", ["how many pears are left?", "yes but only 20"])
async def test_a_new_request_drops_the_question_and_a_later_yes_changes_nothing(
    server: ProviderServer, package: Path, said: str
) -> None:
    server.say(Reply(calls=[("order_goods", {"goods": "pears", "pieces": 50, "answer": True})]))
    await aask("warehouse", "order 50 pears", thread_id="t")
    server.say(Reply(calls=[("count_goods", {"goods": "pears", "answer": True})]))
    told = await say_in_thread("warehouse", said, thread_id="t")
    assert told.status == "completed"
    assert told.answer.startswith("There are 7 pears in stock.\n\nI dropped my question “")
    assert told.answer.endswith("”: nothing was changed by it.")
    # Even a model that takes a late yes for one has to ask anew.
    server.say(Reply(calls=[("order_goods", {"goods": "pears", "pieces": 50, "answer": True})]))
    assert (await say_in_thread("warehouse", "yes", thread_id="t")).status == "needs_input"
    assert not (package / "orders").exists()


async def test_the_offline_model_reads_once_and_the_result_is_the_answer(package: Path) -> None:
    answer = await aask("warehouse", "How many pears are in stock?")
    assert (answer.status, answer.answer) == ("completed", "There are 7 pears in stock.")
    await aclose()


def test_an_agent_without_tools_and_without_a_map_is_refused() -> None:
    with pytest.raises(ContractError, match="needs tools"):
        Agent(name="empty", about="nothing", examples=())
