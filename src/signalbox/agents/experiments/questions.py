"""The questions of yes or no: what would change, in words and as a difference, bound to the experiment as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from signalbox.agents.experiments.node import Ask
from signalbox.agents.experiments.reports import told_change
from signalbox.contract import blocks

__all__ = ["NOT_UNDERSTOOD", "YES_OR_NO", "again", "change_question", "confirm", "deletion", "what_goes"]

YES_OR_NO = "Please answer yes or no. "
NOT_UNDERSTOOD = "I did not understand what is to be otherwise. "
_KEPT = ("key", "version", "experiment_id", "operation", "heard", "known", "left")


def confirm(
    fields: Mapping[str, Any],
    experiment: Mapping[str, Any],
    operation: Mapping[str, Any],
    message: str,
    rows: list[tuple[str, Any, Any]],
    warnings: list[str] | None = None,
) -> Ask:
    """The question of yes or no, bound to the experiment as it is now."""
    notes = "".join(f" Note: {one}" for one in warnings or ())
    return Ask(
        f"{message}{notes}",
        "confirm",
        fields,
        ["yes", "no"],
        blocks=[blocks.diff(str(experiment["name"]), rows)] if rows else [],
        key=f"confirm-{uuid4()}",
        version=[experiment.get("version"), experiment.get("updated_at")],
        experiment_id=experiment["id"],
        operation=dict(operation),
    )


def again(pending: Mapping[str, Any], said: str = YES_OR_NO) -> Ask:
    """The same question once more."""
    message = str(pending["message"]).removeprefix(YES_OR_NO).removeprefix(NOT_UNDERSTOOD)
    kept = {key: pending[key] for key in _KEPT if key in pending}
    return Ask(f"{said}{message}", str(pending["field"]), pending["fields"], pending.get("options") or (), **kept)


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
