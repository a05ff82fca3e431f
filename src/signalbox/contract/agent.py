"""`BaseAgent`: the base class of all nodes. A subclass only implements `process`."""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
import threading
import time
import uuid
from collections.abc import Awaitable, Mapping
from typing import Any

from signalbox.contract.state import StateAdapter
from signalbox.contract.tracker import ExecutionTracker, current_tracker
from signalbox.errors import LLMAPIError, OperatorError, RequestError, redact

__all__ = ["BaseAgent"]

TRACE = 5
_OWNED = frozenset({"last_action_success", "graph_success", "errors"})
_FOR_ASKER = (LLMAPIError, OperatorError, RequestError)
"""Errors worded for the current person; any other error of a node concerns its author."""
_PLAIN = frozenset({str, int, float, bool})
"""Outputs that can be nothing but a value."""
package_logger = logging.getLogger("signalbox")


class BaseAgent:
    """A node of a graph: reads its inputs from the state, processes them, and returns what changed.

    `process(inputs)` can be a plain or an `async` method. It may return LangGraph's `Command` to set what changes and
    where the graph goes. `expected_params` binds inputs by position. A class runs faster if it declares what it never
    does: `pauses = False`, it never calls `interrupt`; `blocking = False`, its plain `process` never waits, so that an
    event loop may call it directly; `hooks_write_state = False`, its hooks only read the state.
    """

    expected_params: tuple[str, ...] | list[str] = ()
    pauses = True
    blocking = True
    hooks_write_state = True

    def __init__(
        self,
        name: str,
        prompt: str,
        context: dict[str, Any] | None = None,
        logger: logging.Logger | None = None,
        execution_tracker: ExecutionTracker | None = None,
    ) -> None:
        self.name = name
        self.prompt = prompt
        self.context = context or {}
        self.prompt_template = prompt
        self.input_fields: list[str] = self.context.get("input_fields", [])
        self.output_field: str = self.context.get("output_field", "output")
        self.description: str = self.context.get("description", "")
        self._logger = logger
        self._execution_tracker = execution_tracker
        self._log_prefix = f"[{self.__class__.__name__}:{self.name}]"

    @property
    def output_fields(self) -> list[str]:
        """The names in `output_field`, which can list several: `a|b`."""
        return [part.strip() for part in (self.output_field or "").split("|") if part.strip()]

    def log(self, level: str, message: str, *args: Any, **kwargs: Any) -> None:
        """Log a message with the agent's name, to the injected logger or the package's own."""
        if self._logger is not None:
            write = getattr(self._logger, level, self._logger.info)
            write(f"{self._log_prefix} {message}", *args, **kwargs)
            return
        number = TRACE if level == "trace" else getattr(logging, level.upper(), logging.INFO)
        if package_logger.isEnabledFor(number):
            package_logger.log(number, f"{self._log_prefix} {message}", *args, **kwargs)

    def log_debug(self, message: str, *args: Any, **kwargs: Any) -> None:
        """Log a debug message with the agent's name."""
        self.log("debug", message, *args, **kwargs)

    def log_info(self, message: str, *args: Any, **kwargs: Any) -> None:
        """Log an info message with the agent's name."""
        self.log("info", message, *args, **kwargs)

    def log_warning(self, message: str, *args: Any, **kwargs: Any) -> None:
        """Log a warning with the agent's name."""
        self.log("warning", message, *args, **kwargs)

    def log_error(self, message: str, *args: Any, **kwargs: Any) -> None:
        """Log an error with the agent's name."""
        self.log("error", message, *args, **kwargs)

    def log_trace(self, message: str, *args: Any, **kwargs: Any) -> None:
        """Log a trace message with the agent's name."""
        self.log("trace", message, *args, **kwargs)

    def process(self, inputs: dict[str, Any]) -> Any:
        """Return the value of the output field. Subclasses must implement this method."""
        raise NotImplementedError("Subclasses must implement process()")

    def _pre_process(self, state: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
        """A hook before `process`; returns the state and inputs to use."""
        return state, inputs

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        """A hook after `process`; returns the state and output to use. An output of `{"state_updates": {…}}` sets
        several fields of the state at once."""
        return state, output

    def run(self, state: Any) -> dict[str, Any]:
        """Run the agent on a state and return only the fields that change.

        A failure does not raise; it is returned as `last_action_success` False and a line in `errors`.
        Raises ValueError without a tracker when strict mode is on.
        """
        step = _Step(self, state)
        try:
            output = self.process(step.begin())
            if hasattr(type(output), "__await__"):
                output = wait_for(output)
            return step.finish(output)
        except (Exception, SystemExit) as error:
            return step.fail(error)

    async def arun(self, state: Any) -> dict[str, Any]:
        """Like `run`, for an event loop: an `async process` is awaited; a plain one runs in a thread."""
        step = _Step(self, state)
        try:
            inputs = step.begin()
            if inspect.iscoroutinefunction(self.process):
                output = await self.process(inputs)
            elif self.blocking:
                output = await asyncio.to_thread(self.process, inputs)
            else:
                output = self.process(inputs)
            if inspect.isawaitable(output):
                output = await output
            return step.finish(output)
        except (Exception, SystemExit) as error:
            return step.fail(error)

    def invoke(self, state: Any) -> dict[str, Any]:
        """An alias of `run`, called by LangGraph."""
        return self.run(state)


def _own_tracker(agent: BaseAgent) -> ExecutionTracker:
    """A tracker for an agent that was given none. Raises ValueError in strict mode."""
    from signalbox.settings import get_settings

    if get_settings().strict:
        raise ValueError(
            f"ExecutionTracker not provided to agent '{agent.name}'. "
            "Please inject execution_tracker dependency using DI fixtures in tests or provide execution_tracker in "
            "constructor."
        )
    return ExecutionTracker()


class _Step:
    """One run of one agent, from its inputs to its update."""

    __slots__ = ("agent", "before", "execution_id", "inputs", "started", "state", "tells", "tracker")

    def __init__(self, agent: BaseAgent, state: Any) -> None:
        self.agent = agent
        self.before = state
        self.state = state
        self.inputs: dict[str, Any] = {}
        self.tracker = agent._execution_tracker or current_tracker.get() or _own_tracker(agent)
        self.tells = agent._logger is not None or package_logger.isEnabledFor(logging.DEBUG)
        self.execution_id = uuid.uuid4().hex[:8] if self.tells else ""
        self.started = time.time() if self.tells else 0.0

    def begin(self) -> dict[str, Any]:
        agent = self.agent
        if self.tells:
            agent.log_trace(f"\n*** AGENT {agent.name} RUN START [{self.execution_id}] at {self.started} ***")
        self.inputs = StateAdapter.get_inputs(self.state, agent.input_fields, agent.expected_params)
        self.tracker.record_node_start(agent.name, self.inputs)
        if type(agent)._pre_process is not BaseAgent._pre_process:
            self.state, self.inputs = agent._pre_process(self._for_hook(), self.inputs)
        return self.inputs

    def finish(self, output: Any) -> dict[str, Any]:
        agent = self.agent
        if type(agent)._post_process is not BaseAgent._post_process:
            self.state, output = agent._post_process(self._for_hook(), self.inputs, output)
        update: dict[str, Any] = {"last_action_success": True}
        if self.state is not self.before:
            update.update(_changes(self.before, self.state))
        field = agent.output_field
        if type(output) in _PLAIN and field and "|" not in field:
            update[field.strip()] = output
        else:
            output = self._take(output, update)
        self.tracker.record_node_result(agent.name, success=True, result=output)
        if self.tells:
            agent.log_debug(f"Set output field '{agent.output_field}' = {output}")
            self._log_end("COMPLETED")
        return update

    def _log_end(self, how: str) -> None:
        if self.tells:
            took = time.time() - self.started
            self.agent.log_trace(f"\n*** AGENT {self.agent.name} RUN {how} [{self.execution_id}] in {took:.4f}s ***")

    def fail(self, error: Exception | SystemExit) -> dict[str, Any]:
        agent = self.agent
        if is_pause(error):
            self.tracker.record_node_pause(agent.name)
            raise error
        message = redact(f"Error in {agent.name}: {error}")
        agent.log_error(message)
        self.tracker.record_node_result(agent.name, False, error=message)
        if isinstance(error, _FOR_ASKER):
            self.tracker.errors[agent.name] = redact(error.as_dict())
        update: dict[str, Any] = {
            "graph_success": self.tracker.update_graph_success(),
            "last_action_success": False,
            "errors": [message],
        }
        try:
            state, _ = agent._post_process(self._for_hook(), self.inputs, dict(update))
            update = {**_changes(self.before, state), **update}
        except Exception as post_error:
            agent.log_error(redact(f"Error in post-processing: {post_error}"))
        self._log_end("FAILED")
        return update

    def _for_hook(self) -> Any:
        """The state for a hook: a copy, so that what it writes in place is seen as a change."""
        if self.agent.hooks_write_state and isinstance(self.state, Mapping):
            return dict(self.state)
        return self.state

    def _take(self, output: Any, update: dict[str, Any]) -> Any:
        """Put the output into the update; return what is recorded as the node's output."""
        agent = self.agent
        commands = _commands(output)
        if commands:
            changes = {name: value for command in commands for name, value in _changed_by(command).items()}
            update.update(changes)
            update["__goto__"] = [target for command in commands for target in _targets_of(command)]
            return _produced(changes, agent.output_field)
        if isinstance(output, Mapping) and output.keys() == {"state_updates"}:
            update.update(output["state_updates"])
            return _produced(output["state_updates"], agent.output_field)
        if output is None or not agent.output_field:
            return output
        if "|" in agent.output_field:
            update.update(self._spread(output, agent.output_fields))
        else:
            update[agent.output_field.strip()] = output
        return output

    def _spread(self, output: Any, fields: list[str]) -> dict[str, Any]:
        """An output for several fields. `output_validation` in the context decides about one that does not fit: `warn`
        (the default) keeps everything and warns, `error` fails, and `ignore` keeps only the declared fields."""
        given = dict(output) if isinstance(output, Mapping) else {fields[0]: output}
        mode = self.agent.context.get("output_validation", "warn")
        if mode == "ignore":
            return {field: given[field] for field in fields if field in given}
        missing = ", ".join(field for field in fields if field not in given)
        extra = ", ".join(str(field) for field in given if field not in fields)
        for told in (missing and f"did not give the declared output {missing}", extra and f"gave {extra} undeclared"):
            if told and mode == "error":
                raise ValueError(f"{self.agent.name} {told}")
            if told:
                self.tracker.warn(f"{self.agent.name} {told}.")
        return given


def _commands(output: Any) -> list[Any]:
    """The output as LangGraph commands if it is one or several; never without LangGraph."""
    types = sys.modules.get("langgraph.types")
    if types is None:
        return []
    if not isinstance(output, list | tuple):
        return [output] if isinstance(output, types.Command) else []
    return list(output) if output and all(isinstance(item, types.Command) for item in output) else []


def _changed_by(command: Any) -> dict[str, Any]:
    if command.graph is not None:
        raise ValueError("A Command with graph=… leads out of this graph; a node of a map cannot give it.")
    changes = command.update or {}
    return dict(changes if isinstance(changes, Mapping | list | tuple) else vars(changes))


def _targets_of(command: Any) -> list[Any]:
    goto = command.goto
    return list(goto) if isinstance(goto, list | tuple) else [goto]


def _produced(updates: Mapping[str, Any], field: str) -> Any:
    """What is recorded as the output of a node that set several fields: its output field, or everything it set."""
    if field in updates:
        return updates[field]
    told = {key: value for key, value in updates.items() if key not in _OWNED and not key.startswith("__")}
    return next(iter(told.values())) if len(told) == 1 else told or None


def _changes(before: Any, after: Any) -> dict[str, Any]:
    if after is before or not isinstance(after, Mapping):
        return {}
    missing = object()
    return {k: v for k, v in after.items() if StateAdapter.get_value(before, k, missing) is not v}


def is_pause(error: BaseException) -> bool:
    """True if the error is LangGraph's way to pause or to leave a graph; never without LangGraph."""
    errors = sys.modules.get("langgraph.errors")
    return errors is not None and isinstance(error, errors.GraphBubbleUp)


def wait_for(awaitable: Awaitable[Any]) -> Any:
    """The result of an awaitable, even if an event loop is already running."""

    async def wait() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    import contextvars

    result: list[Any] = []
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result.append((True, context.run(asyncio.run, wait())))
        except BaseException as error:
            result.append((False, error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    done, value = result[0]
    if not done:
        raise value
    return value
