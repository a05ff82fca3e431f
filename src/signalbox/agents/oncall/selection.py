"""What a request chooses among several devices: those that have something, or the first of them by a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.fields import (
    IS_UP,
    LIMITS,
    Field,
    adds_up,
    fields,
    is_up,
    limit_of,
    of_subject,
    things,
    told_of,
    value_of,
    within,
)
from signalbox.agents.oncall.focus import SEARCHED
from signalbox.agents.oncall.presence import LABELS, presence_of
from signalbox.agents.oncall.spoken import moment_of
from signalbox.agents.oncall.subjects import find_subject, kinds_of

__all__ = ["devices_having", "found_on", "ranking", "searched_for", "unable"]

Facts = Mapping[str, Mapping[str, Sequence[Record]]]
_COUNTED = ("carrier_transitions", "established_transitions")
_MOST_RANKED = 12
_CANNOT = {"not_configured": "not configured", "not_running": "not running"}
_NAMED = ("interface", "vrf", "neighbor", "as_number", "address")


def ranking(
    intents: Sequence[str], asked: Sequence[str], focus: Mapping[str, Mapping[str, str]], facts: Facts
) -> list[str]:
    """The devices, or their interfaces and neighbours, in the order that is asked for, each with its figure; nothing
    where no figure was read."""
    own = next(iter(focus.values()), {})
    if not own.get("order"):
        return []
    read = (_figures(fields()[one], own, focus, facts) for one in asked if one in fields())
    found = next(filter(None, read), []) if asked else _counts(intents, focus, facts) if _ranks_devices(own) else []
    rows = sorted(found, key=lambda row: row[0], reverse=own["order"] == "most")
    if len(rows) < 2:
        return []
    order = f"the {own['order']}"
    first = int(own.get("first") or _MOST_RANKED)
    ordered = [f"{order if figure == rows[0][0] else 'then'}: {told}" for figure, told in rows[:first]]
    ordered += [f"… and {len(rows) - first} more"] if len(rows) > first else []
    unknown = [device for device in facts if not any(told.startswith(f"{device}: ") for _, told in rows)]
    return [*ordered, *([f"not known of {', '.join(unknown)}"] if unknown else [])]


def _figures(
    field: Field, own: Mapping[str, str], focus: Mapping[str, Mapping[str, str]], facts: Facts
) -> list[tuple[float, str]]:
    """The figure of each device, or of each of its records, with how it is told."""
    rows: list[tuple[float, str]] = []
    for device, told in facts.items():
        found = [
            (figure, one)
            for one in of_subject(field.kind, focus[device], told)
            if (figure := _figure(one, field)) is not None
        ]
        if found and _ranks_devices(own) and len(facts) > 1:
            rows.append(_of_device(device, field, found, own["order"]))
        else:
            rows += [
                (figure, f"{device}: {told_of(field.kind, [field], one, _exactly(field, figure))}")
                for figure, one in found
            ]
    return rows


def _ranks_devices(focus: Mapping[str, str]) -> bool:
    return focus.get("which", SEARCHED) != SEARCHED


def _of_device(device: str, field: Field, found: Sequence[tuple[float, Record]], order: str) -> tuple[float, str]:
    """What a device has in all of what is counted, or the record of it that comes first."""
    is_sum = len(found) > 1 and (adds_up(field) or field.path in _COUNTED)
    if is_sum:
        total = sum(figure for figure, _ in found)
        evidence = f" [{found[0][1]['evidence']}]" if found[0][1].get("evidence") else ""
        return total, f"{device}: {field.name} {total:,.0f}, of {len(found)} together{evidence}"
    figure, record = (max if order == "most" else min)(found, key=lambda one: one[0])
    return figure, f"{device}: {told_of(field.kind, [field], record, _exactly(field, figure))}"


def _exactly(field: Field, figure: float) -> str:
    """A length of time to the second: in days, devices that were started together are alike."""
    return f" ({figure:,.0f} s)" if field.path.endswith("_seconds") else ""


def _figure(record: Record, field: Field) -> float | None:
    value = value_of(record, field.path)
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    moment = moment_of(value) if isinstance(value, str) and "T" in value else None
    return moment.timestamp() if moment else None


def _counts(intents: Sequence[str], focus: Mapping[str, Mapping[str, str]], facts: Facts) -> list[tuple[float, str]]:
    """How many things of the kind that is checked each device has, in the state that is asked for."""
    kind = next((one for intent in intents for one in kinds_of(intent) if len(kinds_of(intent)) < 3), "")
    return [
        (len(found), f"{device}: {things(kind, len(found))}{_evidence(found)}")
        for device, told in facts.items()
        for found in [[one for one in of_subject(kind, focus[device], told) if _is_chosen(kind, one, focus[device])]]
        if kind and (found or presence_of(told, kind).state in ("present", "not_configured"))
    ]


def _is_chosen(kind: str, one: Record, focus: Mapping[str, str]) -> bool:
    return kind not in IS_UP or not focus.get("state") or is_up(kind, one) == (focus["state"] == "up")


def _evidence(found: Sequence[Record]) -> str:
    return f" [{found[0]['evidence']}]" if found and found[0].get("evidence") else ""


def devices_having(
    intents: Sequence[str], asked: Sequence[str], focus: Mapping[str, Mapping[str, str]], facts: Facts
) -> dict[str, bool] | None:
    """Which devices have what is searched for among several; None where nothing is searched for, and no entry for a
    device of which it is not known."""
    own = next(iter(focus.values()), {})
    if "which" not in own or "order" in own or len(facts) < 2 or (own["which"] == SEARCHED and "vrf" not in own):
        return None
    kinds = list(dict.fromkeys(kind for intent in intents for kind in kinds_of(intent)))
    if (asked and not {"address", *LIMITS} & own.keys()) or (not asked and len(kinds) > 2):
        return None
    return {
        device: found
        for device, told in facts.items()
        if (found := _has(kinds, intents, asked, focus[device], told)) is not None
    }


def _has(
    kinds: Sequence[str],
    intents: Sequence[str],
    asked: Sequence[str],
    focus: Mapping[str, str],
    told: Mapping[str, Sequence[Record]],
) -> bool | None:
    if asked and "address" not in focus:
        read = [
            within(one, fields()[name], focus) for name in asked for one in of_subject(fields()[name].kind, focus, told)
        ]
        return any(read) if read else None
    states = [presence_of(told, kind).state for kind in kinds]
    if all(state in ("not_readable", "not_checked") for state in states):
        return None
    named = [(what, focus[what]) for what in _NAMED if focus.get(what)]
    if named:
        return all(find_subject(what, name, told, intents) for what, name in named)
    if focus.get("state"):
        listed = [(kind, one) for kind in kinds if kind in IS_UP for one in of_subject(kind, focus, told)]
        return any(_is_chosen(kind, one, focus) for kind, one in listed)
    return any(presence_of(told, kind).is_present and presence_of(told, kind).known for kind in kinds)


def searched_for(intents: Sequence[str], asked: Sequence[str], focus: Mapping[str, str]) -> str:
    """What is searched for, in words."""
    named = [f"{LABELS.get(what, what)} {focus[what]}" for what in _NAMED if focus.get(what)]
    limited = [fields()[one] for one in asked]
    measured = [one.name for one in limited]
    kinds = [LABELS[kind] for intent in intents for kind in kinds_of(intent) if kind in LABELS]
    what = ", ".join(dict.fromkeys(measured or named or kinds))
    return " ".join(filter(None, (what, focus.get("group"), focus.get("state"), limit_of(focus, limited))))


def found_on(
    what: str, having: Mapping[str, bool], devices: Iterable[str], without: Mapping[str, Sequence[str]]
) -> list[str]:
    """On which devices something was found, on which it was not, and of which that is not known. `without` has the
    devices on which there can be none, by why."""
    devices, apart = list(devices), {name for names in without.values() for name in names}
    found = [one for one in devices if having.get(one)]
    lacking = [one for one in devices if having.get(one) is False and one not in apart]
    unknown = [one for one in devices if one not in having]
    if found:
        told = [f"on {', '.join(found)}", f"not on {', '.join(lacking)}" if lacking else ""]
    else:
        told = [f"on none of {len(lacking)} devices" if len(lacking) > 1 else f"not on {', '.join(lacking)}"]
        told = told if lacking else ["nowhere"]
    told += [f"{why} on {', '.join(names)}" for why, names in without.items()]
    told += [f"not known of {', '.join(unknown)}"] if unknown else []
    return [f"{what}: {'; '.join(filter(None, told))}"]


def unable(
    intents: Sequence[str], asked: Sequence[str], having: Mapping[str, bool], facts: Facts
) -> dict[str, list[str]]:
    """The devices that do not run what is searched for at all, by how that is said."""
    kinds = list(dict.fromkeys(kind for intent in intents for kind in kinds_of(intent) if kind in IS_UP))
    told: dict[str, list[str]] = {}
    for device, records in facts.items():
        states = {presence_of(records, kind).state for kind in kinds}
        if len(states) == 1 and not asked and not having.get(device) and (why := _CANNOT.get(states.pop())):
            told.setdefault(why, []).append(device)
    return told
