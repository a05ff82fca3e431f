"""Every fault of a model, in every call that a room makes: requested once more, then an error that names it.

The provider is real HTTP, with what it says written down here; so are the metrics' server and the tools of the network.
What was found before a late call failed stands in the answer all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.oncall.conftest import bgp, neighbor
from tests.agents.oncall.scripted import envelope, scripted_server
from tests.models.provider_server import ProviderServer, Reply

from signalbox.agents.oncall.tools import use_server
from signalbox.contract.answer import Answer
from signalbox.maps.writing import Piece, use_writing
from signalbox.runs import aask, aclose
from signalbox.settings import forget_settings
from signalbox.storage import close_stores
from signalbox.worlds.metrics import open_shop, serve

MODEL = "openai/gpt-4.1-mini"
NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Fault:
    """A reply that cannot be used, again and again; the type of the error, how it begins, and how often it is sent."""

    reply: Reply
    error_type: str
    message: str
    sent: int = 2


REPLIES = {
    "truncated": Fault(Reply('{"to": "ta', finish="length"), "model_truncated", "The model's reply was cut off."),
    "filtered": Fault(Reply("", finish="filter"), "model_filtered", "The model's provider withheld the reply."),
    "refused": Fault(Reply("", finish="refusal"), "model_refused", "The model declined to answer."),
    "empty": Fault(Reply(""), "model_empty", "The model gave an empty reply."),
    "blank": Fault(Reply(" \n "), "model_empty", "The model gave an empty reply."),
    "an unknown tool": Fault(Reply(calls=[("fly", {})]), "model_tool", "The model called a tool that does not exist."),
}
PROVIDER = {
    "a wrong key": Fault(Reply(status=401), "llm_api", "The model's provider refused the key.", sent=1),
    "too busy": Fault(
        Reply(status=429, headers={"Retry-After": "900"}), "model_busy", "The model's provider is limiting", sent=1
    ),
    "no budget": Fault(Reply("", tokens=(900_000, 7, 3)), "budget", "This request needs more than", sent=1),
}
EVERYWHERE = REPLIES | PROVIDER
FEW = {name: EVERYWHERE[name] for name in ("truncated", "empty", "a wrong key", "no budget")}
NOT_JSON, MISFIT = "The model's reply is not the JSON", "The model's reply does not fit"
OBJECTS = EVERYWHERE | {
    "malformed": Fault(Reply('{"to": "ta'), "model_malformed", NOT_JSON),
    "words": Fault(Reply("I would look at the network."), "model_malformed", NOT_JSON),
    "a list": Fault(Reply('["tasks"]'), "model_malformed", NOT_JSON),
}
WRONG = "The model called a tool with wrong arguments."


def misfit(**given: Any) -> Fault:
    return Fault(Reply(json.dumps(given)), "model_malformed", MISFIT)


def wrong_call(name: str, given: Any) -> Fault:
    return Fault(Reply(calls=[(name, given)]), "model_tool", WRONG)


@dataclass(frozen=True)
class Call:
    """One of the calls of a room: who asks what, the faults to try, and what the answer still says."""

    agent: str
    question: str
    faults: dict[str, Fault]
    shows: tuple[str, ...] = ()
    is_parsing: bool = False
    """Whether the contract names the error: `parsing_error`, with what happened in the suggestion."""


BGP, SLOW = "check the BGP neighbors on pe1", "why was the checkout slow yesterday?"
FOUND = ("pe1", "10.0.0.5", "IDLE")
CALLS = {
    "route": Call(
        "frontdoor",
        SLOW,
        EVERYWHERE
        | {
            "malformed": wrong_call("metrics", '{"request": "wh'),
            "wrong type": wrong_call("metrics", {"request": 7}),
            "an unknown argument": wrong_call("metrics", {"colour": "red"}),
        },
    ),
    "task": Call(
        "tasks",
        "put milk on my list",
        REPLIES
        | {
            "malformed": wrong_call("add_task", '{"title": "mi'),
            "wrong type": wrong_call("add_task", {"title": 7}),
            "unknown option": wrong_call("add_task", {"title": "milk", "priority": "purple"}),
            "an unknown argument": wrong_call("add_task", {"title": "milk", "colour": "red"}),
        },
    ),
    # No name stands in it, so the model is asked what it is about.
    "symptom": Call(
        "investigate", "why was it all so slow yesterday?", OBJECTS | {"wrong type": misfit(about={"a": 1}, when=7)}
    ),
    "metrics step": Call(
        "metrics",
        SLOW,
        EVERYWHERE
        | {
            "malformed": wrong_call("promql", '{"que'),
            "wrong type": wrong_call("promql", {"query": 7}),
            "no query": wrong_call("promql", {}),
            "an unknown argument": wrong_call("promql", {"query": "up", "colour": "red"}),
        },
        is_parsing=True,
    ),
    "metrics answer": Call("metrics", SLOW, FEW, ("duration", "checkout", "Query:")),
    # Each of these sweeps over all that is measured: one fault of a reply and one of the provider show the rest.
    "metrics explanation": Call(
        "metrics-explained",
        SLOW,
        {name: FEW[name] for name in ("truncated", "a wrong key")},
        ("duration", "checkout", "Query:"),
    ),
    "oncall plan": Call(
        "oncall",
        BGP,
        OBJECTS
        | {
            "wrong type": misfit(action="check", devices={"a": 1}),
            "unknown option": misfit(action="dance"),
            "an empty plan": misfit(),
        },
    ),
    "oncall loop": Call(
        "oncall",
        BGP,
        EVERYWHERE
        | {
            "malformed": wrong_call("get_routing_info", '{"proto'),
            "wrong type": wrong_call("get_routing_info", {"minutes": "many"}),
            "an unknown argument": wrong_call("get_routing_info", {"colour": "red"}),
            "a device": wrong_call("get_routing_info", {"device_name": "pe1"}),
        },
        ("Nothing was read of pe1", "Not checked"),
    ),
    "oncall answer": Call("oncall", BGP, EVERYWHERE, FOUND),
}
CASES = [(call, fault) for call, about in CALLS.items() for fault in about.faults]


def call_of(body: dict[str, Any]) -> str:
    """Which of the calls a request to the model is."""
    told = json.dumps(body.get("response_format") or [one["function"]["name"] for one in body.get("tools", ())])
    if '"promql"' in told:
        return "metrics answer" if '<result id=\\"E1' in json.dumps(body["messages"]) else "metrics step"
    for title, call in (("Symptom", "symptom"), ("OncallPlan", "oncall plan")):
        if title in told:
            return call
    if "get_routing_info" in told:
        return "oncall answer" if "<result id=" in json.dumps(body["messages"]).replace("\\", "") else "oncall loop"
    if "add_task" in told:
        return "task"
    if told != "[]":
        return "route"
    return "metrics explanation"


WELL = {
    "symptom": Reply('{"about": "checkout", "when": "yesterday"}'),
    "metrics step": Reply(
        calls=[
            (
                "promql",
                {
                    "query": 'sum(rate(http_request_duration_seconds_sum{service="checkout"}[5m]))',
                    "start": "2026-03-10T00:00:00Z",
                    "end": "2026-03-11T00:00:00Z",
                },
            )
        ]
    ),
    "oncall plan": Reply(
        json.dumps({"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"], "confidence": 1})
    ),
    "oncall loop": Reply(calls=[("get_routing_info", {"protocol": "bgp"})]),
    "oncall answer": Reply("The session with `10.0.0.5` is IDLE."),
}


@dataclass
class Script:
    """What the provider says: `reply` to one of the calls, `first` to its first time, and all is well elsewhere."""

    call: str
    reply: Reply
    first: Reply | None = None
    sent: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Reply:
        call = call_of(body)
        if call != self.call:
            return WELL.get(call) or Reply("All is said.")
        self.sent.append(body)
        return self.first if self.first is not None and len(self.sent) == 1 else self.reply


@pytest.fixture(scope="module")
def provider() -> Iterator[ProviderServer]:
    server = ProviderServer()
    yield server
    server.close()


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    with serve(open_shop(NOW, clock=lambda: NOW)) as address:
        yield address


@pytest.fixture(scope="module")
def network() -> Any:
    answers: dict[str, Callable[[str], Any]] = {
        "get_routing_info": lambda device: envelope(device, bgp(neighbor("IDLE"))),
        "get_logs": lambda device: envelope(device, {"logs": []}),
        "get_topology_neighbors": lambda device: envelope(device, {"neighbors": []}),
    }
    return scripted_server([{"name": "pe1", "role": "PE"}], answers, [])


@pytest.fixture
def asking(
    provider: ProviderServer, shop: str, network: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Script], Any]]:
    settings = {
        "OPENAI_API_KEY": "some-key",
        "OPENAI_BASE_URL": f"{provider.address}/v1",
        "GRAFANA_URL": shop,
        "SIGNALBOX_NOW": NOW.isoformat(),
        "SIGNALBOX_MODEL_RUN_TOKENS": "500000",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    forget_settings()

    async def ask(script: Script) -> Answer:
        provider.say(script)
        # Only a model that fills in plans is asked for a symptom by itself.
        monkeypatch.setenv("SIGNALBOX_MODEL_PLANS", str(script.call == "symptom"))
        about = CALLS[script.call]
        with use_server(network):
            answer = await aask(about.agent, about.question, model=MODEL)
        await aclose()
        await close_stores()
        return answer

    yield ask
    forget_settings()


@pytest.mark.parametrize(("call", "fault"), CASES)
async def test_a_fault_of_the_model_is_requested_again_and_then_named(
    call: str, fault: str, asking: Callable[[Script], Any]
) -> None:
    about, expected = CALLS[call], CALLS[call].faults[fault]
    script = Script(call, expected.reply)
    answer = await asking(script)
    assert answer.status == "error"
    assert answer.error is not None
    assert len(script.sent) == expected.sent
    if about.is_parsing:
        assert answer.error["error_type"] == "parsing_error"
        assert answer.error["message"] == "Could not understand your query"
        assert answer.error["suggestion"].startswith(expected.message)
    else:
        assert answer.error["error_type"] == expected.error_type
        assert answer.error["message"].startswith(expected.message)
        assert answer.error["message"] in answer.answer
    for part in about.shows:
        assert part in answer.answer
    assert bool(answer.blocks) == bool(about.shows)
    told = json.dumps(answer.as_dict())
    for forbidden in ("Failure_Next", "Error in", "trouble connecting", "****"):
        assert forbidden not in told


@pytest.mark.parametrize("call", WELL)
async def test_a_model_that_does_better_the_second_time_is_not_an_error(
    call: str, asking: Callable[[Script], Any]
) -> None:
    script = Script(call, WELL[call], first=Reply(""))
    answer = await asking(script)
    assert "could not be used" in json.dumps(script.sent[1]["messages"][-1])
    assert answer.error is None
    assert answer.answer


@pytest.mark.parametrize("call", ["oncall plan"])
async def test_json_in_a_fence_is_read(call: str, asking: Callable[[Script], Any]) -> None:
    script = Script(call, Reply(f"```json\n{WELL[call].text}\n```"))
    answer = await asking(script)
    assert len(script.sent) == 1
    assert answer.error is None


@pytest.mark.parametrize(
    "call", ["metrics step", "metrics answer", "metrics explanation", "oncall loop", "oncall answer"]
)
async def test_a_slow_model_is_not_taken_for_a_slow_system(
    call: str, asking: Callable[[Script], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_TIMEOUT", "0.05")
    monkeypatch.setenv("SIGNALBOX_ONCALL_DEADLINE", "0.5")
    monkeypatch.setattr("signalbox.agents.metrics.transport.Limits.question_seconds", 0.5)
    forget_settings()
    answer = await asking(Script(call, Reply("", delay=0.2)))
    assert answer.error is not None
    told = json.dumps(answer.error)
    assert "The model took too long to answer." in told
    assert "time for this device" not in answer.answer


@pytest.mark.parametrize(
    ("call", "reply"), [("oncall answer", Reply("4711 sessions are down.")), ("symptom", WELL["symptom"])]
)
async def test_nothing_is_streamed_that_is_no_text_or_does_not_hold(
    call: str, reply: Reply, asking: Callable[[Script], Any]
) -> None:
    pieces: list[Piece] = []
    with use_writing(pieces.append):
        answer = await asking(Script(call, reply))
    assert "4711" not in answer.answer
    assert pieces == []
