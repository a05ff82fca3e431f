"""Recorded replies of a model in an evaluation, by prompt, so that it can be repeated without the model.

A recording is a file of JSON lines. The first line names the model, every other one has a `prompt` (its hash), the
`cases` that send it, and the `reply`. If a prompt has changed, its hash differs and its case is stale.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from signalbox.errors import LLMAPIError, NotFoundError, RequestError
from signalbox.models.loading import split_model_name
from signalbox.models.providers import PROVIDERS
from signalbox.models.tape import use_tape
from signalbox.settings import get_settings

__all__ = ["Recording", "open_recording", "prompt_key"]

_NO_SERVER = "http://recorded.invalid/v1"
_REPLY = ("content", "tool_calls", "invalid_tool_calls", "usage_metadata", "additional_kwargs", "response_metadata")
_ENDED = ("finish_reason", "stop_reason", "done_reason", "model_name")


def prompt_key(messages: Sequence[BaseMessage], options: Mapping[str, Any]) -> str:
    """The hash of a request: messages, tools, tool choice and response format. Call ids, which are random, only count
    by their order."""
    ids: dict[str, str] = {}

    def said(message: BaseMessage) -> dict[str, Any]:
        told: dict[str, Any] = {"role": message.type, "content": message.content}
        if calls := getattr(message, "tool_calls", ()):
            told["calls"] = [(ids.setdefault(str(one["id"]), str(len(ids))), one["name"], one["args"]) for one in calls]
        if answered := getattr(message, "tool_call_id", ""):
            told["answers"] = ids.setdefault(str(answered), str(len(ids)))
        return told

    prompt = {"messages": [said(one) for one in messages], "options": dict(options)}
    written = json.dumps(prompt, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


class Recording:
    """The tape of an evaluation. With `asks`, missing replies are requested from the model."""

    def __init__(self, path: Path, model: str, *, own_server: bool, asks: bool) -> None:
        self.path, self.model, self.own_server, self.asks = path, model, own_server, asks
        self.replies: dict[str, dict[str, Any]] = {}
        """By the hash of their prompt: `cases` and `reply`."""
        self._case = ""
        self._asked: dict[str, set[str]] = {}
        self._missing: set[str] = set()

    @property
    def cases(self) -> set[str]:
        """The names of the cases with replies."""
        return {name for one in self.replies.values() for name in one["cases"]}

    def settings(self) -> dict[str, str | None]:
        """The environment in which its model can be created without a key."""
        if self.asks:
            return {}
        if self.own_server:
            return {"SIGNALBOX_MODEL_BASE_URL": _NO_SERVER}
        keys, addresses = _variables(self.model)
        return {**dict.fromkeys(("SIGNALBOX_MODEL_BASE_URL", *addresses)), **dict.fromkeys(keys, "none")}

    @contextmanager
    def case(self, name: str) -> Iterator[None]:
        """Answer the requests of this case inside the block from the recording, and store new replies."""
        self._case, self._missing, self._asked[name] = name, set(), set()
        try:
            with use_tape(self):
                yield
        finally:
            if self.asks:
                self._save()

    @property
    def is_open(self) -> bool:
        """True if the last case could not be completed, because a prompt has no reply."""
        return bool(self._missing)

    def unused(self) -> list[str]:
        """Recorded prompts of the cases that were run, which none of them sends any more."""
        asked = {key for keys in self._asked.values() for key in keys}
        return [key for key, one in self.replies.items() if key not in asked and {*one["cases"]} & {*self._asked}]

    def find(self, messages: Sequence[BaseMessage], options: Mapping[str, Any]) -> AIMessage | None:
        """The recorded reply, or None to ask the model. Raises LLMAPIError if there is none and the model is not asked,
        and for all later requests of the case."""
        key = prompt_key(messages, options)
        if self._missing:
            raise LLMAPIError("This case has stopped: an earlier prompt has no reply.")
        self._asked[self._case].add(key)
        if key in self.replies:
            return AIMessage(**self.replies[key]["reply"])
        if not self.asks:
            self._missing.add(key)
            raise LLMAPIError("There is no recorded reply to this prompt.")
        return None

    def keep(self, messages: Sequence[BaseMessage], options: Mapping[str, Any], reply: AIMessage | None) -> None:
        """Store a reply for the current case, or that there was none."""
        key = prompt_key(messages, options)
        if reply is None:
            self._missing.add(key)
            return
        kept = self.replies.setdefault(key, {"cases": [], "reply": _as_data(reply)})
        kept["cases"] = sorted({*kept["cases"], self._case})

    def _save(self) -> None:
        """Write the file, without obsolete replies if the case was completed."""
        if not self.is_open:
            for key in self.replies.keys() - self._asked[self._case]:
                self.replies[key]["cases"] = [name for name in self.replies[key]["cases"] if name != self._case]
            self.replies = {key: one for key, one in self.replies.items() if one["cases"]}
        head: dict[str, Any] = {"model": self.model, "own_server": self.own_server}
        lines = [head, *({"prompt": key, **one} for key, one in self.replies.items())]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines), encoding="utf-8")


def open_recording(path: Path, model: str = "") -> Recording:
    """The recording in a file, to replay it; with a model, to extend or create it.

    Raises NotFoundError if there is none to replay, RequestError for an invalid file.
    """
    path = path if path.suffix == ".jsonl" else path.with_name(f"{path.name}.jsonl")
    if not path.is_file():
        if not model:
            raise NotFoundError(f"There is no recording '{path}'.", suggestion="Make one with --record and --model.")
        own_server = get_settings().model_base_url or any(map(os.environ.get, _variables(model)[1]))
        return Recording(path, model, own_server=bool(own_server), asks=True)
    try:
        head, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        recording = Recording(path, head["model"], own_server=head["own_server"], asks=bool(model))
        recording.replies = {one["prompt"]: {"cases": one["cases"], "reply": one["reply"]} for one in lines}
    except (ValueError, KeyError, TypeError):
        raise RequestError(f"'{path}' is not a recording.") from None
    if model and model != recording.model:
        raise RequestError(f"'{path}' is a recording of {recording.model}.", suggestion="Name another file.")
    return recording


def _variables(model: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The variables of the keys and of the addresses of a model's provider."""
    provider = PROVIDERS.get(split_model_name(model, any_server=True)[0])
    return (provider.key_variables, provider.address_variables) if provider else ((), ())


def _as_data(reply: AIMessage) -> dict[str, Any]:
    """A reply as JSON, with its finish reason and usage, without anything that differs between calls."""
    told: dict[str, Any] = {name: value for name in _REPLY if (value := getattr(reply, name))}
    if "response_metadata" in told:
        told["response_metadata"] = {name: one for name, one in told["response_metadata"].items() if name in _ENDED}
    if "additional_kwargs" in told:
        told["additional_kwargs"] = {name: one for name, one in told["additional_kwargs"].items() if one}
    return {"content": "", **{name: value for name, value in told.items() if value}}
