"""What a capable model is shown of the server, as data: its experiments and contexts, so that it names them exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.exact_names import all_experiments, metadata_of_context
from signalbox.errors import SignalboxError

__all__ = ["server_excerpt"]

_MOST_EXPERIMENTS, _MOST_CONTEXTS, _MOST_VALUES, _LONGEST = 60, 20, 12, 100


async def server_excerpt() -> str:
    """The experiments and contexts, a line each; what is wrong where the server does not answer."""
    try:
        experiments, metadata = await all_experiments(), await metadata_of_context()
    except SignalboxError as error:
        return f"The experiments of the server are not known: {error.user_message}"
    return "\n".join([*_experiments(experiments), *_contexts(metadata)])


def _experiments(found: Sequence[Mapping[str, Any]]) -> list[str]:
    if not found:
        return ["The server has no experiments."]
    rest = len(found) - _MOST_EXPERIMENTS
    lines = [
        f"{one['id']} | {_short(one['name'])} | {one['state']} | {_short(one['context'])} | {_few(one['conditions'])}"
        for one in found[:_MOST_EXPERIMENTS]
    ]
    more = [f"{rest} more experiments are not listed here; get_all_experiments finds them."] if rest > 0 else []
    return ["The server's experiments: id | name | state | context | conditions", *lines, *more]


def _contexts(found: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    lines = [
        f"{_short(name)} | {_few(one['group_types'])} | {_few(one['sites'])} | {_few(one['targets'])}"
        for name, one in list(found.items())[:_MOST_CONTEXTS]
    ]
    rest = len(found) - _MOST_CONTEXTS
    more = [f"{rest} more contexts are not listed here; get_context_metadata has them."] if rest > 0 else []
    return ["Its contexts: name | group types | sites | targets", *lines, *more] if found else []


def _few(names: Iterable[Any]) -> str:
    every = [_short(one) for one in names]
    return ", ".join(every[:_MOST_VALUES]) + (", …" if len(every) > _MOST_VALUES else "")


def _short(name: Any) -> str:
    told = " ".join(str(name).split())
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"
