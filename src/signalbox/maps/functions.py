"""Routing and mapping functions: beside the map, or `module:function`, and where they say that they lead."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from signalbox.errors import ContractError
from signalbox.maps.local_code import find_function, import_attribute

__all__ = ["Targets", "call_router", "declared_targets", "load_function", "parameters_of", "reference"]


def reference(name: str) -> str:
    """`module:function` for a function named with its module, by a colon or by dots; nothing for a bare name."""
    return name if ":" in name else ":".join(name.rsplit(".", 1)) if "." in name else ""


def load_function(name: str, folder: Path) -> Callable[..., Any]:
    """The routing function of that name: beside a map in the folder, or `module:function`. Raises SignalboxError."""
    if reference(name):
        found: Callable[..., Any] = import_attribute(reference(name), folder)
        return found
    definition = find_function(name, folder)
    if definition is None:
        raise ContractError(
            f"There is no routing function '{name}'.",
            suggestion=f"Write it into {folder / 'functions' / (name + '.py')}, or run: signalbox maps scaffold.",
        )
    loaded: Callable[..., Any] = definition.load()
    return loaded


@lru_cache(maxsize=128)
def parameters_of(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """What a function takes, found out once: that takes as long as many a call. Raises as `inspect.signature`."""
    return tuple(inspect.signature(function).parameters.values())


def call_router(
    function: Callable[..., Any], state: Mapping[str, Any], targets: tuple[Any, Any], context: Mapping[str, Any]
) -> Any:
    """Call a routing function with the state and what its row says: the targets of success and failure by position, and
    what the row's Context holds by name. A target that the row does not name leaves the function's own default."""
    try:
        takes = parameters_of(function)[1:]
    except (TypeError, ValueError):
        return function(state, *targets)
    if any(one.kind in (one.VAR_POSITIONAL, one.POSITIONAL_ONLY) for one in takes):
        return function(state, *targets)
    said = dict(zip((one.name for one in takes), targets, strict=False))
    needed = {one.name for one in takes if one.default is one.empty}
    named = {name: target for name, target in said.items() if target is not None or name in needed}
    named.update({one.name: context[one.name] for one in takes if one.name in context})
    return function(state, **named)


@dataclass(frozen=True, slots=True)
class Targets:
    """Where a function says it leads: the names in its return type, and whether it may give several at once."""

    names: tuple[str, ...]
    several: bool


def declared_targets(function: Any) -> Targets | None:
    """The targets in a function's return type: `Literal["a", "b"]`, `list[Literal[…]]`, `Command[Literal[…]]`.

    None if it names none.
    """
    call = function if inspect.isroutine(function) else getattr(function, "process", function)
    try:
        returned = get_type_hints(call).get("return")
    except Exception:  # an annotation may name what is imported for type checkers alone
        return None
    names = tuple(dict.fromkeys(_literals(returned)))
    return Targets(names, get_origin(returned) is not Literal) if names else None


def _literals(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(name) for name in get_args(annotation)]
    return [name for part in get_args(annotation) for name in _literals(part)]
