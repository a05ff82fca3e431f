"""The questions of yes or no: what would change, in words and as a difference, bound to the experiment as it is and to
the server that it is on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments import journal
from signalbox.agents.experiments.asking import Ask, Fault
from signalbox.agents.experiments.clients import current_client, server_name
from signalbox.agents.experiments.reports import told_change, told_notes
from signalbox.agents.experiments.tools import get_experiment_details
from signalbox.contract import blocks
from signalbox.toolbox.confirmation import OPTIONS

__all__ = [
    "NOT_UNDERSTOOD",
    "STILL_OPEN",
    "again",
    "ask_yes",
    "change_question",
    "check_server_asked",
    "confirm",
    "deletion",
    "done_once",
    "what_goes",
]

STILL_OPEN = "Please answer yes or no. Nothing was changed, and the question is still open: "
NOT_UNDERSTOOD = "I did not understand what is to be otherwise. Nothing was changed, and the question is still open: "
_KEPT = ("key", "server", "revision", "enrolled", "notes", "experiment_id", "operation", "heard", "known", "left")


def ask_yes(
    message: str,
    fields: Mapping[str, Any],
    operation: Mapping[str, Any],
    notes: Sequence[str] = (),
    diff: tuple[str, list[tuple[str, Any, Any]]] | None = None,
    **bound: Any,
) -> Ask:
    """The question whether something is to be written, which says to which server.

    `diff` is the name of what changes and its rows; `bound` is kept with the question, to compare with at the yes.
    """
    server = server_name(current_client())
    return Ask(
        f"{message} It would be written to {server}.{told_notes(notes)}",
        "confirm",
        fields,
        OPTIONS,
        blocks=[blocks.diff(f"{diff[0]} on {server}", diff[1])] if diff and diff[1] else [],
        summary=message,
        key=f"confirm-{uuid4()}",
        server=server,
        notes=list(notes),
        operation=dict(operation),
        **bound,
    )


def confirm(
    fields: Mapping[str, Any],
    experiment: Mapping[str, Any],
    operation: Mapping[str, Any],
    message: str,
    rows: list[tuple[str, Any, Any]],
    warnings: Sequence[str] = (),
) -> Ask:
    """The question of yes or no about an experiment, bound to all of it as it is now."""
    return ask_yes(
        message,
        fields,
        operation,
        warnings,
        (str(experiment["name"]), rows),
        revision=experiment.get("revision"),
        enrolled=(experiment.get("enrollment") or {}).get("users"),
        experiment_id=experiment["id"],
    )


def again(pending: Mapping[str, Any], said: str = STILL_OPEN) -> Ask:
    """The same question once more."""
    message = str(pending["message"]).removeprefix(STILL_OPEN).removeprefix(NOT_UNDERSTOOD)
    kept = {key: pending[key] for key in _KEPT if key in pending}
    options = pending.get("options") or ()
    return Ask(f"{said}{message}", str(pending["field"]), pending["fields"], options, summary=message, **kept)


def check_server_asked(pending: Mapping[str, Any]) -> None:
    """Raises Fault where the yes would be carried out on another server than was asked about."""
    now_at = server_name(current_client())
    if pending.get("server") != now_at:
        raise Fault(
            f"You were asked about {pending.get('server')}, and Signalbox is connected to {now_at} now. "
            "Nothing was done, and the question is dropped.",
            "conflict",
            "Ask again if it is wanted there.",
        )


async def done_once(
    pending: Mapping[str, Any], what: str, act: Callable[[], Awaitable[dict[str, Any]]]
) -> dict[str, Any]:
    """What a confirmed act gives, and under the same key what it gave before. Raises Fault where it was begun before
    and nobody knows its end."""
    check_server_asked(pending)
    key, server = str(pending["key"]), str(pending["server"])
    known = journal.find_write(key, server)
    if known and known[1]:
        return known[1]
    if known:
        raise Fault(
            f"This was begun before and broke off. Whether {what} on {server} is not known; it was not done again.",
            "unsure",
            "Look at the enrolment of the experiment before you ask for it anew.",
        )
    journal.open_write(key, server, {"act": what})
    try:
        update = await act()
    except Fault as fault:
        # It is told what failed: nothing of it is open any more.
        journal.close_write(key, None)
        raise await _with_enrolment(fault, pending) from None
    journal.close_write(key, update)
    return update


async def _with_enrolment(fault: Fault, pending: Mapping[str, Any]) -> Fault:
    """What failed, with how many are enrolled now where the act let users come to a live experiment."""
    own = pending["operation"]["args"].get("experiment")
    if not own or fault.kind == "partial":
        return fault
    found = await get_experiment_details(experiment=str(own))
    if not found["success"]:
        told = f"How many users came through on {pending['server']} could not be read."
        return Fault(f"{fault.message} {told}", fault.kind, fault.suggestion, {"server": pending["server"]})
    name, users = found["data"]["name"], found["data"]["enrollment"]["users"]
    told = f"Some users may have come through: {users} are enrolled in '{name}' on {pending['server']} now."
    return Fault(f"{fault.message} {told}", fault.kind, fault.suggestion, {"server": pending["server"], "users": users})


def deletion(experiment: Mapping[str, Any]) -> str:
    enrolled = experiment["enrollment"]
    groups = f" and {enrolled['groups']} groups" if enrolled["groups"] else ""
    return (
        f"Delete '{experiment['name']}' ({experiment['state_shown']}, {experiment['context']})? "
        f"{enrolled['users']} users{groups} are enrolled in it. This cannot be undone."
    )


def what_goes(experiment: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """What a deletion takes away, as rows of a difference."""
    rows: list[tuple[str, Any, Any]] = [("state", experiment["state_shown"], None)]
    for name in ("context", "conditions", "decision_points"):
        rows.append((name.replace("_", " "), told_change(name, experiment[name]), None))
    return [*rows, ("enrolled users", str(experiment["enrollment"]["users"]), None)]


def change_question(experiment: Mapping[str, Any], rows: list[tuple[str, Any, Any]]) -> str:
    told = "; ".join(f"{name} from {_or_nothing(before)} to {_or_nothing(after)}" for name, before, after in rows)
    return f"Change '{experiment['name']}'? {told[:1].upper()}{told[1:]}."


def _or_nothing(value: Any) -> str:
    return "nothing" if value in (None, "", []) else f"{value}"
