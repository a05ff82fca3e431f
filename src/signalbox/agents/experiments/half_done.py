"""A write that did not go through, in words: what is stored and what is not, on which server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clients import server_name
from signalbox.agents.experiments.errors import UpgradeError

__all__ = ["listed", "raise_stopped", "raise_unsure"]


def raise_stopped(error: UpgradeError, client: UpgradeClient, written: Mapping[str, Any] | None) -> NoReturn:
    """Raise the error of a write that stopped, with what it did: `partial` where it did something.

    `written` is what `comparing.written` gives; None where it is known that nothing was done.
    """
    server = server_name(client)
    is_nothing = written is None or not (written["created"] or any(written.get(key) for key in _DONE))
    if is_nothing:
        error = _like(error, f"{error.user_message} Nothing was changed on {server}.", error.error_type)
        error.written = dict(written) if written else None
        raise error from None
    assert written is not None
    raise _like(
        error,
        f"{error.user_message} {_told(written, server)}",
        "partial",
        suggestion=_what_next(written),
        written={**written, "server": server},
    ) from None


def raise_unsure(error: UpgradeError, client: UpgradeClient, known: Mapping[str, Sequence[str]]) -> NoReturn:
    """Raise that a call failed and that looking for what it did failed too.

    `known` says what was `stored` before, of what it is `unknown`, and what was `not_sent`.
    """
    server = server_name(client)
    words = (("stored", "Stored"), ("unknown", "It is not known whether this is stored"), ("not_sent", "Not sent"))
    told = " ".join(f"{name}: {', '.join(known[key])}." for key, name in words if known.get(key))
    raise _like(
        error,
        f"{error.user_message} On {server} it could not be read either how far it came. {told}",
        "unsure",
        suggestion="Look at the experiment before you ask again; what is stored is not sent twice.",
        written={"server": server, **{key: list(known.get(key) or ()) for key, _ in words}},
    ) from None


_DONE = ("changed", "otherwise", "lost_payloads", "put_back")
_WORDS = {"status": "state"}


def _told(written: Mapping[str, Any], server: str) -> str:
    name = written["experiment"]["name"]
    if written["created"]:
        told = [f"'{name}' was created on {server}, but not all of it."]
    else:
        told = [f"'{name}' on {server} is changed in part." if written["changed"] else f"On {server}, '{name}':"]
    for key, words in (("changed", "Stored as asked"), ("not_changed", "Not changed")):
        if written.get(key) and not (key == "changed" and written["created"]):
            told.append(f"{words}: {listed(written[key])}.")
    told += [f"{_words(one).capitalize()} is neither as it was nor as asked." for one in written["otherwise"]]
    open_ends = [one for one in written["differences"] if written["created"]]
    if written["created"] and open_ends:
        told = [told[0], f"Still missing: {listed(open_ends)}."]
    if written.get("put_back"):
        told.append(f"The server had lost payloads, which were put back: {_payloads(written['put_back'])}.")
    if written["lost_payloads"]:
        told.append(f"Payloads are lost: {_payloads(written['lost_payloads'])}.")
    return " ".join(told)


def _what_next(written: Mapping[str, Any]) -> str:
    if written["lost_payloads"]:
        return "Set the lost payloads again, on UpGrade's page or by asking for it here."
    return "Ask for the same once more: what is stored stays, and only what is missing is sent."


def _payloads(payloads: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{one['condition']} at {one['site']} / {one['target']}: {json.dumps(one['value'], ensure_ascii=False)}"
        for one in payloads
    )


def listed(names: Iterable[str]) -> str:
    """Fields in words."""
    return ", ".join(map(_words, sorted(names)))


def _words(name: str) -> str:
    return _WORDS.get(name, name.replace("_", " "))


def _like(
    error: UpgradeError, message: str, kind: str, suggestion: str = "", written: dict[str, Any] | None = None
) -> UpgradeError:
    return UpgradeError(
        message,
        kind,
        suggestion=suggestion or error.suggestion,
        status=error.status,
        answer=error.answer,
        endpoint=error.endpoint,
        options=error.options,
        written=written,
    )
