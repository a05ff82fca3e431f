"""Run by Alembic: the migrations, on the given connection. It does nothing if anything else imports it."""

from __future__ import annotations

from alembic import context

from signalbox.runs.schema import VERSION_TABLE

if hasattr(context, "config"):
    context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
    context.run_migrations()
