"""What was asked for, told of all devices of a run together: what they have in common, then what each of them says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signalbox.agents.oncall.answers import EVIDENCE, MANY, answer_lines
from signalbox.agents.oncall.facts import Record
from signalbox.agents.oncall.focus import SEARCHED
from signalbox.agents.oncall.overview import Overview, count_chosen, overview
from signalbox.agents.oncall.presence import Presence
from signalbox.agents.oncall.selection import devices_having, found_on, ranking, searched_for, unable
from signalbox.agents.oncall.spoken import spoken_moment
from signalbox.agents.oncall.state import Finding
from signalbox.agents.oncall.subjects import focus_on, intents_of, kinds_of

__all__ = ["RunAnswers", "answers_of"]

_FEW_ALIKE = 2
_FEW_KINDS = 3
Facts = Mapping[str, Mapping[str, Sequence[Record]]]


@dataclass(frozen=True, slots=True)
class RunAnswers:
    """The lines that answer a request, and how they were chosen."""

    lines: list[str]
    focus: Mapping[str, dict[str, str]]
    """The focus as it is on each device."""
    having: Mapping[str, bool]
    """Which devices have what is searched for; empty where nothing is."""
    unable: Collection[str]
    """The devices that do not run what is searched for at all."""
    is_chosen: bool
    """Whether devices or things were chosen: the first by a figure, or those that have something."""
    is_wide: bool
    """Whether everything was asked of many devices: then the verdict says more than the lines."""
    is_since: bool
    """Whether the lines say since when there is what was found."""


def answers_of(
    state: Mapping[str, Any],
    facts: Facts,
    findings: Sequence[Finding],
    missing: Mapping[str, Sequence[Presence]],
    unread: Collection[str],
) -> RunAnswers:
    """What the devices told of what was asked; `missing` is what is not there, and `unread` could not be read."""
    request = state.get("focus") or {}
    intents, asked = intents_of(state), state.get("facts") or ()
    focus = {device: focus_on(device, request, intents, told) for device, told in facts.items()}
    having = devices_having(intents, asked, focus, facts)
    is_wide = not asked and len(facts) > MANY and any(len(kinds_of(intent)) >= _FEW_KINDS for intent in intents)
    ranked = ranking(intents, asked, focus, facts)
    lines = ranked or _told(state, facts, focus, having, missing)
    if is_wide:
        # Of the devices that are well, the verdict and the table say enough.
        troubled = {one["device"] for one in findings if one["severity"] != "info"} | {*unread} | missing.keys()
        lines = [line for line in lines if line.partition(":")[0] not in facts.keys() - troubled]
    cannot = unable(intents, asked, having or {}, facts) if "which" in request else {}
    if having is not None:
        lines = [*found_on(searched_for(intents, asked, request), having, facts, cannot), *lines]
    since = [_began(one) for one in findings if one["since"]] if "since" in request else []
    if since:
        lines = [*since, *(lines if not is_wide else ())]
    elif "since" in request:
        lines = ["nothing that is wrong tells since when", *lines]
    is_searched = request.get("which") == SEARCHED
    return RunAnswers(
        lines,
        focus,
        having or {},
        [device for names in cannot.values() for device in names],
        is_chosen=bool(ranked) or (having is not None and not is_searched),
        is_wide=is_wide and not since,
        is_since=bool(since),
    )


def _told(
    state: Mapping[str, Any],
    facts: Facts,
    focus: Mapping[str, Mapping[str, str]],
    having: Mapping[str, bool] | None,
    missing: Mapping[str, Sequence[Presence]],
) -> list[str]:
    """What the devices have in common, then what each of them says."""
    intents, asked = intents_of(state), state.get("facts") or ()
    seen = overview(asked, focus, facts) if having is None else Overview()
    narrow = [kind for one in intents for kind in kinds_of(one) if len(kinds_of(one)) < _FEW_KINDS]
    is_counted = len(facts) > MANY and having is None and not asked
    if not seen.is_dated:
        focus = {device: {**own, "minutes": ""} for device, own in focus.items()}
    lines = [
        (device, line)
        for device, records in facts.items()
        if having is None or having.get(device) or (asked and not any(having.values()))
        for line in answer_lines(
            intents,
            focus[device],
            records,
            missing.get(device, ()),
            asked=asked,
            checks=state.get("checks") or (),
            usual=seen.usual,
            devices=len(facts),
        )
    ]
    counted = count_chosen(narrow, focus, facts) if is_counted else []
    return [*counted, *seen.lines, *_of_devices(lines, list(facts))]


def _of_devices(lines: Sequence[tuple[str, str]], devices: Sequence[str]) -> list[str]:
    """The lines of several devices, each after the name of its device; what many say alike is said once."""
    if len(devices) == 1:
        return [line for _, line in lines]
    saying: dict[str, list[str]] = {}
    for device, line in lines:
        saying.setdefault(_alike(device, line), []).append(device)
    told = []
    for device, line in lines:
        who = saying[_alike(device, line)]
        where = f"on all {len(devices)} devices" if len(who) == len(devices) else f"on {', '.join(who)}"
        told.append(f"{device}: {line}" if len(who) <= _FEW_ALIKE else f"{_alike(device, line)}: {where}")
    return list(dict.fromkeys(told))


def _alike(device: str, line: str) -> str:
    """A line without its device and evidence: two devices that say the same have the same."""
    return EVIDENCE.sub("", line).removeprefix(f"{device} ")


def _began(one: Finding) -> str:
    """Since when there is what was found."""
    told = f" [{one['evidence'][0]}]" if one["evidence"] else ""
    return f"since {spoken_moment(one['since'])}: {one['device']}: {one['text']}{told}"
