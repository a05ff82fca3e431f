"""What Alembic runs: the migrations, on the connection it is given. Imported by anything else it does nothing."""

from __future__ import annotations

from alembic import context

from signalbox.storage.models import Base

if hasattr(context, "config"):
    context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
    context.run_migrations()
