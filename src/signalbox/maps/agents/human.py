"""Agent types that wait for a person (who approves, chooses, writes or edits) or another system."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar

from langgraph.types import interrupt

from signalbox.errors import ConfigurationError, RequestError, SlowError
from signalbox.language.names import did_you_mean
from signalbox.maps.agents.base import MapAgent, route_by
from signalbox.maps.messages import asked_for
from signalbox.settings import now
from signalbox.toolbox.confirmation import Decision, asked_again, read_reply

__all__ = ["INTERACTIONS", "TIMED_OUT", "HumanAgent", "SuspendAgent", "check_answer"]

INTERACTIONS = ("approval", "choice", "text_input", "edit", "conversation")
TIMED_OUT = {"action": "timeout"}
_WRAPPERS = ("text", "edited", "edited_content", "content", "message", "value", "feedback", "comment", "response")


class SuspendAgent(MapAgent):
    """Pauses the run until it is resumed. The value it is resumed with is its output; `reject` takes the failure
    branch.

    Context: `reason`, `external_ref`, `timeout_seconds`; `send_suspend_message`, `send_graph_message` and
    `send_resume_message` have messages written for other programs (see `signalbox.maps.messages`).
    """

    kind = "suspend"
    pauses = True
    sends_messages = True
    needs_variables = False

    def process(self, inputs: dict[str, Any]) -> Any:
        """What the run was resumed with."""
        question = self._question(inputs)
        answer = interrupt(question)
        while answer != TIMED_OUT and not self._is_answer(answer):
            answer = interrupt(asked_again(question))
        if answer == TIMED_OUT:
            return self._timed_out()
        return self._answered(answer, inputs)

    def _is_answer(self, answer: Any) -> bool:
        """True if the pause can end with this answer; otherwise it asks again."""
        return True

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        if not isinstance(output, _Reply):
            return state, output
        return state, route_by(output.success, self, output.value)

    def _question(self, inputs: dict[str, Any]) -> dict[str, Any]:
        timeout = self._timeout()
        question = {
            "kind": "clarify",
            "type": self.kind,
            "node": self.name,
            "message": self.render_prompt(inputs, lenient=True) or f"{self.name} waits to be resumed.",
            "inputs": dict(inputs),
            "reason": self.context.get("reason", ""),
            "external_ref": self.context.get("external_ref", ""),
        }
        if timeout is not None:
            question["timeout_seconds"] = timeout
            question["expires_at"] = (now() + timedelta(seconds=timeout)).isoformat()
        if messages := asked_for(self.context):
            graph = self.run_context.graph
            question |= {"messages": messages, "graph": graph.name if graph else "", "context": self._own_context()}
        return question

    def _own_context(self) -> dict[str, Any]:
        """The Context of the row, without the settings for messages."""
        row = self.run_context.graph.node(self.name).context if self.run_context.graph else {}
        return {key: value for key, value in row.items() if "_message" not in key}

    def _timeout(self) -> float | None:
        given = self.context.get("timeout_seconds", self.context.get("timeout"))
        if given in (None, ""):
            return None
        try:
            seconds = float(str(given))
        except ValueError:
            raise ConfigurationError(f"'{self.name}': timeout_seconds is {given!r}, not a number.") from None
        if seconds <= 0:
            raise ConfigurationError(f"'{self.name}': timeout_seconds is {seconds:g}; it must be more than 0.")
        return seconds

    def _timed_out(self) -> Any:
        raise SlowError(f"No answer came within {self._timeout():g} seconds.")

    def _answered(self, answer: Any, inputs: dict[str, Any]) -> _Reply:
        action, data = _split(answer)
        if _is_no(answer):
            return _Reply(False, data if data is not None else action)
        return _Reply(True, answer if data is None else data)


class HumanAgent(SuspendAgent):
    """Pauses for a person. Context: `interaction_type` (approval, choice, text_input, edit, conversation),
    `options`, `default_option` (taken when the time is up), `timeout_seconds`."""

    kind = "human"
    allowed_options: ClassVar[Mapping[str, tuple[str, ...]]] = {"interaction_type": INTERACTIONS}

    def _question(self, inputs: dict[str, Any]) -> dict[str, Any]:
        options = self._options()
        return {
            **super()._question(inputs),
            "kind": "confirm" if self._interaction() == "approval" else "clarify",
            "interaction_type": self._interaction(),
            "options": options or (["approve", "reject"] if self._interaction() == "approval" else []),
            "default_option": self._default(),
        }

    def _interaction(self) -> str:
        given = str(self.context.get("interaction_type", "text_input")).casefold()
        if given not in INTERACTIONS:
            raise ConfigurationError(
                f"'{self.name}': there is no interaction_type '{given}'.",
                suggestion=did_you_mean(given, INTERACTIONS),
            )
        return given

    def _options(self) -> list[str]:
        options = self.context.get("options") or []
        return options.replace(",", "|").split("|") if isinstance(options, str) else [str(o) for o in options]

    def _is_answer(self, answer: Any) -> bool:
        """An approval ends with a yes, a no, or an option of the map's own."""
        if self._interaction() != "approval" or _decision(answer) != "other":
            return True
        try:
            return bool(self._options() and _chosen(answer, self._options()))
        except RequestError:
            return False

    def _timed_out(self) -> Any:
        default = self._default()
        approval = self._interaction() == "approval" and _decision(default) != "other"
        if default is not None and (not self._options() or str(default) in self._options() or approval):
            return self._answered(default, {})
        return super()._timed_out()

    def _default(self) -> Any:
        return self.context.get("default_option", self.context.get("default_action"))

    def _answered(self, answer: Any, inputs: dict[str, Any]) -> _Reply:
        interaction = self._interaction()
        action, data = _split(answer)
        decision = _decision(answer)
        if interaction == "approval":
            if decision != "other":
                return _Reply(decision == "yes", decision == "yes")
            return _Reply(False, _chosen(answer, self._options()))
        if interaction == "choice" and action not in ("choose", "select"):
            among = {option.strip().casefold() for option in self._options()}
            if _is_no(answer) and action not in among:
                return _Reply(False, data if data is not None else action)
        if interaction == "choice":
            return _Reply(True, _chosen(answer, self._options()))
        if action == "reject" or (decision == "no" and isinstance(answer, Mapping)):
            return _Reply(False, data if data is not None else action)
        return _Reply(True, _unwrapped(data if data is not None else answer, self.output_fields))


