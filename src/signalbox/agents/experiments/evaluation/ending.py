"""What a case expects to be other on the server when a conversation is over, and whether it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.evaluation.world import FIELDS, World
from signalbox.agents.experiments.shape import same_text
from signalbox.upgrade.states import same_state, stored_state

__all__ = ["check_end", "is_end", "resolved_end", "unwanted"]

DELETED = "deleted"
_ALONG = {
    "unit": {"group", "consistency_rule"},
    "group": {"unit", "consistency_rule"},
    "post_rule": {"revert_to"},
    "revert_to": {"post_rule"},
    "include_users": {"filter_mode"},
    "include_groups": {"filter_mode"},
}
"""What may change together with a field: who assigns by class has to say which kind of group that is."""
_NEAR = 0.51
Changes = Mapping[str, Any]


def check_end(end: Any) -> None:
    """Raises ValueError for an end that no conversation could have."""
    if not isinstance(end, Mapping) or set(end) - {"experiments", "users"}:
        raise ValueError("`end` is an object with `experiments` and `users`, or empty where nothing changes")
    for name, one in (end.get("experiments") or {}).items():
        if one != DELETED and not isinstance(one, Mapping):
            raise ValueError(f"`end`: '{name}' is an object of what is other, or \"deleted\"")
        unknown = set() if one == DELETED else set(one) - set(FIELDS)
        if unknown:
            raise ValueError(f"`end`: an experiment has no {sorted(unknown)[0]}; it has {', '.join(FIELDS)}")
        for state in _choices(one["state"]) if one != DELETED and "state" in one else ():
            stored_state(str(state))
    if not all(isinstance(groups, Mapping) for groups in (end.get("users") or {}).values()):
        raise ValueError('`end`: a user has its groups by their kind, such as {"classId": ["7a"]}, or {}')


def resolved_end(end: Changes, world: World) -> dict[str, Any]:
    """The end with the names of the server, without what is so before anything is said. Raises ValueError."""
    seeded = {str(one["name"]): one for one in world.values()}
    found: dict[str, Any] = {}
    for name, wanted in (end.get("experiments") or {}).items():
        own = next((known for known in seeded if same_text(known, name)), None)
        if own is None and wanted == DELETED:
            raise ValueError(f"there is no experiment '{name}'; there are {', '.join(seeded)}")
        if own is None or wanted == DELETED:
            found[own or name] = wanted if wanted == DELETED else {"new": True, **wanted}
        elif other := {key: value for key, value in wanted.items() if not _same(key, seeded[own][key], value)}:
            found[own] = other
    return {"experiments": found, "users": dict(end.get("users") or {})}


def is_end(got: Changes, wanted: Changes) -> bool:
    """Whether the server is other in just the ways that are expected, which come from `resolved_end`."""
    experiments = got.get("experiments") or {}
    for name, one in wanted["experiments"].items():
        there = _named(name, experiments)
        if there is None or (one == DELETED) != (there == DELETED):
            return False
        if one != DELETED and not all(key in there and _same(key, there[key], value) for key, value in one.items()):
            return False
    users = got.get("users") or {}
    if any(user not in users or _groups(users[user]) != _groups(groups) for user, groups in wanted["users"].items()):
        return False
    return not unwanted(got, wanted)


def unwanted(got: Changes, wanted: Changes) -> list[str]:
    """What is other and was not expected to be, in words."""
    found = []
    for name, there in (got.get("experiments") or {}).items():
        one = _named(name, wanted["experiments"])
        if one is None or (there == DELETED and one != DELETED):
            how = "deleted" if there == DELETED else "created" if there.get("new") else "changed"
            found.append(f"{name} was {how}")
        elif one != DELETED and there != DELETED and not there.get("new"):
            allowed = set(one).union(*(_ALONG.get(key, ()) for key in one))
            found += [f"{key} of {name} was changed" for key in there if key not in allowed]
    return found + [f"user {user} was initialised" for user in got.get("users") or {} if user not in wanted["users"]]


def _named(name: str, among: Changes) -> Any:
    """What stands under a name, whatever its case and hyphens; None where nothing does."""
    return next((one for known, one in among.items() if same_text(known, name)), None)


def _choices(value: Any) -> list[Any]:
    return list(value["any_of"]) if isinstance(value, Mapping) and set(value) == {"any_of"} else [value]


def _same(field: str, got: Any, wanted: Any) -> bool:
    return any(_equal(field, got, one) for one in _choices(wanted))


def _equal(field: str, got: Any, wanted: Any) -> bool:
    if got is None or wanted is None or isinstance(wanted, bool):
        return bool((got or None) == (wanted or None))
    if field == "state":
        return same_state(str(got), str(wanted))
    if field == "conditions":
        one, other = ({_letters(code): float(weight) for code, weight in part.items()} for part in (got, wanted))
        return one.keys() == other.keys() and all(abs(one[code] - other[code]) < _NEAR for code in one)
    if field.endswith("_groups"):
        return _groups(got) == _groups(wanted)
    if field == "description":
        return _letters(wanted) in _letters(got)
    if isinstance(wanted, list):
        return sorted(map(_letters, got)) == sorted(map(_letters, wanted))
    return _letters(got) == _letters(wanted)


def _groups(groups: Mapping[str, Any]) -> dict[str, list[str]]:
    return {_letters(kind).removesuffix("id"): sorted(map(_letters, ids)) for kind, ids in groups.items() if ids}


def _letters(text: Any) -> str:
    return "".join(letter for letter in str(text).casefold() if letter.isalnum())
