"""What a capable model is shown of the server, as data: its experiments and contexts, so that it names them exactly."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.exact_names import all_experiments, metadata_of_context
from signalbox.errors import SignalboxError
from signalbox.language.shortlist import shortlist

__all__ = ["server_excerpt"]

_MOST_EXPERIMENTS, _MOST_CONTEXTS, _MOST_VALUES, _LONGEST, _LONGEST_LIST = 100, 20, 12, 100, 300


async def server_excerpt(request: str, conversation: Sequence[Mapping[str, str]] = ()) -> str:
    """Return the experiments and contexts, a line each; what is wrong where the server does not answer.

    Of very many, those nearest to the request are listed.
    """
    try:
        experiments, metadata = await all_experiments(), await metadata_of_context()
    except SignalboxError as error:
        return f"The experiments of the server are not known: {error.user_message}"
    earlier = "\n".join(f"{turn.get('said', '')}\n{turn.get('answer', '')}" for turn in conversation[-2:])
    things = [(one["id"], one["name"], one["context"], *one["conditions"], *one["tags"]) for one in experiments]
    near = await asyncio.to_thread(shortlist, request, things, _MOST_EXPERIMENTS, earlier)
    names = list(metadata)
    offered = [(name, *metadata[name]["sites"], *metadata[name]["targets"]) for name in names]
    contexts = await asyncio.to_thread(shortlist, request, offered, _MOST_CONTEXTS, earlier)
    lines = _experiments([experiments[place] for place in near], len(experiments))
    lines += _contexts({names[place]: metadata[names[place]] for place in contexts}, len(names))
    return "\n".join(lines)


def _experiments(shown: Sequence[Mapping[str, Any]], count: int) -> list[str]:
    if not shown:
        return ["The server has no experiments."]
    told = f"All {count} experiments of the server"
    if len(shown) < count:
        told = f"{len(shown)} of the {count:,} experiments of the server, those nearest to the request; "
        told += "get_all_experiments finds the others"
    lines = [
        f"{one['id']} | {_short(one['name'])} | {one['state']} | {_short(one['context'])} | {_few(one['conditions'])}"
        for one in shown
    ]
    return [f"{told}: id | name | state | context | conditions", *lines]


def _contexts(shown: Mapping[str, Mapping[str, Sequence[str]]], count: int) -> list[str]:
    told = f"All {count} contexts"
    if len(shown) < count:
        told = f"{len(shown)} of the {count:,} contexts; get_context_metadata has the others"
    lines = [
        f"{_short(name)} | {_few(one['group_types'])} | {_few(one['sites'])} | {_few(one['targets'])}"
        for name, one in shown.items()
    ]
    return [f"{told}: name | group types | sites | targets", *lines] if shown else []


def _few(names: Iterable[Any]) -> str:
    every = [_short(one) for one in names]
    shown = ", ".join(every[:_MOST_VALUES])
    is_cut = len(every) > _MOST_VALUES or len(shown) > _LONGEST_LIST
    return f"{shown[:_LONGEST_LIST]}, …" if is_cut else shown


def _short(name: Any) -> str:
    told = " ".join(str(name).split())
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"
