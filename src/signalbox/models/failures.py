"""What a provider's exception means, in words for a person; no credential survives the translation."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any

from signalbox.errors import LLMAPIError, SignalboxError

__all__ = ["explain_model_error", "with_explained_errors"]

_KEY_ENDINGS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")

_BY_STATUS = {
    400: ("The model's provider refused the request as malformed.", "Check the model's name and options."),
    401: ("The model's provider refused the key.", "Check the key in the environment."),
    403: ("The model's provider does not allow this with the given key.", "Check what the key may do."),
    404: (
        "The model's provider does not know this model.",
        "Check the model's name and the server's address.",
    ),
    408: ("The model took too long to answer.", "Try again, or raise SIGNALBOX_MODEL_TIMEOUT."),
    413: ("The request is too long for this model.", "Shorten it, or choose a model with a larger context."),
    429: ("The model's provider is limiting the rate of requests.", "Wait a little and try again."),
}


def explain_model_error(error: BaseException) -> SignalboxError:
    """The error as a person may see it: an LLMAPIError, or the error itself if it is already one of ours."""
    if isinstance(error, SignalboxError):
        return error
    status = _status_of(error)
    details = {"error": f"{type(error).__name__}: {_without_keys(str(error))}", "status": status}
    if status in _BY_STATUS:
        message, suggestion = _BY_STATUS[status]
        return LLMAPIError(message, suggestion=suggestion, details=details)
    if "timeout" in type(error).__name__.lower():
        message, suggestion = _BY_STATUS[408]
        return LLMAPIError(message, suggestion=suggestion, details=details)
    return LLMAPIError(details=details)


def _status_of(error: BaseException | None) -> int | None:
    """The HTTP status, under whichever name the provider's library keeps it, on the error or on its cause."""
    if error is None:
        return None
    response = getattr(error, "response", None)
    for value in (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
    ):
        if isinstance(value, int):
            return value
    return _status_of(error.__cause__)


def _without_keys(text: str) -> str:
    """Servers echo the key they refused, in forms no pattern foresees; the values themselves are known."""
    for name, value in os.environ.items():
        if name.endswith(_KEY_ENDINGS) and len(value) >= 4:
            text = text.replace(value, "***")
    return text


@cache
def with_explained_errors(model_class: Any) -> Any:
    """A subclass of a chat model whose four ways of generating raise our errors instead of the library's.

    The error is raised outside the `except` block: a chained original could still show the key.
    """

    class Explained(model_class):  # type: ignore[misc]
        def _generate(self, *args: Any, **kwargs: Any) -> Any:
            try:
                return super()._generate(*args, **kwargs)
            except Exception as error:
                failure = explain_model_error(error)
            raise failure

        async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
            try:
                return await super()._agenerate(*args, **kwargs)
            except Exception as error:
                failure = explain_model_error(error)
            raise failure

        def _stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
            try:
                yield from super()._stream(*args, **kwargs)
                return
            except Exception as error:
                failure = explain_model_error(error)
            raise failure

        async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            try:
                async for chunk in super()._astream(*args, **kwargs):
                    yield chunk
                return
            except Exception as error:
                failure = explain_model_error(error)
            raise failure

    Explained.__name__ = Explained.__qualname__ = model_class.__name__
    return Explained
