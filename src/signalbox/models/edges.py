"""The provider's edge: tools, schemas and limits in the form that each provider's API takes.

An edge gets what was asked for in our terms (`Asked`) and gives the options for the provider's LangChain class. Beside
`providers.py`, which knows addresses and keys, nothing else in the package knows how providers differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.runnables import RunnableBinding

from signalbox.models.asked import Asked, Output, Tool
from signalbox.models.provider_schemas import (
    gemini_schema,
    json_schema,
    ollama_schema,
    schema_words,
    strict_schema,
)
from signalbox.models.shape import plain_name

__all__ = ["EDGES", "Edge", "with_system_text"]

_LONGEST_ABOUT = 1024
"""The longest description of a function on OpenAI; the rest goes into that of its parameters."""
_IN_JSON = "Answer with one JSON object and nothing else. Its fields:"
_BY_TOOL = "Once you can, answer by calling the tool {name}."


class Edge:
    """A provider whose API is like OpenAI's, with plain JSON schemas."""

    by_tool_alone = False
    """True if an object is returned by a tool call even if there are no other tools."""
    explains = True
    """True if the model reads the schema; if only a grammar does, its meaning goes into the prompt."""

    def prepared(self, asked: Asked, model: Any) -> tuple[Any, dict[str, Any]]:
        """What to send through, and with which options: the provider's class itself."""
        return model, self.options(asked, model)

    def options(self, asked: Asked, model: Any) -> dict[str, Any]:
        """The options for the provider's class."""
        tools, choice = self._offered(asked)
        options = dict(asked.others)
        if tools or asked.own_tools:
            options["tools"] = [*asked.own_tools, *(self.tool(one) for one in tools)]
            if tools and choice != "auto":
                options["tool_choice"] = self.choice(choice, tools)
        elif asked.output is not None:
            options |= self.output(asked.output)
        return options

    def answers_by_tool(self, asked: Asked) -> bool:
        """True if an object comes as a call: beside tools always, because few providers take a schema next to them."""
        return asked.output is not None and (self.by_tool_alone or bool(asked.tools or asked.own_tools))

    def _offered(self, asked: Asked) -> tuple[list[Tool], str]:
        """The tools in the order of their names, so that the same ones are the same bytes, and what must be called."""
        tools, choice = list(asked.tools), asked.choice
        if self.answers_by_tool(asked) and asked.answer_tool is not None:
            tools.append(asked.answer_tool)
            choice = "any" if len(tools) > 1 else asked.answer_tool.name
        sent = {one.name: one.sent_name for one in tools}
        return sorted(tools, key=lambda one: one.sent_name), sent.get(choice, choice)

    def messages(self, messages: Sequence[BaseMessage], asked: Asked) -> list[BaseMessage]:
        """The conversation, with the schema in words for models that would not see it otherwise."""
        if asked.output is None or (self.explains and not self.answers_by_tool(asked)):
            return list(messages)
        if not self.answers_by_tool(asked):
            return with_system_text(messages, f"{_IN_JSON}\n{schema_words(asked.output.shape)}")
        if asked.tools and asked.answer_tool is not None:
            return with_system_text(messages, _BY_TOOL.format(name=asked.answer_tool.sent_name))
        return list(messages)

    def tool(self, tool: Tool) -> dict[str, Any]:
        """One tool."""
        return _function(tool, json_schema(tool.shape))

    def choice(self, choice: str, tools: Sequence[Tool]) -> Any:
        """Which tool must be called."""
        return "required" if choice == "any" else choice

    def output(self, output: Output) -> dict[str, Any]:
        """An object that is to be given."""
        schema = {"name": plain_name(output.name), "schema": json_schema(output.shape)}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def limit(self, tokens: int, model: Any) -> dict[str, Any]:
        """The longest reply, as fields of the provider's class."""
        return {"max_tokens": tokens}

    def reasons(self, model: Any) -> bool:
        """True if the model reasons before it answers, which counts towards its limit."""
        return bool((getattr(model, "profile", None) or {}).get("reasoning_output"))


