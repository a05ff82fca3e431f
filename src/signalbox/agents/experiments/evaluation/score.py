"""What a case about experiments may expect, and when an answer is so; of a conversation, when the server is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from typing import Any

from signalbox.agents.experiments.evaluation.conversation import FIELDS, World, look
from signalbox.agents.experiments.plan import CAPABILITIES
from signalbox.agents.experiments.shape import same_text
from signalbox.grounding import Candidate, One, resolve
from signalbox.upgrade.states import same_state, stored_state

__all__ = ["KEYS", "check_expectation", "is_end", "is_right", "resolved", "resolved_end", "unasked", "unwanted"]

PARAMS = frozenset(
    "experiment_name user_id context condition_weights num_users groups status site target concept".split()
)
KEYS = {"capability", "params", "error", "asks", "end", "says"}
DELETED = "deleted"
_EXACT = ("user_id", "num_users")
_ALONG = {
    "unit": {"group", "consistency_rule"},
    "group": {"unit", "consistency_rule"},
    "post_rule": {"revert_to"},
    "revert_to": {"post_rule"},
    "include_users": {"filter_mode"},
    "include_groups": {"filter_mode"},
}
"""What may change together with a field: who assigns by class has to say which kind of group that is."""
_NEAR, _NEARER = 0.51, 0.06
"""How far weights on the server, and weights that were read, may be from those expected."""
Changes = Mapping[str, Any]


def check_expectation(wanted: Mapping[str, Any]) -> None:
    """Raises ValueError for an expectation that no answer could meet."""
    if any(one not in (None, *CAPABILITIES) for one in _choices(wanted.get("capability"))):
        raise ValueError(f"`capability` is one of {', '.join(CAPABILITIES)}")
    unknown = set(wanted.get("params") or {}) - PARAMS
    if unknown:
        raise ValueError(f"there is no parameter {sorted(unknown)[0]}; there are {', '.join(sorted(PARAMS))}")
    if not set(wanted) & {"capability", "error", "asks", "end"}:
        raise ValueError("needs `capability`, `error`, `asks` or `end`")
    if "end" in wanted:
        _check_end(wanted["end"])
    elif "says" in wanted:
        raise ValueError("`says` needs `end`")


def _check_end(end: Any) -> None:
    if not isinstance(end, Mapping) or set(end) - {"experiments", "users"}:
        raise ValueError("`end` is an object with `experiments` and `users`, or empty where nothing changes")
    for name, one in (end.get("experiments") or {}).items():
        if one == DELETED:
            continue
        if not isinstance(one, Mapping):
            raise ValueError(f"`end`: '{name}' is an object of what is other, or \"deleted\"")
        if unknown := set(one) - set(FIELDS):
            raise ValueError(f"`end`: an experiment has no {sorted(unknown)[0]}; it has {', '.join(FIELDS)}")
        for state in _choices(one["state"]) if "state" in one else ():
            stored_state(str(state))
    if not all(isinstance(groups, Mapping) for groups in (end.get("users") or {}).values()):
        raise ValueError('`end`: a user has its groups by their kind, such as {"classId": ["7a"]}, or {}')


async def resolved(wanted: Mapping[str, Any], now: datetime, tz: tzinfo) -> dict[str, Any]:
    """The expectation as it stands; the end of a conversation with what only the server knows."""
    return {**wanted, "end": resolved_end(wanted["end"], await look())} if "end" in wanted else dict(wanted)


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


def is_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if capability, parameters and ending are as expected, and nothing was written that was not."""
    if any(key in wanted and outcome.get(key) not in _choices(wanted[key]) for key in ("capability", "error", "asks")):
        return False
    if unasked(outcome, wanted) or ("end" in wanted and not is_end(outcome["end"], wanted["end"])):
        return False
    if "says" in wanted and not _says(outcome["said"][-1], wanted["says"]):
        return False
    return "params" not in wanted or _same_params(outcome.get("params") or {}, wanted["params"])


def unasked(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """What was written and not asked for: without a yes, or other than the case says. Before a yes there is nothing."""
    if "end" not in wanted:
        return [str(tool) for tool in outcome.get("writes") or ()]
    return [*outcome["unconfirmed"], *unwanted(outcome["end"], wanted["end"])]


def is_end(got: Changes, wanted: Changes) -> bool:
    """True if the server is other in just the ways that are expected, which come from `resolved_end`."""
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


def _says(answer: str, wanted: Any) -> bool:
    """True if an answer has each of the words, or for `any_of` one of them, whatever the case."""
    if isinstance(wanted, Mapping):
        return any(_says(answer, one) for one in wanted["any_of"])
    if isinstance(wanted, list):
        return all(_says(answer, one) for one in wanted)
    return str(wanted).casefold() in answer.casefold()


def _same_params(got: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """What is expected is there; what is not expected does not count against it, but for a user and a number."""
    if any(name in got and name not in wanted for name in _EXACT):
        return False
    return all(
        any(
            (one is None) if name not in got else one is not None and _same(name, got[name], one)
            for one in _choices(value)
        )
        for name, value in wanted.items()
    )


def _choices(wanted: Any) -> list[Any]:
    """Each value that is right: those of an `any_of`, null for what is not said; or the one there is."""
    return list(wanted["any_of"]) if isinstance(wanted, Mapping) and set(wanted) == {"any_of"} else [wanted]


def _same(name: str, got: Any, wanted: Any) -> bool:
    """True if a field of an experiment, or a parameter that was read, is one that is right."""
    return any(_equal(name, got, one) for one in _choices(wanted))


def _equal(name: str, got: Any, wanted: Any) -> bool:
    if got is None or wanted is None or isinstance(wanted, bool):
        return bool((got or None) == (wanted or None))
    if name in ("state", "status"):
        return same_state(str(got), str(wanted))
    if name in ("conditions", "condition_weights"):
        one, other = ({_letters(code): float(weight) for code, weight in part.items()} for part in (got, wanted))
        near = _NEAR if name == "conditions" else _NEARER
        return one.keys() == other.keys() and all(abs(one[code] - other[code]) < near for code in one)
    if name == "groups":
        return _groups(got, str) == _groups(wanted, str)
    if name.endswith("_groups"):
        return _groups(got) == _groups(wanted)
    if name in _EXACT:
        return str(got) == str(wanted)
    if name == "description":
        return _letters(wanted) in _letters(got)
    if isinstance(wanted, list):
        return sorted(map(_letters, got)) == sorted(map(_letters, wanted))
    is_param = name in PARAMS and isinstance(resolve(str(got), [Candidate("0", str(wanted))]), One)
    return is_param or _letters(got) == _letters(wanted)


def _letters(text: Any) -> str:
    return "".join(letter for letter in str(text).casefold() if letter.isalnum())


def _groups(groups: Mapping[str, Any], spelled: Callable[[Any], str] = _letters) -> dict[str, list[str]]:
    return {_letters(kind).removesuffix("id"): sorted(map(spelled, ids)) for kind, ids in groups.items() if ids}
