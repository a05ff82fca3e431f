"""Checks whether a model's reply can be used, and says what is wrong if not.

Text has to be there and whole, an object has to fit its schema, calls have to be of tools that exist with arguments
that they take. What a reply gives is turned into the schema's own terms first (`shape.restore`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from pydantic import ValidationError

from signalbox.errors import (
    ModelEmptyError,
    ModelFilteredError,
    ModelMalformedError,
    ModelOutputError,
    ModelRefusedError,
    ModelToolError,
    ModelTruncatedError,
)
from signalbox.models.asked import Asked, Output, Tool
from signalbox.models.shape import Shape, plain_name, restore

__all__ = ["Fault", "check_reply", "fault_in_error", "messages_again", "with_ids"]

# How the providers say why a reply ended: OpenAI, Anthropic, Gemini and Ollama, in small letters.
_CUT = {"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"}
_FILTERED = {
    "content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "language", "image_safety",
}  # fmt: skip
_REFUSED = {"refusal"}
_BAD_CALL = {"malformed_function_call", "unexpected_tool_call"}
_FENCED = re.compile(r"\s*```[a-zA-Z]*[ \t]*\n(?P<inside>.*?)\n?\s*```\s*", re.DOTALL)
_AGAIN = "Your reply could not be used: {what} Reply again, and mend only that."
_NOT_RUN = "Not carried out: {what}"


@dataclass(frozen=True)
class Fault:
    """What is wrong with a reply: `what` for the model, and the error for the person if it goes wrong again."""

    kind: type[ModelOutputError]
    message: str
    what: str
    by_call: Mapping[str, str] = field(default_factory=dict)
    """What is wrong with a call, by its id."""

    def error(self, reply: AIMessage | None) -> ModelOutputError:
        """The error for a model that repeated a mistake after being told."""
        shown = reply.text[:2_000] if reply is not None else ""
        return self.kind(self.message, details={"fault": self.what, "reply": shown}, reply=reply)


def check_reply(
    reply: AIMessage,
    asked: Asked,
    *,
    answer_tool: str | None = None,
    place: int = 0,
    may_be_cut: bool = False,
) -> AIMessage | Fault:
    """The reply in the caller's terms, or what is wrong with it.

    An object that was asked for stands under `parsed` in the message's additional_kwargs; `answer_tool` is the tool
    that gives it, on providers where it is one. The ids of calls follow from their `place` in the conversation. With
    `may_be_cut`, plain text may end at the limit.
    """
    tools, output = asked.tools, asked.output
    ended = _ended_badly(reply)
    may_be_cut = may_be_cut and output is None and not tools and bool(reply.text.strip())
    if ended is not None and not (may_be_cut and ended.kind is ModelTruncatedError):
        return ended
    calls = [*reply.tool_calls, *(_unread(one) for one in reply.invalid_tool_calls)]
    answer = next((one for one in calls if one["name"] == answer_tool), None) if answer_tool else None
    if output is not None and (answer is not None or not calls):
        return _checked_object(reply, output, answer)
    if (ignored := _choice_ignored(asked, calls)) is not None:
        return ignored
    if calls:
        return _checked_calls(reply, calls, tools, place)
    if not reply.text.strip():
        return Fault(ModelEmptyError, "The model gave an empty reply.", "It was empty.")
    return reply


def fault_in_error(error: BaseException) -> Fault | None:
    """The fault behind an exception of a provider's library; None for any other error."""
    name = type(error).__name__
    if name == "LengthFinishReasonError":
        return _fault_of("length")
    if name == "ContentFilterFinishReasonError":
        return _fault_of("content_filter")
    if name == "OutputParserException":
        return _not_json(str(error)[:300])
    return None


def _ended_badly(reply: AIMessage) -> Fault | None:
    said = reply.response_metadata
    ended = [said.get(name) for name in ("finish_reason", "stop_reason", "done_reason")]
    ended.append((said.get("incomplete_details") or {}).get("reason"))
    ended.append((said.get("prompt_feedback") or {}).get("block_reason") and "safety")
    blocks = [one for one in reply.content if isinstance(one, Mapping)] if isinstance(reply.content, list) else []
    refused = reply.additional_kwargs.get("refusal") or any(one.get("type") == "refusal" for one in blocks)
    faults = (_fault_of(str(one).casefold()) for one in [*ended, "refusal" if refused else None] if one)
    return next((one for one in faults if one is not None), None)


def _fault_of(ended: str) -> Fault | None:
    if ended in _CUT:
        return Fault(
            ModelTruncatedError, "The model's reply was cut off.", "It was cut off at the length limit. Be brief."
        )
    if ended in _FILTERED:
        return Fault(
            ModelFilteredError, "The model's provider withheld the reply.", "It was withheld by a content filter."
        )
    if ended in _REFUSED:
        return Fault(ModelRefusedError, "The model declined to answer.", "It was a refusal.")
    if ended in _BAD_CALL:
        return Fault(
            ModelToolError, "The model called a tool in a form that cannot be read.", "The call was malformed."
        )
    return None


