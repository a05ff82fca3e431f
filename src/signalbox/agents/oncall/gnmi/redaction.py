"""What must never leave: passwords, hashes, keys and community strings in whatever a device says."""

from __future__ import annotations

import re
from typing import Any

from signalbox.errors import redact

__all__ = ["clean", "without_secrets"]

_SECRET_KEY = re.compile(
    r"(?i)passw|secret|credential|private-key|auth(?:entication)?-key|crypto-key|community-name|psk"
)
# What moves a terminal's cursor or hides text from a reader.
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_HARMLESS = r"(?!is\b|for\b|of\b|mismatch|not\b|from\b|changed|expired|was\b)"
_TEXTS = (
    re.compile(r"()\$(?:\d|\d[a-z]|[a-z]\d?|sha\d+)\$[^\s\"',;]+"),
    re.compile(r"(?i)(\b(?:password|passwd|secret|key|md5|key-string)\s+(?:encrypted\s+|clear\s+|[0-9]{1,2}\s+)+)\S+"),
    re.compile(rf"(?i)(\b(?:password|passwd|secret|key-string|community)\s+){_HARMLESS}\S*[\d$!@#%^&*]\S*"),
    re.compile(r"()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
)
# What every text has that one of these changes: most values of a device are searched once.
_SUSPICIOUS = re.compile(rf"(?i)passw|secret|key|md5|community|[$]|-----|{_CONTROL.pattern}")


def clean(value: Any) -> Any:
    """The same value with every secret in its texts replaced by `***`, and without characters that nobody sees."""
    if isinstance(value, str):
        if _SUSPICIOUS.search(value):
            value = _CONTROL.sub("", value)
            for pattern in _TEXTS:
                value = pattern.sub(r"\1***", value)
        return redact(value)
    if isinstance(value, dict):
        return {name: clean(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [clean(one) for one in value]
    return value


def without_secrets(value: Any) -> Any:
    """A tree of a device without the leaves that hold secrets, by their names."""
    if isinstance(value, dict):
        return {name: without_secrets(one) for name, one in value.items() if not _SECRET_KEY.search(name)}
    if isinstance(value, list):
        return [without_secrets(one) for one in value]
    return value
