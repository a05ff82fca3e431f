"""An index of the candidates: by id, by whole name in any spelling, and by single words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from signalbox.grounding.candidates import Candidate, NotFound, View
from signalbox.language.names import close, extends, key_of, nearest
from signalbox.language.words import fold, read_words, spellings, split_name, stems_of

__all__ = ["EXACT", "Days", "Scene", "known"]

Days = Callable[[str], tuple[str, str] | None]
EXACT, _NEAR, _IN_DETAILS = 1.0, 0.8, 0.5
"""How well a word fits: it is in the name, it is nearly in the name, or it is only in the details."""


@lru_cache(maxsize=8192)
def _words_of(name: str) -> frozenset[str]:
    """The words of a name, in each of its spellings, and the parts of those in camel case."""
    words = {one.word for spelt in spellings(name) for one in read_words(spelt)}
    return frozenset(words | {*split_name(name)} if re.search("[a-z][A-Z]", name) else words)


class Scene:
    """The candidates, which of them are in view, and a reader of days."""

    def __init__(self, candidates: Iterable[Candidate], view: View, days: Days | None = None) -> None:
        by_id = {one.id: one for one in candidates}
        self.candidates, self.view = list(by_id.values()), view
        self.days = lru_cache(days) if days and any(one.when for one in self.candidates) else None
        self.shown, self.spoken = ([by_id[one] for one in ids if one in by_id] for ids in (view.shown, view.spoken))
        self._by_id = {one.id.casefold(): one for one in self.candidates}
        self._fits: dict[str, Mapping[int, float]] = {}

    def by_id(self, said: str) -> Candidate | None:
        """Return the candidate with this id, in any case and with leading zeros or none."""
        return self._by_id.get(said.casefold()) or self._by_id.get(said.casefold().lstrip("0"))

    def of_ids(self, ids: Iterable[str]) -> list[Candidate]:
        """Return the ids that exist."""
        return [one for one in map(self.by_id, ids) if one]

    def at(self, places: Iterable[int]) -> list[Candidate]:
        return [self.candidates[place] for place in places]

    def called(self, said: str) -> list[Candidate]:
        """Return those with exactly this name, or else with different accents, hyphens or spaces."""
        return self.at(self._by_name.get(said.casefold()) or self._by_name.get(key_of(said) or " ") or ())

    @cached_property
    def _by_name(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, one in enumerate(self.candidates):
            names = (one.name, *one.aliases, *(() if one.id.isdecimal() else (one.id,)))
            spelt = {spelt for name in names for spelt in spellings(name)}
            for key in {key for name in spelt for key in (name.casefold(), key_of(name))}:
                found.setdefault(key, []).append(place)
        return found

    @cached_property
    def _by_stem(self) -> Mapping[str, set[int]]:
        found: dict[str, set[int]] = {}
        for place, one in enumerate(self.candidates):
            named = {part for word in _words_of(one.name) for part in stems_of(word)}
            # The numbers of an address name nothing.
            also = {part for name in one.aliases for word in _words_of(name) for part in stems_of(word)}
            for part in named | {part for part in also if not part.isdigit()}:
                found.setdefault(part, set()).add(place)
        return found

    @cached_property
    def traits(self) -> Mapping[tuple[str, ...], set[int]]:
        """The positions of candidates by the stems of their traits, and by kind if there are several kinds."""
        is_mixed = len({one.kind for one in self.candidates}) > 1
        found: dict[tuple[str, ...], set[int]] = {}
        for place, one in enumerate(self.candidates):
            for trait in (*one.traits, *((one.kind,) if is_mixed else ())):
                found.setdefault(stems_of(fold(trait)), set()).add(place)
        return found

    @cached_property
    def spelt(self) -> frozenset[str]:
        """The words of all names, in the form that they have there."""
        return frozenset(word for one in self.candidates for word in _words_of(one.name))

    @cached_property
    def _details(self) -> list[tuple[int, str]]:
        spelt = [(place, " ".join(spellings(one.details))) for place, one in enumerate(self.candidates) if one.details]
        return [(place, fold(text)) for place, text in spelt]

    @cached_property
    def folded(self) -> str:
        """All names, one below the other."""
        return "\n".join(fold(one.name) for one in self.candidates)

    def fitting(self, part: str) -> Mapping[int, float]:
        """Return how well a stem fits which candidates, by their places."""
        if part not in self._fits:
            found = dict.fromkeys(self._by_stem.get(part, ()), EXACT)
            if not found:
                inside = re.compile(rf"(?<![^\W_]){re.escape(part)}")
                there = [place for place, text in self._details if part in text and inside.search(text)]
                near = {place for one in self._near(part) for place in self._by_stem[one]}
                found = dict.fromkeys(there, _IN_DETAILS) | dict.fromkeys(near, _NEAR)
            self._fits[part] = found
        return self._fits[part]

    def _near(self, part: str) -> list[str]:
        """The stems of which this one is a misspelling, or else a longer or shorter form."""
        if len(part) < 3 or part.isdigit():
            return []
        from rapidfuzz import process
        from rapidfuzz.distance import OSA, Prefix

        stems = list(self._by_stem)
        slips = process.extract(part, stems, scorer=OSA.distance, score_cutoff=2, limit=None)
        forms = process.extract(part, stems, scorer=Prefix.similarity, score_cutoff=4, limit=None)
        # Of three letters, the last two may be swapped: xdr-1.
        near = [one for one, _, _ in slips if close(part, one) or (len(part) == 3 and one == part[0] + part[:0:-1])]
        return near or [one for one, _, _ in forms if extends(part, one)]

    def nearest(self, words: str) -> list[Candidate]:
        """Return those whose names are most like the words."""
        names = {name: one for one in reversed(self.candidates) for name in (one.id, *one.aliases, one.name)}
        return [names[name] for name in nearest(" ".join(words.split())[:80], names)]


def known(ids: Sequence[str], candidates: Sequence[Candidate]) -> list[Candidate] | NotFound:
    """Return the candidates with these ids in their order, each once; NotFound for the first id that is unknown."""
    scene = Scene(candidates, View())
    found = [(one, scene.by_id(one.strip().removeprefix("#").strip())) for one in ids]
    unknown = [one for one, candidate in found if candidate is None]
    if unknown:
        return NotFound(unknown[0], tuple(scene.nearest(unknown[0])))
    return list({one.id: one for _, one in found if one}.values())