class OpenAIEdge(Edge):
    """OpenAI, strict throughout; `own_server` is a compatible server, many of which know the limit's old name only."""

    def __init__(self, *, own_server: bool = False) -> None:
        self.own_server = own_server

    def tool(self, tool: Tool) -> dict[str, Any]:
        """A strict function."""
        written = _function(tool, strict_schema(tool.shape))
        about = written["function"]["description"]
        if len(about) > _LONGEST_ABOUT:
            cut = about[:_LONGEST_ABOUT].rfind(" ")
            written["function"]["description"] = about[:cut]
            written["function"]["parameters"]["description"] = about[cut:].strip()
        written["function"]["strict"] = True
        return written

    def choice(self, choice: str, tools: Sequence[Tool]) -> Any:
        """Any, none, or one by name."""
        if choice in ("any", "none"):
            return "required" if choice == "any" else "none"
        return {"type": "function", "function": {"name": choice}}

    def output(self, output: Output) -> dict[str, Any]:
        """A strict response format."""
        schema = {"name": plain_name(output.name), "schema": strict_schema(output.shape), "strict": True}
        if output.description:
            schema["description"] = output.description[:_LONGEST_ABOUT]
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def limit(self, tokens: int, model: Any) -> dict[str, Any]:
        """Under one name, never both: the class sends `max_completion_tokens`, and the body's extras what they say."""
        if not self.own_server:
            return {"max_tokens": tokens}
        return {"max_tokens": None, "extra_body": {**(model.extra_body or {}), "max_tokens": tokens}}


class AnthropicEdge(Edge):
    """Anthropic: an object is the input of a tool that must be called."""

    by_tool_alone = True

    def options(self, asked: Asked, model: Any) -> dict[str, Any]:
        """A model that thinks cannot be made to call a tool: then it is asked to in words."""
        options = super().options(asked, model)
        if _thinks(model) and (options.get("tool_choice") or {}).get("type") in ("any", "tool"):
            del options["tool_choice"]
        return options

    def messages(self, messages: Sequence[BaseMessage], asked: Asked) -> list[BaseMessage]:
        """The fixed text is marked for the cache, which Anthropic does not keep unasked. An object is asked for in
        words as well: where the model thinks, nothing else makes it call the tool."""
        told = _cached(messages)
        if asked.output is None or asked.answer_tool is None:
            return told
        return with_system_text(told, _BY_TOOL.format(name=asked.answer_tool.sent_name))

    def tool(self, tool: Tool) -> dict[str, Any]:
        """A tool with its input."""
        return {"name": tool.sent_name, "description": tool.description, "input_schema": json_schema(tool.shape)}

    def choice(self, choice: str, tools: Sequence[Tool]) -> Any:
        """Any, none, or one by name."""
        return {"type": choice} if choice in ("any", "none") else {"type": "tool", "name": choice}

    def reasons(self, model: Any) -> bool:
        """Only where thinking is switched on."""
        return _thinks(model)


class GeminiEdge(Edge):
    """Gemini: function declarations in its OpenAPI subset, responses by JSON schema."""

    def tool(self, tool: Tool) -> dict[str, Any]:
        """A function; one without parameters has no schema at all, because an empty one is refused."""
        written = _function(tool, gemini_schema(tool.shape))
        if not tool.shape.fields:
            del written["function"]["parameters"]
        return written

    def choice(self, choice: str, tools: Sequence[Tool]) -> Any:
        """Any, none, or one by name."""
        return choice

    def output(self, output: Output) -> dict[str, Any]:
        """A response in JSON."""
        return {"response_mime_type": "application/json", "response_json_schema": json_schema(output.shape)}

    def limit(self, tokens: int, model: Any) -> dict[str, Any]:
        """The longest reply."""
        return {"max_output_tokens": tokens}


