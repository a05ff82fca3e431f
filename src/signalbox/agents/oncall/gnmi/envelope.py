"""What every tool gives back: the same frame around what was read, what was not, and why."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from time import perf_counter
from typing import Any

from signalbox.agents.oncall.gnmi.errors import GnmiError
from signalbox.agents.oncall.gnmi.inventory import Device
from signalbox.agents.oncall.gnmi.parsers.moments import iso
from signalbox.agents.oncall.gnmi.readings import Absent, Reading
from signalbox.agents.oncall.gnmi.redaction import clean
from signalbox.errors import SignalboxError
from signalbox.settings import now

__all__ = ["Envelope", "enclose"]

Envelope = dict[str, Any]
_log = logging.getLogger(__name__)


async def enclose(
    operation: str, work: Awaitable[Reading], device: Device | None = None, name: str | None = None
) -> Envelope:
    """The outcome of some reading. It never raises for what a device, the way to it or an inventory does wrong."""
    started = perf_counter()
    envelope: Envelope = {
        "device_name": device.name if device else name,
        "ip_address": device.ip_address if device else None,
        "nos": device.nos if device else None,
        "operation_type": operation,
        "status": "success",
        "data": {},
        "metadata": {"collected_at": iso(now())},
        "error_response": None,
        "feature_not_found_response": None,
    }
    try:
        reading = await work
    except Absent as absent:
        told = f"{envelope['device_name']} does not have this: {absent}."
        envelope |= {
            "status": "feature_not_available",
            "feature_not_found_response": {"feature_name": str(absent), "message": told, "details": {}},
        }
    except SignalboxError as error:
        envelope |= {"status": "failed", "error_response": error_response(error)}
    except Exception as error:  # a fault of ours in reading what a device sent must not look like a dead tool
        _log.warning("reading %s of %s failed: %s", operation, envelope["device_name"], type(error).__name__)
        wrong = GnmiError("parse", "What the device sent could not be read.", details=type(error).__name__)
        envelope |= {"status": "failed", "error_response": error_response(wrong)}
    else:
        envelope["data"] = reading.data
        if reading.errors:
            envelope["status"] = "partial_success"
            envelope["metadata"]["errors"] = reading.errors
    envelope["metadata"]["ms"] = round((perf_counter() - started) * 1000, 1)
    cleaned: Envelope = clean(envelope)
    return cleaned


def error_response(error: SignalboxError) -> dict[str, Any]:
    """An error as the envelope carries it; what belongs in the log stays out."""
    details: dict[str, Any] = {"suggestion": error.suggestion}
    if isinstance(error, GnmiError) and error.known:
        details["known"] = list(error.known)
    return {"type": error.error_type, "message": error.user_message, "details": details}