def _checked_object(reply: AIMessage, output: Output, answer: Mapping[str, Any] | None) -> AIMessage | Fault:
    text = reply.text
    if answer is None and not text.strip():
        return Fault(ModelEmptyError, "The model gave an empty reply.", "It was empty: give the JSON object.")
    said = answer["args"] if answer is not None else _object_in(text)
    value = restore(_bare_option(text, output.shape) if said is None else said, output.shape)
    if isinstance(value, Mapping):
        value = _known_part(value, output)
    wrong = _wrong_with(value, output)
    if wrong is not None and answer is not None:
        return replace(wrong, by_call={str(answer.get("id") or 0): wrong.what})
    if wrong is not None:
        return wrong
    told = json.dumps(value, ensure_ascii=False, default=str)
    return reply.model_copy(
        update={
            "content": told,
            "additional_kwargs": {"parsed": value},
            "tool_calls": [],
            "invalid_tool_calls": [],
        }
    )


def _known_part(value: Mapping[str, Any], output: Output) -> dict[str, Any]:
    """The object without fields that were not asked for, unless it has none of those that were."""
    known = {one.name for one in output.shape.fields.values()}
    if output.model is not None or output.schema.get("additionalProperties") is True or not known & set(value):
        return dict(value)
    return {name: one for name, one in value.items() if name in known}


def _wrong_with(value: Any, output: Output) -> Fault | None:
    if not isinstance(value, Mapping):
        return _not_json("It is not a JSON object.")
    if output.model is None:
        known = {one.name for one in output.shape.fields.values()}
        if value and known and output.schema.get("additionalProperties") is not True and not known & set(value):
            return _misfit("", f"It has none of the fields {', '.join(sorted(known))}.")
        problem = _problem(value, output.schema)
        return None if problem is None else _misfit(*problem)
    try:
        output.model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        return _misfit(".".join(map(str, first["loc"])), f"{first['msg']}.")
    return None


def _checked_calls(
    reply: AIMessage, calls: Sequence[Mapping[str, Any]], tools: Sequence[Tool], place: int
) -> AIMessage | Fault:
    by_name = {one.sent_name: one for one in tools} | {one.name: one for one in tools}
    wrong: dict[str, str] = {}
    made: list[ToolCall] = []
    renamed: dict[str, str] = {}
    unknown = ""
    for at, call in enumerate(calls):
        tool, ident = by_name.get(call["name"]), str(call.get("id") or at)
        args: Any = restore(call["args"], tool.shape) if tool is not None else None
        if tool is None:
            unknown = str(call["name"])
            wrong[ident] = f"there is no tool '{unknown}'. There are: {', '.join(one.sent_name for one in tools)}."
        elif (problem := _arguments_problem(args, tool)) is not None:
            wrong[ident] = f"the arguments of '{call['name']}' are wrong: {problem}"
        else:
            renamed[ident] = _call_id(place, at, tool.name, args)
            made.append(ToolCall(name=tool.name, args=args, id=renamed[ident], type="tool_call"))
    if wrong:
        message = (
            "The model called a tool that does not exist."
            if unknown
            else "The model called a tool with wrong arguments."
        )
        first = next(iter(wrong.values()))
        return Fault(ModelToolError, message, f"{first[:1].upper()}{first[1:]}", wrong)
    return reply.model_copy(
        update={
            "tool_calls": made,
            "content": with_ids(reply.content, renamed),
            "additional_kwargs": with_ids(reply.additional_kwargs, renamed),
        }
    )


def _choice_ignored(asked: Asked, calls: Sequence[Mapping[str, Any]]) -> Fault | None:
    """The fault if a tool had to be called, or none was allowed: not every provider enforces this."""
    if asked.choice == "auto" or asked.output is not None:
        return None
    if asked.choice == "none":
        told = "call no tool, but answer in words."
        return (
            Fault(ModelToolError, "The model called a tool where it should not.", f"It had to {told}")
            if calls
            else None
        )
    meant = {one.sent_name for one in asked.tools if asked.choice in ("any", one.name)} | {asked.choice}
    if calls and (asked.choice == "any" or all(one["name"] in meant for one in calls)):
        return None
    must = "one of the tools" if asked.choice == "any" else f"the tool {asked.choice}"
    return Fault(ModelToolError, "The model did not call the tool that it had to.", f"It had to call {must}.")


def _unread(call: Mapping[str, Any]) -> dict[str, Any]:
    """A call whose arguments are not JSON: as its text, which no tool takes."""
    return {"name": call.get("name") or "", "args": call.get("args"), "id": call.get("id")}


def _arguments_problem(args: Any, tool: Tool) -> str | None:
    if not isinstance(args, Mapping):
        return "they are not a JSON object."
    known = {one.name for one in tool.shape.fields.values()}
    if tool.shape.kind == "object" and not tool.schema.get("additionalProperties"):
        for name in args:
            if name not in known:
                return f"there is no '{name}'. There are: {', '.join(sorted(known)) or 'none'}."
    problem = _problem(args, tool.schema)
    return None if problem is None else f"{problem[0]}: {problem[1]}" if problem[0] else problem[1]


