"""Who may call: researchers with a bearer token, applications with a signed one, where the server asks for either."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass

from signalbox.worlds.experiments.errors import Refusal

__all__ = ["Access"]


@dataclass(frozen=True)
class Access:
    """`tokens` opens the administration, which is open to all where there are none; applications sign with `secret`."""

    tokens: tuple[str, ...] = ()
    key: str = "key"
    secret: str = "secret"

    def check_admin(self, method: str, path: str, header: str) -> None:
        """Raise the server's refusal of a call without a token that it knows."""
        if self.tokens and header.removeprefix("Bearer ") not in self.tokens:
            words = f"Authorization is required for request on {method} {path}"
            raise Refusal(401, words, "User ID not found", "AuthorizationRequiredError")

    def check_application(self, header: str) -> None:
        """Raise the server's refusal of a call that no known application has signed."""
        if not header:
            words = "Token is not present in request header from client"
            raise Refusal(401, words, "Token is not present in request")
        head, _, signature = header.removeprefix("Bearer ").rpartition(".")
        digest = hmac.new(self.secret.encode(), head.encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(base64.urlsafe_b64encode(digest).decode().rstrip("="), signature):
            raise Refusal(401, "invalid signature", "Invalid token", "JsonWebTokenError")
        if self.key not in _claims(head).values():
            raise Refusal(401, "Provided token is invalid", "Invalid token")


def _claims(head: str) -> dict[str, object]:
    part = head.partition(".")[2]
    try:
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}