def _unwrapped(value: Any, fields: list[str]) -> Any:
    """What a person wrote, extracted from the mapping that a form may have made."""
    if isinstance(value, Mapping):
        for key in (*_WRAPPERS, *fields):
            if key in value:
                return value[key]
    return value


class _Reply:
    """An answer as understood: which branch it takes, and its value."""

    def __init__(self, success: bool, value: Any) -> None:
        self.success = success
        self.value = value


def check_answer(question: Mapping[str, Any], answer: Any) -> None:
    """Raise RequestError for a choice that is not an option; the run then continues to wait."""
    if answer == TIMED_OUT or question.get("interaction_type") != "choice" or _is_no(answer):
        return
    if question.get("options"):
        _chosen(answer, question["options"])


def _decision(answer: Any) -> Decision:
    """A yes, a no or neither; `true` and `false` are what a command line has for a button."""
    word = answer.strip().casefold() if isinstance(answer, str) else ""
    return read_reply({"true": True, "false": False}.get(word, answer))


def _is_no(answer: Any) -> bool:
    """True if an answer refuses: a no in words, or the action sent by a program."""
    return "no" in (_decision(answer), read_reply({"action": _split(answer)[0]}))


def _split(answer: Any) -> tuple[str, Any]:
    """The action in an answer and the data beside it: `{"action": …, "data": …}`, or a plain word."""
    if isinstance(answer, Mapping) and "action" in answer:
        rest = {key: value for key, value in answer.items() if key not in ("action", "data")}
        data = answer.get("data")
        return str(answer["action"]).casefold(), data if data not in (None, {}) else rest or None
    return str(answer).strip().casefold(), None


def _chosen(answer: Any, options: list[str]) -> str:
    """The option that an answer names, by its text or by its number from 1."""
    _, data = _split(answer)
    value = data if data is not None else answer
    if isinstance(value, Mapping):
        value = next(
            (value[key] for key in ("choice", "option", "value", "selected", "selection") if key in value), value
        )
    text = str(value).strip()
    by_text = {option.strip().casefold(): option for option in options}
    if text.casefold() in by_text:
        return by_text[text.casefold()]
    if text.isdigit() and 1 <= int(text) <= len(options):
        return options[int(text) - 1]
    if not options:
        return text
    raise RequestError(f"'{text}' is none of the options.", suggestion="Choose one of: " + ", ".join(options) + ".")
