"""The state of a turn, and what the contract's functions take and give."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
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
    """A question that waits: which task (`choose`), or whether to do it (`confirm`). `numbers` are those offered.

    `seen` is what these tasks looked like when the question was shown, and `turn` the turn it was asked in.
    """

    kind: Literal["choose", "confirm"]
    name: str
    args: dict[str, Any]
    numbers: list[int]
    question: str
    seen: dict[str, Any]
    turn: str


class Talk(TypedDict):
    """What a conversation has in view: shown and spoken of last, changed, and asked.

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
    """A turn: one message of a person, and what is done for it.

    `seen` are the tasks of the list that the person had seen when they wrote it, `waited` is the question that it may
    answer, and `decision` what it says to that. Of a plan, `planned` says that its calls are under way, `paused` is the
    question that its run waits for an answer to, `wanted` are the tools that the message asks for, and `unnamed` counts
    the tasks that the message does not name. A run of the loop has the keys of LoopState.
    """

    request: str
    user_id: str
    turn: str
    history: list[dict[str, str]]
    talk: Talk
    messages: Annotated[list[AnyMessage], add_messages]
    done: list[dict[str, Any]]
    seen: list[int]
    waited: Pending | None
    decision: Literal["yes", "no", "choice"] | None
    planned: bool
    paused: str | None
    wanted: list[str] | None
    unnamed: int
    iterations: int
    limits: dict[str, Any]
    may_pause: bool
    final_response: str
    warning: str | None
    status: Status
    error: dict[str, Any] | None
