"""The hosted providers as a table, and the rule for which credential may travel to which address.

A provider's own key goes to the provider's own hosts, and to an address that stands beside it in the
environment (OPENAI_BASE_URL and the like). Any other address gets SIGNALBOX_MODEL_API_KEY, or a placeholder:
naming a server never hands it a key that was issued by someone else.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from signalbox.errors import ConfigurationError, MissingKeyError
from signalbox.models.connections import kept_transport

__all__ = [
    "ALIASES",
    "PROVIDERS",
    "SERVER_KEY_VARIABLE",
    "Provider",
    "Wanted",
    "check_address",
    "find_address",
    "find_key",
    "is_official",
]

SERVER_KEY_VARIABLE = "SIGNALBOX_MODEL_API_KEY"
_PLACEHOLDER = "no-key"


@dataclass(frozen=True)
class Wanted:
    """What is asked of a provider, in our words."""

    model: str
    base_url: str | None
    key: SecretStr | None
    own_server: bool
    timeout: float
    temperature: float


@dataclass(frozen=True)
class Provider:
    """One provider: where its class lives, which extra brings it, and how it names what we want."""

    name: str
    extra: str
    module: str
    class_name: str
    address: str | None
    hosts: tuple[str, ...]
    key_variables: tuple[str, ...]
    address_variables: tuple[str, ...]
    arguments: Callable[[Wanted], dict[str, Any]]
    needs_key: bool = True
    keyless_variable: str | None = None
    connect: Callable[[Any], None] | None = None
    """For a class that takes no HTTP client: gives it the connections that are kept."""


def _common_arguments(wanted: Wanted) -> dict[str, Any]:
    """The door tries again itself, so that it is done alike for all: the providers' own clients do not."""
    return {
        "model": wanted.model,
        "base_url": wanted.base_url,
        "api_key": wanted.key,
        "timeout": wanted.timeout,
        "temperature": wanted.temperature,
        "max_retries": 0,
    }


def _openai_arguments(wanted: Wanted) -> dict[str, Any]:
    arguments = _common_arguments(wanted) | _clients("openai", timeout=wanted.timeout)
    # Without being asked, no server counts the tokens of a stream, and the budgets would not see them.
    return {**arguments, "stream_usage": True, **({"use_responses_api": False} if wanted.own_server else {})}


def _google_arguments(wanted: Wanted) -> dict[str, Any]:
    # Google's client counts attempts, not retries, and takes 0 for "as many as you like".
    transport = {"transport": kept_transport("httpx")}
    return {**_common_arguments(wanted), "max_retries": 1, "client_args": transport}


def _ollama_arguments(wanted: Wanted) -> dict[str, Any]:
    client: dict[str, Any] = {"timeout": wanted.timeout, "transport": kept_transport("httpx")}
    if wanted.key is not None:
        client["auth"] = _BearerKey(wanted.key)
    return {
        "model": wanted.model,
        "base_url": wanted.base_url,
        "temperature": wanted.temperature,
        "client_kwargs": client,
    }


def _connect_anthropic(model: Any) -> None:
    """ChatAnthropic makes its clients itself, at first use; these are there before it would."""
    import anthropic

    parameters = model._client_params
    kept = {"base_url": parameters["base_url"], "timeout": parameters.get("timeout")}
    clients = _clients("anthropic", **kept)
    model.__dict__["_client"] = anthropic.Anthropic(**parameters, http_client=clients["http_client"])
    model.__dict__["_async_client"] = anthropic.AsyncAnthropic(**parameters, http_client=clients["http_async_client"])


def _clients(sdk: str, **options: Any) -> dict[str, Any]:
    """HTTP clients for a provider's library, of the kind that it is built on: httpx, or httpx2 in newer ones."""
    bases = import_module(sdk).DefaultAsyncHttpxClient.__mro__
    library = next(one.__module__.partition(".")[0] for one in bases if one.__module__.startswith("httpx"))
    httpx, transport = import_module(library), kept_transport(library)
    return {
        "http_client": httpx.Client(transport=transport, follow_redirects=True, **options),
        "http_async_client": httpx.AsyncClient(transport=transport, follow_redirects=True, **options),
    }


class _BearerKey:
    """An httpx auth that signs each request: the key stands in no header table that a repr would show."""

    def __init__(self, key: SecretStr) -> None:
        self._key = key

    def __call__(self, request: Any) -> Any:
        request.headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
        return request

    def __repr__(self) -> str:
        return "BearerKey(***)"


