"""`load_chat_model("provider/model")`: every agent's way to a chat model, hosted, local or offline."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from langchain_core.language_models import BaseChatModel
from pydantic import ValidationError

from signalbox.errors import ConfigurationError, MissingExtraError
from signalbox.language.names import nearest
from signalbox.models.door import Door
from signalbox.models.examples import read_examples
from signalbox.models.providers import (
    ALIASES,
    PROVIDERS,
    Provider,
    Wanted,
    check_address,
    find_address,
    find_key,
    is_official,
)
from signalbox.settings import Settings, get_settings

__all__ = ["load_chat_model", "open_door", "server_address", "split_model_name"]

_MAX_RETRIES = 2
_LOCAL = ("offline", "gguf")
_COMMON = ("timeout", "max_tokens", "temperature", "max_retries", "base_url")
_SECRET_OPTION = re.compile(r"(?i)api_?key|secret|password|credential|authorization|auth_?token|access_?token")


def load_chat_model(model: str | None = None, **options: Any) -> BaseChatModel:
    """The chat model of that name; without one, the one in the settings (by default `offline`).

    Options: base_url, timeout, max_tokens, temperature, max_retries (each else from the settings), and what
    the provider's own class takes. `examples` (a file of JSON lines, or a list) teach the model: see
    `signalbox.models.examples`. Keys come from the environment only. Raises ConfigurationError, MissingExtraError
    or MissingKeyError, each naming what to set or install.
    """
    settings = get_settings()
    taught = options.pop("examples", None)
    examples = read_examples(taught) if taught else ()
    _refuse_credentials(options)
    address = options.get("base_url")
    provider, name = split_model_name(model or settings.model, any_server=bool(address or settings.model_base_url))
    if provider == "offline":
        return _load_offline({**options, "examples": examples} if examples else options)
    if provider == "gguf":
        inner, edge = _load_gguf(name, options, settings), "gguf"
    else:
        inner, edge = _load_hosted(PROVIDERS[provider], name, options, settings)
    door = {
        "timeout": options.get("timeout", settings.model_timeout),
        "max_tokens": options.get("max_tokens", settings.model_max_tokens),
        "max_retries": options.get("max_retries", _MAX_RETRIES),
    }
    return _construct(Door, {"inner": inner, "edge": edge, "taught": examples, **door})  # type: ignore[no-any-return]


def open_door(model: Any) -> Any:
    """The door to a user's own chat model, which keeps its own limits, keys and retries.

    The offline model, a door, and anything that is not a LangChain chat model are returned unchanged.
    """
    if not isinstance(model, BaseChatModel) or isinstance(model, Door) or model._llm_type == "offline":
        return model
    homes = {one.__module__.partition(".")[0] for one in type(model).__mro__}
    found = next((one.name for one in PROVIDERS.values() if one.module in homes), "other")
    edge = "gguf" if model._llm_type == "gguf" else found
    if edge == "openai" and not is_official(PROVIDERS["openai"], getattr(model, "openai_api_base", None)):
        edge = "own_server"
    return Door(inner=model, edge=edge, max_retries=0)


def split_model_name(model: str, *, any_server: bool = False) -> tuple[str, str]:
    """Provider and model of `provider/model`; the model's own name may contain slashes.

    With `any_server` an unknown prefix is part of the name of a model on an OpenAI-compatible server.
    Raises ConfigurationError naming the nearest provider.
    """
    prefix, _, rest = model.strip().partition("/")
    provider = ALIASES.get(prefix.lower(), prefix.lower())
    if provider == "offline" or (provider in (*_LOCAL, *PROVIDERS) and rest):
        return provider, rest
    if provider in (*_LOCAL, *PROVIDERS):
        raise ConfigurationError(
            f"'{model}' names a provider and no model.",
            suggestion=f"Write it as {provider}/NAME-OF-THE-MODEL.",
        )
    if any_server and prefix:
        return "openai", model.strip()
    raise _unknown_provider(prefix)


def server_address(provider: str, settings: Settings) -> str | None:
    """The address in the settings, if it is meant for this provider.

    It is an OpenAI-compatible server's, unless the model in the settings names another provider beside it: a
    model that an agent asks for by name must not end up at the address of a different one.
    """
    if settings.model_base_url is None:
        return None
    configured = split_model_name(settings.model, any_server=True)[0]
    meant_for = configured if configured in PROVIDERS else "openai"
    return settings.model_base_url if provider == meant_for else None


def _unknown_provider(prefix: str) -> ConfigurationError:
    known = [*_LOCAL, *PROVIDERS]
    near = nearest(prefix, [*known, *ALIASES], 1)
    hint = f"Did you mean '{ALIASES.get(near[0], near[0])}'? " if near else ""
    return ConfigurationError(
        f"There is no model provider '{prefix}'.",
        suggestion=f"{hint}Providers: {', '.join(known)}; for your own server set SIGNALBOX_MODEL_BASE_URL.",
    )


def _refuse_credentials(options: dict[str, Any]) -> None:
    headers = options.get("default_headers") or {}
    for name in (*options, *headers):
        if _SECRET_OPTION.search(name.replace("-", "_")):
            raise ConfigurationError(
                f"'{name}' cannot be passed to load_chat_model.",
                suggestion="Keys are read from the environment only, such as OPENAI_API_KEY or"
                " SIGNALBOX_MODEL_API_KEY for a server of your own.",
            )


def _load_hosted(provider: Provider, name: str, options: dict[str, Any], settings: Settings) -> tuple[Any, str]:
    """The provider's own model, and the edge for its API."""
    model_class = _import_class(provider)
    wanted = _wanted(provider, name, options, settings)
    extras = {option: value for option, value in options.items() if option not in _COMMON}
    _refuse_unknown(provider, model_class, extras)
    arguments = {option: value for option, value in provider.arguments(wanted).items() if value is not None}
    model = _construct(model_class, {**arguments, **extras})
    if provider.connect is not None:
        provider.connect(model)
    if wanted.temperature == settings.model_temperature and (model.profile or {}).get("temperature") is False:
        # The setting has a default; a model that takes no temperature must not fail because of it.
        model.temperature = None
    return model, "own_server" if provider.name == "openai" and wanted.own_server else provider.name


