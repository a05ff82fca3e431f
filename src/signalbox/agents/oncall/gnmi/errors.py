"""What can go wrong between here and a device, in nine kinds that are kept apart.

refused       nothing listens there
timeout       no answer in time
tls           the certificate or the handshake
auth          the user or the password
not_found     no such device in the inventory, or no such thing on the device
unsupported   the device does not have the model, the encoding or the call
rate_limited  the device has too much to do
parse         the answer is no gNMI, no JSON, or not in the shape of the model
unavailable   every other failure of the device or of the way to it
"""

from __future__ import annotations

import re
from typing import Any

import grpc

from signalbox.agents.oncall.gnmi.redaction import clean
from signalbox.errors import ExternalError

__all__ = ["KINDS", "GnmiError", "error_of"]

KINDS = ("refused", "timeout", "tls", "auth", "not_found", "unsupported", "rate_limited", "parse", "unavailable")
_SUGGESTIONS = {
    "refused": "Check that the device is up, and its address and port in the inventory.",
    "timeout": "Check the way to the device, or give it more time with gnmi_timeout in the inventory.",
    "tls": "Give path_root (the CA) or override (the name in the certificate) in the inventory.",
    "auth": "Check username and password in the inventory, or GNMI_USERNAME and GNMI_PASSWORD.",
    "not_found": "Ask for something that is there.",
    "unsupported": "Ask a device that has this model.",
    "rate_limited": "Try again in a while.",
    "parse": "What the device sends cannot be used; look at its gNMI agent.",
    "unavailable": "Try again, and look at the device's gNMI service.",
}
_BY_CODE = {
    grpc.StatusCode.DEADLINE_EXCEEDED: "timeout",
    grpc.StatusCode.UNAUTHENTICATED: "auth",
    grpc.StatusCode.PERMISSION_DENIED: "auth",
    grpc.StatusCode.NOT_FOUND: "not_found",
    grpc.StatusCode.UNIMPLEMENTED: "unsupported",
    grpc.StatusCode.INVALID_ARGUMENT: "unsupported",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "rate_limited",
    grpc.StatusCode.DATA_LOSS: "parse",
}
# What gRPC puts into words alone, first match first.
_BY_WORDS = (
    ("tls", r"ssl|tls|certificate|handshake|peer name|verification check"),
    ("refused", r"connection refused|errno 111"),
    ("timeout", r"timed out|timeout|deadline|errno 110"),
    ("rate_limited", r"too many|rate limit|overload"),
    ("parse", r"failed parsing|deserializ|malformed|settings frame|http1\.x server|protocol error|message larger"),
)


class GnmiError(ExternalError):
    """A call to a device failed; `error_type` is the kind."""

    def __init__(self, kind: str, message: str, *, suggestion: str = "", details: Any = None) -> None:
        super().__init__(clean(message), suggestion=suggestion or _SUGGESTIONS[kind], details=details)
        self.error_type = kind
        self.known: tuple[str, ...] = ()
        """What there is, where something of another name was asked for."""

    @property
    def is_absence(self) -> bool:
        """Whether the device answered, and does not have what was asked for."""
        return self.error_type in ("not_found", "unsupported")


def error_of(device: str, code: grpc.StatusCode, words: str, seconds: float) -> GnmiError:
    """The error of a call that gRPC gave up, by its code and, where the code says little, by its words."""
    kind = _kind(code, words)
    told = {
        "refused": f"{device} refuses the connection.",
        "timeout": f"{device} did not answer within {seconds:g} seconds.",
        "tls": f"No trusted connection to {device}: its certificate or the TLS handshake failed.",
        "auth": f"{device} does not accept the user or the password.",
        "not_found": f"{device} has no data for this.",
        "unsupported": f"{device} does not support this.",
        "rate_limited": f"{device} takes no more calls for now.",
        "parse": f"{device} answers with something that is no gNMI.",
        "unavailable": f"{device} cannot be read ({code.name.lower().replace('_', ' ')}).",
    }[kind]
    return GnmiError(kind, told, details={"code": code.name, "words": clean(words)})


def _kind(code: grpc.StatusCode, words: str) -> str:
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in words:
        return "parse"
    if code in _BY_CODE:
        return _BY_CODE[code]
    return next((kind for kind, pattern in _BY_WORDS if re.search(pattern, words, re.IGNORECASE)), "unavailable")
