"""What agents call other systems with: for now, the ledger of the evidence that such calls leave."""

from __future__ import annotations

from signalbox.toolbox.ledger import Call, Ledger, current_ledger, use_ledger

__all__ = ["Call", "Ledger", "current_ledger", "use_ledger"]
