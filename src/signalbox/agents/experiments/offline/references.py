"""Which experiment a text means: its words for one, which `grounding/` then resolves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from signalbox.agents.experiments import plan
from signalbox.agents.experiments.candidates import UNTELLING, Fields, Server, find_experiment, view_of, which_of
from signalbox.agents.experiments.offline.names import grounded, mentioned, mistyped, placed, without, written_name
from signalbox.language.names import close
from signalbox.language.references import IT, OTHER, THEM
from signalbox.language.switches import is_on
from signalbox.language.words import Word, read_words, stems_of, tokens

__all__ = ["WHICH", "experiment_in", "named_run", "vocabulary"]

WHICH = ("experiment_id", "experiment_name", "which", "taken_for")
"""The fields that say which experiment is meant."""
_ELSE = (
    "new_name", "context", "conditions", "condition", "site", "target", "users", "user_id", "groups", "description",
    "tags", "when",
)  # fmt: skip
"""The fields whose words name something else than an experiment."""
_SHORT = 6
"""From how many letters on a mistyped word is still taken for one of a name."""


def experiment_in(
    text: str, said: Mapping[str, Any], state: Mapping[str, Any], server: Server, apart: Iterable[str] = ()
) -> Fields:
    """The fields that say which experiment a text means, if it names any; `apart` are names of other things."""
    view = view_of(state)
    if whole := mentioned(text, server.names):
        names = [str(said["experiment"])] if said.get("experiment") in whole else whole
        ids = server.named(names)
        return {"experiment_id": ids[0], "experiment_name": names[0]} if len(ids) == 1 else which_of(ids)
    if at_place := server.by_id(placed(text, state.get("shown") or ())[0]):
        return {"experiment_id": at_place["id"], "experiment_name": at_place["name"]}
    text = without(text, [*apart, *(str(said[key]) for key in _ELSE if isinstance(said.get(key), str))])
    if (slip := mistyped(text, server.names)) and len(ids := server.named([grounded(slip, server.names) or ""])) == 1:
        return {"experiment_id": ids[0], "experiment_name": grounded(slip, server.names), "taken_for": slip}
    written, pointing = written_name(text, server.contexts), str(said.get("reference") or "")
    is_pointing = bool(set(tokens(pointing)) & (IT | THEM | OTHER))
    first = [written] if len(written.split()) > 1 else [pointing] if is_pointing else []
    for words in (
        *first,
        str(said.get("named") or ""),
        named_run(text, server),
        "" if view.spoken else written,
        pointing,
    ):
        if words:
            return find_experiment(words, server, view)
    return {}


def named_run(text: str, server: Server) -> str:
    """The longest run of words with one of a name in it. What speaks of anything else, or of no thing at all, ends it:
    of "homework reminders" both words are the name that is meant."""
    if not is_on("experiments.runs"):
        return ""
    runs = [run for run in _runs(text) if any(_is_of_name(one, server) for one in run)]
    best = max(runs, key=len, default=[])
    return text[best[0].start : best[-1].end] if best else ""


def _runs(text: str) -> Iterator[list[Word]]:
    run: list[Word] = []
    for one in read_words(text):
        is_cut = bool(run) and bool(re.search(r"[^\s\w'’_-]", text[run[-1].end : one.start]))
        is_other = one.word in UNTELLING or set(stems_of(one.word)) <= vocabulary() or one.word.isdigit()
        if (is_cut or is_other) and run:
            yield run
            run = []
        if not is_other:
            run.append(one)
    if run:
        yield run


def _is_of_name(word: Word, server: Server) -> bool:
    """True if a word is one of a name, or nearly."""
    own = {part for name in server.names for one in read_words(name) for part in stems_of(one.word)} - vocabulary()
    parts = stems_of(word.word)
    return any(part in own or (len(part) >= _SHORT and any(close(part, one) for one in own)) for part in parts)


@cache
def vocabulary() -> frozenset[str]:
    """The stems of the words that the schema itself uses for what is asked and done: they name no experiment."""
    tables = (
        plan.CAPABILITIES, plan.ACTIONS, plan.ASPECTS, plan.STATUSES, plan.LISTED, plan.TASKS, plan.TESTS, plan.EVENTS,
        plan.UNITS, plan.FEATURES, plan.SITUATIONS,
    )  # fmt: skip
    words = " ".join(f"{key} {about}" for table in tables for key, about in table.items()).replace("_", " ")
    more = "show tell give get want need please detail setup info current currently would could should many much how it"
    return frozenset(part for word in read_words(f"{words} {more}") for part in stems_of(word.word))
