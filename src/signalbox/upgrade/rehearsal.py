"""One experiment played through by the rules alone, without a server: states, visits, and who gets what."""

from __future__ import annotations

from dataclasses import replace

from signalbox.upgrade.arrival import arrive, start_enrolling
from signalbox.upgrade.decision import decide
from signalbox.upgrade.model import Experiment, Records, User

__all__ = ["Rehearsal"]


class Rehearsal:
    """A single experiment, at its first decision point."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.records = Records()
        self._reached: dict[str, User] = {}

    def move(self, state: str) -> None:
        """Take the experiment to a state."""
        self.experiment = replace(self.experiment, state=state)
        if state == "enrolling":
            start_enrolling(self.experiment, list(self._reached.values()), self.records)

    def visit(self, user: User) -> str:
        """Simulate a user's visit: the code of the condition it is given, or `default`, recorded according to the
        rules."""
        (decision,) = decide([self.experiment], self.experiment.context, user, self.records)
        arrive(self.experiment, user, self.records)
        if self.experiment.points and self.experiment.points[0].exclude_if_reached:
            self._reached[user.id] = user
        return decision.condition.code if decision.condition else "default"

    def counts(self) -> dict[str, int]:
        """How many are enrolled and excluded; groups only if they are the unit."""
        grouped = self.experiment.unit == "group"
        return {
            "users": len(self.records.users),
            "groups": len(self.records.groups) if grouped else 0,
            "users_excluded": len(self.records.users_excluded),
            "groups_excluded": len(self.records.groups_excluded) if grouped else 0,
        }
