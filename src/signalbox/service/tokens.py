"""Who a token or a key belongs to: JWTs of a secret (HS256) or of public keys at an address (JWKS), and API keys."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
import uuid
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import jwt

from signalbox.errors import ConfigurationError, hide
from signalbox.settings import get_settings, home_file

__all__ = ["is_secret_set", "make_api_key", "make_token", "person_of", "revoke_api_keys"]

_PREFIX = "sb_"
_SECRET_FILE = "token-secret"
_PUBLIC = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]


def is_secret_set() -> bool:
    """Whether the operator said how tokens are checked; otherwise it is by a secret of this machine."""
    settings = get_settings()
    return bool(settings.jwt_secret or settings.jwks_url)


def make_token(person: str, hours: float = 24 * 30) -> str:
    """A token for development. Raises ConfigurationError where tokens come from elsewhere (a JWKS address)."""
    settings = get_settings()
    if settings.jwks_url:
        raise ConfigurationError(
            "Tokens are made where SIGNALBOX_JWKS_URL points to.", suggestion="Unset it to make tokens here."
        )
    moment = datetime.now(UTC)
    claims: dict[str, Any] = {"sub": str(uuid.UUID(person)), "iat": moment, "exp": moment + timedelta(hours=hours)}
    claims |= {"aud": settings.jwt_audience} if settings.jwt_audience else {}
    claims |= {"iss": settings.jwt_issuer} if settings.jwt_issuer else {}
    return jwt.encode(claims, _secret(), "HS256")


async def make_api_key(person: str, name: str = "") -> str:
    """A new key for programs of this person; only its hash is kept."""
    from signalbox.storage import Store

    key = f"{_PREFIX}{uuid.UUID(person).hex}_{secrets.token_urlsafe(24)}"
    await Store(person).add_api_key(_hash(key), name)
    return key


async def revoke_api_keys(person: str, name: str) -> int:
    """Let the keys of that name work no more; how many that were."""
    from signalbox.storage import Store

    store = Store(person)
    ended = [key for key in await store.api_keys() if key.name == name and key.revoked is None]
    for key in ended:
        await store.revoke_api_key(key.id)
    return len(ended)


async def person_of(token: str) -> str | None:
    """The person whose token or key it is; None where it is nobody's, or no longer."""
    if token.startswith(_PREFIX):
        return await _person_of_key(token)
    try:
        settings = get_settings()
        named = (settings.jwt_audience, settings.jwt_issuer)
        if settings.jwks_url:
            return _checked_token(token, await _public_key(token), tuple(_PUBLIC), *named)[0]
        person, until = _known_token(token, _secret(), ("HS256",), *named)
        return person if time.time() < until else None
    except (jwt.PyJWTError, ValueError):
        return None


def _checked_token(token: str, key: Any, algorithms: tuple[str, ...], audience: str, issuer: str) -> tuple[str, float]:
    """Whose token it is, and until when. Raises PyJWTError and ValueError where it is nobody's."""
    claims = jwt.decode(
        token, key, list(algorithms), audience=audience or None, issuer=issuer or None,
        options={"require": ["exp", "sub"], "verify_aud": bool(audience)},
    )  # fmt: skip
    return str(uuid.UUID(str(claims["sub"]))), float(claims["exp"])


_known_token = lru_cache(maxsize=4096)(_checked_token)
"""As `_checked_token`, for a secret: what it signed stays signed, and only its time can run out."""


async def _person_of_key(key: str) -> str | None:
    from signalbox.storage import Store

    try:
        person = str(uuid.UUID(key.removeprefix(_PREFIX).partition("_")[0]))
    except ValueError:
        return None
    return person if await Store(person).find_api_key(_hash(key)) is not None else None


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


async def _public_key(token: str) -> Any:
    client = _keys_at(get_settings().jwks_url)
    return (await asyncio.to_thread(client.get_signing_key_from_jwt, token)).key


@lru_cache(maxsize=4)
def _keys_at(address: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(address, timeout=10)


def _secret() -> str:
    settings = get_settings()
    return _checked(settings.jwt_secret) if settings.jwt_secret else _own_secret(str(settings.home))


@lru_cache(maxsize=4)
def _checked(secret: str) -> str:
    hide(secret)
    if len(secret.encode()) < 32:
        raise ConfigurationError(
            "SIGNALBOX_JWT_SECRET is too short to be safe.", suggestion="Use at least 32 random characters."
        )
    return secret


@lru_cache(maxsize=8)
def _own_secret(_home: str) -> str:
    """The secret of this machine, made at its first use; nobody else can read its file."""
    path = home_file(_SECRET_FILE)
    secret = path.read_text("utf-8").strip()
    if not secret:
        secret = secrets.token_urlsafe(48)
        path.write_text(secret, "utf-8")
    hide(secret)
    return secret
