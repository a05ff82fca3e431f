"""The tables of runs for new databases; `migrations/` upgrades older ones.

Every table has an owner, `user_id`. Only `gate.py` reads and writes them.
"""

from __future__ import annotations

__all__ = ["HEAD", "TABLES", "VERSION_TABLE", "postgres_statements", "sqlite_statements"]

HEAD = "0004"
"""The newest migration. A change of the tables is a new migration, and the same change here."""
VERSION_TABLE = "alembic_version_runs"
"""A separate name, because on PostgreSQL the storage tables in the same database use Alembic's usual one."""
TABLES = (
    "threads",
    "runs",
    "steps",
    "events",
    "turns",
    "usage",
    "feedback",
    "assistants",
    "items",
    "crons",
    "webhooks",
    "allowances",
)
CHECKPOINT_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
"""LangGraph's, on PostgreSQL."""
_PERSON = "NULLIF(current_setting('app.user_id', true), '')"
# SQLite numbers the rows of a table by itself, as `rowid`; on PostgreSQL the column is a real one.
_TABLES = """
CREATE TABLE threads (
    thread_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    transcript TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT ''
);
CREATE INDEX threads_of_owner ON threads (user_id, updated_at);
CREATE INDEX threads_by_transcript ON threads (user_id, transcript) WHERE transcript <> '';
CREATE TABLE runs (
    /*rowid*/ run_id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    started_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    record TEXT NOT NULL,
    user_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX runs_of_thread ON runs (user_id, thread_id, started_at);
-- The claim: of all runs of a thread, one at most is under way or waits.
CREATE UNIQUE INDEX active_run ON runs (thread_id) WHERE status IN ('running', 'waiting');
CREATE INDEX runs_by_status ON runs (status);
-- A step's place is where in the run its node stands: LangGraph's checkpoint namespace.
CREATE TABLE steps (
    /*rowid*/ run_id TEXT NOT NULL,
    node TEXT NOT NULL,
    record TEXT,
    user_id TEXT NOT NULL DEFAULT '',
    place TEXT NOT NULL DEFAULT ''
);
CREATE INDEX steps_of_run ON steps (run_id);
CREATE TABLE events (
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    user_id TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, number)
);
CREATE TABLE turns (
    number /*numbered*/,
    thread_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    said TEXT NOT NULL,
    answer TEXT NOT NULL,
    remembered TEXT NOT NULL,
    at TEXT NOT NULL,
    user_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX turns_of_thread ON turns (user_id, thread_id, number);
-- What a run used of models each time it was carried. The tokens that count towards budgets are `charged`.
CREATE TABLE usage (
    run_id TEXT NOT NULL,
    at TEXT NOT NULL,
    calls INTEGER NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    total_tokens INTEGER NOT NULL,
    charged INTEGER NOT NULL,
    cost_usd DOUBLE PRECISION,
    user_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX usage_of_owner ON usage (user_id, at);
CREATE INDEX usage_of_run ON usage (run_id);
-- What a person thinks of the answer of a run.
CREATE TABLE feedback (
    run_id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL,
    value TEXT NOT NULL,
    comment TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL,
    user_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX feedback_of_thread ON feedback (user_id, thread_id);
-- Each version of an assistant that a person made from an agent. `is_latest` marks the one in use.
CREATE TABLE assistants (
    assistant_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    is_latest INTEGER NOT NULL,
    record TEXT NOT NULL,
    created_at TEXT NOT NULL,
    user_id TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, assistant_id, version)
);
-- What programs store for a person, by namespace (labels with dots between them) and key.
CREATE TABLE items (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    expires_at TEXT NOT NULL DEFAULT '',
    user_id TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, namespace, key)
);
-- Runs that start by a schedule. There is no next time where `next_at` is empty.
CREATE TABLE crons (
    cron_id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL DEFAULT '',
    next_at TEXT NOT NULL DEFAULT '',
    record TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    user_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX crons_by_time ON crons (next_at);
-- Whom to tell when a run has ended; `due_at` is when that is tried next.
CREATE TABLE webhooks (
    run_id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at TEXT NOT NULL,
    user_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX webhooks_by_time ON webhooks (due_at);
-- How many requests a person may still send, and since when that is so.
CREATE TABLE allowances (
    user_id TEXT PRIMARY KEY,
    remaining DOUBLE PRECISION NOT NULL,
    since DOUBLE PRECISION NOT NULL
);
CREATE TABLE alembic_version_runs (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
"""


def sqlite_statements() -> list[str]:
    """Statements that create the tables in an empty file, and mark it as current."""
    return _statements(_TABLES.replace("/*numbered*/", "INTEGER PRIMARY KEY AUTOINCREMENT"))


def postgres_statements() -> list[str]:
    """Statements that create the tables on a server that already has LangGraph's, with row-level security on all."""
    identity = "BIGINT GENERATED ALWAYS AS IDENTITY"
    tables = _TABLES.replace("/*rowid*/", f"rowid {identity},").replace("/*numbered*/", f"{identity} PRIMARY KEY")
    owners = [one for table in CHECKPOINT_TABLES for one in _owned(table)]
    return [*_statements(tables), *owners, *(one for table in (*TABLES, *CHECKPOINT_TABLES) for one in _secured(table))]


def _statements(tables: str) -> list[str]:
    told = "\n".join(line for line in tables.splitlines() if not line.startswith("--"))
    found = [one.strip() for one in told.split(";")]
    return [*filter(None, found), f"INSERT INTO {VERSION_TABLE} (version_num) VALUES ('{HEAD}')"]


def _owned(table: str) -> list[str]:
    """LangGraph writes no owner: a new row gets the person of the transaction, which must be set."""
    return [
        f"ALTER TABLE {table} ADD COLUMN user_id TEXT NOT NULL DEFAULT ''",
        f"ALTER TABLE {table} ALTER COLUMN user_id SET DEFAULT {_PERSON}",
    ]


def _secured(table: str) -> list[str]:
    """Only rows of the person that the transaction is for; this includes the table's own role."""
    mine = f"user_id = {_PERSON}"
    everybodys = "current_setting('app.maintenance', true) = 'on'"
    return [
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY owner_only ON {table} USING ({mine} OR {everybodys})",
    ]
