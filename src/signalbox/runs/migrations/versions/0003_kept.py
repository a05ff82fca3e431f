"""Threads get a title; feedback, assistants of one's own, stored items, schedules and webhooks get tables."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_PERSON = "NULLIF(current_setting('app.user_id', true), '')"
_EVERYBODYS = "current_setting('app.maintenance', true) = 'on'"
_OWNER = "user_id TEXT NOT NULL DEFAULT ''"
_TABLES = {
    "feedback": "run_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, value TEXT NOT NULL, "
    f"comment TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, {_OWNER}",
    "assistants": "assistant_id TEXT NOT NULL, version INTEGER NOT NULL, is_latest INTEGER NOT NULL, "
    f"record TEXT NOT NULL, created_at TEXT NOT NULL, {_OWNER}, PRIMARY KEY (user_id, assistant_id, version)",
    "items": "namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, created_at TEXT NOT NULL, "
    f"updated_at TEXT NOT NULL, expires_at TEXT NOT NULL DEFAULT '', {_OWNER}, PRIMARY KEY (user_id, namespace, key)",
    "crons": "cron_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL DEFAULT '', next_at TEXT NOT NULL DEFAULT '', "
    f"record TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, {_OWNER}",
    "webhooks": "run_id TEXT PRIMARY KEY, url TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, "
    f"due_at TEXT NOT NULL, {_OWNER}",
}
_LONGEST_TITLE = 60


def upgrade() -> None:
    is_postgres = op.get_bind().dialect.name == "postgresql"
    if is_postgres:
        op.execute("SELECT set_config('app.maintenance', 'on', true)")
    op.execute("ALTER TABLE threads ADD COLUMN title TEXT NOT NULL DEFAULT ''")
    op.execute(
        f"UPDATE threads SET title = COALESCE((SELECT SUBSTR(said, 1, {_LONGEST_TITLE}) FROM turns "
        "WHERE turns.thread_id = threads.thread_id ORDER BY number LIMIT 1), '')"
    )
    for table, columns in _TABLES.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        if is_postgres:
            op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
            op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
            op.execute(f"CREATE POLICY owner_only ON {table} USING (user_id = {_PERSON} OR {_EVERYBODYS})")
    op.execute("CREATE INDEX feedback_of_thread ON feedback (user_id, thread_id)")
    op.execute("CREATE INDEX crons_by_time ON crons (next_at)")
    op.execute("CREATE INDEX webhooks_by_time ON webhooks (due_at)")


def downgrade() -> None:
    for table in _TABLES:
        op.execute(f"DROP TABLE {table}")
    op.execute("ALTER TABLE threads DROP COLUMN title")
