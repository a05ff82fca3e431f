"""`explanation_node`: adds `explanation`, a text by the chat model in which every figure stands in the data."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from typing import Any

from langgraph.constants import TAG_NOSTREAM

from signalbox.agents.metrics.anomaly_detection_node import anomaly_detection_node
from signalbox.agents.metrics.prompts import explain_prompt
from signalbox.agents.metrics.state import MetricsQueryResult
from signalbox.errors import BudgetError, LLMAPIError
from signalbox.maps.agents.models import ask_model, choose_model
from signalbox.maps.context import current_run
from signalbox.models import is_offline, open_door

__all__ = ["explanation_node", "invented_figures"]

_LONGEST = 1_500
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_log = logging.getLogger("signalbox.agents.metrics")


async def explanation_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the explanation, or the plain sentences of the data if the model invents a figure or fails; `model_error`
    says how it failed. A state with an error passes unchanged."""
    result = state.get("result")
    if result is None or state.get("error") is not None:
        return {}
    facts = _facts(state)
    try:
        told = await asyncio.to_thread(_ask, facts)
    except (LLMAPIError, BudgetError) as error:
        return {"explanation": " ".join(facts), "model_error": error.as_dict()}
    return {"explanation": told or " ".join(facts)}


def _facts(state: Mapping[str, Any]) -> list[str]:
    """What is known, one sentence each: the answer, what it was before, and what was unusual in it."""
    context = state.get("context") or {}
    moved = [str(one["text"]) for one in context.get("moved", ())]
    beside = f"At the same time, which shows no cause by itself: {'; '.join(moved)}" if moved else ""
    # A model would end a sentence at the dot behind a place of a ranking.
    result: MetricsQueryResult = state["result"]
    answer = re.sub(r"\b(\d+)\. ", r"\1) ", result.summary) if result.ranking else result.summary
    unusual = (state.get("anomalies") or anomaly_detection_node(state)["anomalies"])["intervals"]
    strongest = str(max(unusual, key=lambda one: one["score"])["text"]) if unusual else ""
    told = [answer, str(context.get("text", "")), strongest, beside]
    return [text if text.endswith((".", "!")) else f"{text}." for text in told if text]


def _ask(facts: list[str]) -> str:
    """The model's text; nothing if it has a figure that is not in the data. Outside a run there is no model, and the
    offline one writes no text."""
    if current_run.get() is None:
        return ""
    model = open_door(choose_model({}, node="explanation_node"))
    if is_offline(model):
        return ""
    prompt, data = explain_prompt(), "\n".join(facts)
    # Its figures are checked first, so nothing of it is streamed.
    said = ask_model(model.with_config(tags=[TAG_NOSTREAM]), [("system", prompt), ("human", f"Data:\n{data}")]).strip()
    invented = invented_figures(said, f"{prompt} {data}")
    if invented:
        _log.warning("explanation_node: the model wrote figures that are not in the data: %s", ", ".join(invented))
    return "" if invented or len(said) > _LONGEST else said


def invented_figures(text: str, data: str) -> list[str]:
    """Return the figures of a text that are not in the data."""
    known = set(map(_plain, _FIGURE.findall(data)))
    return [figure for figure in _FIGURE.findall(text) if _plain(figure) not in known]


def _plain(figure: str) -> str:
    return re.sub(r",(?=\d{3}(?:\D|$))", "", figure)
