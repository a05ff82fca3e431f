"""The things that a request may be about, as candidates, and what words or labels mean among them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from signalbox.agents.investigate.graph import Graph, kind_of, name_of
from signalbox.agents.investigate.state import Alert
from signalbox.grounding import Ask, Candidate, NotFound, One, Several, resolve
from signalbox.language.names import close, key_of
from signalbox.language.words import fold, stem, tokens

__all__ = [
    "WORDS", "candidates_of", "known_things", "nearest_thing", "subject_of_alert", "subject_of_words", "told_subject",
]  # fmt: skip

WORDS = {"service": "service", "machine": "host", "experiment": "experiment", "external": "dependency"}
_MOST_NAMED = 12
_GENERIC = "service api backend system app application database cluster host server router device experiment"
_KINDS_OF_THINGS = frozenset(map(stem, _GENERIC.split()))
# Labels of an alert that say nothing of the thing.
_NO_THING = frozenset(
    "alertname severity job namespace cluster env environment team receiver prometheus grafana_folder rulename ref_id "
    "datasource_uid".split()
)


def candidates_of(graph: Graph, names: Mapping[str, str]) -> list[Candidate]:
    """Every service, machine, experiment and external thing, with its other names."""
    others: dict[str, list[str]] = {}
    for other, thing in names.items():
        others.setdefault(thing.rpartition(":")[2].casefold(), []).append(other)
    return [
        Candidate(
            one, name_of(one).removeprefix("the experiment "), WORDS[kind_of(one)],
            # No trait says that a service is one: "the billing service" would mean them all.
            frozenset({graph.roles.get(one, "").casefold()} - {""}),
            tuple(others.get(name_of(one).casefold(), ())),
        )
        for one in graph.things
        if kind_of(one) in WORDS
    ]  # fmt: skip


def subject_of_words(words: str, candidates: Sequence[Candidate]) -> list[str] | None:
    """The things that words mean; None if nothing is called so. Of several that they could mean, the services.

    A word for the kind of a thing names none: "the billing service" is no other service.
    """
    bare = " ".join(one for one in words.split() if stem(fold(one)) not in _KINDS_OF_THINGS) or words
    found = resolve(bare, candidates)
    if isinstance(found, NotFound):
        return None
    if isinstance(found, One):
        named = {*tokens(found.candidate.name)}
        is_named = found.candidate.kind != "experiment" or 2 * len(named & {*tokens(bare)}) > len(named)
        # Names that differ in a number are those of two things.
        is_other = {*re.findall(r"\d+", bare)} - {*re.findall(r"\d+", found.candidate.name)}
        return [found.candidate.id] if is_named and not is_other else None
    several = found.options if isinstance(found, Ask) else found.candidates if isinstance(found, Several) else ()
    services = [one.id for one in several if one.kind == "service"]
    return services or [one.id for one in several]


def nearest_thing(name: str, candidates: Sequence[Candidate]) -> str:
    """The thing whose name is this one in another spelling, or with a slip of the pen; empty if there is none."""
    same = (one.id for one in candidates if key_of(one.name) == key_of(name) or close(fold(name), fold(one.name)))
    return next(same, "")


def subject_of_alert(alert: Alert, graph: Graph) -> tuple[list[str], str]:
    """The things that an alert's labels name; and, if none is known, what they say. Without such labels, everything."""
    labels = alert["labels"]
    if found := graph.find(labels):
        return found, ""
    named = {key: value for key, value in labels.items() if key not in _NO_THING and value}
    for value in (*named.values(), labels.get("job")):
        if value and (found := graph.find({}, value)):
            return found, ""
    return [], ", ".join(f"{key} {value}" for key, value in sorted(named.items()))


def told_subject(subject: Sequence[str]) -> str:
    """The things as a person reads them."""
    return ", ".join(dict.fromkeys(name_of(one) for one in subject))


def known_things(graph: Graph) -> str:
    """What there is, the services first."""
    told = []
    for kind, word in WORDS.items():
        names = [name_of(one).removeprefix("the experiment ") for one in graph.things if kind_of(one) == kind]
        if names:
            more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
            word = "dependencies" if word == "dependency" else f"{word}s"
            told.append(f"the {word} {', '.join(names[:_MOST_NAMED])}{more}")
    return "; ".join(told) or "nothing that the connected systems name"
