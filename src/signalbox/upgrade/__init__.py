"""UpGrade's own rules, that both the embedded world and the agent keep: the states, the generator, the decision."""

from __future__ import annotations
