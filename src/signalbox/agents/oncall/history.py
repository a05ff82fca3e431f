"""What was seen on each device, kept on disk, so that a later run can say what has changed since."""

from __future__ import annotations

import hashlib
import json
import os
import re
import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.state import Finding
from signalbox.agents.oncall.tools import source_of
from signalbox.errors import NotFoundError, RequestError, redact
from signalbox.language.names import did_you_mean
from signalbox.settings import home_folder, now
from signalbox.toolbox.person import current_person

__all__ = [
    "CONFIGURED",
    "diff_runs",
    "forget_good",
    "good_devices",
    "keep_good",
    "keep_run",
    "kept_runs",
    "last_good",
    "last_runs",
    "name_baseline",
    "read_baseline",
]

_MOST = 50
_GOOD_FOR = timedelta(days=30)
_NAME = re.compile(r"[\w.-]{1,64}")
CONFIGURED = {
    "interface": ("mtu", "ip_mtu", "configured_speed", "addresses", "vrf"),
    "bgp": ("peer_as", "local_as", "route_reflector_client", "families", "import_policy", "export_policy"),
    "isis_instance": ("net", "level_capability", "authentication", "metric_styles"),
    "isis_interface": ("metric", "levels", "authentication", "circuit_type", "hello_interval", "hello_multiplier"),
    "label_block": ("range",),
    "vrf": ("import_route_targets", "export_route_targets", "interfaces", "route_distinguisher"),
    "system": ("ntp_servers",),
}
"""What somebody configured, by kind: where it differs from the last good state, it was changed."""
_WHAT = {
    "interface": ("name", ("admin_state", "oper_state", "description", "errors", "packets", "speed")),
    "bgp": ("neighbor_address", ("session_state", "enabled", "received", "sent", "peer_name")),
    "isis_instance": ("name", ("areas", "overload")),
    "isis_interface": ("name", ("enabled", "passive")),
    "isis": ("interface", ("state", "who", "level")),
    "label_block": ("name", ()),
    "ldp_interface": ("name", ("enabled",)),
    "ldp": ("lsr_id", ("session_state", "peer_name")),
    "vrf": ("name", ("route_count", "enabled")),
    "link": ("local_interface", ("neighbor", "state", "remote_interface", "local_mtu", "remote_mtu")),
    "system": ("hostname", ("software_version", "boot_time", "ntp_synchronized")),
    "alarm": ("resource", ("severity", "text")),
}
_COUNTED = ("errors", "packets")
_WHAT = {kind: (key, (*names, *CONFIGURED.get(kind, ()))) for kind, (key, names) in _WHAT.items()}


def keep_run(device: str, intent: str, facts: Mapping[str, Sequence[Record]], findings: Sequence[Finding]) -> None:
    """Keep what a run saw of a device; the oldest beyond fifty are let go. One that could not be read leaves none."""
    seen = {kind: _kept(facts[kind], *told) for kind, told in _WHAT.items() if kind in facts}
    if not seen:
        return
    moment = now()
    told = {
        "device": device,
        "at": moment.isoformat(),
        "intent": intent,
        "seen": seen,
        "findings": [one["text"] for one in findings],
    }
    folder = _folder(device)
    _write(folder / f"{moment.strftime('%Y%m%dT%H%M%S%f')}-{uuid.uuid4().hex[:6]}.json", redact(told))
    for old in sorted(folder.glob("*.json"))[:-_MOST]:
        old.unlink(missing_ok=True)


def keep_good(device: str, facts: Mapping[str, Sequence[Record]]) -> None:
    """Keep what a check that found nothing wrong saw of a device: the last good state, of every kind that was read."""
    seen = {kind: _kept(facts[kind], *told) for kind, told in _WHAT.items() if facts.get(kind)}
    if not seen:
        return
    at = now().isoformat()
    new = {kind: {"key": _WHAT[kind][0], "at": at, "records": records} for kind, records in seen.items()}
    folder = _good_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(folder / f"{_safe(device)}.json", redact({"device": device, "kinds": {**last_good(device), **new}}))


def last_good(device: str) -> dict[str, dict[str, Any]]:
    """The last good state of a device by kind, each with its key, moment and records; nothing older than 30 days."""
    try:
        kept = json.loads((_good_folder() / f"{_safe(device)}.json").read_text("utf-8"))["kinds"]
    except (OSError, ValueError, KeyError):
        return {}
    oldest = (now() - _GOOD_FOR).isoformat()
    return {kind: told for kind, told in kept.items() if told["at"] >= oldest and kind in _WHAT}


