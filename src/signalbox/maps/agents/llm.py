"""Agent types that use a chat model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.maps.agents.base import Inputs, MapAgent
from signalbox.maps.agents.models import ask_model, choose_model

__all__ = ["AnthropicAgent", "GoogleAgent", "LlmAgent", "OpenAIAgent", "SummaryAgent"]


class LlmAgent(MapAgent):
    """Sends its prompt to a chat model; the text of the answer is its output.

    A prompt with fields is sent filled in. One without fields is the instruction, and the inputs are its subject.
    Context: `provider`, `model`, `temperature`, `max_tokens`; `memory_key` keeps the conversation in the state,
    `max_memory_messages` of it. An input that another row names as its memory_key is this row's memory too.
    """

    uses_model = True
    provider = ""

    def process(self, inputs: dict[str, Any]) -> Any:
        """The model's answer, and the memory if there is one."""
        key, limit = self._memory()
        state = inputs.state if isinstance(inputs, Inputs) else {}
        kept = state.get(key) if key else None
        memory = list(kept)[-limit:] if isinstance(kept, list | tuple) else []
        instruction, message = self._messages({k: v for k, v in inputs.items() if k != key}, inputs)
        earlier = [(str(m.get("role", "user")), str(m.get("content", ""))) for m in memory if isinstance(m, Mapping)]
        messages = [
            *([("system", instruction)] if instruction else []),
            *_as_roles(earlier),
            ("human", message),
        ]
        answer = ask_model(choose_model(self.context, self.provider, self.name), messages)
        if not key:
            return answer
        memory += [{"role": "user", "content": message}, {"role": "assistant", "content": answer}]
        updates: dict[str, Any] = {key: memory[-limit:]}
        return {"state_updates": {**updates, **({self.output_field: answer} if self.output_field else {})}}

    def _memory(self) -> tuple[str, int]:
        """The field with the conversation, or nothing, and how many messages of it are kept (0: all).

        It is the row's own `memory_key`, or an input that another row of the map names as its memory, or `memory`.
        """
        own = _memory_of(self.context)
        if own[0]:
            return own
        shared = [*(_memory_of(node.context) for node in self.run_context.graph or ()), ("memory", 0)]
        return next((memory for memory in shared if memory[0] in self.input_fields), ("", 0))

    def _messages(self, values: Mapping[str, Any], inputs: Mapping[str, Any]) -> tuple[str, str]:
        prompt = self.render_prompt(inputs)
        given = {name: value for name, value in values.items() if value is not None}
        if not given or self.prompt_has_variables():
            return "", prompt
        if len(given) == 1:
            return prompt, str(next(iter(given.values())))
        return prompt, "\n".join(f"{name}: {value}" for name, value in given.items())


class OpenAIAgent(LlmAgent):
    """llm with OpenAI's models."""

    provider = "openai"


class AnthropicAgent(LlmAgent):
    """llm with Anthropic's models."""

    provider = "anthropic"


class GoogleAgent(LlmAgent):
    """llm with Google's models."""

    provider = "google_genai"


class SummaryAgent(MapAgent):
    """Puts its inputs into one text. Context: `format` (default `{key}: {value}`), `separator`, `include_keys`;
    `llm` names a provider whose model writes the summary instead, by the prompt."""

    uses_model = True

    def process(self, inputs: dict[str, Any]) -> Any:
        """The text."""
        text = self._joined(inputs)
        provider = self.context.get("llm")
        if not provider or not text:
            return text
        instruction = self.render_prompt(inputs) or "Summarize the following."
        wanted = "" if provider is True else str(provider)
        return ask_model(choose_model(self.context, wanted, self.name), [("system", instruction), ("human", text)])

    def _joined(self, inputs: Mapping[str, Any]) -> str:
        template = str(self.context.get("format", "{key}: {value}"))
        keyed = self.context.get("include_keys", True) not in (False, "false")
        parts = [
            template.replace("{key}", str(key)).replace("{value}", str(value)) if keyed else str(value)
            for key, value in inputs.items()
            if value is not None
        ]
        return str(self.context.get("separator", "\n\n")).join(parts)


def _memory_of(context: Mapping[str, Any]) -> tuple[str, int]:
    """The memory that a Context names, in itself or in a `memory` of its own, and its limit."""
    inner = context.get("memory")
    if not isinstance(inner, Mapping):
        return str(context.get("memory_key") or ""), int(context.get("max_memory_messages") or 0)
    settings = {
        "memory_key": "conversation_memory",
        "max_memory_messages": 2 * int(inner.get("k") or 0),
        **inner,
        **context,
    }
    return str(settings["memory_key"]), int(settings["max_memory_messages"] or 0)


def _as_roles(messages: list[tuple[str, str]]) -> list[tuple[str, str]]:
    names = {"user": "human", "assistant": "ai"}
    return [(names.get(role, role), content) for role, content in messages]
