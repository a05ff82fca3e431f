"""`run_agent`: the agent service of the contract. A conversation goes in, the answer to its last message comes out."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

from signalbox.agents.tasks import AGENT
from signalbox.agents.tasks.conversation import keep_talk, new_turn, recall_talk
from signalbox.agents.tasks.errors import INVALID_REQUEST, TEXTS, text_for
from signalbox.agents.tasks.state import AgentConfiguration, AgentResponse, empty_talk
from signalbox.contract.answer import uncited
from signalbox.errors import SignalboxError, hide, redact
from signalbox.maps.map_run import MapRun, open_map
from signalbox.maps.run import arun_map
from signalbox.maps.writing import current_listener, use_writing
from signalbox.models import load_chat_model
from signalbox.storage import check_owner
from signalbox.toolbox import use_person

__all__ = ["run_agent"]

_log = logging.getLogger("signalbox.agents.tasks")
_ROLES = ("user", "assistant")
_LONGEST = 10_000
_PREFIXES = {"gemini": "google_genai", "gpt": "openai", "claude": "anthropic"}


async def run_agent(
    message_history: list[dict[str, str]], user_id: str, config: AgentConfiguration | None = None
) -> AgentResponse:
    """Answer the last message of a conversation for a person.

    Raises ValueError ("Invalid request parameters") for a history or user id that is none. Everything else that fails
    comes back as `status` error with the contract's words in `error`; the log has the details, redacted.
    """
    history = _validated(message_history, user_id)
    chosen = config or AgentConfiguration()
    owner = check_owner(user_id)
    kept = history[-chosen.max_history :]
    try:
        return await _answer(kept, history, owner, chosen)
    except SignalboxError as error:
        _log.error("The agent failed: %s: %s", type(error).__name__, redact(error.details or error.user_message))
        return _failed(history, text_for(error), type(error).__name__)
    except Exception as error:
        _log.error("The agent failed: %s", redact(error))
        return _failed(history, TEXTS["Unknown"], "error")


async def _answer(
    kept: list[dict[str, str]], history: list[dict[str, str]], owner: str, config: AgentConfiguration
) -> AgentResponse:
    model = config.model or _load(config)
    earlier, request = kept[:-1], kept[-1]["content"]
    talk = await recall_talk(owner, earlier)
    limits = {"max_iterations": config.max_iterations, "timeout": config.timeout}
    state = new_turn(request, owner, earlier, talk, limits=limits)
    with use_person(owner), _writing_uncited():
        run = replace(_opened(), model=model, max_steps=20 * config.max_iterations + 200, thread_id="", run_id="")
        result = await arun_map(run, state)
    final = result.values
    if told := final.get("error"):
        # What was done before stands in the message, and the next turn goes on from there.
        words = {"role": "assistant", "content": str(told["message"])}
        await keep_talk(owner, [*earlier, kept[-1], words], final.get("talk") or empty_talk())
        return _failed(history, told["message"], told["error_type"])
    if failed := result.error or _error_of(final):
        return _failed(history, TEXTS["Unknown"], str(failed.get("error_type")))
    # Who is given no evidence is given no citations of it.
    answer = {"role": "assistant", "content": uncited(final["final_response"])}
    await keep_talk(owner, [*earlier, kept[-1], answer], final.get("talk") or empty_talk())
    return AgentResponse(
        status=final["status"],
        final_response=answer["content"],
        messages=[*history, answer],
        iterations=final["iterations"],
        finish_reason=final["status"],
        warning=final["warning"],
    )


@contextmanager
def _writing_uncited() -> Iterator[None]:
    """Let who hears what is written hear it as it is answered."""
    listener = current_listener.get()
    heard = None if listener is None else lambda piece: listener(replace(piece, text=uncited(piece.text)))
    with use_writing(heard):
        yield


@cache
def _opened() -> MapRun:
    """The agent's map, read and checked once: it is the package's own and does not change under a process."""
    return open_map(AGENT.map)


def _validated(history: Any, user_id: Any) -> list[dict[str, str]]:
    """The history, each message with nothing but its role and content. Raises ValueError."""
    if not isinstance(history, Sequence) or isinstance(history, str) or not history:
        raise ValueError(INVALID_REQUEST)
    for one in history:
        if not isinstance(one, Mapping) or one.get("role") not in _ROLES or not isinstance(one.get("content"), str):
            raise ValueError(INVALID_REQUEST)
    last = history[-1]
    if last["role"] != "user" or not last["content"].strip() or len(last["content"]) > _LONGEST:
        raise ValueError(INVALID_REQUEST)
    try:
        check_owner(user_id)
    except SignalboxError:
        raise ValueError(INVALID_REQUEST) from None
    return [{"role": str(one["role"]), "content": _clean(one["content"])} for one in history]


def _clean(text: str) -> str:
    """Without control characters, which a model may take for something else than text."""
    if text.isprintable():
        return text.strip()
    return "".join(c if c.isprintable() or c in "\n\t" else " " for c in text).strip()


def _load(config: AgentConfiguration) -> Any:
    if config.api_key is not None:
        hide(config.api_key.get_secret_value())
    name = config.model_name
    if name and "/" not in name:
        prefix = _PREFIXES.get(name.partition("-")[0])
        name = f"{prefix}/{name}" if prefix else name
    given = {"base_url": config.base_url, "temperature": config.temperature}
    examples = AGENT.map.with_name("examples.jsonl")
    options = {"max_tokens": config.max_tokens, "timeout": config.timeout, "examples": examples}
    return load_chat_model(name, **options, **{key: value for key, value in given.items() if value is not None})


def _error_of(values: Mapping[str, Any]) -> dict[str, str] | None:
    """The error of a node that broke: its words are for the log alone."""
    return {"error_type": "Unknown"} if values.get("last_action_success") is False else None


def _failed(history: list[dict[str, str]], words: str, reason: str) -> AgentResponse:
    return AgentResponse(status="error", messages=list(history), finish_reason=reason, error=words)
