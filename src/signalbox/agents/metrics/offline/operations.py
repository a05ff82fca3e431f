"""What is not done here: alerts, anomalies, changes, and what needs more than figures of a measure."""

from __future__ import annotations

import re
from collections.abc import Collection

from signalbox.agents.metrics.errors import UnsupportedOperationError
from signalbox.agents.metrics.plan import MetricsPlan

__all__ = ["refuse_operation"]

_REFUSALS = {
    "anomaly": (
        "Anomaly detection is not supported",
        'Ask for the metric itself, such as "show CPU usage for the last hour", or use the map `metrics-anomalies`, '
        "which looks for anomalies.",
    ),
    "alert": ("Alerting is not supported", "Ask for the present value instead; alerts are set up in Grafana itself."),
    "action": (
        "Actions and recommendations are not supported: metrics are only read here",
        'Ask for figures, such as "show CPU usage for the last hour" or "top 5 hosts by memory".',
    ),
    "correlation": (
        "Correlations are not supported",
        "Ask for one measure after the other, or compare two of them over the same time.",
    ),
}
_POLITE = r"(?:please |can you |could you |would you |pls |kindly |go ahead and |now |i want to |let'?s )*"
_DOES = (
    r"(?:delete|remove|erase|purge|create|rename|restart|reboot|kill|stop|start|scale|deploy|roll ?back"
    r"|reset|silence|mute|acknowledge|disable|enable|install|upgrade|increase|decrease|raise|lower|fix|write|put|set|turn"
    r"|shut|clear|drop|trigger|execute)\s+"
)
_ONE_THING = re.compile(rf"\s*{_POLITE}{_DOES}(?P<name>\S+?)(?:\W*$|\s+(?:to|by|on|in|at|for|now)\b)", re.I)
_ACTION = re.compile(
    rf"\s*{_POLITE}{_DOES}"
    r"(?:(?:the|a|an|my|our|all|this|that|on|off|down|up)\b|\d[\d.,]*\s+(?:to|into|in)\b|(?=\S*[a-z])\S*\d)",
    re.I,
)
_CORRELATION = re.compile(r"\b(?:correlat\w+|regress\w* (?:on|against)|covariance)\b", re.I)


def refuse_operation(plan: MetricsPlan, text: str, names: Collection[str]) -> None:
    """Raise UnsupportedOperationError for what is not done here; the suggestion says what is. `names` are those that
    the server has."""
    kind: str = plan.kind or ""
    if _CORRELATION.search(text) and not re.search(r"\w_correlat|correlat\w*_", text):
        kind = "correlation"
    elif _ACTION.match(text) or ((one := _ONE_THING.match(text)) and one["name"].lower() in names):
        kind = "action"
    if kind in _REFUSALS:
        message, suggestion = _REFUSALS[kind]
        raise UnsupportedOperationError(message, suggestion=suggestion)
