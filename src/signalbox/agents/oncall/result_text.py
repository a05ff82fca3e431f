"""What a tool read of a device, as text for a model: true and complete on its own, with what is not there."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.tools import lacking_parts
from signalbox.errors import redact

__all__ = ["call_text", "result_texts"]

_LONGEST_VALUE = 300
_DEEPEST = 8
_MORE = "\n… ({count} characters are left out here: ask for less at a time) …\n"
_RARE = frozenset(
    "address_families adjacency_type afi_safi area_addresses capabilities circuit_type cores discovery duplex enabled "
    "export_policy grpc hardware ip_mtu known label_space last_change_seconds last_message level lldp_interface "
    "local_address local_as loopback lsr_known mac_address management messages net network peer_group peer_type "
    "physical_bytes process protocols queues reserved_bytes route_distinguisher sources system_id timezone "
    "top_processes transport_address type users in_octets out_octets in_packets out_packets".split()
)
"""Fields that are left out first."""
_PLAIN = re.compile(r"[\w./:+@-]+")


def call_text(device: str, tool: str, args: Mapping[str, Any]) -> str:
    """What was read, of which device."""
    told = ", ".join(f"{name} {_value(value)}" for name, value in args.items())
    return f"{device}, {tool}{f' ({told})' if told else ''}"


def result_texts(answers: Sequence[Mapping[str, Any]], most: int) -> list[str]:
    """The data of each answer in lines, the summary first, in about so many characters together. If they are too long,
    rarely needed fields are left out; if that is not enough, the longest lose their middle. Each text says so."""
    texts = [_text(one) for one in answers]
    if sum(map(len, texts)) > most:
        texts = [_text(one, _RARE) for one in answers]
    left, places = most, sorted(range(len(texts)), key=lambda place: len(texts[place]))
    for count, place in enumerate(places):
        texts[place] = _cut(texts[place], left // (len(places) - count))
        left -= len(texts[place])
    return texts


def _text(given: Mapping[str, Any], without: Collection[str] = ()) -> str:
    if given.get("status") == "feature_not_available":
        told = given.get("feature_not_found_response")
        said = told.get("message") if isinstance(told, Mapping) else None
        return str(redact(" ".join(str(said).split()))) if said else "The device does not have this."
    lines = list(_lines(_bare(given.get("data", given), without)))
    notes = ["in brief: fields that are rarely needed are left out"] if without else []
    if lacking := lacking_parts(given):
        notes.append(f"could not be read: {lacking}")
    return str(redact("\n".join([*notes, *lines]) if lines else "\n".join([*notes, "nothing is there"])))


def _cut(text: str, most: int) -> str:
    """The beginning, with the summary, and the end, where a log has what happened last."""
    if len(text) <= most:
        return text
    half = max(most - len(_MORE) - 5, 0) // 2
    return text[:half] + _MORE.format(count=f"{len(text) - 2 * half:,}") + text[len(text) - half :]


def _bare(data: Any, without: Collection[str]) -> Any:
    if isinstance(data, Mapping):
        return {name: _bare(value, without) for name, value in data.items() if name not in without}
    return [_bare(one, without) for one in data] if isinstance(data, list | tuple) else data


def _lines(data: Any, depth: int = 0) -> Iterator[str]:
    """A line for each entry of a list and for the plain values of each object; `summary` comes first."""
    indent = "  " * depth
    if not isinstance(data, Mapping):
        yield f"{indent}{_inline(data)}"
        return
    plain = {name: value for name, value in data.items() if not isinstance(value, Mapping | list | tuple)}
    if told := _fields(plain):
        yield f"{indent}{told}"
    if depth == 0 and (unread := [name for name, value in plain.items() if value is None]):
        yield f"nothing was read of: {', '.join(unread)}"
    nested = [(name, value) for name, value in data.items() if name not in plain]
    for name, value in sorted(nested, key=lambda one: one[0] != "summary"):
        if not value:
            yield from [f"{indent}{name}: none"] if depth < 2 else []
        elif isinstance(value, Mapping) and depth < _DEEPEST:
            simple = all(not isinstance(one, Mapping) for one in value.values())
            yield f"{indent}{name}: {_fields(value, keeps_absent=True)}" if simple else f"{indent}{name}:"
            yield from () if simple else _lines(value, depth + 1)
        elif any(isinstance(one, Mapping) for one in value):
            yield f"{indent}{name} ({len(value)}):"
            yield from (f"{indent}- {_inline(one)}" for one in value)
        else:
            yield f"{indent}{name}: {_inline(value)}"


def _fields(data: Mapping[str, Any], *, keeps_absent: bool = False) -> str:
    """The fields of an object in a line; those without a value are left out, or said to have none."""
    told = []
    for name, value in data.items():
        if (said := _inline(value, is_inside=True)) and value not in (None, ""):
            told.append(f"{name} {said}")
        elif keeps_absent:
            told.append(f"{name} {'unknown' if value is None else 'none'}")
    return ", ".join(told)


def _inline(value: Any, *, is_inside: bool = False) -> str:
    if isinstance(value, Mapping):
        told = _fields(value)
        return f"({told})" if is_inside and told else told
    if isinstance(value, list | tuple):
        parts = [_inline(one, is_inside=True) for one in value]
        return f"[{', '.join(parts)}]" if is_inside and len(parts) > 1 else ", ".join(parts)
    return _value(value)


def _value(value: Any) -> str:
    """A value as one short line; words of a device in quotation marks."""
    if not isinstance(value, str):
        return json.dumps(value, default=str)
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in value).split())
    line = line if len(line) <= _LONGEST_VALUE else f"{line[: _LONGEST_VALUE - 1]}…"
    return line if _PLAIN.fullmatch(line) else f'"{line}"'
