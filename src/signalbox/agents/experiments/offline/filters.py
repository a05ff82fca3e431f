"""What a list of experiments is narrowed by. What the server does not know of that is kept as unknown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.candidates import Fields, Server
from signalbox.agents.experiments.narrowing import values_of
from signalbox.agents.experiments.offline.names import grounded, same_name, states_named
from signalbox.agents.experiments.offline.references import vocabulary
from signalbox.agents.experiments.offline.values import context_in
from signalbox.language.references import LIGHT
from signalbox.language.switches import is_on
from signalbox.language.time import find_range
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import read_words, stem, stems_of, tokens
from signalbox.settings import now, person_zone

__all__ = ["filters_in"]

_TAGGED = re.compile(r"\btagged (?:with |as )?[\"'“]?([\w-]+)", re.IGNORECASE)
_OWNED = re.compile(r"\b(?:owned|made|created|started|run) by (?!me\b|us\b)([\w.-]+)", re.IGNORECASE)
_WITHIN = re.compile(
    r"\b(?:in|within) (?:the |our )?(?P<word>[a-z][\w-]*)(?: (?:context|app))?\s*[?.!]?$", re.IGNORECASE
)
"""A place at the end of a request, which may be the name of a context."""
Said = Mapping[str, Any]


def filters_in(text: str, said: Said, server: Server) -> Fields:
    """What a text narrows a list by, in the terms of the server; `unknown` has `[kind, words]` for the rest."""
    found: Fields = {key: said.get(key) for key in ("excluded", "when", "event", "design")}
    found["what"] = said.get("what") if said.get("what") != "experiments" else None
    found["status"] = _status_in(said, text)
    found["context"] = context_in(text, str(said.get("context") or ""), server.contexts)
    tagged, owned = _TAGGED.search(text), _OWNED.search(text)
    wanted = {kind: str(said.get(kind) or "") for kind in ("tag", "site", "target")}
    wanted["tag"] = wanted["tag"] or (tagged[1] if tagged else "")
    unknown: list[list[str]] = []
    for kind, words in wanted.items():
        known = [value for one in server.experiments for value in values_of(one, kind)] if words else []
        found[kind] = same_name(words.strip(" \"'“”"), known) or grounded(words, known)
        unknown += [[kind, words]] if words and not found[kind] else []
    owner = str(said.get("owner") or "") or (owned[1] if owned else "")
    if owner and not is_time_word(owner.casefold()):
        unknown.append(["owner", owner])
    named = str(said.get("name_part") or "")
    if named and not same_name(named, server.contexts) and named.casefold() not in (wanted["tag"].casefold(), owner):
        found["name_part"] = named
    place = _WITHIN.search(text) if is_on("experiments.places") else None
    if place and not any(found.get(key) for key in ("context", "site", "target")) and _is_place(place, server):
        unknown.append(["context", place["word"]])
    return {**{key: value for key, value in found.items() if value}, **({"unknown": unknown} if unknown else {})}


def _is_place(found: re.Match[str], server: Server) -> bool:
    """True if words that end a request are none of the schema's own, of a name that the server has, nor of a time."""
    word = found["word"].casefold()
    offered = [one for own in server.metadata.values() for names in own.values() for one in names]
    known = {part for name in (*server.names, *offered) for one in read_words(name) for part in stems_of(one.word)}
    is_known = word in LIGHT or is_time_word(word) or set(stems_of(word)) <= known | vocabulary()
    return not is_known and find_range(found[0], now(), person_zone()) is None


def _status_in(said: Said, text: str) -> str | None:
    """The state that was read; else the only one whose own name stands in the request. A draft is what has not
    started, and also a state of its own: who says its name means that."""
    if said.get("status") == "inactive" and "draft" in map(stem, tokens(text)):
        return "draft"
    named = states_named(text)
    return said.get("status") or (named[0] if len(named) == 1 else None)
