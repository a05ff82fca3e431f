"""Values that stand in the environment: `env:NAME` or `env:NAME:default` in a Context or a declared service."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Any

from signalbox.errors import ConfigurationError, hide

__all__ = ["from_environment", "reads_environment"]


def reads_environment(value: Any) -> bool:
    """True if the value contains an `env:NAME`."""
    if isinstance(value, Mapping):
        return any(map(reads_environment, value.values()))
    if isinstance(value, list | tuple):
        return any(map(reads_environment, value))
    return isinstance(value, str) and value.startswith("env:")


def from_environment(value: Any, said_by: str, key: str = "", kept: Collection[str] = ()) -> Any:
    """The value with each `env:NAME` in it replaced, but for the keys that are kept. Raises ConfigurationError."""
    if key in kept or not reads_environment(value):
        return value
    if isinstance(value, Mapping):
        return {name: from_environment(item, said_by, str(name), kept) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [from_environment(item, said_by, key, kept) for item in value]
    name, _, default = value.removeprefix("env:").partition(":")
    found = os.environ.get(name.strip(), default or None)
    if found is None:
        raise ConfigurationError(
            f"{said_by} says {key} = env:{name}, and {name} is not set.", suggestion=f"Set {name} in the environment."
        )
    hide(found)
    return found
