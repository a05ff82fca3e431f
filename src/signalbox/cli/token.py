"""`signalbox token`: tokens and API keys for the service."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

__all__ = ["token"]


def token(
    user: Annotated[
        str | None, typer.Option("--user", "-u", help="The person's UUID; default: SIGNALBOX_USER.")
    ] = None,
    hours: Annotated[float, typer.Option("--hours", min=0.01, help="How long the token is valid.")] = 24.0,
    scopes: Annotated[
        list[str] | None,
        typer.Option("--scope", help="An extra right for the token: operator.", metavar="SCOPE"),
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option("--api-key", metavar="NAME", help="Create an API key with this name instead; it does not expire."),
    ] = None,
    revoke: Annotated[
        str | None, typer.Option("--revoke", metavar="NAME", help="Revoke the API keys with this name.")
    ] = None,
) -> None:
    """Print a token, or create or revoke an API key."""
    import uuid

    from signalbox.cli.output import say, show
    from signalbox.errors import MissingExtraError
    from signalbox.settings import get_settings

    try:
        from signalbox.service.tokens import OPERATOR, make_api_key, make_token, revoke_api_keys
    except ImportError as error:
        if (error.name or "").startswith("signalbox"):
            raise
        raise MissingExtraError("Tokens", "service") from None
    try:
        person = str(uuid.UUID(user or get_settings().user))
    except ValueError:
        raise typer.BadParameter("the user is not a UUID") from None
    if any(scope != OPERATOR for scope in scopes or ()):
        raise typer.BadParameter(f"the only scope is {OPERATOR}")
    if scopes and api_key is not None:
        raise typer.BadParameter("API keys cannot have scopes")
    if revoke is not None:
        say(f"API keys revoked: {asyncio.run(revoke_api_keys(person, revoke))}.")
    elif api_key is not None:
        show(asyncio.run(make_api_key(person, api_key)))
        say("It will not be shown again. signalbox token --revoke NAME revokes it.")
    else:
        show(make_token(person, hours, scopes or ()))
