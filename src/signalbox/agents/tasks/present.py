"""The final state for a person: the answer, and the tasks of it as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from signalbox.contract import Presented, blocks
from signalbox.storage import database_address

__all__ = ["present", "source_set"]


def present(state: Mapping[str, Any]) -> Presented:
    """Text, and a table of the tasks that were listed or shown last."""
    shown = next((one for one in reversed(state["done"]) if one["name"] == "list_tasks" and one["result"]), None)
    parts = [blocks.text(state["final_response"])]
    if shown is not None:
        parts.append(
            blocks.table(
                ["#", "Task", "Due", "Priority", "Status", "Tags"],
                [
                    (
                        one["task_id"],
                        one["title"],
                        one["due"] or "",
                        one["priority"],
                        one["status"],
                        ", ".join(one["tags"]),
                    )
                    for one in shown["result"]
                ],
                "Tasks",
            )
        )
    return Presented(state["final_response"], parts, source_set())


def source_set() -> dict[str, str]:
    """Where tasks are kept, in words for a person: who may sign in there, and how, is none of them."""
    host = urlsplit(database_address()).hostname
    system = "your tasks, in the database" if host else "your tasks, kept on this machine"
    return {"kind": "live", "system": system, "address": host or ""}
