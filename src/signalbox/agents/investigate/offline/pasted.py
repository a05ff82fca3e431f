"""An alert that somebody pasted: its labels are data, whatever else stands around them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.investigate.state import Alert

__all__ = ["pasted_alert"]

_LABEL = re.compile(r"""\b([A-Za-z_]\w*)\s*=~?\s*(?:"([^"]*)"|'([^']*)'|([^\s,;{}"']+))""")
_OBJECT = re.compile(r"\{.*\}", re.S)
_NAMES = frozenset(
    "alertname service app job instance pod node host device interface neighbor container deployment component".split()
)
"""Labels that say what an alert is about; without any of these, "a=b" is something else."""
_TIMES = {"since": "startsat", "until": "endsat"}


def pasted_alert(text: str) -> Alert | None:
    """The alert in a text that holds an object of JSON, or labels as `name=value`; None if there is none."""
    told = _object(text) or {one[1]: one[2] or one[3] or one[4] for one in _LABEL.finditer(text)}
    if not {*map(str, told)} & _NAMES:
        return None
    labels = {str(key): str(value) for key, value in told.items() if isinstance(value, str | int | float)}
    times = {key: labels.pop(name) for name in [*labels] for key, own in _TIMES.items() if name.casefold() == own}
    return Alert(summary="", labels=labels, since=times.get("since", ""), until=times.get("until", ""))


def _object(text: str) -> dict[str, Any]:
    found = _OBJECT.search(text)
    try:
        told = json.loads(found[0]) if found else None
    except ValueError:
        return {}
    # As Alertmanager and Grafana send it: a group of alerts, each with labels of its own.
    first = (told.get("alerts") or [{}])[0] if isinstance(told, Mapping) else {}
    whole = {**told, **first} if isinstance(told, Mapping) and isinstance(first, Mapping) else {}
    return {**whole, **(whole.get("commonLabels") or {}), **(whole.get("labels") or {})}
