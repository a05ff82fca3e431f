"""Every error that Signalbox raises on purpose, grouped by who must act.

    SignalboxError
    ├── RequestError                the person asking: rephrase, or name a thing that exists
    │   ├── NotFoundError           a named thing does not exist
    │   ├── MissingInputError       the request lacks something that cannot be guessed
    │   ├── TimeRangeError          an impossible range of time
    │   └── UnsupportedError        nothing here does that
    ├── MapError                    the author of a map: mend the file
    │   ├── MapReadError            the file cannot be read as a map
    │   ├── MapCheckError           the map was read, and findings forbid running it
    │   ├── PromptError             a prompt names a reference or a variable that is missing
    │   └── StepLimitError          a run took more steps than the map allows
    ├── OperatorError               who runs Signalbox: configuration, credentials, installation
    │   ├── ConfigurationError      a setting is wrong
    │   ├── MissingExtraError       a part is not installed
    │   ├── MissingKeyError         a credential is not set
    │   └── BudgetError             a run or a person has used up the tokens allowed
    ├── ExternalError               another system
    │   ├── UnavailableError        cannot be reached
    │   │   └── DatabaseError       the database is down, locked, full or damaged
    │   ├── SlowError               did not answer in time
    │   ├── RefusedError            answered, and said no
    │   ├── LLMAPIError             a model's provider failed
    │   │   ├── ModelBrokenError    the model's own code raised something
    │   │   ├── ModelTimeoutError   the model did not answer in time
    │   │   ├── ModelBusyError      the provider limits the rate of requests
    │   │   └── ModelOutputError    the model replied twice, and neither reply could be used
    │   │       ├── ModelMalformedError   not JSON, or not what the schema asks for
    │   │       ├── ModelTruncatedError   cut off before its end
    │   │       ├── ModelFilteredError    withheld by the provider's filter
    │   │       ├── ModelRefusedError     the model declined
    │   │       ├── ModelEmptyError       nothing in it
    │   │       └── ModelToolError        an unknown tool, or wrong arguments
    │   └── ToolExecutionError      a tool failed
    │       ├── ToolFailedError     it ran, and says that it failed
    │       ├── ToolTimeoutError    it did not answer in time
    │       ├── ToolServerError     the server that offers it cannot be used
    │       ├── ToolArgumentsError  it was called with arguments that it does not take
    │       ├── ToolRefusedError    the policy forbids it
    │       └── ApprovalDeniedError a person said no
    └── ProgrammerError             who wrote the code that called us
        ├── ContractError           an agent breaks its contract
        └── PathEscapeError         a path leaves the folder it was given

Every error carries three texts. `user_message` and `suggestion` are for a person; `details` is for the log,
redacted, and never reaches a person or a model.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = [
    "ApprovalDeniedError",
    "BudgetError",
    "ConfigurationError",
    "ContractError",
    "DatabaseError",
    "ExternalError",
    "LLMAPIError",
    "MapCheckError",
    "MapError",
    "MapReadError",
    "MissingExtraError",
    "MissingInputError",
    "MissingKeyError",
    "ModelBrokenError",
    "ModelBusyError",
    "ModelEmptyError",
    "ModelFilteredError",
    "ModelMalformedError",
    "ModelOutputError",
    "ModelRefusedError",
    "ModelTimeoutError",
    "ModelToolError",
    "ModelTruncatedError",
    "NotFoundError",
    "OperatorError",
    "PathEscapeError",
    "ProgrammerError",
    "PromptError",
    "RefusedError",
    "RequestError",
    "SignalboxError",
    "SlowError",
    "StepLimitError",
    "TimeRangeError",
    "ToolArgumentsError",
    "ToolExecutionError",
    "ToolFailedError",
    "ToolRefusedError",
    "ToolServerError",
    "ToolTimeoutError",
    "UnavailableError",
    "UnsupportedError",
    "hide",
    "mask",
    "redact",
]


class SignalboxError(Exception):
    """The root: `str()` of it is the `user_message`."""

    error_type = "error"
    default_suggestion = ""

    def __init__(self, user_message: str, *, suggestion: str = "", details: Any = None) -> None:
        super().__init__(user_message)
        self.user_message = user_message
        self.suggestion = suggestion or ("" if self.default_suggestion in user_message else self.default_suggestion)
        self.details = redact(details)

    def as_dict(self) -> dict[str, str]:
        """The error as the Answer shape carries it: without details."""
        return {
            "error_type": self.error_type,
            "message": self.user_message,
            "suggestion": self.suggestion,
        }


class RequestError(SignalboxError):
    """The person asking can mend it."""

    error_type = "request"


class NotFoundError(RequestError):
    """A named thing does not exist; the suggestion names the nearest that does."""

    error_type = "not_found"


class MissingInputError(RequestError):
    """The request lacks something that cannot be guessed."""

    error_type = "missing_input"


class TimeRangeError(RequestError):
    """An impossible range of time; the message says why."""

    error_type = "invalid_time_range"


class UnsupportedError(RequestError):
    """Nothing installed here does that."""

    error_type = "unsupported"


class MapError(SignalboxError):
    """The author of the map can mend it."""

    error_type = "map"


class MapReadError(MapError):
    """The file cannot be read as a map; the message names file and line, and `line` and `column` hold the place."""

    error_type = "map_read"

    def __init__(self, user_message: str, *, suggestion: str = "", line: int = 1, column: str = "") -> None:
        super().__init__(user_message, suggestion=suggestion)
        self.line = line
        self.column = column


class MapCheckError(MapError):
    """The map has findings that forbid running it; `findings` holds all of them."""

    error_type = "map_check"

    def __init__(self, user_message: str, *, findings: tuple[Any, ...] = (), suggestion: str = "") -> None:
        super().__init__(user_message, suggestion=suggestion)
        self.findings = findings


class PromptError(MapError):
    """A prompt names a reference or a variable that is missing."""

    error_type = "prompt"


class StepLimitError(MapError):
    """A run took more steps than its map allows."""

    error_type = "step_limit"


class OperatorError(SignalboxError):
    """Who runs Signalbox can mend it."""

    error_type = "operator"


class ConfigurationError(OperatorError):
    """A setting is wrong; the message names it."""

    error_type = "configuration"


class MissingExtraError(OperatorError):
    """A part is not installed; the suggestion is the command that installs it."""

    error_type = "missing_extra"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the extra '{extra}', which is not installed.",
            suggestion=f'Install it with: pip install "signalbox-agents[{extra}]"',
        )
        self.extra = extra


class MissingKeyError(OperatorError):
    """A credential is not set; the suggestion names the environment variable."""

    error_type = "missing_key"

    def __init__(self, what: str, variable: str) -> None:
        super().__init__(
            f"{what} needs a key, and {variable} is not set.",
            suggestion=f"Set {variable} in the environment; keys are read from nowhere else.",
        )
        self.variable = variable


class BudgetError(OperatorError):
    """A run or a person has used up the tokens that models may use."""

    error_type = "budget"


class ExternalError(SignalboxError):
    """Another system failed."""

    error_type = "external"


class UnavailableError(ExternalError):
    """Another system cannot be reached."""

    error_type = "unavailable"


class DatabaseError(UnavailableError):
    """The database is down, locked, full or damaged."""

    error_type = "database"


class SlowError(ExternalError):
    """Another system did not answer in time."""

    error_type = "timeout"


class RefusedError(ExternalError):
    """Another system answered, and said no."""

    error_type = "refused"


class LLMAPIError(ExternalError):
    """A model's provider failed."""

    error_type = "llm_api"
    default_suggestion = "Please try again."

    def __init__(
        self,
        user_message: str = "I'm having trouble connecting to my AI service. Please try again.",
        *,
        suggestion: str = "",
        details: Any = None,
    ) -> None:
        super().__init__(user_message, suggestion=suggestion, details=details)


