"""Reports that go out: to one webhook of the operator's, as JSON or as a message for Slack or Mattermost.

Private addresses are refused unless a setting allows them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from signalbox.errors import ConfigurationError, UnavailableError
from signalbox.service.outgoing import PrivateAddressError, post_json
from signalbox.settings import get_settings

__all__ = ["message_for", "send_report"]

_TRIES, _PAUSE = 3, 1.0
_LONGEST = {"slack": 3_000, "mattermost": 12_000}
_NEXT = "Next steps"
_log = logging.getLogger("signalbox.service")


async def send_report(
    alert: Mapping[str, Any], thread_id: str, text: str, *, answer: Mapping[str, Any] | None = None,
    status: Literal["firing", "resolved"] = "firing",
) -> None:  # fmt: skip
    """Send a report where the settings say; without an address, nowhere.

    Raises ConfigurationError for an address that may not be used, and UnavailableError where nobody takes the report.
    """
    settings = get_settings()
    address = settings.report_webhook.strip()
    if not address:
        return
    body = message_for(settings.report_format, alert, thread_id, text, answer=answer, status=status)
    host = urlsplit(address).hostname or "?"
    for number in range(_TRIES):
        if number:
            await asyncio.sleep(_PAUSE * 2**number)
        try:
            code = await _post(address, body, is_private_allowed=settings.report_private)
        except httpx.HTTPError as error:
            why = type(error).__name__
            continue
        if code < 300:
            _log.info("A report went to %s.", host)
            return
        why = f"it answered {code}"
        if code < 500 and code != 429:
            break
    raise UnavailableError(f"The report's webhook at {host} did not take it: {why}.")


async def _post(address: str, body: Mapping[str, Any], *, is_private_allowed: bool) -> int:
    try:
        return await post_json(address, body, is_private_allowed=is_private_allowed)
    except PrivateAddressError as error:
        raise ConfigurationError(
            f"The report's webhook at {error.user_message}", suggestion="Set SIGNALBOX_REPORT_PRIVATE=1 if it is meant."
        ) from None
    except ValueError:
        raise ConfigurationError(
            "SIGNALBOX_REPORT_WEBHOOK is no address of a webhook.", suggestion="Write https://host/path, with no name."
        ) from None


def message_for(
    form: str, alert: Mapping[str, Any], thread_id: str, text: str, *, answer: Mapping[str, Any] | None = None,
    status: str = "firing",
) -> dict[str, Any]:  # fmt: skip
    """What is sent, in the form that is set."""
    if form == "json":
        told = {key: value for key, value in (answer or {}).items() if key != "state"}
        text = "\n\n".join(filter(None, (text, _next_steps(_report_of(answer)))))
        return {"status": status, "thread_id": thread_id, "alert": dict(alert), "text": text, "answer": told or None}
    mark = "Resolved" if status == "resolved" else "Alert"
    summary, text = str(alert.get("summary") or ""), _brief(answer) or text
    if form == "slack":
        whole = f"*{mark}: {_for_slack(summary)}*\n{_for_slack(text)}\n_Thread {_for_slack(thread_id)}_"
        return {"text": _cut(whole, _LONGEST["slack"])}
    whole = f"**{mark}: {_for_mattermost(summary)}**\n\n{_for_mattermost(text)}\n\n*Thread {thread_id}*"
    return {"text": _cut(whole, _LONGEST["mattermost"])}


def _brief(answer: Mapping[str, Any] | None) -> str:
    """What somebody who is woken needs of a report: its verdict, how sure it is, and what to do next; the rest is in
    the thread. Empty for an answer without a report."""
    report = _report_of(answer)
    if not report:
        return ""
    sure = f"How sure: {report['sureness']}" if report.get("sureness") else ""
    return "\n\n".join(filter(None, (report["verdict"], sure, _next_steps(report))))


def _report_of(answer: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return next((one for one in (answer or {}).get("blocks") or () if one["type"] == "report"), {})


def _next_steps(report: Mapping[str, Any]) -> str:
    steps = [one["text"] for part in report.get("sections") or () if part["title"] == _NEXT for one in part["blocks"]]
    return "\n".join([f"{_NEXT}:", *steps]) if steps else ""


def _for_slack(text: str) -> str:
    """Nothing in it is a mention or a link: what systems send is data."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _for_mattermost(text: str) -> str:
    return text.replace("@", "@\u200b")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
