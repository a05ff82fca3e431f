"""The server's experiments as candidates for `grounding/`, and which of them a request means.

Reads and writes find an experiment the same way: words become one experiment, a question, or "there is none".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from signalbox.agents.experiments.asking import Ask, Fault
from signalbox.agents.experiments.exact_names import all_experiments, metadata_of_context
from signalbox.grounding import Ask as Open
from signalbox.grounding import Candidate, NotFound, One, Several, View, resolve
from signalbox.language.names import close
from signalbox.language.references import KINDS, LIGHT, PLACES
from signalbox.language.words import fold, read_words, stems_of, word_set

__all__ = [
    "UNTELLING",
    "Server",
    "choose_experiment",
    "find_experiment",
    "look_around",
    "view_of",
    "which_of",
]

_MOST_OPTIONS = 8
_MOST_NAMED = 12
UNTELLING = LIGHT - KINDS | word_set("experiment experiments test tests study studies one ones thing things stuff")
"""Words that do not tell one experiment from another. A reminder or a box may be what one is called after."""
Fields = dict[str, Any]


@dataclass(frozen=True)
class Server:
    """The experiments, in short, and what each context offers."""

    experiments: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the experiments, each once."""
        return list(dict.fromkeys(one["name"] for one in self.experiments))

    @property
    def contexts(self) -> list[str]:
        """The contexts that the server knows."""
        return list(self.metadata)

    @cached_property
    def candidates(self) -> list[Candidate]:
        """The experiments as `grounding/` takes them."""
        return [as_candidate(one) for one in self.experiments]

    def group_types(self, context: str | None = None) -> list[str]:
        """The kinds of group of a context; of all contexts where none is given or it has none."""
        chosen = [self.metadata[context]] if context in self.metadata else self.metadata.values()
        return list(dict.fromkeys(kind for one in chosen for kind in one["group_types"]))

    def offered(self, context: str | None) -> Mapping[str, list[str]]:
        """The conditions, sites, targets and kinds of group of a context; empty lists for one that there is not."""
        nothing: dict[str, list[str]] = {"conditions": [], "sites": [], "targets": [], "group_types": []}
        return self.metadata.get(context or "", nothing)

    def by_id(self, experiment_id: str | None) -> dict[str, Any] | None:
        """The experiment of that id."""
        return next((one for one in self.experiments if one["id"] == experiment_id), None)

    def named(self, names: Iterable[str]) -> list[str]:
        """The ids of all experiments of these names."""
        wanted = list(names)
        return [one["id"] for name in wanted for one in self.experiments if one["name"] == name]


async def look_around() -> Server:
    """What the server has now. Raises UpgradeError where it does not answer."""
    return Server(await all_experiments(), await metadata_of_context())


def as_candidate(one: Mapping[str, Any]) -> Candidate:
    """An experiment with the words that are true of it: its state in either spelling, its context, its tags."""
    traits = {str(one["state"]).casefold(), str(one["state_shown"]).casefold(), *map(str.casefold, one["tags"])}
    return Candidate(one["id"], one["name"], "experiment", frozenset({*traits, str(one["context"]).casefold()} - {""}))


def view_of(state: Mapping[str, Any]) -> View:
    """What the conversation has in view: the experiments shown last, and the one spoken of."""
    current = state.get("current_experiment_id")
    return View(tuple(one["id"] for one in state.get("shown") or ()), (current,) if current else ())


def find_experiment(words: str, server: Server, view: View) -> Fields:
    """The field of a request that says which experiment its words mean: see `choose_experiment`."""
    match resolve(words, server.candidates, view):
        case One(one) if not _is_nearly_called(words, one):
            return which_of([one.id], words)
        case One(one):
            slip = {} if _is_called(words, one) else {"taken_for": words}
            return {"experiment_id": one.id, "experiment_name": one.name, **slip}
        case Several(found, _):
            return which_of([one.id for one in found])
        case Open(options):
            return which_of(
                [one.id for one in options], "" if all(_is_called(words, one) for one in options) else words
            )
        case NotFound(_, near):
            return {"which": {"words": words, "ids": [one.id for one in near]}}


def which_of(ids: Sequence[str], words: str = "") -> Fields:
    """The field of a request that may mean several experiments; `words` where none is really called so."""
    return {"which": {"words": words, "ids": list(ids)}}


def choose_experiment(fields: Mapping[str, Any], server: Server, shown: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """The experiment of a request. Raises Ask where several may be meant or none is said, Fault where there is none.

    `experiment_id` is the one that is meant. `which` says what else its words came to: `ids` are those that may be
    meant, and `words` is what is none of their names.
    """
    one = server.by_id(fields.get("experiment_id"))
    if one is not None:
        return one
    if fields.get("experiment_id"):
        raise Fault("That experiment is not on the server any more.", "not_found", _what_there_is(server.names))
    which = fields.get("which") or {}
    ids, words = [one for one in which.get("ids") or () if server.by_id(one)], which.get("words")
    if words and not ids:
        raise Fault(f"There is no experiment called '{words}'.", "not_found", _what_there_is(server.names))
    if not ids:
        there = [one["id"] for one in shown if server.by_id(one["id"])]
        ids = there if len(there) > 1 else [one["id"] for one in server.experiments]
    if not ids:
        raise Fault("The server has no experiments.", "not_found", "Create one first.")
    options = _labels(ids[:_MOST_OPTIONS], server)
    names = {name for one in ids if (name := (server.by_id(one) or {}).get("name"))}
    asked = "Which experiment?"
    if words:
        asked = f"There is no experiment called '{words}'. Which one do you mean?"
    elif len(names) == 1 and len(ids) > 1:
        asked = f"{len(ids)} experiments are called '{names.pop()}'. Which one?"
    kept = {key: value for key, value in fields.items() if key not in ("which", "taken_for")}
    raise Ask(asked, "experiment_id", kept, list(options), options)


def _labels(ids: Sequence[str], server: Server) -> dict[str, str]:
    """What each option is called, with its id: where a name is not enough, with what tells it apart."""
    found: dict[str, str] = {}
    there = [one for own in ids if (one := server.by_id(own))]
    for one in there:
        is_alone = sum(other["name"] == one["name"] for other in there) == 1
        label = one["name"] if is_alone else f"{one['name']} ({one['context']}, {one['state_shown']}, {one['id'][:8]})"
        found[label] = one["id"]
    return found


def _is_called(words: str, one: Candidate) -> bool:
    """True if all the words that tell things apart stand in a name, or are true of the experiment."""
    own = {part for name in (one.name, *one.traits) for word in read_words(name) for part in stems_of(word.word)}
    joined = fold("".join(word.word for word in read_words(one.name)))
    return all(word in joined or set(stems_of(word)) <= own for word in _telling(words)) or one.id in words


def _is_nearly_called(words: str, one: Candidate) -> bool:
    """True if every word that is not in the name is a slip of one that is."""
    own = [word.word for word in read_words(one.name)]
    return all(any(close(word, other) for other in own) or _is_called(word, one) for word in _telling(words))


def _telling(words: str) -> list[str]:
    return [one.word for one in read_words(words) if one.word not in UNTELLING and one.word not in PLACES]


def _what_there_is(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
    return f"There is: {shown}." if names else "The server has no experiments."
