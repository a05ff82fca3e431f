"""What a person sees of an answer beside its words."""

from __future__ import annotations

import pytest

from signalbox.agents.tasks.present import present
from signalbox.contract.answer import notes_of


def source_note() -> str:
    return notes_of((), present({"done": [], "final_response": "Done."}).source)[0]


def test_tasks_on_this_machine_are_said_to_be_there() -> None:
    assert source_note() == "Source: your tasks, kept on this machine"


def test_a_database_is_named_by_its_host_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", "postgresql://ann:secret@db.example:5432/tasks")
    assert source_note() == "Source: your tasks, in the database at db.example"