class OllamaEdge(Edge):
    """Ollama: `format` constrains without explaining, and no tool can be demanded."""

    explains = False

    def options(self, asked: Asked, model: Any) -> dict[str, Any]:
        """Without a choice of tools, which Ollama does not have; what may not be called is not offered."""
        options = super().options(asked, model)
        if options.pop("tool_choice", None) == "none":
            options.pop("tools", None)
        return options

    def messages(self, messages: Sequence[BaseMessage], asked: Asked) -> list[BaseMessage]:
        """With the tool that must be called in words."""
        told = super().messages(messages, asked)
        if asked.choice in ("auto", "none") or asked.output is not None:
            return told
        must = "one of your tools" if asked.choice == "any" else f"the tool {asked.choice}"
        return with_system_text(told, f"You must call {must}.")

    def tool(self, tool: Tool) -> dict[str, Any]:
        """A function as Ollama's client sends it."""
        return _function(tool, ollama_schema(tool.shape))

    def output(self, output: Output) -> dict[str, Any]:
        """The grammar of the reply."""
        return {"format": strict_schema(output.shape)}

    def limit(self, tokens: int, model: Any) -> dict[str, Any]:
        """The longest reply."""
        return {"num_predict": tokens}

    def reasons(self, model: Any) -> bool:
        """Only where it is switched on."""
        return bool(getattr(model, "reasoning", None))


class FileEdge(Edge):
    """A model file: a grammar constrains, and the prompt explains."""

    explains = False


class OtherEdge(Edge):
    """Any LangChain chat model: its own methods make the requests."""

    explains = False
    """Many ignore a response format and would never see the schema."""

    def prepared(self, asked: Asked, model: Any) -> tuple[Any, dict[str, Any]]:
        """The model as its own `with_structured_output` and `bind_tools` give it."""
        kind, own = type(model), asked.output is not None and not asked.tools
        if own and asked.output is not None and kind.with_structured_output is not BaseChatModel.with_structured_output:
            schema = {"title": asked.output.name, **json_schema(asked.output.shape)}
            return model.with_structured_output(schema, include_raw=True), dict(asked.others)
        options = self.options(asked, model)
        if "tools" not in options or kind.bind_tools is BaseChatModel.bind_tools:
            return model, options
        choice = {name: options[name] for name in ("tool_choice",) if name in options}
        bound = model.bind_tools(options["tools"], **choice, **asked.others)
        return (model, dict(bound.kwargs)) if isinstance(bound, RunnableBinding) else (bound, {})


EDGES: dict[str, Edge] = {
    "openai": OpenAIEdge(),
    "own_server": OpenAIEdge(own_server=True),
    "anthropic": AnthropicEdge(),
    "google_genai": GeminiEdge(),
    "ollama": OllamaEdge(),
    "gguf": FileEdge(),
    "other": OtherEdge(),
}


def with_system_text(messages: Sequence[BaseMessage], text: str) -> list[BaseMessage]:
    """The messages with a text after the system's own: what changes comes after what a provider may cache."""
    first = next(iter(messages), None)
    if not isinstance(first, SystemMessage):
        return [SystemMessage(text), *messages]
    said = first.content
    content = f"{said}\n\n{text}" if isinstance(said, str) else [*said, {"type": "text", "text": text}]
    return [first.model_copy(update={"content": content}), *messages[1:]]


def _cached(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages with the end of the system's text marked: all before it, tools included, may be cached."""
    first = next(iter(messages), None)
    if not isinstance(first, SystemMessage) or not isinstance(first.content, str) or not first.content:
        return list(messages)
    block = {"type": "text", "text": first.content, "cache_control": {"type": "ephemeral"}}
    return [first.model_copy(update={"content": [block]}), *messages[1:]]


def _function(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    function = {"name": tool.sent_name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _thinks(model: Any) -> bool:
    thinking = getattr(model, "thinking", None)
    return isinstance(thinking, dict) and thinking.get("type") in ("enabled", "adaptive")
