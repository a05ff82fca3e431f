"""The state of a turn, and what the contract's functions take and give."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from signalbox.toolbox.loop import LoopState

__all__ = ["AgentConfiguration", "AgentResponse", "Pending", "Status", "Talk", "TasksState", "empty_talk"]

Status = Literal["completed", "max_iterations_reached", "error"]


class AgentConfiguration(BaseModel):
    """How an agent runs. What is not given comes from the settings; keys are read from the environment only."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, protected_namespaces=())

    api_key: SecretStr | None = Field(default=None, description="Kept out of logs; providers read theirs themselves.")
    model_name: str | None = Field(default=None, description="The chat model, as provider/model.")
    base_url: str | None = Field(default=None, description="An OpenAI-compatible server's address.")
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=1000, gt=0, description="The longest answer of the model.")
    max_iterations: int = Field(default=15, gt=0, le=100, description="How often the model is called for one message.")
    timeout: float = Field(default=30.0, gt=0, description="Seconds that one iteration may take.")
    max_history: int = Field(default=50, gt=0, description="How many messages of the conversation are read.")
    model: Any = Field(default=None, exclude=True, description="A LangChain chat model to use instead of a name.")


class AgentResponse(BaseModel):
    """What came of a message. `messages` is the whole history with what was added to it."""

    status: Status
    final_response: str = ""
    messages: list[dict[str, Any]] = Field(default_factory=list)
    iterations: int = 0
    finish_reason: str = ""
    error: str | None = None
    warning: str | None = None


class Pending(TypedDict):
    """A question that waits: which task (`choose`), or whether to make a call (`confirm`).

    `name` and `args` are the call. `numbers` are the tasks to choose from, or those that it would change. `text` is the
    question in words, and `shown` the whole of a confirmation: a yes is to exactly that.
    """

    kind: Literal["choose", "confirm"]
    name: str
    args: dict[str, Any]
    numbers: list[int]
    text: str
    shown: dict[str, Any]


class Talk(TypedDict):
    """What a conversation has in view: the tasks shown and spoken of last, the changes made, and the open question.

    `is_recalled` says that all of it was found again by the numbers and titles in a text.
    """

    shown: list[int]
    spoken: list[int]
    changes: list[dict[str, Any]]
    pending: Pending | None
    is_recalled: NotRequired[bool]


def empty_talk() -> Talk:
    """A conversation that has just begun."""
    return {"shown": [], "spoken": [], "changes": [], "pending": None}


class TasksState(LoopState, total=False):
    """A turn: one message of a person, and what is done for it. It is a run of the loop, see LoopState.

    `waited` is the question that waited for the message, and `decision` what the message says to it. What was read
    without a capable model is `planned`: its calls are all that is done. Then `notes` are what is known of each call by
    its id, `said` is what is told beside the results, and `choice` the question which task is meant.
    """

    request: str
    user_id: str
    turn: str
    history: list[dict[str, str]]
    talk: Talk
    waited: Pending | None
    decision: Literal["yes", "no", "choice"] | None
    planned: bool
    notes: dict[str, dict[str, Any]]
    said: list[str]
    choice: Pending | None
    done: list[dict[str, Any]]
    iterations: int
    limits: dict[str, Any]
    may_pause: bool
    final_response: str
    warning: str | None
    status: Status
    error: dict[str, Any] | None
