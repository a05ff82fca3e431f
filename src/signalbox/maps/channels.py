"""How LangGraph holds a map's state while it runs: one channel for the values, and a gate before each join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from langgraph._internal._typing import MISSING
from langgraph.channels.base import BaseChannel
from langgraph.errors import EmptyChannelError

__all__ = ["Contest", "Gate", "Moved", "Outcome", "Values", "Wrote", "merge"]

Reducers = Mapping[str, Callable[[Any, Any], Any]]
FLAGS = frozenset({"last_action_success", "graph_success"})


def _add_errors(before: Any, more: Any) -> list[Any]:
    """Errors before and after as one list, whatever a node or a caller put there."""
    return [*_as_list(before), *_as_list(more)]


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


ERRORS_ADD_UP: Reducers = {"errors": _add_errors}


class Contest(NamedTuple):
    """Which rows contend for a field, as pairs, and which rows start a new round of it."""

    pairs: Mapping[str, frozenset[tuple[int, int]]]
    rounds: Mapping[int, frozenset[int]]


NO_CONTEST = Contest({}, {})


class Wrote(NamedTuple):
    """What one row wrote."""

    row: int
    update: Mapping[str, Any]


class Values(BaseChannel[dict[str, Any], Any, Any]):
    """The state of a map: every key it was given and every key that a node wrote.

    Rows that write in one step are taken in the order of the rows. `errors` are added up, as is every field with a
    reducer; a flag is true if all who set it in the step set it true. A contested field keeps the value of the
    lower row, whichever came first.
    """

    def __init__(
        self,
        contest: Contest = NO_CONTEST,
        reducers: Reducers = ERRORS_ADD_UP,
        key: str = "",
    ) -> None:
        super().__init__(dict, key)
        self.contest = contest
        self.reducers = reducers
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
        return MISSING if self.value is None else [self.value, self.owners]

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """A channel with the content of a checkpoint."""
        channel = type(self)(self.contest, self.reducers, self.key)
        if checkpoint is not MISSING:
            channel.value, channel.owners = checkpoint[0], dict(checkpoint[1])
        return channel

    def get(self) -> dict[str, Any]:
        """The values; the reader must not change them."""
        if self.value is None:
            raise EmptyChannelError
        return self.value

    def is_available(self) -> bool:
        """Whether anything was ever written."""
        return self.value is not None

    def update(self, values: Sequence[Any]) -> bool:
        """Take over what was written in one step. Whoever has read the values keeps them as they were."""
        if not values:
            return False
        self.value = dict(self.value or {})
        self.take([_writes(value) for value in values], self.value)
        return True

    def take(self, units: Sequence[list[Wrote]], state: dict[str, Any]) -> None:
        """Put what units wrote in one step into a state."""
        units = sorted(units, key=lambda writes: writes[0].row) if len(units) > 1 else units
        for row, update in (wrote for writes in units for wrote in writes):
            merge(state, self._admitted(row, update) if self.contest.pairs else update, self.reducers)
        if len(units) > 1:
            state.update(_all_true([writes[-1].update for writes in units]))

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
    """What one unit wrote: a row, the rows of a chain, or a plain mapping such as the initial state."""
    if isinstance(value, Wrote):
        return [value]
    return value if isinstance(value, list) else [Wrote(-1, value)]


def _all_true(updates: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    return {flag: all(u[flag] for u in updates if flag in u) for flag in FLAGS if any(flag in u for u in updates)}


def merge(state: dict[str, Any], update: Mapping[str, Any], reducers: Reducers = ERRORS_ADD_UP) -> None:
    """Put an update into a state: a field with a reducer is reduced, every other is replaced."""
    reduced = {
        field: reducers[field](state[field], update[field])
        for field in reducers.keys() & update.keys()
        if state.get(field) is not None
    }
    state.update(update)
    state.update(reduced)


class Moved(NamedTuple):
    """A unit ended, and these start."""

    ended: str
    started: tuple[str, ...]


class Outcome(NamedTuple):
    """What a unit hands on when it has run: its writes, what each gate is told, and which units start ungated."""

    writes: list[Wrote]
    moved: Mapping[str, Moved]
    onward: tuple[str, ...]


class Gate(BaseChannel[Any, Any, Any]):
    """The gate before a join: it opens once, when every branch that was on its way has arrived or gone elsewhere.

    It counts the units under way that can still lead to the join.
    """

    def __init__(self, join: str, entry: str | None, yields: frozenset[str] = frozenset(), key: str = "") -> None:
        super().__init__(Any, key)
        self.join = join
        self.entry = entry
        self.yields = yields
        self.under_way: Counter[str] = Counter({entry: 1} if entry else {})

    @property
    def ValueType(self) -> Any:
        """Nothing that a node reads."""
        return Any

    @property
    def UpdateType(self) -> Any:
        """Which unit ended, and which start."""
        return Moved

    def copy(self) -> Self:
        """A gate of its own with the same count."""
        return self.from_checkpoint(self.checkpoint())

    def checkpoint(self) -> Any:
        """The count as plain data."""
        return dict(self.under_way)

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """A gate with the count of a checkpoint; without one, the entry is under way."""
        gate = type(self)(self.join, self.entry, self.yields, self.key)
        if checkpoint is not MISSING:
            gate.under_way = Counter(checkpoint)
        return gate

    def get(self) -> Any:
        """The number of branches that arrived, while the gate is open."""
        if not self.is_available():
            raise EmptyChannelError
        return self.under_way[self.join]

    def is_available(self) -> bool:
        """Whether the gate is open."""
        return self.under_way[self.join] > 0 and not any(
            count > 0 and name != self.join and name not in self.yields for name, count in self.under_way.items()
        )

    def update(self, values: Sequence[Moved]) -> bool:
        """Count who ended, then who starts: one that ended and is started again in the same step is under way."""
        for ended, _ in values:
            self.under_way.pop(ended, None)
        for _, started in values:
            self.under_way.update(started)
        return bool(values)
