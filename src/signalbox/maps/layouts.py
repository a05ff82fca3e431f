"""How LangGraph holds a map's state: as a table's, with any keys, or as the class that the map names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass, make_dataclass
from pathlib import Path
from typing import (
    Annotated,
    Any,
    NotRequired,
    Protocol,
    Required,
    get_args,
    get_origin,
    get_type_hints,
)

from langgraph.channels import BaseChannel
from typing_extensions import TypedDict, is_typeddict

from signalbox.errors import ContractError
from signalbox.maps.channels import Contest, Values, Wrote, merge
from signalbox.maps.local_code import import_attribute
from signalbox.maps.spec import GraphSpec

__all__ = ["Layout", "TableLayout", "TypedLayout", "find_state_class"]

VALUES = "__values__"
Update = Mapping[str, Any]


class Layout(Protocol):
    """How a state is held in channels."""

    def schema(self, more: Mapping[str, BaseChannel[Any, Any, Any]]) -> Any:
        """The class that LangGraph makes its channels of, with some more channels."""

    def start(self, state: Update) -> Any:
        """The input of LangGraph for a run that starts with this state."""

    def read(self, channels: Any) -> Any:
        """The state as a node sees it."""

    def after(self, state: Any, updates: list[Any]) -> Any:
        """The state as it will be when the updates are written."""

    def write(self, rows: list[int], updates: list[Any]) -> dict[str, Any]:
        """What rows changed, as a write to the channels."""

    def values(self, channels: Any) -> dict[str, Any]:
        """The state that a run ended with."""

    @property
    def classes(self) -> frozenset[tuple[str, str]]:
        """The classes that a checkpoint of the state may hold, by module and name."""


class TableLayout:
    """A table's state: one channel holds every key, and a checkpoint of it holds plain data."""

    classes: frozenset[tuple[str, str]] = frozenset()

    def __init__(self, contest: Contest) -> None:
        self._values = Annotated[dict, Values(contest)]

    def schema(self, more: Mapping[str, BaseChannel[Any, Any, Any]]) -> Any:
        """A class with the one channel."""
        return _typed_dict("State", {VALUES: self._values}, more)

    def start(self, state: Update) -> Any:
        """The keys as the first write to the channel."""
        return {VALUES: dict(state)}

    def read(self, channels: Any) -> Any:
        """The keys."""
        return channels[VALUES]

    def after(self, state: Any, updates: list[Any]) -> Any:
        """The keys with those of the updates."""
        changed = dict(state)
        for update in updates:
            merge(changed, update)
        return changed

    def write(self, rows: list[int], updates: list[Any]) -> dict[str, Any]:
        """The updates with their rows, which decide between rows that write one field."""
        written: list[Wrote] = list(zip(rows, updates, strict=True))
        return {VALUES: written}

    def values(self, channels: Any) -> dict[str, Any]:
        """The keys."""
        return dict((channels or {}).get(VALUES) or {})


class TypedLayout:
    """The state of a class: a channel and a reducer for each of its fields, as LangGraph makes them.

    Fields that rows read or write, and that the class lacks, are added to it.
    """

    def __init__(self, state_class: Any, columns: Iterable[str] = ()) -> None:
        self._class = state_class
        own = get_type_hints(state_class, include_extras=True)
        self._added = {name: Any for name in columns if name not in own}
        self._fields = {**own, **self._added}
        self.classes = frozenset(_classes(own.values(), set()))
        found = {name: _reducer(hint) for name, hint in self._fields.items()}
        self._reducers = {name: reducer for name, reducer in found.items() if reducer is not None}

    def schema(self, more: Mapping[str, BaseChannel[Any, Any, Any]]) -> Any:
        """The class itself, or one of its kind with more fields."""
        if not more and not self._added:
            return self._class
        if is_typeddict(self._class):
            return _typed_dict(self._class.__name__, self._fields, more)
        extra = {**self._added, **{name: Annotated[Any, channel] for name, channel in more.items()}}
        name, own = self._class.__name__, (self._class,)
        if is_dataclass(self._class):
            return make_dataclass(name, [(field, hint, None) for field, hint in extra.items()], bases=own)
        return type(name, own, {"__annotations__": extra, **dict.fromkeys(extra)})

    def start(self, state: Update) -> Any:
        """The state as it is."""
        return dict(state)

    def read(self, channels: Any) -> Any:
        """What LangGraph gives the node, with the fields of the class alone."""
        if isinstance(channels, dict):
            return {name: value for name, value in channels.items() if name in self._fields}
        return channels

    def after(self, state: Any, updates: list[Any]) -> Any:
        """The state with the update of the one row, reduced as the class says."""
        (update,) = updates
        known = {name: value for name, value in update.items() if name in self._fields}
        for name in self._reducers.keys() & known.keys():
            before = state.get(name) if isinstance(state, Mapping) else getattr(state, name, None)
            if before is not None:
                known[name] = self._reducers[name](before, known[name])
        if isinstance(state, Mapping):
            return {**state, **known}
        if hasattr(state, "model_copy"):
            return state.model_copy(update=known)
        return type(state)(**{**vars(state), **known})

    def write(self, rows: list[int], updates: list[Any]) -> dict[str, Any]:
        """The fields of the class that the one row changed: rows of a typed graph are never run as one."""
        (update,) = updates
        return {name: value for name, value in update.items() if name in self._fields}

    def values(self, channels: Any) -> dict[str, Any]:
        """The fields of the class that hold something."""
        held = channels if isinstance(channels, Mapping) else vars(channels) if channels else {}
        return {name: value for name, value in held.items() if name in self._fields}


def _reducer(hint: Any) -> Any:
    """The reducer in a field's annotation, if it has one."""
    while get_origin(hint) in (Required, NotRequired):
        (hint,) = get_args(hint)
    found = hint.__metadata__[-1] if hasattr(hint, "__metadata__") else None
    return found if callable(found) and not isinstance(found, type) else None


def _classes(hints: Iterable[Any], seen: set[Any]) -> Iterator[tuple[str, str]]:
    """The classes in annotations, and in the fields of those classes."""
    for hint in hints:
        yield from _classes((part for part in get_args(hint) if part not in seen), seen)
        if not isinstance(hint, type) or hint.__module__ == "builtins" or hint in seen:
            continue
        seen.add(hint)
        yield hint.__module__, hint.__qualname__
        if hasattr(hint, "model_fields") or is_dataclass(hint) or is_typeddict(hint):
            yield from _classes(get_type_hints(hint, include_extras=True).values(), seen)


def find_state_class(graph: GraphSpec, folder: Path) -> Any:
    """The class that the Context of the first row names (`state: module:Class`), or None. Raises ContractError."""
    name = graph.entry.context.get("state")
    if not isinstance(name, str) or ":" not in name:
        return None
    found = import_attribute(name, folder)
    if not isinstance(found, type):
        raise ContractError(f"'{name}' is not a class; a map's state is a TypedDict, a pydantic model or a dataclass.")
    return found


def _typed_dict(name: str, fields: Mapping[str, Any], more: Mapping[str, BaseChannel[Any, Any, Any]]) -> Any:
    return TypedDict(name, {**fields, **{field: Annotated[Any, channel] for field, channel in more.items()}})  # type: ignore[operator]
