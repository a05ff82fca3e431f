"""One structured output of the model: a schema filled from what the person said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from signalbox.agents.experiments.prompts import READ
from signalbox.agents.experiments.teaching import lessons
from signalbox.errors import LLMAPIError
from signalbox.maps.context import current_run

__all__ = ["read"]

_LONGEST_ANSWER = 400


async def read(
    schema: Mapping[str, Any], text: str, history: Sequence[Mapping[str, str]] = (), capability: str = ""
) -> dict[str, Any]:
    """What the text gives for the schema, without what it does not. `history` is the turn before, user and bot.

    The examples of the capability teach the offline model what the options of the schema mean.

    What is required and not said is left out like anything else. Raises LLMAPIError where the model fails.
    """
    model = _taught(_model(), schema, capability)
    structured = model.with_structured_output(dict(schema), include_raw=True)
    answer: Any = await structured.ainvoke(_messages(text, history))
    if isinstance(answer["parsing_error"], LLMAPIError):
        raise answer["parsing_error"]
    # The offline model gives what it found also where something that is required was not said.
    values = answer["parsed"] or answer["raw"].additional_kwargs.get("parsed") or {}
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def _messages(text: str, history: Sequence[Mapping[str, str]]) -> list[BaseMessage]:
    messages: list[BaseMessage] = [SystemMessage(READ)]
    for turn in history[-1:]:
        messages += [HumanMessage(turn["user"]), AIMessage(turn["bot"][:_LONGEST_ANSWER])]
    return [*messages, HumanMessage(text)]


def _model() -> BaseChatModel:
    """The model of the run, else the one of the settings."""
    run = current_run.get()
    model = run.model if run else None
    if model is None:
        from signalbox.models import load_chat_model

        return load_chat_model(None)
    return model  # type: ignore[no-any-return]


def _taught(model: BaseChatModel, schema: Mapping[str, Any], capability: str) -> BaseChatModel:
    """The offline model, taught by the examples of this schema in place of all; any other as it is."""
    if not hasattr(model, "examples"):
        return model
    taught: BaseChatModel = model.model_copy(update={"examples": lessons(schema, capability)})
    return taught