class ModelBrokenError(LLMAPIError):
    """The code of a model failed, before or after it reached its provider."""

    error_type = "model_broken"

    def __init__(self, user_message: str = "The model failed unexpectedly.", *, details: Any = None) -> None:
        super().__init__(user_message, details=details)


class ModelTimeoutError(LLMAPIError):
    """The model did not answer in time."""

    error_type = "model_timeout"
    default_suggestion = "Try again, or raise SIGNALBOX_MODEL_TIMEOUT."


class ModelBusyError(LLMAPIError):
    """The model's provider limits the rate of requests, or is overloaded."""

    error_type = "model_busy"
    default_suggestion = "Wait a little and try again."


class ModelOutputError(LLMAPIError):
    """The model replied, was told what was wrong, and replied again: neither reply could be used.

    `reply` is the last message, where there was one.
    """

    error_type = "model_output"
    default_suggestion = "Try again, rephrase the request, or choose another model."

    def __init__(self, user_message: str, *, suggestion: str = "", details: Any = None, reply: Any = None) -> None:
        super().__init__(user_message, suggestion=suggestion, details=details)
        self.reply = reply


class ModelMalformedError(ModelOutputError):
    """The reply is not JSON, or not what the schema asks for; the message says where."""

    error_type = "model_malformed"


