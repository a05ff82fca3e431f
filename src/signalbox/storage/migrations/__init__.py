"""Alembic's migrations: `env.py` runs them on the connection that `engine.py` has opened."""
