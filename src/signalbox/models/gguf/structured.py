"""Objects of a given schema from a local model: the grammar that holds it to one, and a strict reader."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough
from langchain_core.utils.function_calling import convert_to_json_schema
from pydantic import BaseModel, ValidationError

__all__ = ["schema_note", "structured_output"]


def structured_output(
    model: BaseChatModel, schema: dict[str, Any] | type, *, include_raw: bool
) -> Runnable[LanguageModelInput, Any]:
    """A runnable that gives an object of the schema; a pydantic class gives an instance, others a dict."""
    json_schema = _json_schema(schema)
    form = {
        "type": "json_schema",
        "json_schema": {"name": json_schema.get("title", "answer"), "schema": json_schema},
    }
    bound = model.bind(
        response_format=form,
        ls_structured_output_format={"kwargs": {"method": "json_schema"}, "schema": json_schema},
    )
    read = RunnableLambda(lambda message: read_object(message, schema), name="read_object")
    if not include_raw:
        return bound | read
    tried = RunnablePassthrough.assign(parsed=itemgetter("raw") | read, parsing_error=lambda _: None)
    failed = RunnablePassthrough.assign(parsed=lambda _: None)
    return {"raw": bound} | tried.with_fallbacks([failed], exception_key="parsing_error")


def schema_note(response_format: dict[str, Any]) -> str:
    """A grammar forbids wrong form but explains nothing: the model is shown the schema as well."""
    schema = response_format.get("json_schema", {}).get("schema")
    if schema is None:
        return "Answer with JSON and nothing else."
    shown = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"Answer with JSON that fits this schema and nothing else:\n{shown}"


def read_object(message: AIMessage, schema: dict[str, Any] | type) -> Any:
    """The object in the message. An answer that was cut off is an error, never a half-filled object."""
    try:
        data = json.loads(message.text)
    except json.JSONDecodeError as error:
        cut = message.response_metadata.get("finish_reason") == "length"
        reason = "was cut off; raise max_tokens" if cut else "is not JSON"
        raise OutputParserException(f"The model's answer {reason}.", llm_output=message.text) from error
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        return data
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        raise OutputParserException(f"The model's answer does not fit: {error}", llm_output=message.text) from error


def _json_schema(schema: dict[str, Any] | type) -> dict[str, Any]:
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return schema.model_json_schema()
    if isinstance(schema, dict) and "properties" in schema and "parameters" not in schema:
        return schema
    return convert_to_json_schema(schema)
