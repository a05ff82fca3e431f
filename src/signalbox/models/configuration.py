"""Which model a run uses: what the run's context says, then what the settings say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signalbox.errors import ConfigurationError
from signalbox.models.loading import load_chat_model, server_address, split_model_name
from signalbox.settings import get_settings

__all__ = ["Configuration"]

# `configurable` often holds what a client of an API sent: it may choose a model, never where requests go.
_FROM_CONFIGURABLE = ("model", "timeout", "max_tokens", "temperature", "system_prompt")


class Configuration(BaseModel):
    """The model of a run and its options."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str = Field(default="offline", description="The chat model, as provider/model.")
    base_url: str | None = Field(default=None, description="A model server's address.")
    timeout: float = Field(default=60.0, gt=0, description="Seconds that a model may take to answer.")
    max_tokens: int | None = Field(default=None, gt=0, description="The longest answer, in tokens.")
    temperature: float = Field(default=0.0, ge=0, le=2, description="0 is the most predictable.")
    system_prompt: str | None = Field(default=None, description="Stands before the agent's own prompt.")

    @classmethod
    def from_context(cls) -> Configuration:
        """The configuration of the current run; outside a graph, only the settings.

        The run's context wins over `configurable`, and both over the settings. Raises ConfigurationError.
        """
        context, configurable = _run_values()
        said = {**_chosen(configurable, _FROM_CONFIGURABLE), **_chosen(context, tuple(cls.model_fields))}
        values = {**_settings_values(said.get("model")), **said}
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
        raise ConfigurationError(
            f"'{field}' in the run's context is wrong: {first['msg']}.",
            suggestion=f"Correct or leave out '{field}'.",
        )

    def load(self, **options: Any) -> BaseChatModel:
        """The chat model that this configuration means; options win over its fields."""
        fields = self.model_dump(exclude={"model", "system_prompt"}, exclude_none=True)
        return load_chat_model(self.model, **{**fields, **options})


def _settings_values(model: Any) -> dict[str, Any]:
    settings = get_settings()
    name = model if isinstance(model, str) else settings.model
    provider, _ = split_model_name(name, any_server=settings.model_base_url is not None)
    return {
        "model": settings.model,
        "base_url": server_address(provider, settings),
        "timeout": settings.model_timeout,
        "max_tokens": settings.model_max_tokens,
        "temperature": settings.model_temperature,
    }


def _run_values() -> tuple[Any, Any]:
    """The context and the `configurable` of the current LangGraph run, or nothing outside one."""
    from langgraph.config import get_config
    from langgraph.runtime import get_runtime

    try:
        configurable = get_config().get("configurable", {})
    except RuntimeError:
        return None, None
    runtime = get_runtime()
    return (runtime.context if runtime else None), configurable


def _chosen(source: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The named values of a mapping or an object; None means not given."""
    said = source if isinstance(source, Mapping) else {name: getattr(source, name, None) for name in names}
    return {name: said[name] for name in names if said.get(name) is not None}