def _problem(value: Any, schema: Mapping[str, Any]) -> tuple[str, str] | None:
    """Where and why a value does not fit its schema."""
    from jsonschema.exceptions import best_match

    error: Any = best_match(_validator()(dict(schema)).iter_errors(value))
    if error is None:
        return None
    return ".".join(map(str, error.absolute_path)), f"{error.message[:500]}."


@cache
def _validator() -> Any:
    """The validator of JSON schemas, for which an enumeration with `enumOpen` only suggests."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    closed = Draft202012Validator.VALIDATORS["enum"]

    def listed(validator: Any, options: Any, value: Any, schema: Mapping[str, Any]) -> Any:
        return iter(()) if schema.get("enumOpen") else closed(validator, options, value, schema)

    return extend(Draft202012Validator, {"enum": listed})  # type: ignore[no-untyped-call]


def _object_in(text: str) -> Any:
    """The JSON value that a text is, also where the whole of it stands in a fence."""
    fenced = _FENCED.fullmatch(text)
    try:
        return json.loads(fenced["inside"] if fenced else text)
    except (ValueError, RecursionError):
        return None


def _bare_option(text: str, shape: Shape) -> dict[str, Any] | None:
    """The object where one option is asked for and nothing else, and the text names exactly one of them."""
    if len(shape.fields) != 1:
        return None
    ((name, only),) = shape.fields.items()
    said = text.casefold()
    named = [one for one in only.shape.options if re.search(rf"(?<!\w){re.escape(str(one).casefold())}(?!\w)", said)]
    return {name: named[0]} if len(named) == 1 else None


def _not_json(what: str) -> Fault:
    return Fault(
        ModelMalformedError, "The model's reply is not the JSON that was asked for.", f"{what} Give JSON only."
    )


def _misfit(path: str, why: str) -> Fault:
    where = f" at '{path}'" if path else ""
    return Fault(
        ModelMalformedError, f"The model's reply does not fit what was asked for{where}.", f"It is wrong{where}: {why}"
    )


def _call_id(place: int, at: int, name: str, args: Any) -> str:
    """The same conversation gives the same ids; no two calls of a conversation share one."""
    told = json.dumps([place, at, name, args], sort_keys=True, default=str)
    return f"call_{uuid5(NAMESPACE_OID, told).hex[:24]}"


def with_ids(value: Any, renamed: Mapping[str, str]) -> Any:
    """The same data with new ids of calls: providers repeat them in content blocks and signatures."""
    if isinstance(value, str):
        return renamed.get(value, value)
    if isinstance(value, Mapping):
        return {renamed.get(str(key), key): with_ids(one, renamed) for key, one in value.items()}
    return [with_ids(one, renamed) for one in value] if isinstance(value, list) else value


def messages_again(messages: Sequence[BaseMessage], reply: AIMessage | None, fault: Fault) -> list[BaseMessage]:
    """The conversation with the unusable reply, and what was wrong with it."""
    told = HumanMessage(_AGAIN.format(what=fault.what))
    calls = [*reply.tool_calls, *reply.invalid_tool_calls] if reply is not None else []
    if reply is not None and fault.by_call:
        idents = [str(one.get("id") or at) for at, one in enumerate(calls)]
        made = [_call_id(len(messages), at, str(one.get("name")), one.get("args")) for at, one in enumerate(calls)]
        results = [
            ToolMessage(
                _NOT_RUN.format(what=fault.by_call.get(ident, "another call of this reply is wrong.")),
                tool_call_id=own,
                name=plain_name(str(one.get("name") or "tool")),
                status="error",
            )
            for ident, own, one in zip(idents, made, calls, strict=True)
        ]
        return [*messages, _renumbered(reply, idents, made), *results]
    # A reply that was cut off may hold half a call, and one that was filtered is not to be repeated.
    if reply is None or calls or not reply.text.strip() or fault.kind is ModelFilteredError:
        return [*messages, told]
    return [*messages, AIMessage(reply.text), told]


def _renumbered(reply: AIMessage, idents: Sequence[str], made: Sequence[str]) -> AIMessage:
    """The reply with ids of ours for its calls, so that the same conversation is the same bytes."""
    renamed, whole = dict(zip(idents, made, strict=True)), len(reply.tool_calls)
    return reply.model_copy(
        update={
            "tool_calls": [{**one, "id": own} for one, own in zip(reply.tool_calls, made[:whole], strict=True)],
            "invalid_tool_calls": [
                {**one, "id": own} for one, own in zip(reply.invalid_tool_calls, made[whole:], strict=True)
            ],
            "content": with_ids(reply.content, renamed),
            "additional_kwargs": with_ids(reply.additional_kwargs, renamed),
        }
    )
