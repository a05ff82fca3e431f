"""Where UpGrade is and how one proves who one is, as the environment says.

`UPGRADE_URL` is the address, with or without `/api`. `UPGRADE_TOKEN` is a bearer token; `UPGRADE_SERVICE_ACCOUNT` is a
Google service account's key, as a file's path or as the JSON itself, with which tokens are fetched as they are needed;
`UPGRADE_AUDIENCE` asks Google for an identity token for that audience instead of an access token.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from signalbox.errors import ConfigurationError, hide

__all__ = ["Connection", "read_connection"]


@dataclass(frozen=True)
class Connection:
    """An address that ends in `/api`, and what opens it."""

    url: str
    token: str = field(default="", repr=False)
    service_account: str = field(default="", repr=False)
    audience: str = ""

    def account(self) -> dict[str, Any] | None:
        """The service account's key, or None where none is set; raises ConfigurationError for a bad one."""
        if not self.service_account:
            return None
        text = self.service_account
        try:
            key = json.loads(text if text.lstrip().startswith("{") else Path(text).expanduser().read_text("utf-8"))
            missing = [name for name in ("client_email", "private_key") if not key.get(name)]
        except (OSError, ValueError, AttributeError):
            raise ConfigurationError(
                "UPGRADE_SERVICE_ACCOUNT is neither the JSON of a service account's key nor a file that holds it.",
                suggestion="Set it to the path of the key file that Google's console gave you.",
            ) from None
        if missing:
            raise ConfigurationError(f"The service account's key has no {' and no '.join(missing)}.")
        hide(str(key["private_key"]))
        return dict(key)


def read_connection(url: str | None = None) -> Connection | None:
    """The connection that the environment names, or None where it names none; `url` takes the place of its address."""
    address = url or os.environ.get("UPGRADE_URL", "").strip()
    if not address:
        return None
    token = os.environ.get("UPGRADE_TOKEN", "").strip() if url is None else ""
    account = os.environ.get("UPGRADE_SERVICE_ACCOUNT", "").strip() if url is None else ""
    hide(token)
    return Connection(tidy(address), token, account, os.environ.get("UPGRADE_AUDIENCE", "").strip())


def tidy(address: str) -> str:
    """The address without what may stand at its end, with `/api`; raises ConfigurationError for what is none."""
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigurationError(
            f"'{address}' is no address of an UpGrade server.",
            suggestion="Set UPGRADE_URL to something like https://upgrade.example.org/api.",
        )
    bare = address.split("?")[0].rstrip("/")
    return bare if bare.endswith("/api") else f"{bare}/api"
