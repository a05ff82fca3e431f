"""Runbooks: Markdown files of the operator's own, for the alerts and things that their head names.

---
alerts: [CheckoutSlow, High*]      # names of alerts; * stands for anything
labels: {team: shop}               # all of these labels
subjects: [checkout, payment]      # names of services, machines, …
---
# When checkout is slow
- Is the payment provider's status page green?
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from signalbox.agents.investigate.dependencies import told_error
from signalbox.agents.investigate.graph import name_of
from signalbox.agents.investigate.state import Alert, Reading, Runbook
from signalbox.errors import ConfigurationError
from signalbox.settings import get_settings, home_folder

__all__ = ["matching_runbooks"]

_HEAD = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*\n", re.S | re.M)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.+)$", re.M)
_FENCE = re.compile(r"^```.*?^```[ \t]*$", re.S | re.M)
_NEARLY = {"alert": "alerts", "label": "labels", "subject": "subjects"}
_MOST, _MOST_CHECKS, _LONGEST, _LARGEST = 3, 6, 6_000, 200_000


def matching_runbooks(read: Reading, alert: Alert | None) -> tuple[list[Runbook], list[str]]:
    """The runbooks for an alert's labels or a subject, those of the alert first; and what is wrong with others."""
    own = home_folder() / "runbooks"
    folder = get_settings().runbooks or (own if own.is_dir() else None)
    if folder is None:
        return [], []
    if not folder.is_dir():
        return [], [f"{folder}, which SIGNALBOX_RUNBOOKS names, is no folder"]
    names = {name_of(one).casefold() for one in read.get("subject") or ()} | {(read.get("about") or "").casefold()}
    found: list[tuple[int, Runbook]] = []
    wrong: list[str] = []
    labels = alert["labels"] if alert else {}
    for path in sorted(folder.glob("**/*.md")):
        try:
            head, text = _read(path)
        except ConfigurationError as error:
            wrong.append(f"the runbook {error.user_message} {error.suggestion}")
            continue
        rank = _rank(head, names, labels)
        if rank:
            checks = [one.strip() for one in _ITEM.findall(_FENCE.sub("", text))][:_MOST_CHECKS]
            book = Runbook(name=path.relative_to(folder).as_posix(), text=text.strip()[:_LONGEST], checks=checks)
            found.append((rank, book))
    return [book for _, book in sorted(found, key=lambda one: -one[0])[:_MOST]], wrong


def _rank(head: Mapping[str, Any], names: set[str], labels: Mapping[str, str]) -> int:
    """How well a runbook fits by the alert, the subject and the labels that its head names; 0 if it does not."""
    alerts, subjects = (_listed(head.get(key)) for key in ("alerts", "subjects"))
    wanted = head.get("labels") or {}
    if not all(labels.get(str(key)) == str(value) for key, value in wanted.items()):
        return 0
    by_alert = any(fnmatchcase(labels.get("alertname", ""), one) for one in alerts)
    by_subject = bool({one.casefold() for one in subjects} & names)
    return 2 * by_alert + by_subject + (2 if wanted and not alerts and not subjects else 0)


def _listed(told: Any) -> list[str]:
    return [str(one) for one in (told if isinstance(told, list) else [told] if told else [])]


def _read(path: Path) -> tuple[Mapping[str, Any], str]:
    import yaml

    try:
        if path.stat().st_size > _LARGEST:
            raise ConfigurationError(f"{path} is larger than {_LARGEST:,} bytes.", suggestion="Split the runbook.")
        text = path.read_text("utf-8")
        found = _HEAD.match(text)
        head: Any = (yaml.safe_load(found[1]) or {}) if found else {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise _wrong(path, told_error(error, lines_before=1)) from None
    if not isinstance(head, Mapping) or not isinstance(head.get("labels") or {}, Mapping):
        raise _wrong(path, "its head is no mapping, or its labels are none")
    if nearly := [key for key in head if key in _NEARLY]:
        raise _wrong(path, f"its head has {nearly[0]}, which is {_NEARLY[nearly[0]]}")
    # Where a head does not say what it is for, the file's own name is the subject.
    is_for = any(head.get(key) for key in _NEARLY.values())
    return head if is_for else {"subjects": [path.stem]}, text[found.end() :] if found else text


def _wrong(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(f"{path}: {why}.", suggestion="Correct the runbook.")
