"""Agent types: the built-in ones, those beside the map, and those that other packages add by an entry point.

A package adds a type so: `[project.entry-points."signalbox.agent_types"]  my_type = "package.module:MyAgent"`.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from signalbox.contract import BaseAgent
from signalbox.contract.plugins import entry_points
from signalbox.errors import ContractError, NotFoundError
from signalbox.language.names import did_you_mean
from signalbox.maps.local_code import agents_beside, find_agent, find_function, import_attribute, normalize
from signalbox.maps.spec import FUNC

__all__ = ["BESIDE", "ENTRY_POINTS", "AgentType", "builtin_type", "find_type", "known_types", "list_types"]

ENTRY_POINTS = "signalbox.agent_types"
BESIDE = "custom:"
_ROOT = "signalbox.maps.agents"

_INTERACTIONS = tuple(
    f"{kind}_interaction" for kind in ("approval", "choice", "text_input", "edit", "conversation", "human")
)
# type: (module, class, other names, what it does)
_BUILTIN: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "default": ("basic", "DefaultAgent", (), "gives its prompt, with the fields filled in"),
    "echo": ("basic", "EchoAgent", (), "gives its inputs back, or its prompt with the fields filled in"),
    "input": ("basic", "InputAgent", (), "takes a value from the state, or asks the person for it"),
    "success": ("basic", "SuccessAgent", (), "succeeds and says so"),
    "failure": ("basic", "FailureAgent", (), "takes the failure branch"),
    "branching": ("basic", "BranchingAgent", (), "takes the branch that a field's value says"),
    "validator": ("validator", "ValidatorAgent", (), "checks its inputs against rules and takes the branch"),
    "aggregator": ("basic", "AggregatorAgent", (), "puts the results of parallel branches together"),
    "output": ("basic", "OutputAgent", (), "gives the final output of a graph"),
    "summary": ("llm", "SummaryAgent", (), "puts its inputs into one text, or has a model do it"),
    "llm": ("llm", "LlmAgent", (), "sends its prompt to a chat model"),
    "openai": ("llm", "OpenAIAgent", ("gpt", "chatgpt"), "llm with OpenAI's models"),
    "anthropic": ("llm", "AnthropicAgent", ("claude",), "llm with Anthropic's models"),
    "google": ("llm", "GoogleAgent", ("gemini",), "llm with Google's models"),
    "orchestrator": ("orchestrator", "OrchestratorAgent", (), "chooses the node that fits the request"),
    "tool_agent": ("tools", "ToolAgent", ("tool",), "calls the function of a Python file that fits"),
    "graph": ("subgraph", "GraphAgent", ("subgraph",), "runs another graph"),
    "suspend": ("human", "SuspendAgent", (), "pauses until it is resumed from outside"),
    "human": ("human", "HumanAgent", _INTERACTIONS, "pauses for a person: approval, choice, text, edit, conversation"),
    "csv_reader": ("storage", "CsvReaderAgent", (), "reads rows from a CSV file"),
    "csv_writer": ("storage", "CsvWriterAgent", (), "writes rows to a CSV file"),
    "json_reader": ("storage", "JsonReaderAgent", (), "reads documents from a JSON file"),
    "json_writer": ("storage", "JsonWriterAgent", (), "writes documents to a JSON file"),
    "file_reader": ("storage", "FileReaderAgent", (), "reads a text file"),
    "file_writer": ("storage", "FileWriterAgent", (), "writes a text file"),
    "vector_reader": ("storage", "VectorReaderAgent", (), "finds the texts nearest in meaning"),
    "vector_writer": ("storage", "VectorWriterAgent", (), "keeps texts to be found by their meaning"),
}


@dataclass(frozen=True, slots=True)
class AgentType:
    """A type of agent: its name, where it comes from, and what makes one."""

    name: str
    origin: str
    target: Any
    description: str = ""

    @property
    def is_builtin(self) -> bool:
        """True if it ships with Signalbox, so that one instance may serve many runs."""
        return self.origin == "built-in"

    @property
    def pauses(self) -> bool:
        """True if a node of this type may wait for a person. A function cannot say, so it may."""
        return bool(getattr(self.target, "pauses", True))

    @property
    def chooses(self) -> bool:
        """True if a node of this type chooses the node after it."""
        return bool(getattr(self.target, "chooses", False))

    @property
    def runs_graph(self) -> bool:
        """True if a node of this type runs another graph."""
        return bool(getattr(self.target, "runs_graph", False))


def list_types(folder: Path | None = None) -> list[dict[str, str]]:
    """Every type with its origin and what it does, those beside a map included."""
    rows = [{"type": n, "origin": "built-in", "description": row[3]} for n, row in _BUILTIN.items()]
    rows += [{"type": n, "origin": f"plug-in {e.value}", "description": ""} for n, e in _plugins().items()]
    if folder is not None:
        rows += [{"type": n, "origin": f"beside {folder}", "description": ""} for n in agents_beside(folder)]
    return rows


def known_types(folder: Path | None = None) -> list[str]:
    """The names of every type that a map in that folder can use."""
    names = [*_BUILTIN, *_plugins()]
    if folder is not None:
        names += agents_beside(folder)
    return list(dict.fromkeys(names))


def find_type(name: str, folder: Path, *, load: bool = True) -> AgentType:
    """The type that a map's AgentType cell names: a bare name, `custom:Name` for one beside the map, `func:name` for
    a function beside it, or `module:attribute`. Without `load` no code of others is imported, and such a type has no
    target. Raises NotFoundError with the nearest names."""
    if name.startswith(FUNC):
        return _function_type(name, folder, load)
    name = name.removeprefix(BESIDE).strip()
    if ":" in name:
        return AgentType(name, "reference", _checked(name, import_attribute(name, folder)) if load else None)
    local = find_agent(name, folder)
    if local is not None:
        return AgentType(name, str(local.file), _checked(name, local.load()) if load else None)
    builtin = builtin_type(name)
    if builtin is not None:
        return builtin
    for plugin, entry in _plugins().items():
        if normalize(plugin) == normalize(name):
            return AgentType(plugin, f"plug-in {entry.value}", _checked(name, _load_plugin(entry)) if load else None)
    raise NotFoundError(
        f"There is no agent type '{name}'.",
        suggestion=(did_you_mean(name, known_types(folder)) + " Or write one: signalbox maps scaffold.").strip(),
    )


def builtin_type(name: str) -> AgentType | None:
    """The built-in type of that name, in any of the ways people write it."""
    builtin = _builtin_names().get(normalize(name))
    return _builtin_type(builtin) if builtin is not None else None


def _function_type(name: str, folder: Path, load: bool) -> AgentType:
    function = find_function(name.removeprefix(FUNC).strip(), folder)
    if function is None:
        raise NotFoundError(
            f"There is no function '{name.removeprefix(FUNC).strip()}'.",
            suggestion="Write it into functions/ next to the map, or run: signalbox maps scaffold.",
        )
    return AgentType(name, str(function.file), function.load() if load else None)


def _checked(name: str, target: Any) -> Any:
    if inspect.isclass(target) and not issubclass(target, BaseAgent) and not hasattr(target, "run"):
        raise ContractError(f"'{name}' is the class {target.__name__}, which is neither a BaseAgent nor has a run().")
    if not callable(target):
        raise ContractError(f"'{name}' is a {type(target).__name__}; an agent is a class or a function.")
    return target


@cache
def _builtin_names() -> dict[str, str]:
    return {normalize(word): name for name, row in _BUILTIN.items() for word in (name, *row[2])}


@lru_cache(maxsize=64)
def _builtin_type(name: str) -> AgentType:
    module, attribute, _, description = _BUILTIN[name]
    target: Callable[..., Any] = getattr(importlib.import_module(f"{_ROOT}.{module}"), attribute)
    return AgentType(name, "built-in", target, description)


@cache
def _plugins() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def _load_plugin(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        raise ContractError(
            f"The plug-in '{entry.name}' ({entry.value}) cannot be loaded: {type(error).__name__}: {error}.",
            suggestion="Reinstall or remove the package that brings it.",
        ) from error
