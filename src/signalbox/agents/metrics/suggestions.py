"""Requests to begin with, about what the connected server has."""

from __future__ import annotations

import asyncio

from signalbox.agents.metrics.clients import current_client
from signalbox.agents.metrics.live import open_live
from signalbox.settings import now

__all__ = ["suggest"]

_MOST = 3


async def suggest() -> list[str]:
    """Questions about the first things that can be measured there. Raises what the client raises."""
    live = await open_live(await asyncio.to_thread(current_client), now())
    recipes = [offer for offer in live.offers.values() if offer.recipe and not offer.is_health]
    titles = [offer.title for offer in recipes or live.offers.values()]
    return [f"{title[:1].upper()}{title[1:]} in the last hour" for title in dict.fromkeys(titles)][:_MOST]
