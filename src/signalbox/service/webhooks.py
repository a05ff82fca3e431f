"""Webhooks of runs: when a run ends or pauses, its JSON is posted to the address given by the client.

Only hosts listed by the operator are allowed (SIGNALBOX_WEBHOOK_HOSTS), so that nobody reaches the internal network
through the service. Failed deliveries are retried for some minutes, by any process.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime
from typing import Any

import httpx

from signalbox.errors import RequestError, redact
from signalbox.runs import records
from signalbox.runs.maintenance import due_webhooks
from signalbox.runs.records import Run, carrier_of
from signalbox.runs.webhooks import Webhook, claim_webhook, forget_webhook, try_again
from signalbox.service.outgoing import PrivateAddressError, post_json, web_host
from signalbox.service.run_body import error_of, show_run
from signalbox.service.thread_body import values_of
from signalbox.settings import get_settings
from signalbox.toolbox.person import use_person

__all__ = ["check_webhook", "deliver_due"]

_log = logging.getLogger("signalbox.service")
_CLAIMED = 60.0
_PAUSES = (5.0, 15.0, 60.0, 300.0)
"""Seconds between the attempts; after the last one, delivery is given up."""


def check_webhook(url: str) -> None:
    """Raise RequestError for an address that the operator does not allow."""
    try:
        host, port, is_usual = web_host(url)
    except ValueError as error:
        raise RequestError("The webhook is not a web address.", suggestion=f"Please {error}.") from None
    if _listed(host, port, is_usual) is None:
        raise RequestError(
            f"Webhooks may not go to {host}:{port}.",
            suggestion="The operator can add the host to SIGNALBOX_WEBHOOK_HOSTS.",
        )


def _listed(host: str, port: int, is_usual: bool) -> str | None:
    """The entry of the setting that allows it. An entry with a port allows that port, any other the default ones."""
    for entry in get_settings().webhook_hosts:
        # An address of IPv6 has colons of its own, and stands in brackets.
        name, colon, named = entry.lower().rpartition(":")
        if not (colon and named.isdecimal()):
            name, named = entry.lower(), ""
        name = name.strip("[]")
        fits = host.endswith(name[1:]) if name.startswith("*.") else host == name
        if fits and (int(named) == port if named else is_usual):
            return entry
    return None


async def deliver_due() -> None:
    """Send the webhooks of every run that has ended since."""
    for hook in await asyncio.to_thread(due_webhooks):
        with use_person(hook.person):
            try:
                await _deliver(hook)
            except Exception as error:
                _log.error("The webhook of run %s: %s", hook.run_id, redact(error))


async def _deliver(hook: Webhook) -> None:
    run = await asyncio.to_thread(records.get_run, hook.run_id)
    if run is None:
        await asyncio.to_thread(forget_webhook, hook)
        return
    if carrier_of(run).goes_on or not await asyncio.to_thread(claim_webhook, hook, _CLAIMED):
        return
    try:
        why = await _post(hook.url, await asyncio.to_thread(_body, run))
    except (RequestError, ValueError) as error:
        why, hook_pause = str(redact(error)), None
    else:
        hook_pause = _PAUSES[hook.attempts] if hook.attempts < len(_PAUSES) else None
    if why and hook_pause is not None:
        await asyncio.to_thread(try_again, hook, hook_pause)
        return
    if why:
        _log.warning("Nobody took the webhook of run %s: %s", hook.run_id, why)
    await asyncio.to_thread(forget_webhook, hook)


async def _post(url: str, body: dict[str, Any]) -> str:
    """Empty if it was delivered, or else why not. Raises RequestError if a retry cannot help."""
    check_webhook(url)
    entry = _listed(*web_host(url)) or ""
    try:
        code = await post_json(url, body, is_private_allowed=not entry.startswith("*."))
    except PrivateAddressError:
        raise
    except httpx.HTTPError as error:
        return type(error).__name__
    if 400 <= code < 500 and code not in (408, 425, 429):
        raise RequestError(f"it was refused with {code}")
    return "" if code < 300 else f"it answered {code}"


def _body(run: Run) -> dict[str, Any]:
    done = carrier_of(run)
    error = done.result.get("error")
    values = values_of(done.thread_id, done)
    sent = {"webhook_sent_at": datetime.now(UTC).isoformat(), "values": values}
    return {**show_run(run), **sent, "error": error_of(error) if error else None}
