"""The basic agent types: they pass values on, ask for them, or choose a branch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from signalbox.contract import StateAdapter, current_tracker
from signalbox.maps.agents.base import Inputs, MapAgent, last_error, route_by
from signalbox.maps.context import current_run

__all__ = [
    "AggregatorAgent",
    "BranchingAgent",
    "DefaultAgent",
    "EchoAgent",
    "FailureAgent",
    "InputAgent",
    "OutputAgent",
    "SuccessAgent",
]


_ASKED = "__asked"


class DefaultAgent(MapAgent):
    """Returns its prompt with the fields filled in; without a prompt it says that it ran."""

    needs_variables = False
    blocking = False

    def process(self, inputs: dict[str, Any]) -> Any:
        """The prompt as a text."""
        return self.render_prompt(inputs, lenient=True) or f"[{self.name}] DefaultAgent executed"


class EchoAgent(MapAgent):
    """Returns its inputs: one unchanged, several as a mapping. A prompt with fields is filled in instead. Outside a map
    it returns all inputs by name, as the contract requires."""

    blocking = False

    def process(self, inputs: dict[str, Any]) -> Any:
        """The inputs, unchanged."""
        return inputs if inputs else "No input provided to echo"

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        if current_run.get() is None or (output is not inputs and inputs):
            return state, output
        if self.prompt and self.prompt_has_variables():
            return state, self.render_prompt(Inputs(inputs, state))
        if not inputs:
            return state, output
        values = {name: last_error(state) if name == "error" and v is None else v for name, v in inputs.items()}
        return state, next(iter(values.values())) if len(values) == 1 else values


class OutputAgent(EchoAgent):
    """The final output of a graph, like echo."""


class AggregatorAgent(MapAgent):
    """Combines the results of parallel branches: the available inputs, by name."""

    blocking = False

    def process(self, inputs: dict[str, Any]) -> Any:
        """The inputs that have a value, or the prompt filled in with them."""
        if self.prompt and self.prompt_has_variables():
            return self.render_prompt(inputs)
        return {name: value for name, value in inputs.items() if value is not None}


class SuccessAgent(MapAgent):
    """Succeeds, and says so."""

    needs_variables = False
    blocking = False

    def process(self, inputs: dict[str, Any]) -> Any:
        """A line that says which node succeeded, with what."""
        return _report("SUCCESS", self, inputs)


class FailureAgent(MapAgent):
    """Does its work and takes the failure branch."""

    needs_variables = False
    blocking = False

    def process(self, inputs: dict[str, Any]) -> Any:
        """A line that says which node took the failure branch, with what."""
        return _report("FAILURE", self, inputs)

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        return state, route_by(False, self, output)


class InputAgent(MapAgent):
    """Takes its value from the state; if it is missing, the run pauses and asks the person for it.

    In a loop it asks again each time.
    """

    pauses = True
    needs_variables = False
    blocking = False

    def process(self, inputs: dict[str, Any]) -> Any:
        """The value, from the state or from the person."""
        if not self._has_run(inputs):
            given = self._given(inputs)
            if given is not None:
                return self._noted(given, inputs)
        from langgraph.types import interrupt

        fields = self.output_fields or list(inputs)
        question = self.render_prompt(inputs, lenient=True) or f"Please give {' and '.join(fields) or 'a value'}:"
        answer = interrupt(
            {"kind": "clarify", "type": "input", "node": self.name, "message": question, "fields": fields}
        )
        return self._noted(self._unwrapped(answer, fields, inputs), inputs)

    def _has_run(self, inputs: dict[str, Any]) -> bool:
        tracker = current_tracker.get()
        state = inputs.state if isinstance(inputs, Inputs) else {}
        return self.name in (state.get(_ASKED) or ()) if tracker is None else tracker.has_run(self.name)

    def _noted(self, output: Any, inputs: dict[str, Any]) -> Any:
        """The output; in a graph that somebody runs as plain LangGraph, the state also says that the node has run."""
        if current_tracker.get() is not None or current_run.get() is None:
            return output
        state = inputs.state if isinstance(inputs, Inputs) else {}
        asked = {_ASKED: list(dict.fromkeys([*(state.get(_ASKED) or ()), self.name]))}
        if isinstance(output, Mapping) and output.keys() == {"state_updates"}:
            return {"state_updates": {**output["state_updates"], **asked}}
        fields = self.output_fields
        written = dict(output) if len(fields) > 1 and isinstance(output, Mapping) else dict.fromkeys(fields[:1], output)
        return {"state_updates": {**written, **asked}}

    def _unwrapped(self, answer: Any, fields: list[str], inputs: Mapping[str, Any]) -> Any:
        """What a person gave. An answer with every input field also fills those, for the rows that read them."""
        if not isinstance(answer, Mapping):
            return answer
        if len(fields) == 1 and set(answer) == set(fields):
            return answer[fields[0]]
        if not inputs or set(answer) != set(inputs) or len(self.output_fields) > 1:
            return answer
        given = dict(answer) if len(answer) > 1 else next(iter(answer.values()))
        return {"state_updates": {**answer, **({self.output_field: given} if self.output_field else {})}}

    def _given(self, inputs: dict[str, Any]) -> Any:
        state = inputs.state if isinstance(inputs, Inputs) else {}
        held = {field: StateAdapter.get_value(state, field) for field in self.output_fields}
        if held and all(value is not None for value in held.values()):
            return held if len(held) > 1 else next(iter(held.values()))
        values = dict(inputs)
        if values and all(value is not None for value in values.values()):
            return values if len(values) > 1 else next(iter(values.values()))
        return None


class BranchingAgent(MapAgent):
    """Takes the success or the failure branch by the value of a field.

    Context: `success_field` (default: the first input), `success_values`, `failure_values`, `fallback_fields`
    (used if the field has no value) and `default_result` (for a value in neither list; default success).
    """

    needs_variables = False
    blocking = False
    success_words = (True, "true", "yes", "success", "succeed", "1", "t", "y", 1)
    failure_words = (False, "false", "no", "failure", "fail", "0", "f", "n", 0)
    fallbacks = ("should_succeed", "succeed", "branch", "input", "success")

    def process(self, inputs: dict[str, Any]) -> Any:
        """A line that says which branch, and why."""
        field, value, success = self._decide(inputs)
        why = f"'{field}' = {value}" if field else "no field decides, so the default does"
        return f"BRANCH: {self.name} takes the {'success' if success else 'failure'} branch: {why}"

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        return state, route_by(self._decide(Inputs(inputs, state))[2], self, output)

    def _decide(self, inputs: Mapping[str, Any]) -> tuple[str, Any, bool]:
        state = inputs.state if isinstance(inputs, Inputs) else {}
        first = self.context.get("success_field") or next(iter(inputs), "success")
        for field in (first, *self.context.get("fallback_fields", self.fallbacks)):
            value = inputs.get(field)
            value = state.get(field) if value is None else value
            if value is not None:
                return field, value, self._judge(value)
        return "", None, bool(self.context.get("default_result", True))

    def _judge(self, value: Any) -> bool:
        if _among(value, self.context.get("success_values", self.success_words)):
            return True
        if _among(value, self.context.get("failure_values", self.failure_words)):
            return False
        if isinstance(value, bool | int | float) and "success_values" not in self.context:
            return bool(value)
        return bool(self.context.get("default_result", True))


def _among(value: Any, words: Iterable[Any]) -> bool:
    """True if the value is one of the words; case does not matter, and `200` is also the text 200."""
    if isinstance(words, str):
        words = [word.strip() for word in words.replace("|", ",").split(",")]
    if isinstance(value, bool):
        return any((isinstance(word, bool) and word is value) or str(word).casefold() == str(value).casefold() for word in words)  # noqa: E501  # fmt: skip
    return any(str(word).strip().casefold() == str(value).strip().casefold() for word in words)


def _report(word: str, agent: MapAgent, inputs: Mapping[str, Any]) -> str:
    told = f" with {', '.join(f'{k}={v}' for k, v in inputs.items())}" if inputs else ""
    prompt = agent.render_prompt(inputs, lenient=True)
    return f"{word}: {agent.name}{told}" + (f": {prompt}" if prompt else "")
