"""What keeps everything from being written."""

from __future__ import annotations

from signalbox.agents.experiments.errors import UpgradeError
from signalbox.settings import get_settings

__all__ = ["refuse_writes"]


def refuse_writes() -> None:
    """Raises UpgradeError of the kind read_only where the setting says that nothing may be written."""
    if get_settings().read_only:
        raise UpgradeError(
            "Signalbox is set to read only: nothing may be changed on the server, not even for a test.",
            "read_only",
            suggestion="Unset SIGNALBOX_READ_ONLY to allow it.",
        )
