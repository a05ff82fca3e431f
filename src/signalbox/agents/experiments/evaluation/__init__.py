"""How answers about experiments are measured: by what was read of a request, how it
ended, and what was written; conversations by what the server has when they are over."""

from __future__ import annotations

import os

from signalbox.agents.experiments.evaluation.conversation import begin, end, outcome_of
from signalbox.agents.experiments.evaluation.score import KEYS, check_expectation, is_right, resolved, unasked
from signalbox.errors import ConfigurationError

__all__ = ["JUDGE"]

_ADDRESS = "UPGRADE_URL"


def _settings_for(server: str) -> dict[str, str | None]:
    """The settings with which the agent asks the server: an address, the variable that holds one, or empty for none."""
    if not server:
        return {_ADDRESS: None}
    address = server if "://" in server else os.environ.get(server, "").strip()
    if not address:
        raise ConfigurationError(
            f"The set is asked of a server of your own, and {server} has no address of one.",
            suggestion=f"Set {_ADDRESS} to the address, and name it as the set's server.",
        )
    return {_ADDRESS: address}


class _Judge:
    """What `signalbox eval` finds by the entry point group `signalbox.judges`."""

    keys = KEYS
    check = staticmethod(check_expectation)
    settings = staticmethod(_settings_for)
    expect = staticmethod(resolved)
    outcome = staticmethod(outcome_of)
    is_right = staticmethod(is_right)
    begin = staticmethod(begin)
    end = staticmethod(end)
    unasked = staticmethod(unasked)


JUDGE = _Judge()
