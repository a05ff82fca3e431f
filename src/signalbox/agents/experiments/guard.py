"""What keeps everything from being written."""

from __future__ import annotations

from signalbox.agents.experiments.node import Fault
from signalbox.settings import get_settings

__all__ = ["refuse_writes"]


def refuse_writes() -> None:
    """Raises Fault where the setting says that nothing may be written."""
    if get_settings().read_only:
        raise Fault(
            "Signalbox is set to read only: nothing may be changed on the server, not even for a test.",
            "read_only",
            "Unset SIGNALBOX_READ_ONLY to allow it.",
        )
