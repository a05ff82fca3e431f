"""Structured output: a schema filled from what the person said, or from what the tools of the turn gave back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import BaseModel, ValidationError

from signalbox.errors import MissingInputError, RequestError, SignalboxError
from signalbox.models.asked import read_schema
from signalbox.models.examples import Example
from signalbox.models.offline.conversation import Conversation
from signalbox.models.offline.fill import fill_schema
from signalbox.models.offline.shown import Shown, records_in
from signalbox.models.offline.values import Moment

__all__ = ["OutputSchema", "as_text", "fill_output", "parse_reply"]


@dataclass(frozen=True)
class OutputSchema:
    """What structured output is to look like: a JSON schema, and the pydantic class that checks it if there is one."""

    name: str
    schema: dict[str, Any]
    model: type[BaseModel] | None = None

    @classmethod
    def of(cls, schema: dict[str, Any] | type) -> OutputSchema:
        """From a pydantic class, a TypedDict, a JSON schema or an OpenAI function."""
        name, body, _ = read_schema(schema)
        model = schema if isinstance(schema, type) and issubclass(schema, BaseModel) else None
        return cls(name, dict(body), model)

    @classmethod
    def of_response_format(cls, response_format: Any) -> OutputSchema | None:
        """From OpenAI's `response_format`; None when it asks for no schema."""
        if not isinstance(response_format, dict):
            return cls.of(response_format)
        inner = response_format.get("json_schema")
        return cls.of(inner) if isinstance(inner, dict) else None

    @property
    def root(self) -> dict[str, Any]:
        """The schema, a reference at its root resolved."""
        if "$ref" not in self.schema:
            return self.schema
        definitions = self.schema.get("$defs") or {}
        return {**definitions.get(str(self.schema["$ref"]).rsplit("/", 1)[-1], {}), "$defs": definitions}


def fill_output(
    output: OutputSchema, conversation: Conversation, moment: Moment, examples: Sequence[Example] = ()
) -> tuple[dict[str, Any], list[str], dict[str, float]]:
    """The values for the schema, the names of required fields that nothing gives, and how sure each value is."""
    turn = conversation.turn
    shown = Shown(text="\n".join(part for one in conversation.earlier for part in (one.request, one.answer)))
    filled = fill_schema(output.root, turn.request, moment, conversation.context, shown, examples)
    for call in turn.results:
        for record in [] if call.failed else records_in(call.text or ""):
            _take(output.root, filled.values, record)
    missing = [name for name in filled.missing if name.split(".")[0] not in filled.values]
    return filled.values, missing, filled.sure


def _take(schema: Mapping[str, Any], values: dict[str, Any], record: Mapping[str, Any]) -> None:
    """Fields that bear the name of a field in a result take its value."""
    for name in schema.get("properties") or {}:
        if record.get(name) not in (None, "") and name not in values:
            values[name] = record[name]


def parse_reply(message: AIMessage, output: OutputSchema, *, include_raw: bool) -> Any:
    """The message's data in the schema's own form; an error for what is missing, raised or beside the raw message."""
    error: SignalboxError | None = None
    parsed: Any = None
    try:
        parsed = _checked(message, output)
    except SignalboxError as problem:
        error = problem
    if include_raw:
        return {"raw": message, "parsed": parsed, "parsing_error": error}
    if error is not None:
        raise error
    return parsed


def _checked(message: AIMessage, output: OutputSchema) -> Any:
    data = message.additional_kwargs.get("parsed") or {}
    missing = message.additional_kwargs.get("missing") or []
    if output.model is None:
        return data
    try:
        return output.model.model_validate(data)
    except ValidationError as error:
        absent = [".".join(map(str, e["loc"])) for e in error.errors() if e["type"] == "missing"] or missing
        if absent:
            named = ", ".join(dict.fromkeys(absent))
            raise MissingInputError(
                f"The request does not say: {named}.", suggestion=f"Say it again with {named}.", details=error
            ) from None
        wrong = ", ".join(".".join(map(str, e["loc"])) for e in error.errors())
        raise RequestError(f"What was said does not fit {wrong} of {output.name}.", details=error) from None


def as_text(values: dict[str, Any]) -> str:
    """The values as the JSON text of a message."""
    return json.dumps(values, ensure_ascii=False, default=str)
