"""The services that agents written for AgentMap ask for: those that are lent, and those declared beside the agents."""

from __future__ import annotations

import asyncio
import base64
import mimetypes
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any

import yaml

from signalbox.contract import StateAdapter
from signalbox.errors import ContractError, PathEscapeError, UnsupportedError
from signalbox.maps.environment import from_environment

__all__ = ["MissingService", "PromptService", "find_service", "not_here"]

SERVICES_FILE = "host_services.yaml"


class LLMService:
    """AgentMap's service of chat models, on the model that an llm node would have."""

    def __init__(self, node: str) -> None:
        self._node = node

    def call_llm(self, provider: str = "", messages: Sequence[Any] = (), model: str = "", **options: Any) -> str:
        """The model's answer to messages, each a mapping of role and content."""
        from signalbox.maps.agents.models import ask_model, choose_model

        provider = "" if provider == "auto" else provider or ""
        return ask_model(choose_model({**options, "model": model}, provider, self._node), messages)

    def ask(self, prompt: str, **options: Any) -> str:
        """The model's answer to a text."""
        return self.call_llm(messages=[{"role": "user", "content": prompt}], **options)

    def ask_vision(self, prompt: str, image: Any, **options: Any) -> str:
        """The model's answer to a text about an image: its bytes, or a file below the map's folder or its data."""
        shown = [{"type": "text", "text": prompt}, {"type": "image_url", "image_url": {"url": _image(image)}}]
        return self.call_llm(messages=[{"role": "user", "content": shown}], **options)

    async def call_llm_async(self, *args: Any, **options: Any) -> str:
        """Like `call_llm`, for an event loop."""
        return await asyncio.to_thread(self.call_llm, *args, **options)

    async def ask_async(self, *args: Any, **options: Any) -> str:
        """Like `ask`, for an event loop."""
        return await asyncio.to_thread(self.ask, *args, **options)

    async def ask_vision_async(self, *args: Any, **options: Any) -> str:
        """Like `ask_vision`, for an event loop."""
        return await asyncio.to_thread(self.ask_vision, *args, **options)


class PromptService:
    """AgentMap's service of prompts, on those next to the map."""

    def resolve_prompt(self, prompt: str) -> str:
        """The text of a prompt, also where it stands in a file."""
        from signalbox.maps.context import run_context
        from signalbox.maps.prompts import resolve_prompt

        return resolve_prompt(prompt, run_context().folder)


class MissingService:
    """Stands for a service of AgentMap that is not lent: any use of it says so."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnsupportedError(not_here(self._name))


def not_here(service: str) -> str:
    """What is said of a service that nobody gives."""
    return f"The agent needs AgentMap's {service}, which Signalbox does not have; {SERVICES_FILE} may declare one."


def find_service(name: str, target: type, node: str) -> Any:
    """The service of that name, lent by us or declared beside the agent; None if there is none."""
    if name == "llm_service":
        return LLMService(node)
    if name in ("prompt_service", "prompt_manager_service"):
        return PromptService()
    if name.startswith("state_adapter"):
        return StateAdapter
    file = getattr(sys.modules.get(target.__module__), "__file__", None)
    folder = Path(file).parent if file else None
    for place in (folder, folder.parent) if folder else ():
        declared = place / SERVICES_FILE
        if declared.is_file():
            return _host_services(declared, declared.stat().st_mtime_ns).find(name)
    return None


class HostServices:
    """The services that a `host_services.yaml` declares. Each is made when it is first asked for, and once; one that
    cannot be made is an error for who asks for it, and for nobody else.

    They are made and called in one thread: nodes run in many, and a service such as a connection to SQLite may not.
    """

    def __init__(self, file: Path) -> None:
        content = yaml.safe_load(file.read_text("utf-8"))
        services = content.get("services") if isinstance(content, Mapping) else None
        self._file = file
        self._declared: dict[str, Any] = dict(services or {})
        self._made: dict[str, Any] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="host-services")

    def find(self, name: str) -> Any:
        """The service, or None if it is not declared. Raises ContractError if it cannot be made."""
        return InOneThread.of(self._thread.submit(self._find, name).result(), self._thread)

    def _find(self, name: str, asked_by: tuple[str, ...] = ()) -> Any:
        if name not in self._made and name in self._declared:
            if name in asked_by:
                raise ContractError(f"{' needs '.join((*asked_by, name))}.")
            try:
                self._made[name] = self._make(self._declared[name], (*asked_by, name))
            except Exception as error:
                raise ContractError(f"{self._file}: the service '{name}' cannot be made: {error}") from error
        return self._made.get(name)

    def _make(self, declared: Any, asked_by: tuple[str, ...]) -> Any:
        from signalbox.maps.local_code import import_attribute

        about = declared if isinstance(declared, Mapping) else {"class": declared}
        module, _, attribute = str(about.get("class_path") or about["class"]).rpartition(".")
        create = import_attribute(f"{module}:{attribute}", self._file.parent)
        if about.get("factory_method"):
            create = getattr(create, str(about["factory_method"]))
        needed = {name: self._find(name, asked_by) for name in about.get("dependencies") or ()}
        return create(**from_environment(about.get("config") or {}, SERVICES_FILE), **needed)


class InOneThread:
    """Stands for a service and calls its methods in its thread."""

    def __init__(self, service: Any, thread: ThreadPoolExecutor) -> None:
        self.__dict__.update(_service=service, _thread=thread)

    @staticmethod
    def of(service: Any, thread: ThreadPoolExecutor) -> Any:
        """The service to be called in that thread, with the special methods that its class has; None stays None."""
        if service is None:
            return None
        special = {name: _called(name) for name in _SPECIAL if hasattr(type(service), name)}
        return type(type(service).__name__, (InOneThread,), special)(service, thread)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._service, name)
        if not callable(found) or isinstance(found, type):
            return found

        @wraps(found)
        def call(*args: Any, **options: Any) -> Any:
            return self._thread.submit(copy_context().run, found, *args, **options).result()

        return call

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._service, name, value)


_SPECIAL = ("__call__", "__len__", "__bool__", "__iter__", "__contains__", "__getitem__", "__setitem__", "__delitem__",
            "__enter__", "__exit__", "__aenter__", "__aexit__")  # fmt: skip


def _called(name: str) -> Any:
    return lambda stand_in, *args, **options: stand_in.__getattr__(name)(*args, **options)


@lru_cache(maxsize=64)
def _host_services(declared: Path, _changed: int) -> HostServices:
    return HostServices(declared)


def _image(image: Any) -> str:
    """An image as a data URL."""
    from signalbox.maps.context import run_context

    if isinstance(image, bytes):
        return f"data:image/png;base64,{base64.b64encode(image).decode()}"
    path = Path(image).resolve()
    if not any(path.is_relative_to(place.resolve()) for place in (run_context().folder, run_context().data)):
        raise PathEscapeError(f"The image {path.name} lies outside the map's folder and its data folder.")
    kind = mimetypes.guess_type(path.name)[0] or "image/png"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
