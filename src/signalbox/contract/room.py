"""What the floors above know of an agent: its name, its map, and the functions at the two ends of a run."""

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
    """A final state for a person: `text` is Markdown, `blocks` are what terminal and page draw (see `blocks`).

    `source` says where the answer comes from: `{"kind": "embedded" | "live", "system": …, "address": …}`,
    of an embedded one also what would `connect` one's own;
    `not_covered` lists the parts of the request that it leaves out. `state` replaces the state that is shown.
    `error` (error_type, message, suggestion) makes it an error that still shows what was found: the text says so too.
    `parts` are the Answers of other agents that it rests on, as JSON.
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
    """Something that an agent saw and that may explain a symptom, or is one: when, how bad, and what it is about."""

    text: str
    start: datetime
    end: datetime | None = None
    severity: Severity = "info"
    about: str = ""
    is_symptom: bool = False
    evidence: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    """What identifies the thing in the system's own labels (service, instance, device, interface, …)."""
    measure: str = ""
    """What was measured; observations of one measure are of one kind."""
    points: Sequence[tuple[datetime, float]] = ()
    """The curve around it, a few dozen points, for who draws it; in this `unit`."""
    unit: str = ""
    is_since_known: bool = True
    """False for what is so now and began at an unknown time; then `start` is when it was seen."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing depends on another, and what says so.

    Things are written `kind:name`, such as `service:checkout`, `machine:web-1` or `experiment:Hint Timing`. With
    `is_wire`, two machines are wired to each other; with `is_same`, `other` is another name of `thing`. `role` is what
    the inventory says of `thing`.
    """

    thing: str
    other: str = ""
    evidence: str = ""
    is_wire: bool = False
    is_same: bool = False
    role: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """What an agent saw between two moments. `looked_at` says in words what it looked at, the unremarkable included;
    `failed` says what it could not look at, and why."""

    observations: list[Observation] = field(default_factory=list)
    looked_at: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    source: dict[str, Any] | None = None


TOOLS_MAP = Path(__file__).parents[1] / "maps" / "tool_agent.csv"
"""The map of agents that give tools and have no map of their own."""


def _start_request(request: str, before: State | None, agent: str = "") -> dict[str, Any]:
    return {"agent": agent, "request": request}


def _present_outcome(state: State) -> Presented:
    told = state["outcome"]
    return Presented(told["answer"], told["blocks"], told["source"], told["not_covered"], error=told["error"])


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that can be asked. A package offers one by an entry point in the group `signalbox.agents`.

    One that gives `tools` needs no map of its own: a model works with them in the loop, and their results are the
    answer. Any other has `map`, `start` and `present`.

    A run that fails puts `error` into its state, with `error_type`, `message` and `suggestion`; `present` then is not
    called. A state's own `timings_ms` is added to those of the Answer.
    """

    name: str
    about: str
    """One line, for people."""
    examples: tuple[str, ...]
    map: Path = TOOLS_MAP
    start: Callable[[str, State | None], dict[str, Any]] = _start_request
    """The request, and what was remembered of the turn before: the state that a run begins with."""
    present: Callable[[State], Presented] = _present_outcome
    """The final state of a run that completed, for a person."""
    plan: Callable[[State, Any], Awaitable[Presented]] | None = None
    """The first state and a chat model (or None): what would be done, without touching a live system."""
    close: Callable[[], Awaitable[None]] | None = None
    """Closes the connections that were opened in the running event loop."""
    check: Callable[[], Awaitable[str]] | None = None
    """What answers, in words; raises a SignalboxError where the live system does not."""
    suggest: Callable[[], Awaitable[Sequence[str]]] | None = None
    """Requests about what the connected system has; where nothing real is connected, `examples` are shown."""
    source: Callable[[], dict[str, Any] | None] | None = None
    """Where it reads as the settings stand, without asking there: in the form of `Presented.source`."""
    has_system: bool = True
    """Whether a real system can be connected to it. One that keeps the person's own things, or that asks other agents,
    counts as neither live nor embedded."""
    data: str = ""
    """What it reads there, in a word for a sentence ("figures"); by default its name."""
    examine: Callable[[str, datetime, datetime], Awaitable[Examination]] | None = None
    """What it saw between two moments that may explain the trouble of a thing, which may be empty. Reads only."""
    relate: Callable[[datetime, datetime], Awaitable[Sequence[Relation]]] | None = None
    """What it knows of which thing depends on which, between two moments. Reads only."""
    start_alert: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    """The state that a run begins with for an alert: `summary`, `labels`, `since` and `until` (ISO 8601 or empty)."""
    tools: Callable[[], Sequence[Any]] | None = None
    """What it can do, as `signalbox.toolbox.Tool`s, for the loop."""
    note: Callable[[Sequence[str], str], Awaitable[str]] | None = None
    """Writes these things down for who asks, once for a key, and says in words what it did."""
    routes: str = ""
    """What kinds of requests are for it, in the words that the front door's model reads; by default `about` and
    `examples`."""
    is_offered: bool = True
    """Whether the front door sends requests to it."""
    is_command: bool = False
    """Whether `signalbox NAME "…"` asks it, beside `signalbox ask --agent NAME "…"`."""
    hands_over: Callable[[State], Mapping[str, Any] | None] | None = None
    """The agent that the final state sends the request on to: `{"to": name, "confidence": number}`, with the `request`
    to hand on and the person's own words as `said` where they differ; or None. Such an agent is given the turn before
    of any agent, as `{"agent", "said", "answer"}`, and may call the others with `RunContext.call_agent`."""
    graph: str = ""
    """Which graph of the map; by default the one named like the agent, else the only one."""
    remembers: tuple[str, ...] = ()
    """The keys of the final state, as JSON, that the next turn of a thread is given. Agents of one map share them."""
    private: tuple[str, ...] = ()
    """The keys of the state that no Answer shows."""
    asides: tuple[Agent, ...] = ()
    """Agents that only its own commands start, which nobody asks."""

    def __post_init__(self) -> None:
        if self.start is _start_request:
            if self.tools is None or self.map != TOOLS_MAP:
                raise ContractError(f"The agent '{self.name}' needs tools, or a map with start and present.")
            object.__setattr__(self, "start", partial(_start_request, agent=self.name))


def lazy(reference: str, extra: str = "") -> Callable[..., Any]:
    """The function that `module:name` refers to, imported at its first call, so that AGENT itself costs nothing.

    A package that is missing then raises MissingExtraError for `extra`, if one is given.
    """
    module, _, name = reference.partition(":")

    def call(*given: Any) -> Any:
        try:
            function = getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            if not extra or (error.name or "").partition(".")[0] == module.partition(".")[0]:
                raise
            raise MissingExtraError("This agent", extra) from None
        return function(*given)

    return call
