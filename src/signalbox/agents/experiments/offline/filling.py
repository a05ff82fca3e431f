"""One structured output of the model: a schema filled from what the person said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from signalbox.agents.experiments.offline.names import with_names
from signalbox.agents.experiments.offline.teaching import examples_of, lessons
from signalbox.agents.experiments.plan import kind_schema
from signalbox.agents.experiments.prompts import READ
from signalbox.errors import LLMAPIError
from signalbox.language.today import today_line
from signalbox.maps.context import current_run
from signalbox.models import fills_plans, is_offline, load_chat_model

__all__ = ["is_planned", "read", "read_kind"]

_LONGEST_ANSWER = 400


async def read(
    schema: Mapping[str, Any], text: str, capability: str = "", history: Sequence[Mapping[str, str]] = ()
) -> dict[str, Any]:
    """What the text gives for the schema, without what it does not. `history` is the turn before, user and bot.

    The examples of the capability teach what the options of the schema mean. What is required and not said is left out
    like anything else. Raises LLMAPIError where the model fails, and BudgetError.
    """
    model = _taught(_model(), schema, capability)
    structured = model.with_structured_output(dict(schema), include_raw=True)
    answer: Any = await structured.ainvoke(_messages(text, history))
    if isinstance(answer["parsing_error"], LLMAPIError):
        raise answer["parsing_error"]
    # The offline model gives what it found also where something that is required was not said.
    values = answer["parsed"] or answer["raw"].additional_kwargs.get("parsed") or {}
    return {name: value for name, value in values.items() if value not in (None, "", [])}


async def read_kind(text: str, names: Sequence[str] = ()) -> dict[str, Any]:
    """The kind of a request that stands alone, which the model gets with the names of experiments marked."""
    return await read(kind_schema(), with_names(text, names))


def is_planned() -> bool:
    """True if the model of the run only fills in plans. Any other works with the tools, in the loop."""
    return fills_plans(_model())


def _messages(text: str, history: Sequence[Mapping[str, str]]) -> list[BaseMessage]:
    messages: list[BaseMessage] = [SystemMessage(f"{READ}\n\n{today_line()}")]
    for turn in history[-1:]:
        messages += [HumanMessage(turn["user"]), AIMessage(turn["bot"][:_LONGEST_ANSWER])]
    return [*messages, HumanMessage(text)]


def _model() -> Any:
    """The model of the run, else the one of the settings."""
    run = current_run.get()
    return (run.model if run is not None else None) or load_chat_model()


def _taught(model: Any, schema: Mapping[str, Any], capability: str) -> Any:
    """The model, taught by the examples of this schema instead of those of the whole room."""
    if is_offline(model):
        return model.model_copy(update={"examples": lessons(schema, capability)})
    return model.model_copy(update={"taught": examples_of(schema, capability)}) if hasattr(model, "taught") else model
