"""What runs use of models gets a table, which is there for budgets also after a run was forgotten."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_PERSON = "NULLIF(current_setting('app.user_id', true), '')"
_EVERYBODYS = "current_setting('app.maintenance', true) = 'on'"


def upgrade() -> None:
    op.execute(
        "CREATE TABLE usage (run_id TEXT NOT NULL, at TEXT NOT NULL, calls INTEGER NOT NULL, "
        "seconds DOUBLE PRECISION NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, "
        "cached_tokens INTEGER NOT NULL, total_tokens INTEGER NOT NULL, charged INTEGER NOT NULL, "
        "cost_usd DOUBLE PRECISION, user_id TEXT NOT NULL DEFAULT '')"
    )
    op.execute("CREATE INDEX usage_of_owner ON usage (user_id, at)")
    op.execute("CREATE INDEX usage_of_run ON usage (run_id)")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE usage ENABLE ROW LEVEL SECURITY")
        op.execute("ALTER TABLE usage FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY owner_only ON usage USING (user_id = {_PERSON} OR {_EVERYBODYS})")


def downgrade() -> None:
    op.execute("DROP TABLE usage")
