"""The first tables, each with its owner; on PostgreSQL row-level security on all of them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
OWNED = (
    "conversations",
    "messages",
    "tasks",
    "task_words",
    "task_changes",
    "numbering",
    "notes",
    "api_keys",
    "idempotency_keys",
)


def upgrade() -> None:
    _conversations()
    _tasks()
    _keys()
    if op.get_bind().dialect.name == "postgresql":
        for table in OWNED:
            _secure(table)


def downgrade() -> None:
    for table in ("messages", *(one for one in OWNED if one != "messages")):
        op.drop_table(table)


def _owner() -> sa.Column[str]:
    return sa.Column("user_id", sa.String(36), nullable=False)


def _conversations() -> None:
    op.create_table(
        "conversations",
        _owner(),
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("updated", MOMENT, nullable=False),
        sa.Column("deleted", MOMENT),
    )
    op.create_index("conversations_of_owner", "conversations", ["user_id", "updated"])
    op.create_table(
        "messages",
        _owner(),
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column(
            "conversation_id", sa.String(36), sa.ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("answers", sa.Integer),
        sa.Column("created", MOMENT, nullable=False),
    )
    op.create_index("messages_of_conversation", "messages", ["user_id", "conversation_id", "id"])
    op.create_index("ix_messages_answers", "messages", ["answers"])


def _tasks() -> None:
    op.create_table(
        "tasks",
        _owner(),
        sa.Column("task_id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("title", sa.String(500), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("completed", sa.Boolean, nullable=False),
        sa.Column("due", sa.String(16), nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("updated", MOMENT, nullable=False),
        sa.Column("deleted", MOMENT),
        sa.PrimaryKeyConstraint("user_id", "task_id"),
    )
    op.create_index("tasks_by_due", "tasks", ["user_id", "completed", "due", "task_id"])
    op.create_index("tasks_by_number", "tasks", ["user_id", "deleted", "task_id"])
    op.create_index("tasks_by_priority", "tasks", ["user_id", "completed", "priority", "task_id"])
    op.create_table(
        "task_words",
        _owner(),
        sa.Column("word", sa.String(64), nullable=False),
        sa.Column("task_id", sa.Integer, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "word", "task_id"),
    )
    op.create_index("words_of_task", "task_words", ["user_id", "task_id"])
    op.create_table(
        "task_changes",
        _owner(),
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("turn", sa.String(64), nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("what", sa.String(16), nullable=False),
        sa.Column("before", sa.JSON),
        sa.Column("after", sa.JSON, nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
    )
    op.create_index("changes_of_turn", "task_changes", ["user_id", "turn"])
    op.create_table(
        "numbering", _owner(), sa.Column("latest", sa.Integer, nullable=False), sa.PrimaryKeyConstraint("user_id")
    )


def _keys() -> None:
    op.create_table(
        "notes",
        _owner(),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "digest"),
    )
    op.create_index("ix_notes_created", "notes", ["created"])
    op.create_table(
        "api_keys",
        _owner(),
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("hash", sa.String(128), nullable=False, unique=True),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("revoked", MOMENT),
    )
    op.create_table(
        "idempotency_keys",
        _owner(),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("request_hash", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("response", sa.JSON),
        sa.Column("created", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "key"),
    )
    op.create_index("ix_idempotency_keys_created", "idempotency_keys", ["created"])


def _secure(table: str) -> None:
    """Only rows of the person that the transaction is for; this includes the table's own role."""
    mine = "user_id = current_setting('app.user_id', true)"
    everybodys = "current_setting('app.maintenance', true) = 'on'"
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY owner_only ON {table} USING ({mine} OR {everybodys})")
