"""Assistants made by people: an agent or a map with a name and preset inputs. Each change makes a version."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from signalbox.contract.summary import plain
from signalbox.errors import NotFoundError
from signalbox.runs.gate import Row, owned
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = [
    "OwnAssistant", "delete_assistant", "find_own_assistant", "list_assistants", "list_versions", "make_assistant",
    "update_assistant", "use_version",
]  # fmt: skip

_COLUMNS = "assistant_id, version, record, created_at"
_LATEST = "is_latest = 1"


@dataclass(frozen=True, slots=True)
class OwnAssistant:
    """One version of an assistant. `since` is when the first version was made."""

    assistant_id: str
    graph_id: str
    name: str = ""
    description: str = ""
    config: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    version: int = 1
    created_at: str = ""
    since: str = ""


_KEPT = ("graph_id", "name", "description", "config", "context", "metadata", "since")


def make_assistant(one: OwnAssistant) -> OwnAssistant | None:
    """Store a new assistant of the current person; None if they already have one with that id."""
    moment = now().isoformat()
    made = replace(one, version=1, created_at=moment, since=moment)
    return made if _insert(made) else None


def find_own_assistant(assistant_id: str) -> OwnAssistant | None:
    """The version in use of an assistant of the current person."""
    with owned(current_person()) as held:
        row = held.first(_COLUMNS, "assistants", f"assistant_id = ? AND {_LATEST}", (assistant_id,))
    return _read(row) if row else None


def list_assistants() -> list[OwnAssistant]:
    """The versions in use of all assistants that the current person has made, the latest first."""
    with owned(current_person()) as held:
        rows = held.select(_COLUMNS, "assistants", _LATEST, order="created_at DESC, assistant_id")
    return [_read(row) for row in rows]


def list_versions(assistant_id: str) -> list[OwnAssistant]:
    """Every version of an assistant, the newest first. Raises NotFoundError."""
    with owned(current_person()) as held:
        rows = held.select(_COLUMNS, "assistants", "assistant_id = ?", (assistant_id,), order="version DESC")
    if not rows:
        raise _missing(assistant_id)
    return [_read(row) for row in rows]


def update_assistant(assistant_id: str, changes: dict[str, Any]) -> OwnAssistant:
    """Make a new version, which is then in use; `metadata` is added to what is there. Raises NotFoundError."""
    with owned(current_person()):
        newest, before = list_versions(assistant_id)[0], find_own_assistant(assistant_id)
        assert before is not None
        if "metadata" in changes:
            changes = {**changes, "metadata": {**(before.metadata or {}), **changes["metadata"]}}
        made = replace(before, **changes, version=newest.version + 1, created_at=now().isoformat())
        _use(made.assistant_id, 0)
        _insert(made)
    return made


def use_version(assistant_id: str, version: int) -> OwnAssistant:
    """Switch to that version. Raises NotFoundError."""
    with owned(current_person()):
        found = next((one for one in list_versions(assistant_id) if one.version == version), None)
        if found is None:
            raise NotFoundError(f"The assistant '{assistant_id}' has no version {version}.")
        _use(assistant_id, version)
    return found


def delete_assistant(assistant_id: str) -> None:
    """Delete an assistant with all its versions; its runs stay. Raises NotFoundError."""
    with owned(current_person()) as held:
        if not held.delete("assistants", "assistant_id = ?", (assistant_id,)):
            raise _missing(assistant_id)


def _missing(assistant_id: str) -> NotFoundError:
    return NotFoundError(f"You have made no assistant '{assistant_id}'.", suggestion="Make one of an agent or a map.")


def _use(assistant_id: str, version: int) -> None:
    with owned(current_person()) as held:
        held.update("assistants", {"is_latest": 0}, "assistant_id = ?", (assistant_id,))
        held.update("assistants", {"is_latest": 1}, "assistant_id = ? AND version = ?", (assistant_id, version))


def _insert(one: OwnAssistant) -> bool:
    record = json.dumps({name: plain(getattr(one, name)) for name in _KEPT})
    row = {"assistant_id": one.assistant_id, "version": one.version, "is_latest": 1, "record": record}
    with owned(current_person()) as held:
        return held.insert("assistants", {**row, "created_at": one.created_at}, unless_there=True)


def _read(row: Row) -> OwnAssistant:
    return OwnAssistant(row[0], version=row[1], created_at=row[3], **json.loads(row[2]))
