"""`load_chat_model`: names, keys, addresses and errors, with the providers' real classes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from signalbox.errors import (
    ConfigurationError,
    LLMAPIError,
    MissingExtraError,
    MissingKeyError,
    SignalboxError,
    UnsupportedError,
)
from signalbox.models import load_chat_model
from signalbox.models.failures import explain_model_error
from signalbox.models.loading import split_model_name

# Of no form that a pattern would know: only the value itself can be recognised.
ODD_KEY = "correct-horse-battery-staple"
MODULES = {
    "openai": "langchain_openai",
    "anthropic": "langchain_anthropic",
    "google_genai": "langchain_google_genai",
    "ollama": "langchain_ollama",
}
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google_genai": "GOOGLE_API_KEY"}
# No library has a table entry for this one: no profile, no notice of deprecation.
NAMES = {provider: f"{provider}/some-model" for provider in MODULES}
pytestmark = pytest.mark.usefixtures("clean_environment")
Require = Callable[[str], None]


def everything_in(error: SignalboxError) -> str:
    chain = f"{error.__cause__!r} {error.__context__!r}"
    return f"{error} {error!r} {error.suggestion} {error.details!r} {error.as_dict()} {chain}"


# Names


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("offline", ("offline", "")),
        ("offline/anything", ("offline", "anything")),
        ("openai/gpt-4o", ("openai", "gpt-4o")),
        ("OpenAI/gpt-4o", ("openai", "gpt-4o")),
        ("openai/org/model:v1", ("openai", "org/model:v1")),
        ("gpt/gpt-4o", ("openai", "gpt-4o")),
        ("chatgpt/gpt-4o", ("openai", "gpt-4o")),
        ("claude/claude-sonnet-4-5", ("anthropic", "claude-sonnet-4-5")),
        ("google/gemini-2.5-flash", ("google_genai", "gemini-2.5-flash")),
        ("gemini/gemini-2.5-flash", ("google_genai", "gemini-2.5-flash")),
        ("gguf//models/small.gguf", ("gguf", "/models/small.gguf")),
    ],
)
def test_a_name_is_provider_and_model(given: str, expected: tuple[str, str]) -> None:
    assert split_model_name(given) == expected


def test_an_unknown_provider_is_refused_with_the_nearest_and_the_list() -> None:
    with pytest.raises(ConfigurationError, match="'opnai'") as caught:
        load_chat_model("opnai/gpt-4o")
    assert "Did you mean 'openai'?" in caught.value.suggestion
    for provider in ("offline", "gguf", *NAMES):
        assert provider in caught.value.suggestion


@pytest.mark.parametrize("name", ["openai", "openai/", "gguf/", "claude"])
def test_a_provider_without_a_model_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="names a provider and no model"):
        load_chat_model(name)


def test_on_a_server_of_ones_own_an_unknown_prefix_is_part_of_the_models_name(
    require_module: Require,
) -> None:
    require_module("langchain_openai")
    model: Any = load_chat_model("some-lab/model-7b", base_url="http://localhost:9/v1")
    assert model.model_name == "some-lab/model-7b"


def test_without_a_name_the_offline_model_is_loaded() -> None:
    assert type(load_chat_model()).__name__ == "OfflineChatModel"


def test_importing_the_package_loads_neither_langchain_nor_numpy() -> None:
    check = (
        "import sys, signalbox.models;"
        "heavy = {'langchain_core', 'langgraph', 'numpy'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Options and settings


def load_with(monkeypatch: pytest.MonkeyPatch, provider: str, **options: Any) -> Any:
    if provider in KEYS:
        monkeypatch.setenv(KEYS[provider], ODD_KEY)
    return load_chat_model(NAMES[provider], **options)


@pytest.mark.parametrize(
    ("provider", "attributes"),
    [
        ("openai", ("request_timeout", "max_tokens", "temperature", "max_retries")),
        ("anthropic", ("default_request_timeout", "max_tokens", "temperature", "max_retries")),
        ("google_genai", ("timeout", "max_output_tokens", "temperature")),
        ("ollama", (None, "num_predict", "temperature")),
    ],
)
def test_each_provider_gets_the_options_under_its_own_names(
    provider: str,
    attributes: tuple[str | None, ...],
    clean_environment: pytest.MonkeyPatch,
    require_module: Require,
) -> None:
    require_module(MODULES[provider])
    options = {"timeout": 7.0, "max_tokens": 99, "temperature": 0.3, "max_retries": 1}
    model = load_with(clean_environment, provider, **options)
    for attribute, value in zip(attributes, options.values(), strict=False):
        if attribute:
            assert getattr(model, attribute) == value
    if provider == "ollama":
        assert model.client_kwargs["timeout"] == 7.0


def test_what_the_options_leave_out_comes_from_the_settings(
    clean_environment: pytest.MonkeyPatch, require_module: Require
) -> None:
    require_module("langchain_openai")
    for name, value in {"TIMEOUT": "11", "MAX_TOKENS": "55", "TEMPERATURE": "0.5"}.items():
        clean_environment.setenv(f"SIGNALBOX_MODEL_{name}", value)
    model = load_with(clean_environment, "openai", max_tokens=66)
    assert (model.request_timeout, model.max_tokens, model.temperature) == (11.0, 66, 0.5)


def test_a_model_that_takes_no_temperature_is_not_sent_the_settings_default(
    clean_environment: pytest.MonkeyPatch, require_module: Require
) -> None:
    require_module("langchain_openai")
    clean_environment.setenv("OPENAI_API_KEY", ODD_KEY)
    model: Any = load_chat_model("openai/o3-mini")
    assert model.temperature is None


def test_an_unknown_option_is_refused_with_the_nearest(
    clean_environment: pytest.MonkeyPatch, require_module: Require
) -> None:
    require_module("langchain_openai")
    with pytest.raises(ConfigurationError, match="takes no option 'top_pp'") as caught:
        load_with(clean_environment, "openai", top_pp=0.5)
    assert "'top_p'" in caught.value.suggestion


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google_genai"])
def test_a_wrong_value_is_refused_without_the_key_in_the_error(
    provider: str, clean_environment: pytest.MonkeyPatch, require_module: Require
) -> None:
    require_module(MODULES[provider])
    with pytest.raises(ConfigurationError, match="temperature") as caught:
        load_with(clean_environment, provider, temperature="hot")
    assert ODD_KEY not in everything_in(caught.value)


# Keys


@pytest.mark.parametrize("provider", KEYS)
def test_a_missing_key_is_an_error_that_names_the_variable(provider: str, require_module: Require) -> None:
    require_module(MODULES[provider])
    with pytest.raises(MissingKeyError) as caught:
        load_chat_model(NAMES[provider])
    assert caught.value.variable == KEYS[provider]
    assert KEYS[provider] in caught.value.suggestion


@pytest.mark.parametrize(
    ("provider", "extra"),
    [("openai", "openai"), ("anthropic", "anthropic"), ("google_genai", "google"), ("ollama", "ollama")],
)
def test_a_missing_extra_is_an_error_that_names_it(
    provider: str, extra: str, clean_environment: pytest.MonkeyPatch
) -> None:
    clean_environment.setitem(sys.modules, MODULES[provider], None)
    with pytest.raises(MissingExtraError) as caught:
        load_chat_model(NAMES[provider])
    assert caught.value.extra == extra
    assert f"signalbox-agents[{extra}]" in caught.value.suggestion


@pytest.mark.parametrize(
    "options",
    [{"api_key": ODD_KEY}, {"openai_api_key": ODD_KEY}, {"default_headers": {"Authorization": ODD_KEY}}],
)
def test_a_key_passed_as_an_option_is_refused_and_not_repeated(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="cannot be passed") as caught:
        load_chat_model("openai/gpt-4o", **options)
    assert ODD_KEY not in everything_in(caught.value)
    assert "environment" in caught.value.suggestion


@pytest.mark.parametrize("provider", NAMES)
def test_no_key_shows_in_a_model(provider: str, clean_environment: pytest.MonkeyPatch, require_module: Require) -> None:
    require_module(MODULES[provider])
    clean_environment.setenv("OLLAMA_API_KEY", ODD_KEY)
    model = load_with(clean_environment, provider)
    assert ODD_KEY not in f"{model} {model!r} {model.model_dump()!r}"


# Servers of one's own


def sent_to(server: Any, name: str) -> str:
    """The headers that a model sends to this server, which refuses every request."""
    with pytest.raises(LLMAPIError, match="refused the key"):
        load_chat_model(name, base_url=server.address).invoke("hello")
    return str(server.headers[-1])


@pytest.mark.parametrize("provider", MODULES)
def test_a_server_of_ones_own_never_gets_the_providers_key(
    provider: str, clean_environment: pytest.MonkeyPatch, refusing_server: Any, require_module: Require
) -> None:
    require_module(MODULES[provider])
    clean_environment.setenv(KEYS.get(provider, "OLLAMA_API_KEY"), ODD_KEY)
    assert ODD_KEY not in sent_to(refusing_server, NAMES[provider])


@pytest.mark.parametrize("provider", MODULES)
def test_a_server_of_ones_own_gets_the_key_meant_for_it(
    provider: str, clean_environment: pytest.MonkeyPatch, refusing_server: Any, require_module: Require
) -> None:
    require_module(MODULES[provider])
    clean_environment.setenv("SIGNALBOX_MODEL_API_KEY", ODD_KEY)
    assert ODD_KEY in sent_to(refusing_server, NAMES[provider])


def test_the_key_of_the_server_in_the_settings_goes_to_no_other(
    clean_environment: pytest.MonkeyPatch, refusing_server: Any, require_module: Require
) -> None:
    require_module("langchain_openai")
    clean_environment.setenv("SIGNALBOX_MODEL_API_KEY", ODD_KEY)
    clean_environment.setenv("SIGNALBOX_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
    assert ODD_KEY not in sent_to(refusing_server, "openai/some-model")


def test_the_providers_key_goes_to_the_address_that_stands_beside_it_in_the_environment(
    clean_environment: pytest.MonkeyPatch, refusing_server: Any, require_module: Require
) -> None:
    require_module("langchain_openai")
    clean_environment.setenv("OPENAI_API_KEY", ODD_KEY)
    clean_environment.setenv("OPENAI_BASE_URL", refusing_server.address)
    with pytest.raises(LLMAPIError):
        load_chat_model("openai/gpt-4o").invoke("hello")
    assert refusing_server.headers[-1]["authorization"] == f"Bearer {ODD_KEY}"


def test_a_gateway_in_the_environment_does_not_lead_a_key_astray(
    clean_environment: pytest.MonkeyPatch, require_module: Require
) -> None:
    require_module("langchain_openai")
    clean_environment.setenv("LANGSMITH_GATEWAY", "https://gateway.test")
    model = load_with(clean_environment, "openai")
    assert str(model.root_client.base_url).startswith("https://api.openai.com/")


def test_the_providers_host_without_encryption_is_not_given_its_key(
    clean_environment: pytest.MonkeyPatch, require_module: Require
) -> None:
    require_module("langchain_openai")
    model = load_with(clean_environment, "openai", base_url="http://api.openai.com/v1")
    assert model.openai_api_key.get_secret_value() != ODD_KEY


def test_the_address_in_the_settings_is_not_for_another_provider(
    clean_environment: pytest.MonkeyPatch, require_module: Require
) -> None:
    require_module("langchain_anthropic")
    clean_environment.setenv("SIGNALBOX_MODEL", "openai/local-model")
    clean_environment.setenv("SIGNALBOX_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
    model = load_with(clean_environment, "anthropic")
    assert "127.0.0.1" not in str(model.anthropic_api_url)


def test_the_address_in_the_settings_serves_the_provider_named_beside_it(
    clean_environment: pytest.MonkeyPatch, require_module: Require
) -> None:
    require_module("langchain_ollama")
    clean_environment.setenv("SIGNALBOX_MODEL", "ollama/llama3")
    clean_environment.setenv("SIGNALBOX_MODEL_BASE_URL", "http://127.0.0.1:9")
    model: Any = load_chat_model()
    assert model.base_url == "http://127.0.0.1:9"


@pytest.mark.parametrize("address", ["localhost:8080", "ftp://host/v1", "http://", "http://host:port/v1"])
def test_an_address_that_is_none_is_refused(address: str, require_module: Require) -> None:
    require_module("langchain_openai")
    with pytest.raises(ConfigurationError, match="not an http or https URL"):
        load_chat_model("openai/some-model", base_url=address)


def test_credentials_inside_an_address_are_refused_and_not_repeated(require_module: Require) -> None:
    require_module("langchain_openai")
    with pytest.raises(ConfigurationError, match="carries credentials") as caught:
        load_chat_model("openai/some-model", base_url=f"http://me:{ODD_KEY}@host/v1")
    assert ODD_KEY not in everything_in(caught.value)


# Failures


@pytest.mark.parametrize("provider", MODULES)
async def test_a_refused_key_is_explained_and_not_repeated(
    provider: str, clean_environment: pytest.MonkeyPatch, refusing_server: Any, require_module: Require
) -> None:
    require_module(MODULES[provider])
    clean_environment.setenv("SIGNALBOX_MODEL_API_KEY", ODD_KEY)
    model = load_chat_model(NAMES[provider], base_url=refusing_server.address)

    async def read_stream() -> None:
        async for _ in model.astream("hello"):
            pass

    with pytest.raises(LLMAPIError) as invoked:
        model.invoke("hello")
    with pytest.raises(LLMAPIError) as streamed:
        list(model.stream("hello"))
    with pytest.raises(LLMAPIError) as awaited:
        await model.ainvoke("hello")
    with pytest.raises(LLMAPIError) as async_streamed:
        await read_stream()
    for caught in (invoked, streamed, awaited, async_streamed):
        assert "refused the key" in str(caught.value)
        assert ODD_KEY not in everything_in(caught.value)
        assert caught.value.details["status"] == 401


def test_a_server_that_is_not_there_is_an_error_in_words(refusing_server: Any, require_module: Require) -> None:
    require_module("langchain_openai")
    refusing_server.close()
    with pytest.raises(LLMAPIError, match="trouble connecting to my AI service"):
        load_chat_model("openai/some-model", base_url=refusing_server.address, max_retries=0).invoke("hello")


@pytest.mark.parametrize(
    ("status", "words"),
    [(404, "does not know this model"), (429, "limiting the rate"), (500, "trouble connecting")],
)
def test_a_status_is_explained_in_words(status: int, words: str) -> None:
    request = httpx.Request("POST", "http://model.test")
    error = httpx.HTTPStatusError("no", request=request, response=httpx.Response(status, request=request))
    assert words in str(explain_model_error(error))


def test_a_timeout_is_explained_in_words() -> None:
    assert "too long" in str(explain_model_error(httpx.ReadTimeout("slow")))


def test_an_error_of_ours_is_left_as_it_is() -> None:
    error = UnsupportedError("no")
    assert explain_model_error(error) is error
