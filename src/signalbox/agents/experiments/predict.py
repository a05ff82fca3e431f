"""What a user would be given, and why, without touching the server's data: step by step, by UpGrade's own rules.

`explain_assignment` is for the agent; it is no tool of the contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from signalbox.agents.experiments.outcome import Done, tool

__all__ = ["explain_assignment"]


@tool
async def explain_assignment(
    user_id: str,
    experiment: str,
    groups: Mapping[str, Sequence[str]] | None = None,
    working_groups: Mapping[str, str] | None = None,
) -> Done:
    """What the user would get of an experiment, and why: `{experiment, user_id, condition (None: the default),
    decided_by: state|global_exclude|group|segment|pool|enrolment|exclusion|post_rule|hash|not_affected,
    steps: [{step, passed, detail}], known_to_server, server_says, agrees, note}`."""
    raise NotImplementedError
