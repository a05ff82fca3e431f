"""The options of a run, in the format of LangGraph's Agent Server."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from signalbox.runs.engine import WhenBusy
from signalbox.service.assistants import Config
from signalbox.service.options import Options, Unsupported

__all__ = ["BatchedRun", "Mode", "NewRun", "modes_of"]

Mode = Literal["values", "updates", "custom", "messages", "messages-tuple", "events", "debug"]


class ResumeCommand(Options):
    """The answer to a waiting run: a value, or one per interrupt id."""

    resume: Any = None
    goto: Unsupported = None
    update: Unsupported = None


class NewRun(Options):
    """A run: `input` starts one, `command` answers the question of a waiting one.

    These are the options of LangGraph's Agent Server. A run is always stored step by step, its stream can always be
    resumed, and a thread has one run at a time: `multitask_strategy` says what happens to another. With a `checkpoint`
    and no input it continues from there.
    """

    assistant_id: str = Field(min_length=1, max_length=200)
    input: dict[str, Any] | str | None = None
    command: ResumeCommand | None = None
    metadata: dict[str, Any] | None = None
    config: Config | None = None
    context: dict[str, Any] | None = None
    checkpoint: dict[str, Any] | None = None
    checkpoint_id: str | None = Field(default=None, min_length=1, max_length=200)
    after_seconds: float = Field(default=0, ge=0, le=31_536_000)
    webhook: str | None = Field(default=None, min_length=1, max_length=2000)
    stream_mode: Mode | list[Mode] = "values"
    stream_resumable: bool = True
    if_not_exists: Literal["create", "reject"] = "reject"
    on_disconnect: Literal["cancel", "continue"] = "continue"
    on_completion: Literal["keep"] | None = None
    multitask_strategy: WhenBusy = "reject"
    durability: Literal["sync", "async"] | None = None
    checkpoint_during: Literal[True] | None = None
    feedback_keys: Unsupported = None
    interrupt_after: Unsupported = None
    interrupt_before: Unsupported = None
    langsmith_tracer: Unsupported = None
    stream_subgraphs: Unsupported = None
    strict_resume: Unsupported = None


class BatchedRun(NewRun):
    """One of several runs."""

    @model_validator(mode="before")
    @classmethod
    def _once(cls, given: Any) -> Any:
        """LangGraph's client for JavaScript sends the id of the assistant under two names."""
        if isinstance(given, dict) and given.get("assistantId") == given.get("assistant_id"):
            return {name: value for name, value in given.items() if name != "assistantId"}
        return given


def modes_of(given: Mode | list[Mode]) -> set[str]:
    """The modes that a client asked for."""
    return {given} if isinstance(given, str) else set(given)
