"""What a model is asked for, besides the messages, in our terms: tools, which of them must be called, an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.utils.function_calling import convert_to_json_schema, convert_to_openai_tool
from pydantic import BaseModel

from signalbox.errors import ContractError, UnsupportedError
from signalbox.models.shape import Shape, plain_name, read_shape

__all__ = ["Asked", "Output", "Tool", "openai_tool", "read_choice", "read_output", "read_schema", "read_tools"]

_CHOICES = {None: "auto", False: "auto", "": "auto", True: "any", "required": "any"}


@dataclass(frozen=True)
class Tool:
    """A tool that a model is offered: the name its owner gave it, and the one a provider gets."""

    name: str
    description: str
    schema: Mapping[str, Any]
    shape: Shape
    sent_name: str


@dataclass(frozen=True)
class Output:
    """An object that a model must return: its schema, and the pydantic class that checks it, if any."""

    name: str
    description: str
    schema: Mapping[str, Any]
    shape: Shape
    model: type[BaseModel] | None = None


@dataclass(frozen=True)
class Asked:
    """What is asked of a model. `choice` is auto, none, any, or the name of the tool that must be called."""

    tools: tuple[Tool, ...] = ()
    own_tools: tuple[Any, ...] = ()
    """Tools of the provider itself, in the provider's own form, such as a web search."""
    choice: str = "auto"
    output: Output | None = None
    others: dict[str, Any] = field(default_factory=dict)

    @property
    def answer_tool(self) -> Tool | None:
        """The tool by which the object is given, on providers where it is one."""
        if self.output is None:
            return None
        name = plain_name(self.output.name, [one.sent_name for one in self.tools])
        return Tool(name, self.output.description, self.output.schema, self.output.shape, name)


def openai_tool(tool: Any) -> dict[str, Any]:
    """A tool in OpenAI's form; a dictionary in a provider's own form, such as a web search, stays as it is."""
    known = {"parameters", "input_schema", "properties", "title"}
    if isinstance(tool, dict) and ("function" in tool or not known & set(tool)):
        return tool
    return convert_to_openai_tool(tool)


def read_tools(tools: Sequence[Mapping[str, Any]]) -> tuple[tuple[Tool, ...], tuple[Any, ...]]:
    """Our tools, and those of the provider itself."""
    read: dict[str, Tool] = {}
    for one in tools:
        if "function" not in one:
            continue
        function = one["function"]
        schema = function.get("parameters") or {"type": "object", "properties": {}}
        sent = plain_name(str(function["name"]), read)
        about = str(function.get("description") or "").strip()
        read[sent] = Tool(str(function["name"]), about, schema, read_shape(schema), sent)
    return tuple(read.values()), tuple(one for one in tools if "function" not in one)


def read_choice(choice: str | Mapping[str, Any] | bool | None, tools: Sequence[Mapping[str, Any]]) -> str:
    """The many spellings of a choice as one: auto, none, any, or the name of a bound tool. Raises ContractError."""
    if isinstance(choice, Mapping):
        function = choice.get("function")
        choice = (function if isinstance(function, Mapping) else choice).get("name") or choice.get("type")
    word = str(_CHOICES.get(choice, choice))
    names = [str(one["function"]["name"]) for one in tools if "function" in one]
    if word in ("auto", "none", "any", *names):
        return word
    raise ContractError(
        f"tool_choice names the tool '{word}', which is not bound.",
        suggestion=f"Use one of: {', '.join(names[:20])}." if names else "Bind a tool of that name.",
    )


def read_output(schema: Mapping[str, Any] | type) -> Output:
    """From a pydantic class, a TypedDict, a JSON schema or an OpenAI function. Raises UnsupportedError."""
    name, body, about = read_schema(schema)
    shape = read_shape(body)
    model = schema if isinstance(schema, type) and issubclass(schema, BaseModel) else None
    return Output(plain_name(name), about or shape.about, body, shape, model)


def read_schema(schema: Mapping[str, Any] | type) -> tuple[str, Mapping[str, Any], str]:
    """The name, the JSON schema and the description of an object. Raises UnsupportedError for anything else."""
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return schema.__name__, schema.model_json_schema(), ""
    if isinstance(schema, Mapping):
        inner = schema.get("function", schema)
        body = inner.get("parameters") or inner.get("schema") or inner
        if isinstance(body, Mapping) and ("properties" in body or "$ref" in body or body.get("type") == "object"):
            name = inner.get("name") or inner.get("title") or body.get("title") or "output"
            return str(name), body, str(inner.get("description") or "")
    try:
        converted = convert_to_json_schema(schema)  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        raise UnsupportedError("The schema for structured output cannot be read.", details=error) from error
    return str(converted.get("title") or "output"), converted, ""
