"""Who a token or a key belongs to: JWTs signed with a secret (HS256) or verified by public keys at an address (JWKS),
and API keys."""

from __future__ import annotations

import asyncio
import getpass
import hashlib
import secrets
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import jwt

from signalbox.errors import ConfigurationError, UnavailableError, hide
from signalbox.settings import get_settings, home_file, home_folder

__all__ = [
    "OPERATOR",
    "Caller",
    "caller_of",
    "is_secret_set",
    "make_api_key",
    "make_token",
    "revoke_api_keys",
]

OPERATOR = "operator"
"""The scope of operators, which shows details that users do not need."""
_LATEST = 253_402_300_799
"""The last second of the year 9999. A later `exp` is a mistake, such as milliseconds."""
_LONGEST_NAME = 100
_PREFIX = "sb_"
_SECRET_FILE = "token-secret"
_PUBLIC = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request, their scopes, and when the token expires (None: never)."""

    person: str
    scopes: frozenset[str] = frozenset()
    until: float | None = None
    name: str = ""
    """Their name, if the token contains it."""


def is_secret_set() -> bool:
    """True if the operator configured how tokens are verified; otherwise this machine's own secret is used."""
    settings = get_settings()
    return bool(settings.jwt_secret or settings.jwks_url)


def make_token(person: str, hours: float = 24 * 30, scopes: Sequence[str] = (), name: str = "") -> str:
    """A token for development.

    Without a name, this machine's person gets their name in the operating system. Raises ConfigurationError if tokens
    are issued elsewhere (a JWKS address).
    """
    settings = get_settings()
    if settings.jwks_url:
        raise ConfigurationError(
            "Tokens are made where SIGNALBOX_JWKS_URL points to.", suggestion="Unset it to make tokens here."
        )
    moment = datetime.now(UTC)
    claims: dict[str, Any] = {"sub": str(uuid.UUID(person)), "iat": moment, "exp": moment + timedelta(hours=hours)}
    claims |= {"scope": " ".join(scopes)} if scopes else {}
    claims |= {"name": called} if (called := name or _login_name(person)) else {}
    claims |= {"aud": settings.jwt_audience} if settings.jwt_audience else {}
    claims |= {"iss": settings.jwt_issuer} if settings.jwt_issuer else {}
    return jwt.encode(claims, _secret(), "HS256")


def _login_name(person: str) -> str:
    """The name of this machine's person in the operating system; empty for anybody else."""
    if person != get_settings().user:
        return ""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


async def make_api_key(person: str, name: str = "") -> str:
    """A new key for this person's programs; only its hash is stored."""
    from signalbox.storage import Store

    key = f"{_PREFIX}{uuid.UUID(person).hex}_{secrets.token_urlsafe(24)}"
    await Store(person).add_api_key(_hash(key), name)
    return key


async def revoke_api_keys(person: str, name: str) -> int:
    """Revoke the keys with that name; returns their number."""
    from signalbox.storage import Store

    store = Store(person)
    ended = [key for key in await store.api_keys() if key.name == name and key.revoked is None]
    for key in ended:
        await store.revoke_api_key(key.id)
    return len(ended)


async def caller_of(token: str) -> Caller | None:
    """The owner of a token or key; None if it is unknown or has expired.

    Raises UnavailableError if the database or the address of the public keys cannot be reached.
    """
    if token.startswith(_PREFIX):
        return await _caller_of_key(token)
    settings = get_settings()
    named = (settings.jwt_audience, settings.jwt_issuer)
    try:
        if settings.jwks_url:
            caller = _checked_token(token, await _public_key(token), tuple(_PUBLIC), *named)
        else:
            caller = _known_token(token, _secret(), ("HS256",), *named)
    except jwt.PyJWKClientConnectionError as error:
        raise UnavailableError("The keys that tokens are checked with cannot be reached.", details=error) from None
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError):
        return None
    return caller if caller.until is None or time.time() < caller.until else None


def _checked_token(token: str, key: Any, algorithms: tuple[str, ...], audience: str, issuer: str) -> Caller:
    """The owner of the token. Raises PyJWTError, ValueError and the like if it is not valid."""
    claims = jwt.decode(
        token, key, list(algorithms), audience=audience or None, issuer=issuer or None,
        options={"require": ["exp", "sub"], "verify_aud": bool(audience)},
    )  # fmt: skip
    # PyJWT reads "1700000000" as a number; a claim of the wrong type is no claim.
    for name in ("exp", "nbf", "iat"):
        if name in claims and not _is_moment(claims[name]):
            raise ValueError(f"{name} is not a point in time.")
    if not isinstance(claims["sub"], str):
        raise ValueError("sub is not a text.")
    return Caller(str(uuid.UUID(claims["sub"])), _scopes(claims), float(claims["exp"]), _name(claims))


def _name(claims: dict[str, Any]) -> str:
    """A person's name according to OpenID Connect."""
    named = (claims.get(one) for one in ("name", "preferred_username", "email"))
    return next((one[:_LONGEST_NAME] for one in named if isinstance(one, str) and one.strip()), "")


def _is_moment(value: Any) -> bool:
    """True if it is a number of seconds between 1970 and the year 9999 (not NaN, not True)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LATEST


def _scopes(claims: dict[str, Any]) -> frozenset[str]:
    """The scopes of a token, as OAuth writes them: words in `scope`, or a list of words there or in `scp`."""
    given = claims.get("scope", claims.get("scp"))
    words = given.split() if isinstance(given, str) else given if isinstance(given, list) else []
    return frozenset(word for word in words if isinstance(word, str))


_known_token = lru_cache(maxsize=4096)(_checked_token)
"""Like `_checked_token`, for a secret, and cached: a valid signature stays valid, and only the token can expire."""


async def _caller_of_key(key: str) -> Caller | None:
    from signalbox.storage import Store

    try:
        person = str(uuid.UUID(key.removeprefix(_PREFIX).partition("_")[0]))
    except ValueError:
        return None
    found = await Store(person).find_api_key(_hash(key))
    return Caller(person, name=found.name or "") if found is not None else None


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
    """The secret of this machine, created at its first use in a private file.

    If several processes start at once, one creates it: the file is renamed once it is complete.
    """
    path = home_folder() / _SECRET_FILE
    if not path.exists():
        draft = home_file(f".{_SECRET_FILE}-{secrets.token_hex(8)}")
        draft.write_text(secrets.token_urlsafe(48), "utf-8")
        with suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    secret = home_file(_SECRET_FILE).read_text("utf-8").strip()
    if not secret:
        raise ConfigurationError(f"{path} is empty.", suggestion="Delete it: the next start makes a new secret.")
    hide(secret)
    return secret
