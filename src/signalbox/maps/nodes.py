"""One row at work: its agent is made, run on the state, and asked where the graph goes next."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from langgraph.config import get_config, get_store, get_stream_writer
from langgraph.types import Send

from signalbox.contract import BaseAgent
from signalbox.contract.agent import wait_for
from signalbox.errors import ContractError, SignalboxError
from signalbox.language.names import did_you_mean
from signalbox.maps.agentmap import LentAgent, make_lent, own_run
from signalbox.maps.context import RunContext, current_run
from signalbox.maps.environment import from_environment, reads_environment
from signalbox.maps.functions import call_router, load_function, parameters_of
from signalbox.maps.registry import AgentType
from signalbox.maps.spec import END, FUNC, NodeSpec
from signalbox.maps.topology import resolve_target

__all__ = ["FunctionAgent", "NodeRunner", "Target", "make_agent"]

Target = str | Send
"""A node by its name, or a node with a state of its own to run on."""


class FunctionAgent(BaseAgent):
    """A plain or async function as an agent: it takes the inputs, by name or as one mapping."""

    def __init__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.function = function
        self.blocking = not inspect.iscoroutinefunction(function)

    def process(self, inputs: dict[str, Any]) -> Any:
        """What the function gives for the inputs."""
        params = parameters_of(self.function)
        if not params:
            return self.function()
        names = [p.name for p in params if p.kind is not p.VAR_KEYWORD]
        takes_any = len(names) < len(params)
        if len(names) == 1 and not takes_any and names[0] not in inputs:
            return self.function(next(iter(inputs.values())) if _wants_value(params[0], inputs) else inputs)
        return self.function(**{n: v for n, v in inputs.items() if takes_any or n in names})


class StateFunctionAgent(FunctionAgent):
    """A function over the whole state that gives back what changes, as LangGraph's own nodes do.

    It may take `config`, `runtime`, `writer` or `store` beside the state, as those may.
    """

    def _pre_process(self, state: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
        return state, dict(state) if isinstance(state, Mapping) else state

    def process(self, inputs: dict[str, Any]) -> Any:
        """What the function changes in the state."""
        more = [p.name for p in parameters_of(self.function)[1:] if p.name in _LENT]
        return self.function(inputs, **{name: _LENT[name]() for name in more})

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        return state, {"state_updates": output} if isinstance(output, Mapping) else output


def _runtime() -> Any:
    from langgraph.runtime import get_runtime

    return get_runtime()


_LENT: Mapping[str, Callable[[], Any]] = {
    "config": get_config,
    "runtime": _runtime,
    "writer": get_stream_writer,
    "store": get_store,
}


def make_agent(node: NodeSpec, kind: AgentType) -> BaseAgent:
    """An agent for a row. Raises ContractError if its class cannot be made as the contract says."""
    return agent_maker(node, kind)()


def agent_maker(node: NodeSpec, kind: AgentType) -> Callable[[], BaseAgent]:
    """What makes agents for a row, with all that is the same for each found out once. Raises as `make_agent`."""
    target: Any = kind.target
    reads = reads_environment(node.context)
    said = {
        **node.context,
        "output_field": "|".join(node.outputs),
        "description": node.description,
        "tool_source": node.tool_source,
        "node_type": node.context.get("node_type", ""),
    }
    name, prompt, inputs, tools = node.name, node.prompt, node.inputs, node.tools
    is_lent = isinstance(target, type) and issubclass(target, LentAgent)
    create: Any = partial(make_lent, target) if is_lent else target
    if not isinstance(target, type):
        create = partial(StateFunctionAgent if _takes_state(kind, node) else FunctionAgent, target)

    def make() -> BaseAgent:
        own = from_environment(node.context, "The Context", kept=("api_key",)) if reads else {}
        context = {**said, **own, "input_fields": list(inputs), "available_tools": list(tools)}
        try:
            agent: Any = create(name, prompt, context)
        except Exception as error:
            raise ContractError(
                f"{target.__name__} cannot be made for node '{name}': {error}.",
                suggestion="Its __init__ takes name, prompt and context, and hands them to BaseAgent's.",
            ) from error
        run = own_run(agent) if is_lent else None
        if run is None and isinstance(agent, BaseAgent):
            return agent
        return StateFunctionAgent(run or agent.run, name, prompt, context)

    return make


class NodeRunner:
    """Runs one row. A built-in agent is made once; one of the user's own is made anew for each run."""

    def __init__(
        self, node: NodeSpec, row: int, kind: AgentType, names: Mapping[str, str], surroundings: RunContext
    ) -> None:
        self.node = node
        self.name = node.name
        self.row = row
        self.kind = kind
        self.names = names
        self.surroundings = surroundings
        self._make = agent_maker(node, kind)
        self._shared = self._make() if kind.is_builtin and not reads_environment(node.context) else None
        self.asks = any(target.startswith(FUNC) for target in node.targets)
        """True if routing functions decide what comes next, which are called each time."""
        self._cells = {True: node.on_success, False: node.on_failure}

    def run(self, state: Any) -> dict[str, Any]:
        """What the row changes in the state."""
        context = current_run.get()
        if context is None:
            with self._alone():
                return self._seen(self._agent().run(state))
        context.budget.take(self.name)
        update = (self._shared or self._agent()).run(state)
        context.written.append(update)
        return update

    async def arun(self, state: Any) -> dict[str, Any]:
        """Like `run`, for an event loop."""
        context = current_run.get()
        if context is None:
            with self._alone():
                return self._seen(await self._agent().arun(state))
        context.budget.take(self.name)
        update = await (self._shared or self._agent()).arun(state)
        context.written.append(update)
        return update

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """In a graph that somebody runs as plain LangGraph, the row has a run of its own."""
        token = current_run.set(self.surroundings)
        try:
            yield
        finally:
            current_run.reset(token)

    def _seen(self, update: dict[str, Any]) -> dict[str, Any]:
        """An update that nobody follows: a failure that no row takes care of must not pass unseen."""
        if not update["last_action_success"] and not self.node.failure_next:
            raise ContractError(update["errors"][-1])
        return update

    @property
    def is_async(self) -> bool:
        """True if the agent is asynchronous."""
        return _is_async(self.kind.target)

    @property
    def is_quick(self) -> bool:
        """True if an event loop may call the agent directly."""
        return self._shared is not None and not self._shared.blocking

    def route(self, success: bool, goto: list[Target] | None, after: Callable[[], Any]) -> tuple[Target, ...]:
        """What comes next: where a command says, else where the cells of success or failure lead; nothing is the end.

        `after` gives the state with what the row changed in it, for a routing function.
        """
        if goto:
            return self._resolve(goto)
        targets: list[Target] = []
        for target in self._cells[success]:
            found = self._call(target, after()) if target.startswith(FUNC) else self._resolve(target)
            targets += [one for one in found if isinstance(one, Send) or one not in targets]
        return tuple(targets)

    def _call(self, reference: str, state: Any) -> tuple[Target, ...]:
        name = reference.removeprefix(FUNC).strip()
        function = load_function(name, self.surroundings.folder)
        targets = (_plain_targets(self.node.success_next), _plain_targets(self.node.failure_next))
        try:
            answer = call_router(function, state, targets, self.node.context)
            answer = wait_for(answer) if inspect.isawaitable(answer) else answer
        except Exception as error:
            raise ContractError(
                f"The routing function '{name}' of '{self.node.name}' failed: {type(error).__name__}: {error}."
            ) from error
        if answer is None:
            return ()
        if not isinstance(answer, str | Send | list | tuple | set):
            raise ContractError(
                f"The routing function '{name}' of '{self.node.name}' gave {answer!r}.",
                suggestion="It gives a node's name, a Send, a list of them, or None for the end.",
            )
        return self._resolve(answer, f"The routing function '{name}' of '{self.node.name}'")

    def _resolve(self, answer: Any, who: str = "") -> tuple[Target, ...]:
        found: list[Target] = []
        for target in [answer] if isinstance(answer, str | Send) else list(answer):
            named = target.node if isinstance(target, Send) else str(target)
            name = resolve_target(named, self.names)
            if name is None:
                raise ContractError(
                    f"{who or self.node.name} leads to '{named}', which is not a node of the graph.",
                    suggestion=did_you_mean(named, set(self.names.values())),
                )
            if name != END:
                found.append(Send(name, target.arg) if isinstance(target, Send) else name)
        return tuple(found)

    def _agent(self) -> BaseAgent:
        if self._shared is not None:
            return self._shared
        try:
            return self._make()
        except SignalboxError as error:
            return _Unmade(self.node.name, error)


