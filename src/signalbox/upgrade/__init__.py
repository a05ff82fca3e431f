"""UpGrade's own rules, which the embedded world follows and the agent predicts: states, generator, decision."""

from __future__ import annotations

from signalbox.upgrade.decision import Decision, Step, decide, foresee
from signalbox.upgrade.model import Condition, Experiment, Members, Point, Records, User, experiment_of
from signalbox.upgrade.states import STATES, same_state, shown_state, stored_state

__all__ = [
    "STATES",
    "Condition",
    "Decision",
    "Experiment",
    "Members",
    "Point",
    "Records",
    "Step",
    "User",
    "decide",
    "experiment_of",
    "foresee",
    "same_state",
    "shown_state",
    "stored_state",
]
