"""Routing and mapping functions: beside the map, or `module:function`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from signalbox.errors import ContractError
from signalbox.maps.context import run_context
from signalbox.maps.local_code import find_function, import_attribute

__all__ = ["call_router", "load_function", "reference"]


def reference(name: str) -> str:
    """`module:function` for a function named with its module, by a colon or by dots; nothing for a bare name."""
    return name if ":" in name else ":".join(name.rsplit(".", 1)) if "." in name else ""


def load_function(name: str) -> Callable[..., Any]:
    """The routing function of that name: beside the map, or `module:function`."""
    folder = run_context().folder
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


def call_router(
    function: Callable[..., Any], state: Mapping[str, Any], targets: tuple[Any, Any], context: Mapping[str, Any]
) -> Any:
    """Call a routing function with the state and what its row says: the targets of success and failure by position, and
    what the row's Context holds by name. A target that the row does not name leaves the function's own default."""
    try:
        takes = list(inspect.signature(function).parameters.values())[1:]
    except (TypeError, ValueError):
        return function(state, *targets)
    if any(one.kind in (one.VAR_POSITIONAL, one.POSITIONAL_ONLY) for one in takes):
        return function(state, *targets)
    said = dict(zip((one.name for one in takes), targets, strict=False))
    needed = {one.name for one in takes if one.default is one.empty}
    named = {name: target for name, target in said.items() if target is not None or name in needed}
    named.update({one.name: context[one.name] for one in takes if one.name in context})
    return function(state, **named)
