"""What a list of experiments is narrowed by. What the server does not know of that is kept as unknown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments import plan
from signalbox.agents.experiments.candidates import Fields, Server
from signalbox.agents.experiments.offline.names import grounded, mentioned, same_name, states_named
from signalbox.agents.experiments.offline.values import context_in
from signalbox.language.references import LIGHT
from signalbox.language.switches import is_on
from signalbox.language.time import find_range
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import read_words, stem, stems_of, tokens
from signalbox.settings import now, person_zone

__all__ = ["filters_in", "status_in"]

_TAGGED = re.compile(
    r"\b(?:tagged|labell?ed|(?:the )?(?:tag|label))\s+(?:(?:with|as|is|of)\s+|[:=]\s*)?[\"'“]?([\w-]+)", re.IGNORECASE
)
_OWNED = re.compile(
    r"\b(?:owned|made|created|written|authored|started|run|set up|launched|designed) by (?:our |the |my )?([\w.-]+)"
    r"|\bbelong(?:s|ing)? to ([\w.-]+)|\b(?:does|did|has) ([\w.-]+) (?:own|make|create|start|run|set up)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:in|within|inside|under)\s+(?:the\s+|our\s+|my\s+)?(?:(?:context|app|application|project)\s+)?[\"'“]?"
    r"(?P<word>[A-Za-z][\w-]*(?:\s+(?!(?:and|or|that|which|with|by|since|today)\b)[A-Za-z][\w-]*)?)",
    re.IGNORECASE,
)
_ANY_PLACE = frozenset(
    "total all detail details general progress upgrade order list server system platform table json short full raw "
    "there here it them which what preview draft name names title titles alphabetical place effect use action mind"
    .split()
)  # fmt: skip
Said = Mapping[str, Any]


def filters_in(text: str, said: Said, server: Server) -> Fields:
    """What a text narrows a list by, in the terms of the server; `unknown` has `[kind, words]` for the rest."""
    found: Fields = {key: said[key] for key in ("what", "excluded", "when", "event", "design") if said.get(key)}
    found["status"] = status_in(said, text)
    found["context"] = context_in(text, str(said.get("context") or ""), server.contexts)
    unknown: list[list[str]] = []
    tag = str(said.get("tag") or "") or next((one[1] for one in [_TAGGED.search(text)] if one), "")
    if tag:
        tags = list(dict.fromkeys(own for one in server.experiments for own in one["tags"]))
        found["tag"] = same_name(tag.strip(" \"'“”"), tags) or grounded(tag, tags)
        unknown += [] if found["tag"] else [["tag", tag]]
    owned = _OWNED.search(text)
    owner = str(said.get("owner") or "") or next((part for part in (owned.groups() if owned else ()) if part), "")
    if owner and not is_time_word(owner.casefold()) and owner.casefold() not in ("i", "we", "you", "it"):
        unknown.append(["owner", owner])
    points = [point.split(" / ") for one in server.experiments for point in one["decision_points"] if " / " in point]
    for key, place in (("site", 0), ("target", 1)):
        if said.get(key):
            found[key] = grounded(str(said[key]), [point[place] for point in points])
            unknown += [] if found[key] else [[key, str(said[key])]]
    named = str(said.get("name_part") or "")
    if named and not same_name(named, server.contexts) and named.casefold() not in (tag.casefold(), owner.casefold()):
        found["name_part"] = named
    if not found["context"] and not any(found.get(key) for key in ("site", "target")):
        unknown += [["context", word] for word in _unknown_places(text, found, server)]
    return {**{key: value for key, value in found.items() if value}, **({"unknown": unknown} if unknown else {})}


def _unknown_places(text: str, found: Said, server: Server) -> list[str]:
    """What a text looks in that is no context of the server, nor anything else that is known: "in foobar"."""
    for match in _WITHIN.finditer(text) if is_on("experiments.places") else ():
        words = [one.word for one in read_words(match["word"])]
        if words and (words[0] in LIGHT | _ANY_PLACE or is_time_word(words[0]) or _is_known(words[0], text, server)):
            continue
        if (
            words
            and not find_range(match[0], now(), person_zone())
            and str(found.get("name_part") or "\0") not in match[0]
        ):
            own = match["word"].split()
            is_second = len(own) > 1 and (_is_known(own[1], text, server) or is_time_word(own[1].casefold()))
            return [own[0] if is_second or own[1:] == ["context"] else match["word"]]
    return []


def _is_known(word: str, text: str, server: Server) -> bool:
    """Whether a word is one of the schema's own, of a state, or of a name that the server has and the text says."""
    own = {stem(part) for table in (plan.LISTED, plan.STATUSES, plan.EVENTS, plan.UNITS, plan.DESIGNS)
           for key, about in table.items() for part in tokens(f"{key} {about}".replace("_", " "))}  # fmt: skip
    names = [
        *server.names,
        *server.contexts,
        *(name for kinds in server.metadata.values() for one in kinds.values() for name in one),
    ]
    known = {part for name in names for one in read_words(name) for part in stems_of(one.word)}
    return stem(word.casefold()) in own or stem(word.casefold()) in known or bool(mentioned(word, names))


def status_in(said: Said, text: str) -> str | None:
    """The state that was read; else the only one whose own name stands in the request. A draft is what has not
    started, and also a state of its own: who says its name means that."""
    if said.get("status") == "inactive" and "draft" in map(stem, tokens(text)):
        return "draft"
    if said.get("status"):
        return str(said["status"])
    own: Sequence[str] = states_named(text)
    return own[0] if len(own) == 1 else None