class _Unmade(BaseAgent):
    """What stands for an agent whose constructor raised: it fails, so that the row takes its failure branch."""

    def __init__(self, name: str, error: SignalboxError) -> None:
        super().__init__(name, "")
        self.error = error

    def process(self, inputs: dict[str, Any]) -> Any:
        """Raise what the constructor raised."""
        raise self.error


def _plain_targets(cell: tuple[str, ...]) -> str | list[str] | None:
    named = [target for target in cell if not target.startswith(FUNC)]
    return named[0] if len(named) == 1 else named or None


def _takes_state(kind: AgentType, node: NodeSpec) -> bool:
    """True if a function is a node as LangGraph's are, on the whole state: one by reference whose row names no inputs,
    or that says so by the name of its first parameter. Every other takes the inputs of its row."""
    if kind.origin != "reference":
        return False
    try:
        first = next(iter(parameters_of(kind.target)), None)
    except (TypeError, ValueError):
        return True
    return not node.inputs or (first is not None and first.name == "state")


def _wants_value(parameter: inspect.Parameter, inputs: Mapping[str, Any]) -> bool:
    return len(inputs) == 1 and parameter.name not in {"inputs", "state", "data", "values", "kwargs"}


def _is_async(target: Any) -> bool:
    process = getattr(target, "process", target)
    return inspect.iscoroutinefunction(process)
