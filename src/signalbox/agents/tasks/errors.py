"""What can go wrong with tasks, by the contract's names, and the words that a person sees for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.errors import (
    BudgetError,
    LLMAPIError,
    ModelBrokenError,
    ModelOutputError,
    NotFoundError,
    RefusedError,
    RequestError,
    SignalboxError,
    ToolArgumentsError,
    ToolExecutionError,
    ToolRefusedError,
)

__all__ = [
    "TEXTS",
    "APIError",
    "APITimeoutError",
    "LLMAPIError",
    "MaxIterationsExceededError",
    "RateLimitError",
    "TaskNotFoundError",
    "ToolExecutionError",
    "ToolNotFoundError",
    "UnauthorizedTaskAccessError",
    "ValidationError",
    "contract_error",
    "text_for",
]

INVALID_REQUEST = "Invalid request parameters"
TEXTS = {
    "RateLimitError": "I'm currently experiencing high demand. Please try again in a moment.",
    "APITimeoutError": "That request took too long. Please try a simpler query.",
    "APIError": "I'm having trouble connecting to my AI service. Please try again.",
    "LLMAPIError": "I'm having trouble connecting to my AI service. Please try again.",
    "TaskNotFoundError": "I couldn't find that task. It may have been deleted.",
    "UnauthorizedTaskAccessError": "You don't have permission to access that task.",
    "MaxIterationsExceededError": (
        "I need more time to process this request. Please try breaking it into smaller steps."
    ),
    "ValidationError": "I couldn't understand that request. Please try rephrasing.",
    "Unknown": "An unexpected error occurred. Please try again or contact support.",
}
"""The contract's words for a person, by the name of the error."""


class APIError(LLMAPIError):
    """The model's service failed."""

    error_type = "APIError"


class APITimeoutError(APIError):
    """The model took longer than an iteration may."""

    error_type = "APITimeoutError"

    def __init__(self, *, details: Any = None) -> None:
        super().__init__(TEXTS["APITimeoutError"], details=details)


class RateLimitError(APIError):
    """The model's service takes no more requests at the moment."""

    error_type = "RateLimitError"

    def __init__(self, *, suggestion: str = "", details: Any = None) -> None:
        super().__init__(TEXTS["RateLimitError"], suggestion=suggestion, details=details)


class MaxIterationsExceededError(SignalboxError):
    """The model asked for tools again and again, and the limit was reached."""

    error_type = "MaxIterationsExceededError"

    def __init__(self) -> None:
        super().__init__(TEXTS["MaxIterationsExceededError"])


class ToolNotFoundError(NotFoundError):
    """There is no tool of this name."""

    error_type = "ToolNotFoundError"


class TaskNotFoundError(NotFoundError):
    """This person has no such task."""

    error_type = "TaskNotFoundError"


class UnauthorizedTaskAccessError(RefusedError):
    """The task is somebody else's."""

    error_type = "UnauthorizedTaskAccessError"


class ValidationError(RequestError):
    """A tool was called with arguments that it does not take, or that mean nothing."""

    error_type = "ValidationError"


def contract_error(error: Mapping[str, str] | None, *, is_late: bool = False) -> dict[str, str] | None:
    """An error of the model, as data, by the contract's names and words; `is_late` for one that took too long."""
    if is_late:
        return APITimeoutError().as_dict()
    if error is None:
        return None
    kind = error["error_type"]
    if kind == "model_timeout":
        return APITimeoutError().as_dict()
    if kind == "model_busy":
        return RateLimitError(suggestion=error.get("suggestion", "")).as_dict()
    if kind == LLMAPIError.error_type:
        return {**error, "message": TEXTS["LLMAPIError"]}
    is_told = (kind.startswith("model_") and kind != ModelBrokenError.error_type) or kind == BudgetError.error_type
    return {**error, **({} if is_told else {"message": TEXTS.get(kind, TEXTS["Unknown"])})}


def text_for(error: BaseException) -> str:
    """The contract's words for an error; its own where the contract names none for it."""
    if isinstance(error, ModelOutputError | BudgetError):
        return error.user_message
    if isinstance(error, ModelBrokenError):
        return TEXTS["Unknown"]
    if isinstance(error, ToolArgumentsError | ToolRefusedError):
        return TEXTS["ValidationError"]
    if isinstance(error, ToolExecutionError):
        return error.user_message
    for kind in type(error).__mro__:
        if kind.__name__ in TEXTS:
            return TEXTS[kind.__name__]
    return TEXTS["Unknown"]
