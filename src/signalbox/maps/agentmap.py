"""Runs agents written for AgentMap without it: their imports from `agentmap` are served by our own contract.

`BaseAgent`, `LLMAgent` and the other agents to inherit from are ours, made as AgentMap makes them. A logger, the state
adapter, the model, prompts and the services of a `host_services.yaml` beside the agent are lent. Every other name is an
empty class, so that a file can be read, and every other service says, when it is used, that it is not here. Where
AgentMap is installed, its own is imported.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import logging
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from signalbox.contract import BaseAgent as ContractAgent
from signalbox.contract import StateAdapter
from signalbox.contract.agent import package_logger
from signalbox.maps.agentmap_services import MissingService, PromptService, find_service, not_here

__all__ = ["LentAgent", "lent_names", "make_lent", "own_run"]

_OURS = {
    "LLMAgent": "llm:LlmAgent",
    "OpenAIAgent": "llm:OpenAIAgent",
    "AnthropicAgent": "llm:AnthropicAgent",
    "GoogleAgent": "llm:GoogleAgent",
    "SummaryAgent": "llm:SummaryAgent",
    "DefaultAgent": "basic:DefaultAgent",
    "EchoAgent": "basic:EchoAgent",
    "InputAgent": "basic:InputAgent",
    "SuccessAgent": "basic:SuccessAgent",
    "FailureAgent": "basic:FailureAgent",
    "BranchingAgent": "basic:BranchingAgent",
    "SuspendAgent": "human:SuspendAgent",
    "HumanAgent": "human:HumanAgent",
    "OrchestratorAgent": "orchestrator:OrchestratorAgent",
}
_CONFIGURES = re.compile(r"configure_(\w+_service)")
_lock = threading.RLock()


# Agents


class LentAgent(ContractAgent):
    """The contract, constructed like AgentMap's agents and with the attributes they expect."""

    def __init__(
        self, name: str, prompt: str = "", context: dict[str, Any] | None = None, logger: Any = None, *_: Any, **__: Any
    ) -> None:
        super().__init__(name, prompt, context, logger)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "process_async" in vars(cls) and "process" not in vars(cls):
            cls.process = vars(cls)["process_async"]  # type: ignore[method-assign]

    async def process_async(self, inputs: dict[str, Any]) -> Any:
        """The result of `process`, without blocking the event loop."""
        found = (vars(one)["process"] for one in type(self).__mro__ if "process" in vars(one))
        plain = next(process for process in found if not inspect.iscoroutinefunction(process))
        return await asyncio.to_thread(plain, self, inputs)

    def __getattr__(self, name: str) -> Any:
        """Attributes of AgentMap's base class that ours lacks, unless the agent has set them itself."""
        if name == "logger":
            return vars(self).get("_logger") or package_logger
        service = name.strip("_") if name.endswith(("_service", "_adapter")) else ""
        found = find_service(service, type(self), vars(self).get("name", "")) if service else None
        if found is None:
            raise AttributeError(not_here(service) if service else f"{type(self).__name__} has no '{name}'")
        return found


class _LentModelAgent(LentAgent):
    """The attributes that subclasses of AgentMap's LLMAgent expect."""

    memory_key: str | None = None

    @property
    def resolved_prompt(self) -> str:
        """The text of a prompt that is a reference."""
        return PromptService().resolve_prompt(self.prompt)

    def __getattr__(self, name: str) -> Any:
        if name in ("model", "temperature", "max_tokens"):
            return self.context.get(name)
        if name == "provider_name":
            return self.context.get("provider", "")
        return super().__getattr__(name)

    def _prepare_routing_context(self, inputs: Mapping[str, Any]) -> None:
        """Models are not chosen by a router here."""


def make_lent(target: type[LentAgent], name: str, prompt: str, context: dict[str, Any]) -> LentAgent:
    """An agent written for AgentMap, with the services that its constructor and configure methods need."""
    parameters = inspect.signature(target).parameters.values()
    services = _asked_for(target, name, parameters)
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        # AgentMap gives everything by name, so `__init__(self, name, **kwargs)` is enough.
        made = target(**{"name": name, "prompt": prompt, "context": context, "logger": package_logger, **services})
    else:
        made = target(name, prompt, context, **services)
    for method in dir(target):
        configures = _CONFIGURES.fullmatch(method)
        if configures:
            service = find_service(configures[1], target, name)
            getattr(made, method)(MissingService(configures[1]) if service is None else service)
    return made


def _asked_for(target: type[LentAgent], node: str, parameters: Iterable[inspect.Parameter]) -> dict[str, Any]:
    """The further arguments of a constructor: services, under names that have changed over the years."""
    given: dict[str, Any] = {}
    for one in parameters:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or one.name in ("name", "prompt", "context"):
            continue
        service = package_logger if one.name == "logger" else find_service(one.name, target, node)
        if service is not None or one.default is one.empty:
            given[one.name] = MissingService(one.name) if service is None else service
    return given


def own_run(agent: LentAgent) -> Any:
    """The agent's own `run` as a function from the state to its changes; None if it does not override `run`."""
    if type(agent).run is ContractAgent.run:
        return None

    def run(state: Mapping[str, Any]) -> dict[str, Any]:
        after: Mapping[str, Any] = agent.run(dict(state))
        return {key: value for key, value in after.items() if key not in state or state[key] is not value}

    return run


# Names


class _Lender(MetaPathFinder, Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, is_package=True) if _is_agentmap(fullname) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__getattr__ = _lend  # type: ignore[method-assign]


@contextmanager
def lent_names() -> Iterator[None]:
    """Make `agentmap` importable inside the block, whether or not it is installed."""
    lender = _Lender()
    with _lock:
        sys.meta_path.append(lender)
        try:
            yield
        finally:
            sys.meta_path.remove(lender)
            for name in [name for name in list(sys.modules) if _is_agentmap(name)]:
                if sys.modules[name].__loader__ is lender:
                    del sys.modules[name]


def _is_agentmap(module: str) -> bool:
    return module.partition(".")[0] == "agentmap"


@cache
def _lend(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "BaseAgent":
        return LentAgent
    if name in _OURS:
        module, _, attribute = _OURS[name].partition(":")
        ours = getattr(importlib.import_module(f"signalbox.maps.agents.{module}"), attribute)
        return type(name, (_LentModelAgent if module == "llm" else LentAgent, ours), {})
    if name in ("StateAdapter", "StateAdapterService"):
        return StateAdapter
    if name == "get_logger":
        return logging.getLogger
    return type(name, (Exception,) if name.endswith(("Error", "Exception")) else (), {})
