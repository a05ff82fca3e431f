"""Agents written for AgentMap, run without it: what they import from `agentmap` is answered by our own contract.

`BaseAgent` and the agents that pause are ours; every other name, a protocol or an error, is an empty class, so that a
file can be read. Services are not lent: an agent that asks for one fails and says so. Where AgentMap is installed, its
own is imported.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from signalbox.contract import BaseAgent as ContractAgent

__all__ = ["lent_names"]

_lock = threading.RLock()


class BaseAgent(ContractAgent):
    """The contract, made as AgentMap's agents make it: with services that ours finds by itself."""

    def __init__(
        self, name: str, prompt: str, context: dict[str, Any] | None = None, logger: Any = None, *_: Any, **__: Any
    ) -> None:
        super().__init__(name, prompt, context, logger)


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
    """While it lasts, `agentmap` can be imported whether it is installed or not."""
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
def _lend(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "BaseAgent":
        return BaseAgent
    if name in ("SuspendAgent", "HumanAgent"):
        from signalbox.maps.agents import human

        found: type = getattr(human, name)
        return found
    return type(name, (Exception,) if name.endswith(("Error", "Exception")) else (), {})
