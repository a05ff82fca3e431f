"""The task assistant."""
