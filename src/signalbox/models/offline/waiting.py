"""Steps that wait for a result: on which outcome they are taken, and what the result gives them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from signalbox.language.words import split_name, tokens, word_set
from signalbox.models.offline.conversation import Call
from signalbox.models.offline.phrase import ask_which
from signalbox.models.offline.shown.comparing import measure_of, ranking
from signalbox.models.offline.shown.givens import label
from signalbox.models.offline.shown.mentioning import describe_match
from signalbox.models.offline.shown.records import Record, records_in
from signalbox.models.offline.shown.references import Setting, find_reference
from signalbox.models.offline.steps import Step, takes_time, useful_to, with_records
from signalbox.models.offline.wording import mask

__all__ = ["POINTING", "Halves", "points", "resolve_step", "split_condition"]

_IF = re.compile(
    r"(?i)[\s,;.]*\b(?:and |then |but )*(?:if|in case|provided|as long as|unless)\s+(?P<says>so|yes|not|none|nothing|"
    r"(?:it|he|she|they|one|any|some|that|this|we|i|there)(?:'s|'re)?(?:\s+(?:does|do|is|are|has|have|can|was|were|"
    r"don't|doesn't|isn't|aren't|hasn't|haven't|can't|not|still|really|any|some|one|ones|enough|the case|so|true|"
    r"free|left|there|available|possible|in stock|open|of them|of those|nothing|none))+)(?=\s*(?:[,:]|\bthen\b|\b\w))"
    r"\s*[,:]?\s*(?:then\s+)?"
)
_NEGATIVE = re.compile(r"(?i)\bnot\b|n't\b|\bnone\b|\bnothing\b")
_NOTHING = re.compile(
    r"(?i)\W*(?:no\b|none\b|nothing\b|not (?:found|available|in stock)|0\b|false\b|sold out|unavailable|closed)"
)
_TELLING = word_set("available free ok exists found open possible in_stock stock success left")


@dataclass(frozen=True)
class Halves:
    """What is to be found out, and what is done then; `positive` says on which outcome."""

    first: str
    then: str
    positive: bool


def split_condition(request: str) -> Halves | None:
    """The halves of a request with a condition on the outcome of its first half; None when it has none."""
    masked = mask(request)
    found = _IF.search(masked)
    if found is None or found.start() == 0 or len(request[found.end() :].split()) < 2:
        return None
    if not request[: found.start()].strip():
        return None
    unless = "unless" in found.group().lower()
    positive = bool(_NEGATIVE.search(found["says"])) == unless
    return Halves(request[: found.start()].strip(), request[found.end() :].strip(), positive)


def _holds(calls: Sequence[Call]) -> bool:
    """Whether a result says yes: it holds something, and nothing in it says that there is none."""
    texts = [call.text or "" for call in calls if not call.failed]
    if not texts or not texts[-1].strip() or _NOTHING.match(texts[-1]):
        return False
    records = records_in(texts[-1])
    if not records:
        return not re.fullmatch(r"\s*[\[{]\s*[\]}]\s*", texts[-1])
    return any(_is_so(record) for record in records)


def _is_so(record: Record) -> bool:
    """Whether a thing is there: no word for being so is false or zero, and some figure is more than zero if any is."""
    for key, value in record.fields.items():
        if set(split_name(key)) & _TELLING and (value is False or value == 0 or value == []):
            return False
    numbers = [value for key in record.fields if isinstance(value := measure_of(record, key), float)]
    lists = [value for value in record.fields.values() if isinstance(value, list)]
    if lists and not any(lists) and not numbers:
        return False
    return not numbers or any(number > 0 for number in numbers)


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
        if _holds(results) != step.condition:
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
