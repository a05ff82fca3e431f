"""Overrides of what a device tells: any path of its OpenConfig tree deleted, replaced or updated, and lines in its log.

An override is a JSON object in the words of gNMI's Set. It changes what the device says and nothing else: what would
follow from it elsewhere (the other end, a route, a log) is written down as overrides too.

    {"device": "pe1",
     "delete":  ["network-instances/network-instance[name=CUST-A]/inter-instance-policies"],
     "replace": {"interfaces/interface[name=Loopback0]/state/admin-status": "DOWN"},
     "update":  {"system/cpus/cpu[index=2]/state/total": {"instant": 100, "avg": 100}},
     "log":     ["isis[1003]: %ROUTING-ISIS-3-AUTH_FAILURE : …", {"ago": 90, "text": "…"}, {"raw": "a whole line"}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from signalbox.errors import ConfigurationError
from signalbox.worlds.network.lookup import Step, bare, plain
from signalbox.worlds.network.model import Model
from signalbox.worlds.network.values import nanoseconds

__all__ = ["Override", "apply_overrides", "logged_lines", "parse_override", "read_wanted"]

_STEP = re.compile(r"((?:[^/\[\]]|\[[^\]]*\])+)")
_KEY = re.compile(r"\[([^=\]]+)=([^\]]*)\]")
_AGO = re.compile(r"ago:(\d+)")
_KEYS = {"device", "delete", "replace", "update", "log", "about"}
_RECENTLY = 300


@dataclass(frozen=True)
class Override:
    """What one device tells differently. `log` has pairs of how many seconds ago and the text; without a moment, the
    text is the whole line."""

    device: str
    delete: tuple[str, ...] = ()
    replace: Mapping[str, Any] = field(default_factory=dict)
    update: Mapping[str, Any] = field(default_factory=dict)
    log: tuple[tuple[float | None, str], ...] = ()


def read_wanted(text: str) -> tuple[list[str], list[Mapping[str, Any]]]:
    """The faults and the overrides of a setting: faults between commas, a JSON list of both, or `@` and a file with it.

    Raises ConfigurationError where it is neither.
    """
    text = text.strip()
    try:
        if text.startswith("@"):
            text = Path(text[1:]).read_text("utf-8").strip()
        listed = json.loads(text) if text.startswith(("[", "{")) else [text]
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"SIGNALBOX_WORLD_FAULTS cannot be read: {error}.", suggestion="Write kind:device, or a JSON list."
        ) from None
    listed = [listed] if isinstance(listed, Mapping) else listed
    return [one for one in listed if isinstance(one, str)], [one for one in listed if isinstance(one, Mapping)]


def parse_override(told: Mapping[str, Any], model: Model) -> Override:
    """An override, checked. Raises ConfigurationError that names what is wrong with it."""
    if unknown := sorted(set(told) - _KEYS):
        raise ConfigurationError(
            f"An override has no '{unknown[0]}'.", suggestion=f"It may have {', '.join(sorted(_KEYS))}."
        )
    device = str(told.get("device", ""))
    if device not in model.devices:
        raise ConfigurationError(
            f"An override needs a device of the network, not '{device}'.",
            suggestion=f"There is: {', '.join(model.devices)}.",
        )
    deleted = told.get("delete") or ()
    return Override(
        device,
        (deleted,) if isinstance(deleted, str) else tuple(deleted),
        dict(told.get("replace") or {}),
        dict(told.get("update") or {}),
        tuple(_line(one) for one in told.get("log") or ()),
    )


def _line(told: Any) -> tuple[float | None, str]:
    if isinstance(told, str):
        return _RECENTLY, told
    return (None, str(told["raw"])) if "raw" in told else (float(told.get("ago", _RECENTLY)), str(told["text"]))


def logged_lines(overrides: Sequence[Override], moment: datetime) -> Iterator[tuple[datetime | None, str]]:
    """The lines that overrides add to the log, each with its moment, or with none where it is a whole line."""
    for one in overrides:
        for ago, text in one.log:
            yield (None if ago is None else moment - timedelta(seconds=ago)), text


def apply_overrides(tree: dict[str, Any], overrides: Sequence[Override], moment: datetime) -> dict[str, Any]:
    """The tree with the overrides, in gNMI's order: delete, replace, update. `ago:300` as a value is a moment."""
    made = dict(tree)
    for one in overrides:
        for path in one.delete:
            _delete(made, _steps(path))
        for values, is_replaced in ((one.replace, True), (one.update, False)):
            for path, value in values.items():
                _put(made, _steps(path), _timed(value, moment), is_replaced)
    return made


def _steps(path: str) -> list[Step]:
    found: list[Step] = []
    for part in _STEP.findall(path):
        name = part.split("[", 1)[0]
        found.append((name if found else bare(name), dict(_KEY.findall(part))))
    return [one for one in found if one[0]]


def _timed(value: Any, moment: datetime) -> Any:
    """A value with each `ago:SECONDS` as the moment so long before now, in nanoseconds since 1970."""
    if isinstance(value, Mapping):
        return {name: _timed(one, moment) for name, one in value.items()}
    if isinstance(value, list):
        return [_timed(one, moment) for one in value]
    ago = _AGO.fullmatch(value) if isinstance(value, str) else None
    return nanoseconds(moment - timedelta(seconds=int(ago[1]))) if ago else value


def _made(node: dict[str, Any], name: str) -> str:
    """The name as the node has it, with or without the prefix of a module; what is made when it is read is made."""
    own = next((one for one in node if bare(one) == bare(name)), name)
    if own in node:
        node[own] = plain(node[own])
    return own


def _chosen(listed: Any, keys: Mapping[str, str]) -> list[dict[str, Any]]:
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [
        one
        for one in entries
        if all(wanted == "*" or bare(one.get(key, "")) == bare(wanted) for key, wanted in keys.items())
    ]


def _delete(node: dict[str, Any], steps: list[Step]) -> None:
    if not steps:
        node.clear()
        return
    (name, keys), rest = steps[0], steps[1:]
    for own in list(node) if name == "*" else [_made(node, name)]:
        _made(node, own)
        if own not in node:
            continue
        below = _chosen(node[own], keys) if isinstance(node[own], list) else [node[own]]
        if rest:
            for one in below:
                if isinstance(one, dict):
                    _delete(one, rest)
        elif keys:
            node[own] = [one for one in node[own] if not any(one is other for other in below)]
        else:
            del node[own]


def _put(node: dict[str, Any], steps: list[Step], value: Any, is_replaced: bool) -> None:
    if not steps:
        _merge(node, value)
        return
    (name, keys), rest = steps[0], steps[1:]
    own = _made(node, name)
    if keys:
        listed = node.setdefault(own, [])
        if not _chosen(listed, keys) and "*" not in keys.values():
            listed.append(dict(keys))
        for one in _chosen(listed, keys):
            if is_replaced and not rest:
                kept = {key: one[key] for key in keys}
                one.clear()
                one.update(kept)
            _put(one, rest, value, is_replaced)
    elif rest:
        below = node.setdefault(own, {})
        for one in below if isinstance(below, list) else [below]:
            _put(one, rest, value, is_replaced)
    elif is_replaced or not isinstance(node.get(own), dict) or not isinstance(value, Mapping):
        node[own] = value
    else:
        _merge(node[own], value)


def _merge(node: dict[str, Any], value: Mapping[str, Any]) -> None:
    for name, one in value.items():
        _put(node, [(name, {})], one, False)
