"""What a tool is given, as the server has it: ids and exact names. Anything else is an error with the nearest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.finding import is_clone, metadata_of
from signalbox.agents.experiments.shape import brief, read_experiment
from signalbox.language.names import did_you_mean

__all__ = ["all_experiments", "check_known", "find_exactly", "group_types", "groups_by_type", "metadata_of_context"]

Group = Mapping[str, str]


async def all_experiments() -> list[dict[str, Any]]:
    """The experiments of the server in short, without disposable copies of ours."""
    return [brief(read_experiment(one)) for one in await current_client().experiments() if not is_clone(one)]


def find_exactly(asked: str, experiments: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The experiment of that id or name. Raises UpgradeError: not_found with the nearest names, or ambiguous."""
    found = [one for one in experiments if asked in (one["id"], one["name"])]
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(f"{one['id']} ({one['context']}, {one['state_shown']})" for one in found)
        told = f"{len(found)} experiments are called '{asked}': {listed}."
        raise UpgradeError(told, "ambiguous", suggestion="Name one by its id.", options=[one["id"] for one in found])
    names = [str(one["name"]) for one in experiments]
    near = did_you_mean(asked, names) or "The server has no experiments."
    raise UpgradeError(f"There is no experiment '{asked}'.", "not_found", suggestion=near, options=names[:8])


async def metadata_of_context(context: str = "") -> dict[str, dict[str, list[str]]]:
    """What a context offers, or all of them. Raises UpgradeError for one that there is not."""
    found = metadata_of(await current_client().context_metadata())
    if not context:
        return found
    check_known("context", context, found)
    return {context: found[context]}


async def group_types(context: str = "") -> list[str]:
    """The group types of a context; of all contexts where the server says nothing about that one."""
    offered = await metadata_of_context()
    chosen = [offered[context]] if context in offered else offered.values()
    return list(dict.fromkeys(kind for one in chosen for kind in one["group_types"]))


def check_known(what: str, value: str, known: Iterable[str], where: str = "") -> None:
    """Raises UpgradeError, with the nearest, for a value that is not among the known ones there."""
    names = list(dict.fromkeys(known))
    if value and value not in names:
        told = f"There is no {what} '{value}'{f' {where}' if where else ''}."
        raise UpgradeError(told, "not_found", suggestion=did_you_mean(value, names), options=names[:8])


def groups_by_type(groups: Sequence[Group] | None, types: Iterable[str]) -> dict[str, list[str]]:
    """The groups as UpGrade takes them: ids by type. Raises UpgradeError for a type that there is not."""
    known, found = list(types), dict[str, list[str]]()
    for one in groups or ():
        check_known("group type", one["type"], known)
        found.setdefault(one["type"], []).append(one["id"])
    return found
