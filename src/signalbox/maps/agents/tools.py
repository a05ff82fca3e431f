"""The tool agent: calls a function of a Python file, the one that fits where there are several."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from pydantic import ValidationError

from signalbox.errors import ContractError, NotFoundError, ToolExecutionError
from signalbox.language.names import did_you_mean
from signalbox.maps.agents.base import MapAgent
from signalbox.maps.agents.matching import STRATEGIES, choose
from signalbox.maps.agents.models import choose_model
from signalbox.maps.local_code import load_file

__all__ = ["ToolAgent", "find_source", "load_tools", "source_files", "tool_name"]


class ToolAgent(MapAgent):
    """Calls a tool: a function marked `@tool` (LangChain's) in Tool_Source, a file or a folder of them, or a plain
    function of the file that Available_Tools names.

    Inputs become arguments by name, then by position. Context: `matching_strategy`, `confidence_threshold`.
    """

    needs_variables = False
    allowed_options: ClassVar[Mapping[str, tuple[str, ...]]] = {"matching_strategy": STRATEGIES}

    def process(self, inputs: dict[str, Any]) -> Any:
        """What the tool gives."""
        tools = load_tools(self.context["tool_source"], self.context["available_tools"], self.run_context.folder)
        name = next(iter(tools)) if len(tools) == 1 else self._choose(tools, inputs)
        return _call(tools[name], name, _arguments(tools[name], dict(inputs)))

    def _choose(self, tools: Mapping[str, Any], inputs: dict[str, Any]) -> str:
        described = {name: _description(tool) for name, tool in tools.items()}
        for spec in self.context["available_tools"]:
            match = re.fullmatch(r"""\w+\(\s*["'](.+)["']\s*\)""", spec)
            if match:
                described[tool_name(spec)] = match.group(1)
        texts = [str(value) for value in inputs.values() if isinstance(value, str)]
        request = " ".join([self.render_prompt(inputs, lenient=True), *texts])
        name, _ = choose(
            request,
            described,
            str(self.context.get("matching_strategy", "tiered")),
            float(self.context.get("confidence_threshold", 0.8)),
            lambda: choose_model(self.context, str(self.context.get("llm_type") or ""), self.name),
        )
        if name is None:
            raise NotFoundError(f"No tool fits '{request}'.", suggestion="There is: " + ", ".join(tools) + ".")
        return name


def load_tools(source: str, wanted: list[str], folder: Path) -> dict[str, Any]:
    """The tools of a file by name: those wanted, or all that are marked; of a folder, the marked ones of its files.

    Raises NotFoundError for a tool that is not there, and ContractError for a name that two files of a folder have.
    """
    found_at = find_source(source, folder)
    modules = [load_file(file) for file in source_files(found_at)]
    marked = _marked(modules)
    if not wanted:
        if not marked:
            raise NotFoundError(
                f"{source} has no function marked @tool.",
                suggestion="Mark one, or name a function in Available_Tools.",
            )
        return marked
    tools = {**(_functions(modules[0]) if found_at.is_file() else {}), **marked}
    found = {}
    for spec in wanted:
        name = tool_name(spec)
        if name not in tools:
            raise NotFoundError(f"{source} has no tool '{name}'.", suggestion=did_you_mean(name, tools))
        found[name] = tools[name]
    return found


def source_files(source: Path) -> list[Path]:
    """The Python files that a Tool_Source stands for: itself, or those of a folder whose names begin with no _."""
    return [source] if source.is_file() else sorted(p for p in source.glob("*.py") if not p.name.startswith("_"))


def _marked(modules: Sequence[ModuleType]) -> dict[str, Any]:
    """What is marked @tool in the modules, by name. One that a module imports from another is the other's."""
    marked: dict[str, Any] = {}
    where: dict[str, ModuleType] = {}
    for module in modules:
        for tool in vars(module).values():
            if not hasattr(tool, "args_schema") or not hasattr(tool, "name"):
                continue
            first = where.get(tool.name)
            if first is not None and first is not module and _defines(first, marked[tool.name]):
                if not _defines(module, tool):
                    continue
                files = " and ".join(Path(str(one.__file__)).name for one in (first, module))
                raise ContractError(f"The tool '{tool.name}' stands in {files}.", suggestion="Rename one of them.")
            marked[tool.name], where[tool.name] = tool, module
    return marked


def _defines(module: ModuleType, tool: Any) -> bool:
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    return function is None or inspect.unwrap(function).__code__.co_filename == module.__file__


def _functions(module: ModuleType) -> dict[str, Any]:
    """The plain functions that a module defines, by name."""
    return {name: f for name, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__}


def tool_name(spec: str) -> str:
    """The name in an Available_Tools entry: `add`, `add("adds numbers")` or `get_weather(location)`."""
    return spec.partition("(")[0].strip()


def find_source(source: str, folder: Path) -> Path:
    """The file or folder that Tool_Source names: beside the map, in the working folder, or by its name next to the map.

    Raises NotFoundError.
    """
    if not source:
        raise NotFoundError("The node has no Tool_Source.", suggestion="Name the Python file with its functions.")
    places = [folder / source, Path.cwd() / source, folder / Path(source).name]
    places += [place.with_suffix(".py") for place in places if not place.suffix]
    for place in (*filter(Path.is_file, places), *filter(Path.is_dir, places)):
        return place
    there = [p.name for p in folder.glob("*.py")]
    raise NotFoundError(f"There is no file or folder {source} next to the map.", suggestion=did_you_mean(source, there))


def _description(tool: Any) -> str:
    return str(getattr(tool, "description", None) or inspect.getdoc(tool) or "")


def _parameters(tool: Any) -> list[str]:
    schema = getattr(tool, "args", None)
    if isinstance(schema, Mapping):
        return list(schema)
    return [name for name, p in inspect.signature(tool).parameters.items() if p.kind is not p.VAR_KEYWORD]


def _arguments(tool: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs by name where the names fit; the rest go to the parameters left over, in order."""
    names = _parameters(tool)
    given = {name: value for name, value in inputs.items() if value is not None}
    by_name = {name: given.pop(name) for name in names if name in given}
    left = [name for name in names if name not in by_name]
    return {**by_name, **dict(zip(left, given.values(), strict=False))}


def _call(tool: Any, name: str, arguments: dict[str, Any]) -> Any:
    try:
        if hasattr(tool, "invoke"):
            if getattr(tool, "func", True) is None:
                return asyncio.run(tool.ainvoke(arguments))
            return tool.invoke(arguments)
        return tool(**arguments)
    except Exception as error:
        raise ToolExecutionError(f"The tool '{name}' failed: {_why(error)}", details=error) from error


def _why(error: Exception) -> str:
    """An error in a line; of arguments that do not fit, which ones."""
    if not isinstance(error, ValidationError):
        return str(error)
    return "; ".join(f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}" for wrong in error.errors())
