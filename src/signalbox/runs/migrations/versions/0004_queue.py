"""Requests are counted for all processes in one table; on PostgreSQL the queue gets its tables."""

from alembic import op

from signalbox.runs.database import make_queue

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_PERSON = "NULLIF(current_setting('app.user_id', true), '')"
_EVERYBODYS = "current_setting('app.maintenance', true) = 'on'"


def upgrade() -> None:
    op.execute(
        "CREATE TABLE allowances (user_id TEXT PRIMARY KEY, remaining DOUBLE PRECISION NOT NULL, "
        "since DOUBLE PRECISION NOT NULL)"
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE allowances ENABLE ROW LEVEL SECURITY")
        op.execute("ALTER TABLE allowances FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY owner_only ON allowances USING (user_id = {_PERSON} OR {_EVERYBODYS})")
        make_queue(op.get_bind().connection.driver_connection)


def downgrade() -> None:
    op.execute("DROP TABLE allowances")
