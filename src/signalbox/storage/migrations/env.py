"""What Alembic runs: the migrations, on the connection it is given."""

from alembic import context

from signalbox.storage.models import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
