"""Which chat model a node uses, and requests to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.contract import current_tracker
from signalbox.errors import MissingExtraError, MissingKeyError, ModelEmptyError, ModelRefusedError
from signalbox.maps.context import run_context
from signalbox.settings import get_settings

__all__ = ["ask_model", "ask_object", "choose_model"]

_OPTIONS = ("temperature", "max_tokens", "timeout")


def choose_model(context: Mapping[str, Any], provider: str = "", node: str = "") -> Any:
    """The model of the run, or the one in the node's Context, or the one from the settings, taught with
    `examples.jsonl` next to the map.

    If there is no key for the node's own provider, the model from the settings answers, and the summary says so.
    """
    lent = run_context().model
    if lent is not None:
        return lent
    from signalbox.models import load_chat_model

    options = {key: context[key] for key in _OPTIONS if context.get(key) is not None}
    examples = run_context().folder / "examples.jsonl"
    if examples.is_file():
        options["examples"] = examples
    default = get_settings().model
    wanted, why = _wanted(context, provider, default)
    if wanted != default:
        try:
            return load_chat_model(wanted, **options)
        except (MissingKeyError, MissingExtraError) as error:
            why = f"{node} asks for {wanted}; {error}"
    tracker = current_tracker.get()
    if why and tracker is not None:
        tracker.warn(f"{why} The model '{default}' answered instead.")
    return load_chat_model(default, **options)


def _wanted(context: Mapping[str, Any], provider: str, default: str) -> tuple[str, str]:
    """The model that a node names, as provider/model, and a warning if something is unusual."""
    provider = provider or str(context.get("provider") or context.get("llm_provider") or "")
    model = str(context.get("model") or "")
    if not provider or provider.casefold() in ("auto", "default"):
        return (model if "/" in model else default), ""
    if model:
        return f"{provider}/{model}", ""
    same = default.partition("/")[0] == provider
    return default, "" if same else f"A node asks for {provider} and names no model in its Context."


def ask_model(model: Any, messages: Sequence[Any]) -> str:
    """The text of the model's answer. Raises LLMAPIError if the model fails, or gives none that can be used."""
    answer = model.invoke(list(messages))
    _count_usage(answer)
    if declined := getattr(answer, "additional_kwargs", {}).get("refusal"):
        # The offline model has no door, and says in words what it cannot do.
        raise ModelRefusedError(str(declined))
    text = getattr(answer, "text", None)
    text = str(text) if isinstance(text, str) else str(getattr(answer, "content", answer))
    if not text.strip():
        raise ModelEmptyError("The model gave an empty reply.")
    return text


def ask_object(model: Any, schema: Mapping[str, Any], messages: Sequence[Any]) -> dict[str, Any]:
    """The model's reply as an object of the schema. Raises LLMAPIError, like `ask_model`."""
    given = model.with_structured_output(schema, include_raw=True).invoke(list(messages))
    _count_usage(given["raw"])
    if given["parsing_error"] is not None:
        raise given["parsing_error"]
    return dict(given["parsed"] or {})


def _count_usage(answer: Any) -> None:
    from signalbox.models.usage import usage_of

    tracker = current_tracker.get()
    if tracker is not None and getattr(answer, "usage_metadata", None):
        tracker.add_usage(usage_of(answer, get_settings().model_prices))  # type: ignore[arg-type]
