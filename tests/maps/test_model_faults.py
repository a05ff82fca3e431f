"""Every fault of a model on every row that asks one: requested once more, then an error that names it, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.models.provider_server import ProviderServer, Reply

from signalbox.maps import MapResult, run_map
from signalbox.models import load_chat_model
from signalbox.models.usage import Budget, count_usage
from signalbox.settings import forget_settings

Write = Callable[..., Path]
HEADER = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Success_Next,Failure_Next,Context,Tool_Source\n"
ROWS = {
    "llm": "G,A,llm,Answer {text},text,said,,%s,,\n",
    "summary": "G,A,summary,Sum up,text,said,,%s,llm:true,\n",
    "orchestrator": 'G,A,orchestrator,,text,said,,%s,"matching_strategy:llm, nodes:North|South",\n',
    "tool_agent": "G,A,tool_agent,,text,said,,%s,matching_strategy:llm,tools.py\n",
}
OTHERS = "G,North,echo,,text,end,,,,\nG,South,echo,,text,end,,,,\nG,Sorry,default,handled,,end,,,,\n"
TOOLS = '''
from langchain_core.tools import tool


@tool
def walk(text: str) -> str:
    """Go on foot."""
    return "walked"


@tool
def drive(text: str) -> str:
    """Go by car."""
    return "driven"
'''
EVERYWHERE = {
    "filtered": (Reply("", finish="filter"), "model_filtered"),
    "refused": (Reply("", finish="refusal"), "model_refused"),
    "empty": (Reply(""), "model_empty"),
    "blank": (Reply(" \n "), "model_empty"),
    "truncated": (Reply('{"option": "No', finish="length"), "model_truncated"),
    "truncated while reasoning": (Reply("", finish="length"), "model_truncated"),
    "an unknown tool": (Reply(calls=[("fly", {})]), "model_tool"),
}
CHOICES = {
    "malformed": (Reply('{"option": "No'), "model_malformed"),
    "words": (Reply("It depends."), "model_malformed"),
    "a list": (Reply('["somewhere"]'), "model_malformed"),
    "wrong type": (Reply('{"option": 7}'), "model_malformed"),
    "unknown option": (Reply('{"option": "West"}'), "model_malformed"),
}
CASES = [
    (row, fault) for row in ROWS for fault in (EVERYWHERE | (CHOICES if row in ("orchestrator", "tool_agent") else {}))
]


@pytest.fixture(scope="module")
def started() -> Iterator[ProviderServer]:
    server = ProviderServer()
    yield server
    server.close()


@pytest.fixture
def server(started: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{started.address}/v1")
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/gpt-4.1-mini")
    forget_settings()
    yield started
    forget_settings()


@pytest.fixture
def run_row(write_file: Write) -> Callable[..., MapResult]:
    def run(row: str, failure: str = "", **options: object) -> MapResult:
        write_file(TOOLS, "tools.py")
        return run_map(write_file(HEADER + ROWS[row] % failure + OTHERS), {"text": "xyzzy"}, **options)

    return run


def require_named(result: MapResult, expected: str) -> None:
    answer = result.as_answer()
    assert (result.status, answer.status) == ("error", "error")
    assert answer.error is not None
    assert answer.error["error_type"] == expected
    assert answer.answer == answer.error["message"]
    for text in (answer.answer, json.dumps(answer.error)):
        assert "Failure_Next" not in text
        assert "Error in" not in text


@pytest.mark.parametrize(("row", "fault"), CASES)
def test_a_fault_is_requested_again_and_then_named(
    row: str, fault: str, server: ProviderServer, run_row: Callable[..., MapResult]
) -> None:
    reply, expected = (EVERYWHERE | CHOICES)[fault]
    server.say(reply)
    require_named(run_row(row), expected)
    assert len(server.bodies) == 2


@pytest.mark.parametrize("row", ROWS)
def test_a_row_with_a_failure_branch_takes_it(
    row: str, server: ProviderServer, run_row: Callable[..., MapResult]
) -> None:
    server.say(Reply(""))
    result = run_row(row, "Sorry")
    assert (result.status, result.state["end"]) == ("completed", "handled")
    assert "said" not in result.values


@pytest.mark.parametrize("row", ROWS)
def test_a_model_that_does_better_the_second_time_is_no_error(
    row: str, server: ProviderServer, run_row: Callable[..., MapResult]
) -> None:
    right = {"orchestrator": '{"option": "South"}', "tool_agent": '{"option": "drive"}'}
    server.say(Reply(""), Reply(right.get(row, "All is well.")))
    result = run_row(row)
    assert result.status == "completed"
    assert result.values["said"] == {"orchestrator": "South", "tool_agent": "driven"}.get(row, "All is well.")


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(status=429, headers={"Retry-After": "3600"}), "model_busy"),
        (Reply(status=401), "llm_api"),
        (Reply("late", delay=0.6), "model_timeout"),
    ],
    ids=["busy for an hour", "a wrong key", "too slow"],
)
def test_a_provider_that_fails_is_named(
    row: str,
    reply: Reply,
    expected: str,
    server: ProviderServer,
    run_row: Callable[..., MapResult],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_TIMEOUT", "0.3")
    forget_settings()
    server.say(reply)
    model = load_chat_model("openai/gpt-4.1-mini", max_retries=0)
    require_named(run_row(row, model=model), expected)


@pytest.mark.parametrize("row", ROWS)
def test_no_tokens_left_is_named(row: str, server: ProviderServer, run_row: Callable[..., MapResult]) -> None:
    server.say(Reply("All is well."))
    with count_usage(Budget(0, "run")):
        require_named(run_row(row), "budget")
    assert server.bodies == []


@pytest.mark.parametrize("row", ROWS)
def test_a_model_that_the_caller_made_goes_through_the_door_too(
    row: str, server: ProviderServer, run_row: Callable[..., MapResult]
) -> None:
    from langchain_openai import ChatOpenAI

    server.say(Reply(""))
    require_named(run_row(row, model=ChatOpenAI(model="gpt-4.1-mini", max_retries=0)), "model_empty")
    assert len(server.bodies) == 2


def test_a_fault_inside_a_graph_inside_a_graph_keeps_its_name(server: ProviderServer, write_file: Write) -> None:
    text = "GraphName,Node,AgentType,Prompt,Context\nOuter,Run,graph,,workflow=::Inner\nInner,A,llm,Hello,\n"
    server.say(Reply(""))
    require_named(run_map(write_file(text), graph="Outer"), "model_empty")
