"""The channels that LangGraph holds for a map: one for the values of a table, and one for the units under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from langgraph.channels import BaseChannel
from langgraph.errors import EmptyChannelError

__all__ = ["Contest", "UnderWay", "Values", "Wrote", "merge"]

FLAGS = frozenset({"last_action_success", "graph_success"})


Wrote = tuple[int, Mapping[str, Any]]
"""A row's number, and what it wrote. Plain data, so that any checkpointer can keep it."""


class Contest(NamedTuple):
    """Which rows contend for a field, as pairs, and which rows start a new round of it."""

    pairs: Mapping[str, frozenset[tuple[int, int]]]
    rounds: Mapping[int, frozenset[int]]


NO_CONTEST = Contest({}, {})


class Values(BaseChannel[dict[str, Any], Any, Any]):
    """The state of a map: every key it was given and every key that a node wrote.

    Rows that write in one step are taken in the order of the rows. `errors` are added up; a flag is true if all who
    set it in the step set it true. A contested field keeps the value of the lower row, whichever came first.
    """

    def __init__(self, contest: Contest = NO_CONTEST, key: str = "") -> None:
        super().__init__(dict, key)
        self.contest = contest
        self.value: dict[str, Any] | None = None
        self.owners: dict[str, int] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Values) and other.contest == self.contest

    __hash__ = None  # type: ignore[assignment]

    @property
    def ValueType(self) -> Any:
        """A mapping."""
        return dict

    @property
    def UpdateType(self) -> Any:
        """A mapping, or what rows wrote."""
        return Any

    def copy(self) -> Self:
        """A channel of its own with the same content."""
        return self.from_checkpoint(self.checkpoint())

    def checkpoint(self) -> Any:
        """The content as plain data."""
        return super().checkpoint() if self.value is None else [self.value, self.owners]

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """A channel with the content of a checkpoint."""
        channel = type(self)(self.contest, self.key)
        if isinstance(checkpoint, list):
            channel.value, channel.owners = checkpoint[0], dict(checkpoint[1])
        return channel

    def get(self) -> dict[str, Any]:
        """The values; the reader must not change them."""
        if self.value is None:
            raise EmptyChannelError
        return self.value

    def is_available(self) -> bool:
        """True if anything was ever written."""
        return self.value is not None

    def update(self, values: Sequence[Any]) -> bool:
        """Take over what was written in one step. Whoever has read the values keeps them as they were."""
        if not values:
            return False
        self.value = dict(self.value or {})
        self._take([_writes(value) for value in values], self.value)
        return True

    def _take(self, units: Sequence[list[Wrote]], state: dict[str, Any]) -> None:
        units = sorted(units, key=lambda writes: writes[0][0]) if len(units) > 1 else units
        for row, update in (wrote for writes in units for wrote in writes):
            merge(state, self._admitted(row, update) if self.contest.pairs else update)
        if len(units) > 1:
            state.update(_all_true([writes[-1][1] for writes in units]))

    def _admitted(self, row: int, update: Mapping[str, Any]) -> Mapping[str, Any]:
        below = self.contest.rounds.get(row)
        if below:
            self.owners = {field: owner for field, owner in self.owners.items() if owner not in below}
        taken = dict(update)
        for field in self.contest.pairs.keys() & update.keys():
            owner = self.owners.get(field)
            if owner is not None and owner > row and (owner, row) in self.contest.pairs[field]:
                del taken[field]
            else:
                self.owners[field] = row
        return taken


def _writes(value: Any) -> list[Wrote]:
    """What one unit wrote, row by row; a plain mapping, such as the initial state, belongs to no row."""
    return value if isinstance(value, list) else [(-1, value)]


def _all_true(updates: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    return {flag: all(u[flag] for u in updates if flag in u) for flag in FLAGS if any(flag in u for u in updates)}


def merge(state: dict[str, Any], update: Mapping[str, Any]) -> None:
    """Put an update into a state: errors are added to those before, every other field is replaced."""
    before = state.get("errors")
    state.update(update)
    if before is not None and "errors" in update:
        state["errors"] = [*_as_list(before), *_as_list(update["errors"])]


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


class UnderWay(BaseChannel[dict[str, int], Any, Any]):
    """The units that were started and have not run yet, or are running: how often each was started.

    A unit writes `(its name, the names that it starts)` when it ends. A join reads here whether anything is under way
    that can still lead to it.
    """

    def __init__(self, entry: str, key: str = "") -> None:
        super().__init__(dict, key)
        self.entry = entry
        self.counts: dict[str, int] = {entry: 1}

    @property
    def ValueType(self) -> Any:
        """A mapping of names to counts."""
        return dict

    @property
    def UpdateType(self) -> Any:
        """A pair: which unit ended, and which it starts."""
        return Any

    def copy(self) -> Self:
        """A channel of its own with the same counts."""
        return self.from_checkpoint(self.checkpoint())

    def checkpoint(self) -> Any:
        """The counts as plain data."""
        return dict(self.counts)

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """A channel with the counts of a checkpoint; without one, the entry is under way."""
        channel = type(self)(self.entry, self.key)
        if isinstance(checkpoint, dict):
            channel.counts = dict(checkpoint)
        return channel

    def get(self) -> dict[str, int]:
        """The counts; the reader must not change them."""
        return self.counts

    def update(self, values: Sequence[Any]) -> bool:
        """Count who ended, then who starts: one that ended and is started again in the same step is under way."""
        if not values:
            return False
        self.counts = dict(self.counts)
        for ended, _ in values:
            self.counts.pop(ended, None)
        for _, started in values:
            for name in started:
                self.counts[name] = self.counts.get(name, 0) + 1
        return True
