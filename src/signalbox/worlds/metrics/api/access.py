"""Who may ask: tokens, a password, and what a viewer may not see."""

from __future__ import annotations

import base64
import binascii
import hmac
from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from signalbox.worlds.metrics.api.replies import grafana_error

__all__ = ["Access", "AccessControl"]

_OPEN_PATHS = ("/api/health", "/-/healthy", "/-/ready")
_ADMIN_ONLY = "/api/datasources"
_VIEWER_MAY = ("/proxy/", "/resources/", "/health")


@dataclass(frozen=True)
class Access:
    """Credentials that are accepted; with none of them set, everyone may do everything."""

    token: str | None = None
    viewer_token: str | None = None
    basic: tuple[str, str] | None = None

    @property
    def is_open(self) -> bool:
        """Whether no credentials are needed."""
        return not (self.token or self.viewer_token or self.basic)

    def role_of(self, authorization: str) -> str | None:
        """`admin`, `viewer`, or None for a stranger."""
        scheme, _, credential = authorization.partition(" ")
        if scheme.lower() == "bearer":
            if _same(credential, self.token):
                return "admin"
            return "viewer" if _same(credential, self.viewer_token) else None
        if scheme.lower() == "basic" and self.basic:
            return "admin" if _same(_decoded(credential), ":".join(self.basic)) else None
        return None


class AccessControl:
    """ASGI middleware that lets in whom `access` knows."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 or 403, or pass the request on."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        path: str = scope["path"]
        if self._access.is_open or path in _OPEN_PATHS:
            return None
        authorization = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
        role = self._access.role_of(authorization)
        if role is None and authorization.lower().startswith("bearer"):
            return grafana_error(401, "Invalid API key", "api-key.invalid")
        if role is None:
            return grafana_error(401, "Unauthorized", "auth.unauthorized")
        if role == "viewer" and path.startswith(_ADMIN_ONLY) and not any(part in path for part in _VIEWER_MAY):
            return _forbidden("datasources:read")
        return None


def _forbidden(permission: str) -> JSONResponse:
    message = f"You'll need additional permissions to perform this action. Permissions needed: {permission}"
    return grafana_error(403, message, "accesscontrol.forbidden", accessErrorId="ACE0000000001", title="Access denied")


def _same(given: str, expected: str | None) -> bool:
    return expected is not None and hmac.compare_digest(given.encode(), expected.encode())


def _decoded(credential: str) -> str:
    try:
        return base64.b64decode(credential, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
