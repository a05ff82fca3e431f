"""Steps that wait for a result: what it gives them once it is there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from signalbox.models.offline.comparing import ranking
from signalbox.models.offline.conditionals import holds
from signalbox.models.offline.conversation import Call
from signalbox.models.offline.givens import label
from signalbox.models.offline.phrase import ask_which
from signalbox.models.offline.records import Record, records_in
from signalbox.models.offline.references import Setting, describe_match, find_reference
from signalbox.models.offline.steps import Step, takes_time, useful_to, with_records
from signalbox.models.offline.wording import mask
from signalbox.models.offline.words import tokens

__all__ = ["POINTING", "points", "resolve_step"]

POINTING = re.compile(
    r"(?i)\b(?:it|its|that|this|them|those|these|both|there|him|her|his|their|the (?:first|second|third|"
    r"fourth|fifth|last|latest|newest|"
    r"oldest|cheapest|best|top|other|same|one|ones|most \w+|shortest|longest|fastest|earliest|largest|"
    r"biggest|smallest|highest|lowest)\b|"
    r"all of (?:them|those)|each(?: one| of them)?)\b"
)

_SOME = re.compile(
    r"(?i)\b(?:any|all|every|each|those|everything|everyone)\s+(?:\w+\s+)?(?:that|which|who|with|without|from|in|at|by|of)\b"
)


def resolve_step(step: Step, results: Sequence[Call], moment: datetime | None = None) -> list[Step]:
    """The waiting step with the results of this turn: one step or several, or a question when it is not clear which."""
    if step.condition is not None:
        if holds(results) != step.condition:
            step.question = ""
            return []
        _from_calls(step, results)
        if not step.missing:
            return [replace(step, waits=False, question="")]
    asked, step.question = step.question, ""
    groups = [records_in(call.text or "") for call in reversed(results)]
    for records in groups:
        useful = useful_to(step.card, records)
        if not useful:
            continue
        chosen = _chosen(step, useful, Setting(moment, takes_time=takes_time(step.card)))
        if chosen:
            found = with_records(step, chosen)
            if found:
                step.question = found[0].question
                return [replace(one, waits=False) for one in found]
        step.question = ask_which([label(record) for record in useful], _asked(step))
        return []
    step.question = asked or f"I found nothing for “{_asked(step)}”, so I left it at that."
    return []


def _from_calls(step: Step, calls: Sequence[Call]) -> None:
    """What the calls of this turn were given serves the step that waited for them."""
    for name in list(step.missing):
        known = next((call.args[name] for call in reversed(calls) if name in call.args), None)
        if known is not None:
            step.args[name] = known
            step.missing.remove(name)


def points(text: str) -> bool:
    """Whether a text points at something: it, the first, the heaviest."""
    plain = mask(text)
    return bool(POINTING.search(plain) or _SOME.search(plain)) or any(
        word.endswith("est") and ranking(word) for word in tokens(plain)
    )


def _asked(step: Step) -> str:
    found = POINTING.search(step.text)
    return found.group() if found else step.about or step.text


def _chosen(step: Step, records: list[Record], setting: Setting) -> Sequence[Record]:
    if points(step.text):
        for text in (step.text, step.about):
            reference = find_reference(mask(text), records, setting)
            if reference is not None and reference.records:
                return reference.records
    if len(records) == 1 and points(step.text):
        return records
    fitting = describe_match(step.about, records)
    return fitting if len(fitting) == 1 else ()
