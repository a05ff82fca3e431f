"""Where UpGrade is and how one proves who one is, as the environment says.

`UPGRADE_URL` is the address, with or without `/api`. `UPGRADE_TOKEN` is a bearer token; `UPGRADE_SERVICE_ACCOUNT` is a
Google service account's key, as a file's path or as the JSON itself, with which tokens are fetched as they are needed;
`UPGRADE_AUDIENCE` asks Google for an identity token for that audience instead of an access token.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from signalbox.agents.experiments.errors import UpgradeError
from signalbox.errors import ConfigurationError, hide

__all__ = ["Connection", "Tokens", "read_connection"]


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


_GOOGLE = "https://oauth2.googleapis.com/token"
_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_SCOPES = "openid email profile"
_LIFE = 3600
# A token is renewed this long before it ends, so that none ends on its way.
_MARGIN = 60


class Tokens:
    """Gives the token of the moment; a service account's is fetched when the last one is about to end."""

    def __init__(self, connection: Connection) -> None:
        self._fixed = connection.token
        self._account = connection.account()
        self._audience = connection.audience
        self._token, self._until = "", 0.0

    @property
    def renewable(self) -> bool:
        """True if a refused token can be replaced by a fresh one."""
        return self._account is not None and not self._fixed

    async def current(self, http: httpx.AsyncClient) -> str:
        """The token to send, or an empty string where none is needed. Raises UpgradeError of the kind auth."""
        if self._fixed or self._account is None:
            return self._fixed
        if time.time() >= self._until - _MARGIN:
            await self._fetch(http)
        return self._token

    def refuse(self) -> None:
        """Forget the token: the server did not take it."""
        self._until = 0.0

    async def _fetch(self, http: httpx.AsyncClient) -> None:
        from google.auth.exceptions import GoogleAuthError

        assert self._account is not None
        where = str(self._account.get("token_uri") or _GOOGLE)
        try:
            signed = await asyncio.to_thread(_signed, self._account, where, self._audience)
            answer = await http.post(where, data={"grant_type": _GRANT, "assertion": signed})
            given = answer.json() if answer.is_success else {}
            token = given.get("id_token" if self._audience else "access_token")
            if not token:
                raise ValueError(f"HTTP {answer.status_code}")
        except (httpx.HTTPError, ValueError, TypeError, GoogleAuthError) as error:
            raise UpgradeError(
                "No token could be fetched for the service account.",
                "auth",
                suggestion="Check UPGRADE_SERVICE_ACCOUNT, and that Google's token service can be reached from here.",
                answer=f"{type(error).__name__}: {error}",
                endpoint=where,
            ) from None
        self._token, self._until = str(token), time.time() + float(given.get("expires_in") or _LIFE)
        hide(self._token)


def _signed(account: dict[str, Any], where: str, audience: str) -> str:
    """The assertion that Google exchanges for a token."""
    from google.auth import crypt, jwt

    issued = int(time.time())
    claims: dict[str, Any] = {"iss": account["client_email"], "aud": where, "iat": issued, "exp": issued + _LIFE}
    claims |= {"target_audience": audience} if audience else {"scope": _SCOPES}
    signer = crypt.RSASigner.from_service_account_info(account)  # type: ignore[no-untyped-call]
    return str(jwt.encode(signer, claims).decode())  # type: ignore[no-untyped-call]
