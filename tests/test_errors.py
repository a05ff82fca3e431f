"""The error tree: what every error carries, and what it never lets out."""

from __future__ import annotations

import inspect

import pytest

from signalbox import errors
from signalbox.errors import (
    LLMAPIError,
    MapCheckError,
    MissingExtraError,
    MissingKeyError,
    NotFoundError,
    SignalboxError,
    redact,
)

TREE = [item for _, item in inspect.getmembers(errors, inspect.isclass) if issubclass(item, SignalboxError)]


def test_the_docstring_shows_the_whole_tree() -> None:
    assert errors.__doc__ is not None
    assert [item.__name__ for item in TREE if item.__name__ not in errors.__doc__] == []


def test_the_docstring_shows_each_error_under_its_parent() -> None:
    depths: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        name = line.strip(" │├└─").split(" ")[0]
        if not hasattr(errors, name):
            continue
        depth = line.index(name)
        depths = {d: n for d, n in depths.items() if d < depth} | {depth: name}
        parents = [depths[d] for d in sorted(depths) if d < depth]
        if parents:
            assert getattr(errors, name).__base__.__name__ == parents[-1]


def test_each_error_type_names_one_class() -> None:
    types = [item.error_type for item in TREE]
    assert len(types) == len(set(types))


def test_an_error_is_its_user_message() -> None:
    error = NotFoundError("There is no x.", suggestion="Did you mean y?")
    assert str(error) == error.user_message == "There is no x."


def test_details_never_reach_the_answer() -> None:
    error = NotFoundError("There is no x.", suggestion="Did you mean y?", details={"row": 7})
    assert error.as_dict() == {
        "error_type": "not_found",
        "message": "There is no x.",
        "suggestion": "Did you mean y?",
    }
    assert error.details == {"row": 7}


def test_details_are_redacted_when_the_error_is_made() -> None:
    error = LLMAPIError(details={"headers": {"Authorization": "Bearer abcdef123456"}, "model": "m"})
    assert error.details == {"headers": {"Authorization": "***"}, "model": "m"}


def test_a_missing_extra_says_how_to_install_it() -> None:
    error = MissingExtraError("The model openai/x", "openai")
    assert 'pip install "signalbox-agents[openai]"' in error.suggestion
    assert error.extra == "openai"


def test_a_missing_key_names_the_variable() -> None:
    assert "OPENAI_API_KEY" in MissingKeyError("OpenAI", "OPENAI_API_KEY").suggestion


def test_a_model_failure_has_words_for_a_person_by_default() -> None:
    assert LLMAPIError("It broke.").suggestion == "Please try again."
    # The words of the contract end with it.
    assert LLMAPIError().user_message.endswith("Please try again.")
    assert LLMAPIError().suggestion == ""


def test_a_failed_check_carries_its_findings() -> None:
    assert MapCheckError("no", findings=("f",)).findings == ("f",)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abc.def-123456", "abc.def-123456"),
        ("api_key=sk-1234567890abcdef", "sk-1234567890abcdef"),
        ("the key sk-proj-1234567890abcdef is wrong", "1234567890abcdef"),
        ('{"password": "hunter22"}', "hunter22"),
        ("postgres://me:s3cret@host/db", "s3cret"),
        ("X-Access-Key: AKIA123456", "AKIA123456"),
        ("GRAFANA_TOKEN=glsa_abcdefghijkl", "glsa_abcdefghijkl"),
    ],
)
def test_what_looks_like_a_credential_is_hidden(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in redact(text)
    assert "***" in redact(text)


def test_everything_else_is_left_as_it_is() -> None:
    for text in ("the basics of tokens", "https://host:8080/path", "an ordinary sentence"):
        assert redact(text) == text


def test_a_secret_in_quotes_is_hidden_whole() -> None:
    told = redact('{"Authorization": "Bearer abc", "password": "correct horse", "user": "ann"}')
    assert not any(word in told for word in ("abc", "horse", "correct"))
    assert '"user": "ann"' in told


def test_redaction_goes_into_lists_mappings_and_exceptions() -> None:
    assert redact([{"token": "x"}, ("password=abc",)]) == [{"token": "***"}, ("password=***",)]
    assert redact(ValueError("token=abc")) == "ValueError: token=***"
    assert redact(3) == 3
