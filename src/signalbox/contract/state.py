"""Reading and writing state, whatever its shape: a mapping, a pydantic model or a plain object."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

__all__ = ["StateAdapter"]


class StateAdapter:
    """Access to a state without changing it: writing returns a new state."""

    @staticmethod
    def has_value(state: Any, key: str) -> bool:
        """True if the state holds the key, even with the value None."""
        return key in state if isinstance(state, Mapping) else hasattr(state, key)

    @staticmethod
    def get_value(state: Any, key: str, default: Any = None) -> Any:
        """The value of the key, or the default. If there is no key `a.b`, it is the value of `b` in `a`."""
        if isinstance(state, Mapping):
            return _inside(state, key, default) if "." in key and key not in state else state.get(key, default)
        return getattr(state, key, default)

    @staticmethod
    def set_value(state: Any, key: str, value: Any) -> Any:
        """A new state with the key set."""
        if isinstance(state, Mapping):
            return {**state, key: value}
        if hasattr(state, "model_copy"):
            return state.model_copy(update={key: value})
        changed = copy.copy(state)
        setattr(changed, key, value)
        return changed

    @staticmethod
    def get_inputs(
        state: Any, input_fields: Sequence[str], expected_params: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """The values of a node's input fields, by parameter name; missing fields are None.

        `key:param` passes the value of `key` as `param`. If no field does that, `expected_params` names the parameters
        by position. Otherwise fields keep their names.
        """
        bound = _bound(tuple(input_fields), tuple(expected_params or ()))
        if type(state) is dict:  # The usual one, and every node of every run comes by here.
            return {param: state[key] if key in state else StateAdapter.get_value(state, key) for key, param in bound}
        return {param: StateAdapter.get_value(state, key) for key, param in bound}

    @staticmethod
    def bindings(input_fields: Iterable[str], expected_params: Sequence[str] | None = None) -> list[tuple[str, str]]:
        """Pairs of state key and parameter name for declared input fields."""
        return list(_bound(tuple(input_fields), tuple(expected_params or ())))


@lru_cache(maxsize=4096)
def _bound(fields: tuple[str, ...], expected: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Cached, because every run of a node needs the same pairs."""
    if any(":" in field for field in fields):
        split = (field.partition(":") for field in fields)
        return tuple((key.strip(), param.strip() or key.strip()) for key, _, param in split)
    params = expected[: len(fields)]
    return tuple(zip(fields, params + fields[len(params) :], strict=True))


def _inside(state: Mapping[str, Any], path: str, default: Any) -> Any:
    found: Any = state
    for part in path.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return default
        found = found[part]
    return found
