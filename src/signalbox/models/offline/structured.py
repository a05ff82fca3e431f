"""Structured output: a schema filled from what the person said, or from what the tools of the turn gave back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.utils.function_calling import convert_to_json_schema
from pydantic import BaseModel, ValidationError

from signalbox.errors import MissingInputError, RequestError, SignalboxError, UnsupportedError
from signalbox.language.words import split_name, word_set
from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.conversation import Conversation
from signalbox.models.offline.phrase import phrase_results
from signalbox.models.offline.shown.givens import value_for
from signalbox.models.offline.shown.records import Record, parse_data, records_in
from signalbox.models.offline.shown.references import find_reference

__all__ = ["OutputSchema", "fill_output", "parse_reply"]

_TELLING = word_set("answer summary response reply explanation message text report conclusion")
_CUE = re.compile(
    r"(?im)^\W*(?:user |customer |the )?(?:text|message|input|question|request|query|user|sentence|user "
    r"(?:input|message|request))\s*:\s*"
)


@dataclass(frozen=True)
class OutputSchema:
    """What structured output is to look like: a JSON schema, and the pydantic class that checks it if there is one."""

    name: str
    schema: dict[str, Any]
    model: type[BaseModel] | None = None

    @classmethod
    def of(cls, schema: dict[str, Any] | type) -> OutputSchema:
        """From a pydantic class, a TypedDict, a JSON schema or an OpenAI function."""
        if isinstance(schema, type) and issubclass(schema, BaseModel):
            return cls(schema.__name__, schema.model_json_schema(), schema)
        if isinstance(schema, dict):
            inner = schema.get("function", schema)
            body = inner.get("parameters") or inner.get("schema") or inner
            if isinstance(body, dict) and ("properties" in body or "$ref" in body or body.get("type") == "object"):
                return cls(str(inner.get("name") or inner.get("title") or "output"), body)
        try:
            converted = convert_to_json_schema(schema)
        except (ValueError, TypeError) as error:
            raise UnsupportedError("The schema for structured output cannot be read.", details=error) from error
        return cls(str(converted.get("title") or "output"), converted)

    @classmethod
    def of_response_format(cls, response_format: Any) -> OutputSchema | None:
        """From OpenAI's `response_format`; None when it asks for no schema."""
        if not isinstance(response_format, dict):
            return cls.of(response_format)
        inner = response_format.get("json_schema")
        return cls.of(inner) if isinstance(inner, dict) else None

    @property
    def properties(self) -> dict[str, Any]:
        """The properties of the schema, a reference at its root resolved."""
        schema = self.schema
        if "$ref" in schema:
            schema = (schema.get("$defs") or {}).get(str(schema["$ref"]).rsplit("/", 1)[-1], {})
        found = schema.get("properties")
        return found if isinstance(found, dict) else {}


def fill_output(output: OutputSchema, conversation: Conversation, filler: Filler) -> tuple[dict[str, Any], list[str]]:
    """The values for the schema and the names of required fields that nothing gives."""
    instructions, text = _split_prompt(conversation.turn.request)
    if instructions:
        filler = Filler(f"{filler.instructions}\n{instructions}".strip(), filler.clock, filler.tz)
    filling = filler.fill_schema(output.schema, text)
    values, missing = dict(filling.values), list(filling.missing)
    results = [call for call in conversation.turn.results if not call.failed]
    if results:
        _fill_from_results(output, values, [record for call in results for record in _things(call.text or "")])
        _fill_told(output, values, phrase_results(results))
    elif missing:
        _fill_from_references(output, values, text, conversation)
    missing = [name for name in missing if name.split(".")[0] not in values or "." in name]
    _fill_missing_list(output, values, missing)
    return values, [name for name in missing if name not in values]


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


def _split_prompt(request: str) -> tuple[str, str]:
    """Instructions and the text they are about, when a prompt holds both."""
    cues = list(_CUE.finditer(request))
    if not cues or not request[cues[-1].end() :].strip():
        return "", request
    return request[: cues[-1].start()].strip(), request[cues[-1].end() :].strip()


def _things(text: str) -> list[Record]:
    data = parse_data(text)
    whole = [Record({str(key): value for key, value in data.items()}, "")] if isinstance(data, dict) else []
    return whole + records_in(text)


def _fill_from_results(output: OutputSchema, values: dict[str, Any], records: list[Record]) -> None:
    """Fields that bear the name of a field in the results take its value."""
    for name, schema in output.properties.items():
        for record in records:
            value = value_for(name, schema if isinstance(schema, dict) else {}, record)
            if value is not None:
                values[name] = value
                break


def _fill_told(output: OutputSchema, values: dict[str, Any], told: str) -> None:
    """A field for the answer in words takes the phrased results."""
    for name, schema in output.properties.items():
        worded = isinstance(schema, dict) and schema.get("type") == "string"
        if worded and name not in values and set(split_name(name)) & _TELLING:
            values[name] = told


def _fill_from_references(output: OutputSchema, values: dict[str, Any], text: str, conversation: Conversation) -> None:
    for turn in reversed(conversation.earlier):
        for call in reversed(turn.results):
            reference = find_reference(text, records_in(call.text or ""))
            if reference is not None and len(reference.records) == 1:
                for name, schema in output.properties.items():
                    if name not in values and (value := value_for(name, schema, reference.records[0])) is not None:
                        values[name] = value
                return


def _fill_missing_list(output: OutputSchema, values: dict[str, Any], missing: list[str]) -> None:
    """A list field that is itself for what is missing names it."""
    for name, schema in output.properties.items():
        if not isinstance(schema, dict) or schema.get("type") != "array" or values.get(name):
            continue
        if "missing" in split_name(name) or re.match(r"(?i)\W*missing\b", str(schema.get("description") or "")):
            values[name] = [one for one in missing if one != name]


def as_text(values: dict[str, Any]) -> str:
    """The values as the JSON text of a message."""
    return json.dumps(values, ensure_ascii=False, default=str)
