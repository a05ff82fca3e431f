"""The error for a run that an older version left waiting or active: it is closed, not resumed."""

from __future__ import annotations

from signalbox.errors import RequestError

__all__ = ["OutdatedRunError"]


class OutdatedRunError(RequestError):
    """The run was started by an older version, with a different format."""

    error_type = "outdated_run"

    def __init__(self) -> None:
        super().__init__(
            "This was started by an older version of Signalbox, which cannot be continued. It has been closed.",
            suggestion="Ask again. Before you do, check what had already been done.",
        )
