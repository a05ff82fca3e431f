"""What a case about experiments may expect, and when an answer is so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

from signalbox.agents.experiments.evaluation.ending import check_end, is_end, resolved_end, unwanted
from signalbox.agents.experiments.evaluation.world import look
from signalbox.agents.experiments.plan import CAPABILITIES
from signalbox.grounding import Candidate, One, resolve
from signalbox.upgrade.states import same_state

__all__ = ["KEYS", "check_expectation", "is_right", "resolved", "unasked"]

PARAMS = frozenset(
    "experiment_name user_id context condition_weights num_users groups status site target concept".split()
)
KEYS = {"capability", "params", "error", "asks", "end", "says"}
_EXACT = ("user_id", "num_users")


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
        check_end(wanted["end"])
    elif "says" in wanted:
        raise ValueError("`says` needs `end`")


async def resolved(wanted: Mapping[str, Any], now: datetime, tz: tzinfo) -> dict[str, Any]:
    """The expectation as it stands; the end of a conversation with what only the server knows."""
    return {**wanted, "end": resolved_end(wanted["end"], await look())} if "end" in wanted else dict(wanted)


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


def _says(answer: str, wanted: Any) -> bool:
    """Whether an answer has each of the words, or for `any_of` one of them, whatever the case."""
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
            (name in got and _same(name, got[name], one)) if one is not None else name not in got
            for one in _choices(value)
        )
        for name, value in wanted.items()
    )


def _choices(wanted: Any) -> list[Any]:
    """Each value that is right: those of an `any_of`, null for what is not said; or the one there is."""
    return list(wanted["any_of"]) if isinstance(wanted, Mapping) and set(wanted) == {"any_of"} else [wanted]


def _same(name: str, got: Any, wanted: Any) -> bool:
    if name == "status":
        return same_state(str(got), str(wanted))
    if name == "condition_weights":
        one, other = ({_letters(key): round(float(value), 1) for key, value in part.items()} for part in (got, wanted))
        return one == other
    if name == "groups":
        one_groups, other_groups = (_groups(part) for part in (got, wanted))
        return one_groups == other_groups
    if name in _EXACT:
        return str(got) == str(wanted)
    return isinstance(resolve(str(got), [Candidate("0", str(wanted))]), One) or _letters(got) == _letters(wanted)


def _groups(groups: Mapping[str, Any]) -> dict[str, list[str]]:
    return {_letters(kind).removesuffix("id"): sorted(map(str, ids)) for kind, ids in groups.items()}


def _letters(text: Any) -> str:
    return "".join(letter for letter in str(text).casefold() if letter.isalnum())