def good_devices() -> dict[str, dict[str, dict[str, Any]]]:
    """The last good states of the devices in this person's inventory, by device."""
    names = [json.loads(path.read_text("utf-8"))["device"] for path in sorted(_good_folder().glob("*.json"))]
    return {name: kinds for name in names if (kinds := last_good(name))}


def forget_good(device: str) -> bool:
    """Forget the last good state of a device; whether there was one."""
    path = _good_folder() / f"{_safe(device)}.json"
    was_there = path.is_file()
    path.unlink(missing_ok=True)
    return was_there


def _good_folder() -> Path:
    """Where the good states of this person's inventory are: the same name may be another device in another one."""
    place = source_of()
    which = f"{current_person()} {place.get('kind')} {place.get('address')}"
    return home_folder() / "oncall" / "good" / hashlib.sha256(which.encode()).hexdigest()[:16]


def kept_runs(device: str) -> list[dict[str, Any]]:
    """What was kept of a device, the oldest first."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(_place(device).glob("*.json"))]


def last_runs(device: str, count: int) -> list[dict[str, Any]]:
    """The last so many runs on a device. Raises NotFoundError where there are fewer, with the nearest name."""
    runs = kept_runs(device)
    if len(runs) >= count:
        return runs[-count:]
    known = sorted(path.name for path in (home_folder() / "oncall" / "runs").glob("*") if path.name != device)
    near = did_you_mean(device, known) if known and not runs else ""
    raise NotFoundError(
        f"{'No run' if not runs else 'Only one run'} on {device} was kept: there is nothing to compare.",
        suggestion=near or f'Make one with: signalbox ask "check {device}" --agent oncall',
    )


def name_baseline(device: str, name: str) -> dict[str, Any]:
    """Keep the last run of a device under a name, to compare with later. Raises NotFoundError where there is none."""
    _checked(name)
    runs = last_runs(device, 1)
    _write(_folder(device, "baselines") / f"{name}.json", runs[-1])
    return runs[-1]


def read_baseline(device: str, name: str) -> dict[str, Any]:
    """A named baseline of a device. Raises NotFoundError that names those there are."""
    _checked(name)
    folder = _place(device, "baselines")
    path = folder / f"{name}.json"
    if not path.is_file():
        known = [one.stem for one in sorted(folder.glob("*.json"))]
        raise NotFoundError(
            f"{device} has no baseline '{name}'.",
            suggestion=did_you_mean(name, known) or f"Make one with: signalbox oncall baseline {device} {name}",
        )
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def diff_runs(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """What changed between two runs of a device, of what both looked at: name, before and after, None for nothing."""
    rows: list[tuple[str, Any, Any]] = []
    for kind in _WHAT:
        if kind not in before["seen"] or kind not in after["seen"]:
            continue
        old, new = before["seen"][kind], after["seen"][kind]
        for name in dict.fromkeys((*old, *new)):
            if name not in new or name not in old:
                rows.append((f"{kind} {name}", _told(old.get(name)), _told(new.get(name))))
            else:
                rows += [
                    (f"{kind} {name} {key}", old[name].get(key), new[name].get(key))
                    for key in new[name]
                    if key not in _COUNTED and old[name].get(key) != new[name].get(key)
                ]
    return rows


def _told(record: Mapping[str, Any] | None) -> Any:
    return (
        None
        if record is None
        else ", ".join(f"{key} {value}" for key, value in record.items() if value not in (None, "", []))
    )


def _kept(records: Sequence[Record], key: str, fields: Sequence[str]) -> dict[str, dict[str, Any]]:
    kept: dict[str, dict[str, Any]] = {}
    for one in records:
        name = str(one.get(key))
        kept[name if name not in kept else f"{name} ({len(kept)})"] = {field: one.get(field) for field in fields}
    return kept


def _checked(name: str) -> None:
    if not _NAME.fullmatch(name) or name.startswith("."):
        raise RequestError(f"'{name}' is no name for a baseline.", suggestion="Use letters, figures, dots and hyphens.")


def _place(device: str, kind: str = "runs") -> Path:
    return home_folder() / "oncall" / kind / _safe(device)


def _safe(device: str) -> str:
    return re.sub(r"[^\w.-]", "_", device).lstrip(".") or "_"


def _folder(device: str, kind: str = "runs") -> Path:
    folder = _place(device, kind)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _write(path: Path, told: Any) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(told, file, ensure_ascii=False, default=str)
