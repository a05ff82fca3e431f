"""A real model behind a real OpenAI-compatible server on loopback; what is asserted is form."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from signalbox.errors import ModelTruncatedError
from signalbox.models import count_usage, load_chat_model
from signalbox.models.usage import usage_of

pytestmark = pytest.mark.usefixtures("clean_environment")


class Ticket(BaseModel):
    """A ticket."""

    kind: Literal["fault", "question"]
    severity: int = Field(ge=1, le=5)


@pytest.fixture(scope="module")
def address(smollm2_path: Path, require_module: Callable[[str], None]) -> Iterator[str]:
    """The same model file, served over HTTP."""
    require_module("langchain_openai")
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2_path)
    params.n_ctx = 1024
    params.verbosity = -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def model(address: str, clean_environment: pytest.MonkeyPatch) -> BaseChatModel:
    return load_chat_model("openai/smollm2", base_url=address)


def test_it_answers_within_the_limit_and_counts_tokens(model: BaseChatModel) -> None:
    answer = model.invoke("Say hello.", max_tokens=8)
    assert answer.text.strip()
    assert 0 < usage_of(answer)["output_tokens"] <= 8


def test_it_answers_in_one_event_loop_after_the_other(model: BaseChatModel) -> None:
    for _ in range(3):
        assert asyncio.run(model.ainvoke("Say hello.", max_tokens=8)).text.strip()


async def test_it_answers_asynchronously(model: BaseChatModel) -> None:
    assert (await model.ainvoke("Say hello.", max_tokens=8)).text.strip()


def test_it_streams(model: BaseChatModel) -> None:
    assert sum(bool(chunk.text) for chunk in model.stream("Say hello to everyone.", max_tokens=8)) >= 3


def test_structured_output_fits_the_schema(address: str) -> None:
    model = load_chat_model("openai/smollm2", base_url=address, max_tokens=60)
    found: Any = model.with_structured_output(Ticket).invoke("The link is down.")
    assert isinstance(found, Ticket)


def test_the_settings_alone_lead_to_the_server(address: str, clean_environment: pytest.MonkeyPatch) -> None:
    clean_environment.setenv("SIGNALBOX_MODEL", "openai/smollm2")
    clean_environment.setenv("SIGNALBOX_MODEL_BASE_URL", address)
    clean_environment.setenv("SIGNALBOX_MODEL_MAX_TOKENS", "4")
    with count_usage() as counter, pytest.raises(ModelTruncatedError):
        load_chat_model().invoke("Say hello.")
    assert 0 < counter.usage["output_tokens"] <= 8
    assert counter.calls == 2
