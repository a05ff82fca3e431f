"""What the server has, for one request: its experiments in short, and what each context offers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signalbox.agents.experiments.asked import said_params
from signalbox.agents.experiments.names import (
    grounded,
    likely,
    mentioned,
    mistyped,
    placed,
    the_one_shown,
    without,
    written_name,
)
from signalbox.agents.experiments.names import shares_words as shares
from signalbox.agents.experiments.node import Ask, Calls, Fault
from signalbox.agents.experiments.tools import get_all_experiments, get_context_metadata
from signalbox.language.names import nearest

__all__ = ["Server", "look_around"]

_MOST_OPTIONS = 8
_NEAR = 4
_ELSE = (
    "new_name",
    "context",
    "conditions",
    "condition",
    "site",
    "target",
    "users",
    "user_id",
    "groups",
    "description",
)
"""The fields whose words name something else than an experiment."""


@dataclass(frozen=True)
class Server:
    """The experiments, in short, and the metadata of the contexts."""

    experiments: list[dict[str, Any]]
    metadata: dict[str, dict[str, list[str]]]

    @property
    def names(self) -> list[str]:
        """The names of the experiments, each once."""
        return list(dict.fromkeys(one["name"] for one in self.experiments))

    @property
    def contexts(self) -> list[str]:
        """The contexts that the server knows."""
        return list(self.metadata)

    def group_types(self, context: str | None = None) -> list[str]:
        """The kinds of group of a context, or of all."""
        chosen = [self.metadata[context]] if context in self.metadata else list(self.metadata.values())
        return list(dict.fromkeys(kind for one in chosen for kind in one["group_types"]))

    def by_id(self, experiment_id: str | None) -> dict[str, Any] | None:
        """The experiment of that id."""
        return next((one for one in self.experiments if one["id"] == experiment_id), None)

    def context(self, said: str | None, text: str) -> str | None:
        """The context that is meant, by what the model read or by its name in the text; None where none is."""
        if said:
            return said if said in self.metadata else grounded(said, self.contexts)
        named = mentioned(text, self.contexts)
        return named[0] if len(named) == 1 else None

    def params(self, fields: Mapping[str, Any], text: str, **known: Any) -> dict[str, Any]:
        """The parameters of a request as far as they were said, in the server's own names where it has them."""
        context = self.context(fields.get("context"), text)
        named = mentioned(text, self.names) if fields.get("action") != "create" else []
        said = {"experiment_name": named[0]} if len(named) == 1 else {}
        is_read = any(fields.get(key) for key in ("experiment_name", "experiment", "named", "reference"))
        if not named and not is_read and fields.get("action") != "create":
            written = self._written(fields, text)
            said = {"experiment_name": written} if len(written.split()) > 1 else {}
        offered = self.metadata[context]["conditions"] if context else []
        return said_params(fields, text, offered, **{**({"context": context} if context else {}), **said, **known})

    def experiment(self, fields: Mapping[str, Any], state: Mapping[str, Any], text: str) -> dict[str, Any]:
        """The experiment that is meant. Raises Ask where several may be or none is said, Fault where there is none."""
        chosen = self._chosen(fields, state, text)
        if chosen is not None:
            return chosen
        shown = [one["name"] for one in state.get("shown") or () if self.by_id(one["id"])]
        options = (shown if len(shown) > 1 else self.names)[:_MOST_OPTIONS]
        if not options:
            raise Fault("The server has no experiments.", "not_found", "Create one first.")
        raise Ask("Which experiment?", "experiment", fields, options)

    def _chosen(self, fields: Mapping[str, Any], state: Mapping[str, Any], text: str) -> dict[str, Any] | None:
        if fields.get("experiment_id"):
            return self.by_id(str(fields["experiment_id"]))
        name, named, words = (str(fields.get(key) or "") for key in ("experiment", "named", "reference"))
        if fields.get("sure"):
            return self._of_name(name, fields)
        whole = self._not_of_else(text)
        if len(whole) == 1:
            return self._of_name(whole[0], fields)
        if len(whole) > 1:
            return self._of_name(name, fields) if name in whole else self._several(whole, fields)
        if at_place := self.by_id(placed(text, state.get("shown") or ())[0]):
            return at_place
        if slip := mistyped(_of_else(fields, text), self.names):
            return self._by_words(slip, fields)
        written = named or self._written(fields, text)
        text = _of_else(fields, text)
        if words:
            found = self.by_id(the_one_shown(words, state.get("shown") or (), state.get("current_experiment_id")))
            if found is not None:
                return found
            near = grounded(words, self.names)
            if near is not None:
                return self._of_name(near, fields)
        if name and shares(text, name) and (len(written.split()) < 2 or likely(written, [name])):
            rivals = [one for one in self.names if one != name and _fits_as_well(text, one, name)]
            return self._several([name, *rivals], fields) if rivals else self._of_name(name, fields)
        current = self.by_id(state.get("current_experiment_id"))
        if named or len(written.split()) > 1 or (written and current is None):
            return self._by_words(written, fields)
        partly = likely(text, self.names)
        if len(partly) == 1:
            return self._of_name(partly[0], fields)
        if partly:
            return self._several(partly, fields)
        return current

    def _not_of_else(self, text: str) -> list[str]:
        """The experiments that are named whole; of several not those that are written as the server writes a site, a
        target or a condition: progress-bar is a target, where another experiment is named beside it."""
        whole = mentioned(text, self.names)
        if len(whole) < 2:
            return whole
        offered = {one for own in self.metadata.values() for names in own.values() for one in names}
        bare = text
        for one in sorted(offered, key=len, reverse=True):
            bare = re.sub(rf"(?<![\w-]){re.escape(one)}(?![\w-])", "/", bare)
        return mentioned(bare, self.names) or whole

    def _written(self, fields: Mapping[str, Any], text: str) -> str:
        return written_name(_of_else(fields, text), self.contexts)

    def _of_name(self, name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The experiment of that name; the person is asked where several have it."""
        found = [one for one in self.experiments if one["name"] == name]
        if len(found) == 1:
            return found[0]
        if not found:
            result = self._by_words(name, fields)
            assert result is not None
            return result
        told = {f"{one['name']} ({one['context']}, {one['state_shown']}, {one['id'][:8]})": one["id"] for one in found}
        raise Ask(
            f"{len(found)} experiments are called '{name}'. Which one?", "experiment_id", fields, list(told), told
        )

    def _by_words(self, said: str, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        name = grounded(said, self.names)
        if name is not None:
            return self._of_name(name, fields)
        near = list(dict.fromkeys([*nearest(said, self.names, _NEAR), *likely(said, self.names)]))[:_NEAR]
        if near:
            raise Ask(f"There is no experiment called '{said}'. Which one do you mean?", "experiment", fields, near)
        raise Fault(f"There is no experiment called '{said}'.", "not_found", _what_there_is(self.names))

    def _several(self, names: Sequence[str], fields: Mapping[str, Any]) -> dict[str, Any]:
        raise Ask("Which experiment?", "experiment", fields, list(dict.fromkeys(names))[:_MOST_OPTIONS])


async def look_around(calls: Calls) -> Server:
    """What the server has now. Raises Fault where it does not answer."""
    experiments = await calls.look(get_all_experiments)
    metadata = await calls.look(get_context_metadata)
    return Server(list(experiments), dict(metadata))


def _of_else(fields: Mapping[str, Any], text: str) -> str:
    """The text without the words that name something else: what is said of a site is not said of an experiment."""
    return without(text, [str(fields[key]) for key in _ELSE if fields.get(key)])


def _fits_as_well(text: str, other: str, name: str) -> bool:
    """Whether the words of the text speak for another experiment as much as for the one that was read."""
    spoken = set(text.casefold().replace("-", " ").replace("_", " ").split())
    mine, its = (set(one.casefold().replace("-", " ").replace("_", " ").split()) for one in (name, other))
    return bool(spoken & mine) and spoken & mine == spoken & its


def _what_there_is(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_OPTIONS]) + (", …" if len(names) > _MOST_OPTIONS else "")
    return f"There is: {shown}." if names else "The server has no experiments."
