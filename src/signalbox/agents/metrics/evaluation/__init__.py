"""How answers about metrics are measured: their figures against those of a reference query on the same server."""

from __future__ import annotations

import os

from signalbox.agents.metrics.evaluation.expectation import KEYS, check_expectation
from signalbox.agents.metrics.evaluation.outcome import outcome_of
from signalbox.agents.metrics.evaluation.reference import with_figures
from signalbox.agents.metrics.evaluation.score import metrics_misleads, metrics_right
from signalbox.errors import ConfigurationError

__all__ = ["JUDGE"]

_ADDRESSES = ("GRAFANA_URL", "PROMETHEUS_URL")


def _settings_for(server: str) -> dict[str, str | None]:
    """The settings with which the agent asks the server: an address, the variable that holds one, or empty for the
    embedded world. Raises ConfigurationError for a variable that holds none."""
    name, address = ("PROMETHEUS_URL", server) if "://" in server else (server, os.environ.get(server, "").strip())
    if server and (name not in _ADDRESSES or not address):
        raise ConfigurationError(
            f"The set is asked of a server of your own, and {server} has no address of one.",
            suggestion=f"Name {' or '.join(_ADDRESSES)} as its server, and set that to the address.",
        )
    return dict.fromkeys(_ADDRESSES) | ({name: address} if server else {})


class _Judge:
    """What `signalbox eval` finds by the entry point group `signalbox.judges`."""

    keys = KEYS
    follows = True
    check = staticmethod(check_expectation)
    settings = staticmethod(_settings_for)
    expect = staticmethod(with_figures)
    outcome = staticmethod(outcome_of)
    is_right = staticmethod(metrics_right)
    misleads = staticmethod(metrics_misleads)


JUDGE = _Judge()