def _import_class(provider: Provider) -> Any:
    try:
        return getattr(import_module(provider.module), provider.class_name)
    except ImportError:
        raise MissingExtraError(f"The provider '{provider.name}'", provider.extra) from None


def _wanted(provider: Provider, name: str, options: dict[str, Any], settings: Settings) -> Wanted:
    configured = server_address(provider.name, settings)
    base_url = options.get("base_url") or configured
    address = find_address(provider, base_url and check_address(base_url))
    key, own_server = find_key(provider, address, configured)
    return Wanted(
        model=name,
        base_url=address,
        key=key,
        own_server=own_server,
        timeout=options.get("timeout", settings.model_timeout),
        temperature=options.get("temperature", settings.model_temperature),
    )


def _refuse_unknown(provider: Provider, model_class: Any, extras: dict[str, Any]) -> None:
    fields = model_class.model_fields
    known = {*fields, *(field.alias for field in fields.values() if field.alias)}
    for option in sorted(set(extras) - known):
        near = nearest(option, sorted(known), 1)
        raise ConfigurationError(
            f"The provider '{provider.name}' takes no option '{option}'.",
            suggestion=f"Did you mean '{near[0]}'?" if near else "Leave it out.",
        )


def _construct(model_class: Any, arguments: dict[str, Any]) -> Any:
    try:
        return model_class(**arguments)
    except ValidationError as error:
        # Its own text quotes the input, which may hold a key: only place and reason are passed on.
        reasons = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'model'}: {e['msg']}" for e in error.errors())
    raise ConfigurationError(
        f"The model's options are wrong: {reasons}.", suggestion="Correct or leave out the option."
    )


def _load_offline(options: dict[str, Any]) -> BaseChatModel:
    from signalbox.models.offline import OfflineChatModel

    return OfflineChatModel(**{option: value for option, value in options.items() if option not in _COMMON})


def _load_gguf(name: str, options: dict[str, Any], settings: Settings) -> Any:
    from signalbox.models.gguf import GgufChatModel

    given = {
        "timeout": settings.model_timeout,
        "temperature": settings.model_temperature,
        **{option: value for option, value in options.items() if option not in ("base_url", "max_retries")},
    }
    return _construct(GgufChatModel, {"path": name, **given})
