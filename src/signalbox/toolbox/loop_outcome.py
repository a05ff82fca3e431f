"""The outcome of a loop: the answer, its evidence, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from signalbox.contract.answer import uncited
from signalbox.contract.sources import joined
from signalbox.errors import ModelOutputError, SignalboxError
from signalbox.toolbox.loop_calls import was_change
from signalbox.toolbox.verify import Checked

__all__ = ["Outcome", "failed", "presented", "renumbered", "reported", "written"]

Results = Mapping[str, dict[str, Any]]
_STOPS = {
    "rounds": "I stopped here because a request may take no more rounds; this may be incomplete.",
    "tokens": "I stopped here because a request may use no more tokens; this may be incomplete.",
    "time": "I stopped here because the time for a request was up; this may be incomplete.",
}
_LONGEST = 2_000


class Outcome(TypedDict):
    """The outcome.

    `answer` is Markdown. `results` are all results, in the order of their calls; `is_answer` marks those that are the
    answer as they are. `is_written` is set if the answer is the model's own words. `stopped` is the limit that ended
    the run (rounds, tokens, time), `removed` the number of unsupported sentences, `error` the model's failure, and
    `question` the one for the person.
    """

    answer: str
    is_written: bool
    blocks: list[dict[str, Any]]
    source: dict[str, Any] | None
    not_covered: list[str]
    results: list[dict[str, Any]]
    stopped: str
    removed: int
    error: dict[str, str] | None
    question: dict[str, Any] | None


def presented(chosen: Sequence[dict[str, Any]], results: Results, question: dict[str, Any] | None = None) -> Outcome:
    """Results that are the answer as they are, or the question of one of them; with all other changes."""
    added = [one for one in _told(results) if was_change(one) and one not in chosen]
    texts = [question["message"]] if question else [one["text"] for one in chosen]
    answer = "\n\n".join(dict.fromkeys([*map(_with_evidence, added), *texts]))
    outcome = _outcome(answer, [*added, *chosen], results, question=question)
    ids = {own for own, one in results.items() if one in chosen and not question}
    return {**outcome, "results": [{**one, "is_answer": one["id"] in ids} for one in outcome["results"]]}


def written(checked: Sequence[Checked], results: Results, stopped: str = "") -> Outcome:
    """The model's own answer, without unsupported sentences, and with every change that it does not quote: the model is
    told to leave these to the results."""
    kept = [one for one in checked if not one.unsupported]
    removed = len(checked) - len(kept)
    numbers = {number for one in kept for number in one.evidence}
    cited = [one for one in _told(results) if one["number"] in numbers]
    answer = renumbered("".join(one.text for one in kept).strip(), results)
    # If what is left says nothing, the results speak for themselves.
    left_out = [one for one in _told(results) if _bare(one["text"]) not in _bare(answer)]
    added = [one for one in left_out if was_change(one) or (removed and not cited)]
    cited = [one for one in cited if one not in added]
    if removed and not cited and not added:
        return failed(results, ModelOutputError("The model's answer rests on nothing that it has read."), removed)
    notes = [_STOPS[stopped]] if stopped else []
    if removed:
        many, them = ("1 sentence was", "it") if removed == 1 else (f"{removed} sentences were", "them")
        notes.append(f"{many} removed from this answer: nothing that was read supports {them}.")
    parts = [answer, *map(_with_evidence, added), *(f"_{note}_" for note in notes)]
    outcome = _outcome("\n\n".join(filter(None, parts)), [*cited, *added], results, stopped=stopped, removed=removed)
    return {**outcome, "is_written": bool(answer) and all(map(was_change, added))}


def _bare(text: str) -> str:
    """A text without citations and backticks."""
    return " ".join(uncited(text).replace("`", "").split())


def reported(results: Results, stopped: str) -> Outcome:
    """What was found before a limit was reached."""
    answer = "\n\n".join([*map(_with_evidence, _told(results)), f"_{_STOPS[stopped]}_"])
    return _outcome(answer, _told(results), results, stopped=stopped)


def failed(results: Results, error: SignalboxError, removed: int = 0) -> Outcome:
    """What was found before the model failed, and the failure."""
    answer = "\n\n".join(map(_with_evidence, _told(results)))
    return {**_outcome(answer, _told(results), results, removed=removed), "error": error.as_dict()}


def _outcome(
    answer: str,
    shown: Iterable[dict[str, Any]],
    results: Results,
    *,
    stopped: str = "",
    removed: int = 0,
    question: dict[str, Any] | None = None,
) -> Outcome:
    used = [one for one in _told(results) if one["ok"]]
    return Outcome(
        answer=answer,
        is_written=False,
        blocks=[block for one in shown for block in one.get("blocks") or ()],
        source=joined([one["source"] for one in used if one.get("source")]),
        not_covered=list(dict.fromkeys(part for one in used for part in one.get("not_covered") or ())),
        results=[
            {"id": own, "number": one["number"], "evidence": one["evidence"], "is_answer": False}
            for own, one in results.items()
        ],
        stopped=stopped,
        removed=removed,
        error=None,
        question=question,
    )


def _told(results: Results) -> list[dict[str, Any]]:
    """What a person has to know: everything that was read, and every change that was made or attempted."""
    return [one for one in results.values() if (one["ok"] or was_change(one)) and not one.get("same_as")]


def _with_evidence(result: Mapping[str, Any]) -> str:
    text = result["text"].strip()
    return f"{text if len(text) <= _LONGEST else f'{text[:_LONGEST]} …'} [{result['evidence']}]"


def renumbered(text: str, results: Results) -> str:
    """Citations by ids of the ledger instead of the model's numbers."""
    ids = {one["number"]: one["evidence"] or one["number"] for one in results.values()}
    if all(number == own for number, own in ids.items()):
        return text
    return re.sub(r"\[E\d+(?:, E\d+)*\]", lambda found: re.sub(r"E\d+", lambda one: ids[one[0]], found[0]), text)
