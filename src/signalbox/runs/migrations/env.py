"""What Alembic runs: the migrations, on the connection it is given. Imported by anything else it does nothing."""

from __future__ import annotations

from alembic import context

from signalbox.runs.schema import VERSION_TABLE

if hasattr(context, "config"):
    context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
    context.run_migrations()
