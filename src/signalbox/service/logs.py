"""The log: text or JSON lines on stderr, without secrets."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from signalbox.errors import redact
from signalbox.settings import get_settings

__all__ = ["JsonFormatter", "set_up_logs"]


class JsonFormatter(logging.Formatter):
    """A line of the log as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": redact(record.getMessage()),
        }
        if record.exc_info:
            line["trace"] = redact(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


class TextFormatter(logging.Formatter):
    """A log record as text, on one line unless it has a traceback, and without terminal control characters."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        from signalbox.drawing.text import printable

        return printable(str(redact(super().format(record))))


def set_up_logs() -> None:
    """Log to stderr, from warnings on; with -v, Signalbox's own messages from `info` on."""
    handler = logging.StreamHandler(sys.stderr)
    as_json = get_settings().log_format == "json"
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter("%(asctime)s %(levelname)s %(message)s"))
    logging.root.handlers = [handler]
    # Drivers tell of every connection that broke; that the database is gone is said once, by `runs/outage.py`.
    for driver in ("psycopg.pool", "sqlalchemy.pool"):
        logging.getLogger(driver).setLevel(logging.CRITICAL)
    ours = logging.getLogger("signalbox")
    if ours.level > logging.WARNING:
        ours.setLevel(logging.INFO if as_json else logging.WARNING)