class ModelTruncatedError(ModelOutputError):
    """The reply was cut off before its end."""

    error_type = "model_truncated"
    default_suggestion = "Ask for less at a time, or raise SIGNALBOX_MODEL_MAX_TOKENS."


class ModelFilteredError(ModelOutputError):
    """The provider's filter withheld the reply."""

    error_type = "model_filtered"
    default_suggestion = "Rephrase the request, or choose another model."


class ModelRefusedError(ModelOutputError):
    """The model declined to answer."""

    error_type = "model_refused"
    default_suggestion = "Rephrase the request, or choose another model."


class ModelEmptyError(ModelOutputError):
    """The reply was empty."""

    error_type = "model_empty"


class ModelToolError(ModelOutputError):
    """The model called a tool that does not exist, or with arguments that it does not take."""

    error_type = "model_tool"


class ToolExecutionError(ExternalError):
    """A tool failed; the message is the tool's own, in words for a person."""

    error_type = "tool_execution"


class ToolFailedError(ToolExecutionError):
    """A tool ran and says that it failed."""

    error_type = "tool_failed"


class ToolTimeoutError(ToolExecutionError):
    """A tool did not answer in time."""

    error_type = "tool_timeout"


class ToolServerError(ToolExecutionError):
    """The server that offers a tool cannot be reached, or died."""

    error_type = "tool_server"


class ToolArgumentsError(ToolExecutionError):
    """A tool was called with arguments that it does not take; the message names the argument."""

    error_type = "tool_arguments"


class ToolRefusedError(ToolExecutionError):
    """A policy forbids the call."""

    error_type = "tool_refused"


class ApprovalDeniedError(ToolExecutionError):
    """A person was asked, and said no."""

    error_type = "approval_denied"


class ProgrammerError(SignalboxError):
    """Who wrote the calling code can mend it."""

    error_type = "programmer"


class ContractError(ProgrammerError):
    """An agent breaks its contract; the message names the agent and the rule."""

    error_type = "contract"


class PathEscapeError(ProgrammerError):
    """A path leaves the folder it was given."""

    error_type = "path_escape"


_SECRET_WORD = (
    r"(?:api[_-]?key|apikey|token|secret|password|passwd|authorization|credential|private[_-]?key|access[_-]?key)"
)
_SECRET_PATTERNS = (
    re.compile(
        rf"""(?i)(["']?[\w-]*{_SECRET_WORD}[\w-]*["']?\s*[:=]\s*)"""
        r"""(?:"[^"\n]+"|'[^'\n]+'|["']?(?:bearer\s+|basic\s+)?["']?[^\s"',;}\]]+)"""
    ),
    re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}"),
    re.compile(r"\b(?:sk|pk|glsa|ghp|gho|xox[abp]|AIza)[-_]?[A-Za-z0-9_-]{8,}"),
    re.compile(r"(://[^/\s:@]+:)[^/\s@]+(?=@)"),
)
_SECRET_KEY = re.compile(rf"(?i){_SECRET_WORD}")
# What every text has in which one of the patterns finds something: most texts are searched once.
_SUSPICIOUS = re.compile(rf"(?i){_SECRET_WORD}|bearer|basic|://|\b(?:sk|pk|glsa|gh[po]|xox|aiza)")


_hidden: set[str] = set()


def hide(secret: str) -> None:
    """Have `redact` replace this value wherever it stands, from now on."""
    if len(secret) >= 6:
        _hidden.add(secret)


def mask(value: Any) -> Any:
    """Data of another system with the secrets that were hidden replaced by `***`, and nothing else changed. A password
    that is a plain word stays: it may be a name there."""
    secrets = [one for one in _hidden if not one.isalpha()]
    return _masked(value, secrets) if secrets else value


def _masked(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, "***")
        return value
    if isinstance(value, dict):
        return {key: _masked(one, secrets) for key, one in value.items()}
    return [_masked(one, secrets) for one in value] if isinstance(value, list) else value


def redact(value: Any) -> Any:
    """The same value with everything that looks like a credential replaced by `***`."""
    if isinstance(value, str):
        for secret in _hidden:
            value = value.replace(secret, "***")
        if _SUSPICIOUS.search(value):
            for pattern in _SECRET_PATTERNS:
                value = pattern.sub(lambda m: (m.group(1) if m.lastindex else "") + "***", value)
        return value
    if isinstance(value, dict):
        return {k: "***" if isinstance(k, str) and _SECRET_KEY.search(k) and v else redact(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(redact(v) for v in value)
    if isinstance(value, BaseException):
        return redact(f"{type(value).__name__}: {value}")
    return value
