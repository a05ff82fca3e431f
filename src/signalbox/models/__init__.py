"""The way to a chat model: `load_chat_model`, its `Configuration`, and what kind of model it is.

How a call passes, from top to bottom:

    loading      load_chat_model("openai/…") makes the provider's own LangChain class (`providers`: addresses and keys,
                 `connections`: HTTP kept open per event loop) and puts a door around it; `open_door` does so for a
                 model that somebody lends. The offline model needs no door: it reads our schemas itself, and asking it
                 again would give the same.
    door         a LangChain chat model: bind_tools, with_structured_output, invoke, stream. It reads what is asked for
                 into our own terms (`asked`, `shape`) and drives the exchange (`sending`).
    exchange     sends, waits and tries again where the provider fails (`failures`), has the reply checked (`replies`),
                 and requests one that cannot be used once more with what was wrong; then it raises a typed error.
    edges        the provider's edge: schemas, tools and limits in the form of that provider (`provider_schemas`).
    usage, recording, tape
                 every request is counted, held against budgets, shown to whoever records prompts, and answered from a
                 tape where one is in use.

`capability` decides whether a model works with tools or fills in plans. The names below load on first use, so that
importing this package, or the time grammar inside it, stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signalbox.models.capability import fills_plans
    from signalbox.models.configuration import Configuration
    from signalbox.models.kinds import is_offline
    from signalbox.models.loading import load_chat_model, open_door
    from signalbox.models.recording import record_prompts
    from signalbox.models.usage import budgets, count_usage

__all__ = [
    "Configuration",
    "budgets",
    "count_usage",
    "fills_plans",
    "is_offline",
    "load_chat_model",
    "open_door",
    "record_prompts",
]

_HOMES = {
    "Configuration": "configuration",
    "budgets": "usage",
    "count_usage": "usage",
    "fills_plans": "capability",
    "is_offline": "kinds",
    "load_chat_model": "loading",
    "open_door": "loading",
    "record_prompts": "recording",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
