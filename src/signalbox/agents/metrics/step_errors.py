"""Whatever goes wrong in a step, as the contract's error for that step."""

from __future__ import annotations

from signalbox.agents.metrics.errors import ParsingError
from signalbox.agents.metrics.prompts import EXAMPLES
from signalbox.agents.metrics.state import QueryError
from signalbox.errors import (
    BudgetError,
    ExternalError,
    LLMAPIError,
    OperatorError,
    SignalboxError,
    redact,
)

__all__ = ["NOT_UNDERSTOOD", "error_of"]

NOT_UNDERSTOOD = "Could not understand your query"
NOT_FORMATTED = "Could not format results"
_EXAMPLES = "; ".join(f'"{one}"' for one in EXAMPLES)


def error_of(error: Exception, step: str) -> QueryError:
    """The error for a person, of one of the contract's six types. What was not foreseen stays in `details`."""
    if step == "format":
        return _unforeseen(NOT_FORMATTED, error)
    if isinstance(error, LLMAPIError | BudgetError):
        return _of_model(error)
    if step == "parse" and (isinstance(error, ParsingError | OperatorError) or not isinstance(error, SignalboxError)):
        return _not_understood(error)
    if isinstance(error, SignalboxError):
        return QueryError.of(error)
    return _unforeseen("Could not check the question" if step == "validate" else "Could not run the query", error)


def _of_model(error: SignalboxError) -> QueryError:
    """A model that failed: the contract's message, and what happened."""
    return QueryError(
        error_type="parsing_error",
        message=NOT_UNDERSTOOD,
        suggestion=f"{error.user_message} {error.suggestion}".strip(),
        details=redact(_told(error)),
    )


def _not_understood(error: Exception) -> QueryError:
    """A question that cannot be read, with examples; where no model answers, with the reason and the remedy."""
    message, suggestion = NOT_UNDERSTOOD, ""
    if isinstance(error, ParsingError):
        message, suggestion = error.user_message, error.suggestion
    elif isinstance(error, OperatorError | ExternalError):
        said = error.user_message
        suggestion = said if error.suggestion in said else f"{said} {error.suggestion}"
    return QueryError(
        error_type="parsing_error",
        message=message,
        suggestion=suggestion or f"Ask like this: {_EXAMPLES}.",
        details=redact(_told(error)),
    )


def _unforeseen(message: str, error: Exception) -> QueryError:
    return QueryError(
        error_type="invalid_query", message=message, suggestion="Contact administrator", details=redact(_told(error))
    )


def _told(error: Exception) -> dict[str, object]:
    details = error.details if isinstance(error, SignalboxError) else None
    return {"error": type(error).__name__, "message": str(error)[:500], "details": details}
