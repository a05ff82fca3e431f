"""What the built-in agent types share: the run's context, a rendered prompt, a flag that routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from signalbox.contract import BaseAgent, StateAdapter
from signalbox.errors import PromptError
from signalbox.maps.context import RunContext, run_context
from signalbox.maps.prompts import is_reference, render, render_reference, resolve_prompt, variables

__all__ = ["Inputs", "MapAgent", "route_by"]


class Inputs(dict[str, Any]):
    """The inputs of a node, with the whole state for prompts that refer to other fields."""

    state: Mapping[str, Any]

    def __init__(self, values: Mapping[str, Any], state: Any = None) -> None:
        super().__init__(values)
        self.state = state if isinstance(state, Mapping) else {}


class MapAgent(BaseAgent):
    """A built-in agent type.

    One instance serves many runs at once and keeps no state between calls. The class declares what its nodes may do,
    for the builder, the checks and the drawing.
    """

    hooks_write_state = False
    pauses = False
    chooses = False
    """It chooses the next node."""
    runs_graph = False
    uses_model = False
    uses_files = False
    """It reads or writes files of the data folder."""
    sends_messages = False
    needs_variables = True
    """A missing variable in its prompt is an error instead of being left unchanged."""
    allowed_options: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The options of its Context with a fixed set of values."""

    @property
    def run_context(self) -> RunContext:
        """The context of the current run."""
        return run_context()

    def option(self, name: str, inputs: Mapping[str, Any], default: Any = None) -> Any:
        """An option of the node: from its inputs, or else its Context, or else the default."""
        value = inputs.get(name)
        return self.context.get(name, default) if value is None else value

    def _pre_process(self, state: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
        return state, Inputs(inputs, state)

    def render_prompt(self, inputs: Mapping[str, Any], *, lenient: bool = False) -> str:
        """The prompt with its variables filled in from the inputs or else the state.

        A field that another node has not written yet is empty. A missing variable raises PromptError with its name; a
        lenient prompt leaves it unchanged.
        """

        def look_up(name: str) -> Any:
            return self._variable(name, inputs, lenient)

        return render(self._prompt_text(look_up), look_up)

    def prompt_has_variables(self) -> bool:
        """True if the prompt has variables to fill in."""
        return (is_reference(self.prompt) and "{" in self.prompt) or bool(variables(self._prompt_text()))

    def _prompt_text(self, look_up: Callable[[str], Any] | None = None) -> str:
        """The text of the prompt; a reference may itself have variables, as in `yaml:texts.yaml#greeting.{lang}`."""
        if not is_reference(self.prompt):
            return self.prompt
        named = render_reference(self.prompt, look_up) if look_up is not None else self.prompt
        return resolve_prompt(named, self.run_context.folder)

    def _variable(self, name: str, inputs: Mapping[str, Any], lenient: bool) -> Any:
        state = inputs.state if isinstance(inputs, Inputs) else {}
        for source in (inputs, state):
            value = StateAdapter.get_value(source, name)
            if value is not None:
                return value
        if name in inputs and name not in state and not self._nobody_writes(name):
            return ""
        if name == "error":
            return last_error(state)
        if name in state or not self._nobody_writes(name):
            return ""
        if lenient:
            return "{" + name + "}"
        raise PromptError(
            f"The prompt of '{self.name}' needs '{name}', which no node writes and the state does not contain.",
            suggestion=f"Give it at the start, e.g. --set {name}=…, or correct the name.",
        )

    def _nobody_writes(self, name: str) -> bool:
        graph = self.run_context.graph
        return graph is None or name not in graph.written


def last_error(state: Mapping[str, Any]) -> str:
    """The last line in the state's errors."""
    errors = state.get("errors") or [""]
    return str(errors[-1])


def route_by(success: bool, agent: BaseAgent, output: Any) -> dict[str, Any]:
    """An output that also says which branch the graph takes."""
    updates: dict[str, Any] = {"last_action_success": success}
    if agent.output_field:
        updates[agent.output_field] = output
    return {"state_updates": updates}
