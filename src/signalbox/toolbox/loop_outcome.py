"""How a run of the loop came out: what a person is told, what it rests on, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from signalbox.contract.sources import joined
from signalbox.errors import ModelOutputError, SignalboxError
from signalbox.toolbox.verify import Checked

__all__ = ["Outcome", "failed", "presented", "reported", "written"]

Results = Mapping[str, dict[str, Any]]
_STOPS = {
    "rounds": "I stopped here because a request may take no more rounds; this may be incomplete.",
    "tokens": "I stopped here because a request may use no more tokens; this may be incomplete.",
    "time": "I stopped here because the time for a request was up; this may be incomplete.",
}
_LONGEST = 2_000


class Outcome(TypedDict):
    """What came of a run. `answer` is Markdown. `results` are all of them, in the order of their calls.

    `stopped` names the limit that ended the run (rounds, tokens, time), `removed` counts the sentences that nothing
    supported, `error` is the model's fault that ended it, and `question` waits for the person.
    """

    answer: str
    blocks: list[dict[str, Any]]
    source: dict[str, Any] | None
    not_covered: list[str]
    results: list[dict[str, Any]]
    stopped: str
    removed: int
    error: dict[str, str] | None
    question: dict[str, Any] | None


def presented(chosen: Sequence[dict[str, Any]], results: Results, question: dict[str, Any] | None = None) -> Outcome:
    """Results that are the answer as they stand, or the question that one of them asks."""
    answer = question["message"] if question else "\n\n".join(dict.fromkeys(one["text"] for one in chosen))
    return _outcome(answer, chosen, results, question=question)


def written(checked: Sequence[Checked], results: Results, stopped: str = "") -> Outcome:
    """The model's own answer, without the sentences that nothing supports."""
    kept = [one for one in checked if not one.unsupported]
    removed = len(checked) - len(kept)
    numbers = {number for one in kept for number in one.evidence}
    cited = [one for one in results.values() if one["number"] in numbers and not one.get("same_as")]
    answer = _renumbered("".join(one.text for one in kept).strip(), results)
    if removed and not cited:
        # What is left says nothing: the results speak for themselves.
        if not (found := _found(results)):
            return failed(results, ModelOutputError("The model's answer rests on nothing that it has read."), removed)
        answer = "\n\n".join(one for one in (answer, found) if one)
    notes = [_STOPS[stopped]] if stopped else []
    if removed:
        many = "1 sentence was" if removed == 1 else f"{removed} sentences were"
        notes.append(f"{many} removed from this answer: nothing that was read supports them.")
    answer = "\n\n".join([answer, *(f"_{note}_" for note in notes)])
    return _outcome(answer, cited, results, stopped=stopped, removed=removed)


def reported(results: Results, stopped: str) -> Outcome:
    """What was found up to a limit."""
    answer = "\n\n".join(one for one in (_found(results), f"_{_STOPS[stopped]}_") if one)
    return _outcome(answer, _fine(results), results, stopped=stopped)


def failed(results: Results, error: SignalboxError, removed: int = 0) -> Outcome:
    """What was found before the model failed, and how it failed."""
    outcome = _outcome(_found(results), _fine(results), results, removed=removed)
    return {**outcome, "error": error.as_dict()}


def _outcome(
    answer: str,
    shown: Iterable[dict[str, Any]],
    results: Results,
    *,
    stopped: str = "",
    removed: int = 0,
    question: dict[str, Any] | None = None,
) -> Outcome:
    used = [one for one in results.values() if one["ok"] and not one.get("same_as")]
    return Outcome(
        answer=answer,
        blocks=[block for one in shown for block in one.get("blocks") or ()],
        source=joined([one["source"] for one in used if one.get("source")]),
        not_covered=list(dict.fromkeys(part for one in used for part in one.get("not_covered") or ())),
        results=[{"id": own, "number": one["number"], "evidence": one["evidence"]} for own, one in results.items()],
        stopped=stopped,
        removed=removed,
        error=None,
        question=question,
    )


def _fine(results: Results) -> list[dict[str, Any]]:
    return [one for one in results.values() if one["ok"] and not one.get("same_as")]


def _found(results: Results) -> str:
    """The texts of the results, each with its evidence."""
    texts = [(one["text"], one["evidence"]) for one in _fine(results)]
    return "\n\n".join(f"{text[:_LONGEST].rstrip()} [{evidence}]" for text, evidence in texts)


def _renumbered(text: str, results: Results) -> str:
    """Citations by the ids of the ledger, instead of the numbers that the model knows."""
    ids = {one["number"]: one["evidence"] or one["number"] for one in results.values()}
    if all(number == own for number, own in ids.items()):
        return text
    return re.sub(r"\[E\d+(?:, E\d+)*\]", lambda found: re.sub(r"E\d+", lambda one: ids[one[0]], found[0]), text)
