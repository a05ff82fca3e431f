"""Run by Alembic: the migrations, on the given connection. It does nothing if anything else imports it."""

from __future__ import annotations

from alembic import context

from signalbox.storage.models import Base

if hasattr(context, "config"):
    context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
    context.run_migrations()
