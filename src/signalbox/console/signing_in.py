"""Who uses the page: the person of a token; on a machine whose tokens nobody set up, its one person."""

from __future__ import annotations

from signalbox.service.tokens import is_secret_set, person_of
from signalbox.settings import get_settings

__all__ = ["is_shared", "person_of_page"]


def is_shared() -> bool:
    """Whether several people use this service, and each needs a token."""
    return is_secret_set()


async def person_of_page(token: str) -> str | None:
    """The person of a token, or of this machine; None where a token is needed, and this is none."""
    if token:
        return await person_of(token)
    return None if is_shared() else get_settings().user
