"""What the rest of Signalbox knows about an agent: its name, its map, and functions for the start and end of a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from signalbox.contract.blocks import Block, Severity
from signalbox.errors import ContractError, MissingExtraError

__all__ = ["Agent", "Examination", "Observation", "Presented", "Relation", "lazy"]

State = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Presented:
    """A final state, presented to a person: `text` is Markdown, `blocks` are drawn by terminal and page (see `blocks`).

    `source` says where the answer comes from: `{"kind": "embedded" | "live", "system": …, "address": …}`; for an
    embedded one, `connect` names the setting that connects a real one. `not_covered` lists the parts of the request
    that the answer does not cover. `state` replaces the state that is shown. `error` (error_type, message, suggestion)
    marks an error that still shows what was found; the text must mention it too. `parts` are the Answers of other
    agents that were used, as JSON.
    """

    text: str
    blocks: list[Block] = field(default_factory=list)
    source: dict[str, Any] | None = None
    not_covered: list[str] = field(default_factory=list)
    state: dict[str, Any] | None = None
    error: dict[str, str] | None = None
    parts: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Observation:
    """Something an agent saw that is a symptom or may explain one: when, how severe, and what it is about."""

    text: str
    start: datetime
    end: datetime | None = None
    severity: Severity = "info"
    about: str = ""
    is_symptom: bool = False
    evidence: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of the system that identify the thing (service, instance, device, interface, …)."""
    measure: str = ""
    """What was measured; observations with the same measure are of the same kind."""
    points: Sequence[tuple[datetime, float]] = ()
    """The curve around it, a few dozen points in this `unit`, for drawing."""
    unit: str = ""
    is_since_known: bool = True
    """False if the time when it began is unknown; then `start` is when it was seen."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing depends on another, with the evidence.

    Things are written `kind:name`, such as `service:checkout`, `machine:web-1` or `experiment:Hint Timing`. With
    `is_wire`, two machines are connected by a wire; with `is_same`, `other` is another name of `thing`. `role` is the
    role of `thing` in the inventory.
    """

    thing: str
    other: str = ""
    evidence: str = ""
    is_wire: bool = False
    is_same: bool = False
    role: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """What an agent saw in a period. `looked_at` lists in words everything it examined, even if unremarkable; `failed`
    lists what it could not examine, and why."""

    observations: list[Observation] = field(default_factory=list)
    looked_at: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    source: dict[str, Any] | None = None


TOOLS_MAP = Path(__file__).parents[1] / "maps" / "tool_agent.csv"
"""The map of agents that have tools but no map of their own."""


def _start_request(request: str, before: State | None, agent: str = "") -> dict[str, Any]:
    return {"agent": agent, "request": request}


def _present_outcome(state: State) -> Presented:
    told = state["outcome"]
    return Presented(told["answer"], told["blocks"], told["source"], told["not_covered"], error=told["error"])


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that people can ask. A package offers it with an entry point in the group `signalbox.agents`.

    An agent with `tools` needs no map: a model works with the tools in the loop, and their results are the answer. Any
    other agent has `map`, `start` and `present`.

    If a run fails, it puts `error` into its state, with `error_type`, `message` and `suggestion`, and `present` is not
    called. `timings_ms` in the state is added to the timings of the Answer.
    """

    name: str
    about: str
    """One line, for people."""
    examples: tuple[str, ...]
    map: Path = TOOLS_MAP
    start: Callable[[str, State | None], dict[str, Any]] = _start_request
    """Returns the initial state, given the request and what was remembered from the previous turn."""
    present: Callable[[State], Presented] = _present_outcome
    """Presents the final state of a completed run to a person."""
    plan: Callable[[State, Any], Awaitable[Presented]] | None = None
    """Given the initial state and a chat model (or None), says what would be done, without contacting a live system."""
    close: Callable[[], Awaitable[None]] | None = None
    """Closes the connections opened in the running event loop."""
    check: Callable[[], Awaitable[str]] | None = None
    """Says in words what responds; raises a SignalboxError if the live system does not."""
    suggest: Callable[[], Awaitable[Sequence[str]]] | None = None
    """Returns example requests for the connected system; if no real system is connected, `examples` are shown."""
    source: Callable[[], dict[str, Any] | None] | None = None
    """Where it reads with the current settings, without contacting the system, in the form of `Presented.source`."""
    has_system: bool = True
    """True if it can be connected to a real system. An agent that stores the person's own things, or asks other agents,
    counts as neither live nor embedded."""
    data: str = ""
    """The kind of data it reads, as a word for sentences ("figures"); by default its name."""
    examine: Callable[[str, datetime, datetime], Awaitable[Examination]] | None = None
    """What it saw between two times that may explain a problem of the given thing (or ""). Must only read."""
    relate: Callable[[datetime, datetime], Awaitable[Sequence[Relation]]] | None = None
    """The dependencies between things that it knows of, between two times. Must only read."""
    start_alert: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    """Returns the initial state for an alert, given `summary`, `labels`, `since` and `until` (ISO 8601 or empty)."""
    tools: Callable[[], Sequence[Any]] | None = None
    """Its tools (`signalbox.toolbox.Tool`), for the loop."""
    note: Callable[[Sequence[str], str], Awaitable[str]] | None = None
    """Stores these notes for the person, once per key, and says in words what it did."""
    routes: str = ""
    """Which requests it should get, for the front door's model; by default `about` and `examples`."""
    is_offered: bool = True
    """True if the front door sends requests to it."""
    is_command: bool = False
    """True if `signalbox NAME "…"` asks it, in addition to `signalbox ask --agent NAME "…"`."""
    hands_over: Callable[[State], Mapping[str, Any] | None] | None = None
    """Returns the agent that the request is handed over to: `{"to": name, "confidence": number}`, with the `request` to
    hand over and the person's own words as `said` if they differ; or None. Such an agent gets the previous turn of any
    agent, as `{"agent", "said", "answer"}`, and may call the others with `RunContext.call_agent`."""
    graph: str = ""
    """Which graph of the map; by default the one named like the agent, or the only one."""
    remembers: tuple[str, ...] = ()
    """The keys of the final state (JSON values) that are passed to the next turn of a thread. Agents of one map share
    them."""
    private: tuple[str, ...] = ()
    """The keys of the state that are never shown in an Answer."""
    asides: tuple[Agent, ...] = ()
    """Agents that are started only by its own commands."""

    def __post_init__(self) -> None:
        if self.start is _start_request:
            if self.tools is None or self.map != TOOLS_MAP:
                raise ContractError(f"The agent '{self.name}' needs tools, or a map with start and present.")
            object.__setattr__(self, "start", partial(_start_request, agent=self.name))


def lazy(reference: str, extra: str = "") -> Callable[..., Any]:
    """The function `module:name`, imported on its first call, so that AGENT is cheap to import.

    If a package is missing then, it raises MissingExtraError for `extra`, if given.
    """
    module, _, name = reference.partition(":")

    def call(*given: Any) -> Any:
        try:
            function = getattr(import_module(module), name)
        except ImportError as error:
            if not extra or (error.name or "").partition(".")[0] == module.partition(".")[0]:
                raise
            raise MissingExtraError("This agent", extra) from None
        return function(*given)

    return call
