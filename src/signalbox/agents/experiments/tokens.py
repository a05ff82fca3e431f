"""Bearer tokens for an UpGrade server: one that is set, or those that a Google service account is given."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx

from signalbox.agents.experiments.connection import Connection
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.errors import hide

__all__ = ["Tokens"]

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
        """Whether a refused token can be replaced by a fresh one."""
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
