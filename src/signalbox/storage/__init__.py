"""Storage for people's conversations, messages and tasks, accessible to their owner only.

    store = Store(user_id)                        # everything goes through a store, which is bound to its owner
    talk = await store.start_conversation("Groceries")
    asked = await store.add_message(talk.id, "user", "add milk")
    await store.add_message(talk.id, "assistant", "Added #1 milk", answers=asked.id)
    history = await store.messages(talk.id)       # the latest 50, oldest first

`gate.py` is the one place where a query is bound to its owner; nothing outside this package talks to the database.
SQLite under `SIGNALBOX_HOME` by default, PostgreSQL by `SIGNALBOX_DATABASE_URL`, where row-level security backs it up.
"""

from signalbox.storage.engine import HEAD, close_stores, database_address, open_engine
from signalbox.storage.gate import OwnershipError, check_owner
from signalbox.storage.maintenance import purge, unanswered
from signalbox.storage.models import ApiKey, Conversation, IdempotencyKey, Message, Task
from signalbox.storage.store import Store, notes_of_turn
from signalbox.storage.tasks import Change, TaskFilter, Tasks
from signalbox.storage.turns import NEW, Begun, begin_turn, end_turn, read_turn

__all__ = [
    "HEAD",
    "NEW",
    "ApiKey",
    "Begun",
    "Change",
    "Conversation",
    "IdempotencyKey",
    "Message",
    "OwnershipError",
    "Store",
    "Task",
    "TaskFilter",
    "Tasks",
    "begin_turn",
    "check_owner",
    "close_stores",
    "database_address",
    "end_turn",
    "notes_of_turn",
    "open_engine",
    "purge",
    "read_turn",
    "unanswered",
]