_TABLE = (
    Provider(
        name="openai",
        extra="openai",
        module="langchain_openai",
        class_name="ChatOpenAI",
        address="https://api.openai.com/v1",
        hosts=("api.openai.com",),
        key_variables=("OPENAI_API_KEY",),
        address_variables=("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        arguments=_openai_arguments,
    ),
    Provider(
        name="anthropic",
        extra="anthropic",
        module="langchain_anthropic",
        class_name="ChatAnthropic",
        address="https://api.anthropic.com",
        hosts=("api.anthropic.com",),
        key_variables=("ANTHROPIC_API_KEY",),
        address_variables=("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL"),
        arguments=_common_arguments,
        connect=_connect_anthropic,
    ),
    Provider(
        name="google_genai",
        extra="google",
        module="langchain_google_genai",
        class_name="ChatGoogleGenerativeAI",
        address=None,
        hosts=("generativelanguage.googleapis.com",),
        key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        address_variables=(),
        arguments=_google_arguments,
        keyless_variable="GOOGLE_GENAI_USE_VERTEXAI",
    ),
    Provider(
        name="ollama",
        extra="ollama",
        module="langchain_ollama",
        class_name="ChatOllama",
        address=None,
        hosts=("ollama.com",),
        key_variables=("OLLAMA_API_KEY",),
        address_variables=("OLLAMA_HOST",),
        arguments=_ollama_arguments,
        needs_key=False,
    ),
)
PROVIDERS = {provider.name: provider for provider in _TABLE}
ALIASES = {
    "gpt": "openai",
    "chatgpt": "openai",
    "claude": "anthropic",
    "google": "google_genai",
    "gemini": "google_genai",
}


def check_address(address: str) -> str:
    """The address of a server, if it is one; raises ConfigurationError, also for credentials inside it."""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(
            "The model server's address is not an http or https URL.",
            suggestion="Set SIGNALBOX_MODEL_BASE_URL (or base_url) to something like http://localhost:8080/v1.",
            details={"address": address},
        )
    if parts.username or parts.password:
        raise ConfigurationError(
            "The model server's address carries credentials.",
            suggestion=f"Put the key into {SERVER_KEY_VARIABLE} and leave it out of the address.",
        )
    return address


def find_address(provider: Provider, base_url: str | None) -> str | None:
    """Where requests go: the given address, else that of the provider's variables, else the provider's own.

    Stated wherever it is known, so that nothing else in the environment can lead a key astray.
    """
    return base_url or _first_set(provider.address_variables) or provider.address


def find_key(provider: Provider, address: str | None, configured: str | None) -> tuple[SecretStr | None, bool]:
    """The key that may go to this address, and whether the address is a server of one's own.

    `configured` is the address from the settings: once it is set, SIGNALBOX_MODEL_API_KEY goes there only.
    Raises MissingKeyError if the provider itself needs a key and none is set.
    """
    if address is None or is_official(provider, address):
        return _provider_key(provider), False
    paired = [value for name in provider.address_variables if (value := os.environ.get(name))]
    key = _first_set(provider.key_variables) if any(_same(address, other) for other in paired) else None
    if key is None and (configured is None or _same(address, configured)):
        key = _first_set((SERVER_KEY_VARIABLE,))
    return SecretStr(key or _PLACEHOLDER), True


def _provider_key(provider: Provider) -> SecretStr | None:
    if key := _first_set(provider.key_variables):
        return SecretStr(key)
    keyless = provider.keyless_variable and _first_set((provider.keyless_variable,))
    if provider.needs_key and str(keyless).lower() not in ("1", "true"):
        raise MissingKeyError(f"The provider '{provider.name}'", provider.key_variables[0])
    return None


def _first_set(variables: tuple[str, ...]) -> str | None:
    return next((value for name in variables if (value := os.environ.get(name))), None)


def is_official(provider: Provider, address: str | None) -> bool:
    """True if the address is the provider's own; none given means that it is."""
    if address is None:
        return True
    parts = urlsplit(address)
    return parts.scheme == "https" and parts.hostname in provider.hosts


def _same(one: str, other: str) -> bool:
    return _origin(one) == _origin(other)


def _origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address if "//" in address else f"http://{address}")
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
