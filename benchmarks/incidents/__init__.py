"""Incidents in the embedded worlds, drawn by a seed: what breaks, what feels it, and what only looks like it."""
