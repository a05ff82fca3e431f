"""What is asked for that is no reading of metrics: detecting anomalies, alerting, forecasting, advising, acting."""

from __future__ import annotations

import re

from signalbox.agents.metrics.errors import UnsupportedOperationError
from signalbox.agents.metrics.reading.asked import Operation
from signalbox.agents.metrics.reading.patterns import any_of, words_of

__all__ = ["find_operation", "refuse_operation"]

_REFUSALS: dict[Operation, tuple[str, str]] = {
    "anomaly_detection": (
        "Anomaly detection is not supported",
        'Ask for the metric itself, such as "show CPU usage for the last hour", or use the map `metrics-anomalies`, '
        "which looks for anomalies.",
    ),
    "alerting": (
        "Alerting is not supported",
        "Ask for the present value instead; alerts are set up in Grafana itself.",
    ),
    "forecasting": (
        "Forecasting is not supported",
        'Ask for how it went so far, such as "show disk usage for the last 30 days".',
    ),
    "recommendation": (
        "Recommendations are not supported",
        'Ask for the figures to decide by, such as "top 5 hosts by memory".',
    ),
    "action": (
        "Actions are not supported: metrics are only read here",
        'Ask for figures, such as "show CPU usage for the last hour".',
    ),
}

# What stands in a name asks for nothing: anomaly-detector, forecast_runs_total.
_NAME = re.compile(r"\b(?!on-call|e-mail|set-up)[\w.]+(?:[-_][\w.]+)+\b", re.IGNORECASE)
_TELL = r"(?:alert|notify|warn|page|ping|e-?mail|text|message|tell|let)"
_SOMEONE = r"(?:me|us|someone|somebody|ops|on-?call|the\s+team)\b"
_ASKING = r"^\W*(?:please\s+|can\s+you\s+|could\s+you\s+|go\s+and\s+|now\s+|just\s+)*"

_OPERATIONS: tuple[tuple[Operation, re.Pattern[str]], ...] = (
    (
        "anomaly_detection",
        any_of(
            r"anomal(?:y|ies|ous)\b",
            r"abnormal(?:ly|ity|ities)?\b",
            r"irregular(?:ity|ities)?\b",
            words_of("outlier outliers unusual unusually suspicious suspiciously strange strangely"),
            words_of("weird odd oddly oddities"),
            r"out\s+of\s+the\s+ordinary\b",
            r"not\s+normal\b",
        ),
    ),
    (
        "alerting",
        any_of(
            rf"{_TELL}\s+{_SOMEONE}[^?]*?\b(?:when|if|once|whenever|as\s+soon\s+as)\b",
            r"(?:create|set\s*up|add|configure|make|define|write)\s+(?:an?\s+|the\s+|new\s+)*(?:[\w-]+\s+){0,3}?"
            r"(?:alerts?|alarms?|alerting|notifications?|threshold)\b",
            r"silence\s+(?:the\s+|this\s+|all\s+)?(?:\w+\s+)?alerts?\b",
        ),
    ),
    ("alerting", re.compile(rf"{_ASKING}(?:alert|notify|warn)\b(?!\s+(?:count|rate|rules?)\b)", re.IGNORECASE)),
    (
        "forecasting",
        any_of(
            # After a preposition, or before a word for a part of a system, it is a name.
            r"(?<!of )(?<!for )(?<!to )(?<!on )(?<!from )forecast\w*(?!\s+(?:service|app|api|job|pod|team|queue)\b)",
            r"(?:predict|extrapolat|projection|projected)\w*",
            r"(?:when|what)\s+will\b",
            r"how\s+(?:much|many|long|high|soon)\b[^?]*\bwill\b",
            r"will\s+(?:\w+\s+){1,5}(?:be|run|reach|hit|exceed|fill|grow|last)\b",
            r"going\s+to\s+(?:run\s+out|be|reach|fill|exceed|hit|grow)\b",
            r"runs?\s+out\s+of\b",
            r"until\s+(?:\w+\s+){1,4}(?:is|are)\s+full\b",
        ),
    ),
    (
        "recommendation",
        any_of(
            r"(?<!of )(?<!for )(?<!to )(?<!on )(?<!from )(?<!in )(?<!by )recommend\w*"
            r"(?!\s+(?:service|app|api|job|pod|team|queue|group|consumer|topic)\b)",
            r"(?:advi[sc]e|suggest(?:ion|ions|ed)?|tune)\b",
            r"what\s+should\b|should\s+(?:i|we)\b",
            r"how\s+(?:can|could|do|should)\s+(?:i|we)\s+"
            r"(?:improve|reduce|fix|lower|optimi[sz]e|speed|scale|solve|increase|prevent|avoid|tune)\b",
            r"optimi[sz]e\b",
            r"best\s+way\s+to\b",
        ),
    ),
    (
        "action",
        re.compile(
            _ASKING + r"(?:roll\s*back|shut\s*down|turn\s+o(?:ff|n)|"
            + words_of(
                "restart reboot kill stop start scale deploy delete remove drop purge flush clear drain cordon disable "
                "enable increase decrease resize redeploy patch upgrade fix reset terminate block ban evict add create "
                "update change set"
            )
            + r")(?!\s+(?:of|rate|count|in|on)\b)",
            re.IGNORECASE,
        ),
    ),
)  # fmt: skip


def find_operation(text: str) -> Operation | None:
    """What is asked for that only a person or another map does; None where nothing says so."""
    said = _NAME.sub("", text)
    return next((name for name, pattern in _OPERATIONS if pattern.search(said)), None)


def refuse_operation(operation: Operation | None) -> None:
    """Raise UnsupportedOperationError for what is not done here; the suggestion says what is."""
    if operation is not None and operation != "read":
        message, suggestion = _REFUSALS[operation]
        raise UnsupportedOperationError(message, suggestion=suggestion)
