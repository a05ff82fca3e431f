"""Routing and mapping functions: beside the map, or `module:function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from signalbox.errors import ContractError
from signalbox.maps.context import run_context
from signalbox.maps.workshop import find_function, import_attribute

__all__ = ["load_function", "reference"]


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
