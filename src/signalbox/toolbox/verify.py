"""Checks an answer that a model wrote: every figure, name and time in it must occur in a result of the run.

The person's words and the earlier conversation count as well. An answer is checked sentence by sentence, so that
supported sentences can be shown and the others left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from signalbox.toolbox.claims import Facts, Figure, Moment, Name, find_facts, holds_figure, plain, same_moment

__all__ = ["Checked", "Sources", "split_sentences"]

Claim = Figure | Moment | Name
_SENTENCE = re.compile(r".*?(?:[.!?…؟।]+[*_\"”»)\]]*(?:[ \t]+|(?=\n))|[。！？]+[」』）]*|\n|\Z)", re.DOTALL)
_ITEM = re.compile(r"(?:[-*+]\s+)?(?:\d+[.)])?")
_CITED = re.compile(r"[ \t]?\[(E\d+(?:,\s*E\d+)*)\]")
_ENDS = " \t\n.!?…؟।。！？"
_PIECES = re.compile(r"[-/:–]")
_QUERY = re.compile(r"[(){}\[\]=]")
_PLACE = re.compile(r"(p?)(\d+(?:\.\d+)?)[^\W\d_]{0,3}", re.IGNORECASE)
_HOUR = re.compile(r"(\d{1,2})h(\d\d)", re.IGNORECASE)


def split_sentences(text: str) -> list[str]:
    """The sentences and lines of a text; joined, they are the text again."""
    pieces: list[str] = []
    for found in _SENTENCE.findall(text):
        if found and pieces and not pieces[-1].endswith("\n") and _ITEM.fullmatch(pieces[-1].strip()):
            pieces[-1] += found
        elif found:
            pieces.append(found)
    return pieces


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence with its evidence, and its unsupported facts."""

    text: str
    evidence: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()


class Sources:
    """The sources of an answer.

    `results` are the texts of results by the id of their evidence. `said` are the request and the conversation.
    `vocabulary` is text by the agent's author: its names are allowed as terms, its figures prove nothing. `known` are
    names that exist in the system: one with several parts (core-rtr, Night Reader) must also occur in a source.
    """

    def __init__(
        self,
        results: Mapping[str, str],
        said: Iterable[str] = (),
        *,
        vocabulary: str = "",
        known: Iterable[str] = (),
        zone: tzinfo,
    ) -> None:
        self._zone = zone
        self._facts: list[tuple[str, Facts]] = [(own, find_facts(text)) for own, text in results.items()]
        self._facts += [("", find_facts(text)) for text in said]
        self._texts = [(own, plain(text)) for own, text in results.items()]
        self._texts += [("", plain(text)) for text in (*said, vocabulary)]
        self._known = [plain(one) for one in known if re.search(r"\w[^\w]+\w", one)]

    def check(self, sentence: str) -> Checked:
        """The sentence with citations of the evidence that its facts occur in."""
        claimed = find_facts(_CITED.sub("", sentence), is_answer=True)
        proof = {one.text: self._proof(one) for one in _claims(claimed)}
        own = plain(sentence)
        proof |= {one: self._named(one) for one in self._known if one not in proof and _occurs(one, own)}
        unsupported = tuple(text for text, places in proof.items() if not places)
        cited = [tuple(place for place in places if place) for places in proof.values()]
        evidence = _fewest([places for places in cited if places])
        if not proof:
            # Nothing to check: what the model cites is kept if it exists.
            named = [one for found in _CITED.findall(sentence) for one in re.split(r",\s*", found)]
            evidence = tuple(one for one in dict.fromkeys(named) if any(one == own for own, _ in self._texts))
        return Checked(_with_citations(sentence, evidence), evidence, unsupported)

    def supports(self, value: float | str) -> bool:
        """True if a number or a moment occurs in a source."""
        written = find_facts(str(value))
        return all(self._proof(one) for one in _claims(written))

    def _proof(self, claim: Claim) -> tuple[str, ...]:
        """The sources of a claim: ids of evidence, and "" for what was said."""
        if isinstance(claim, Figure):
            return tuple(own for own, facts in self._facts if _holds_figure(claim, facts))
        if isinstance(claim, Moment):
            return self._told(claim) or self._said_at(claim)
        if any(claim.text == own for own, _ in self._texts):
            return (claim.text,)
        return next((places for one in _spellings(claim) if (places := self._named(one))), ()) or self._inside(claim)

    def _told(self, claim: Moment) -> tuple[str, ...]:
        zone = self._zone
        return tuple(own for own, facts in self._facts if any(same_moment(claim, m, zone) for m in facts.moments))

    def _said_at(self, claim: Moment) -> tuple[str, ...]:
        """The sources if a person said only a time and a source contains the day that an answer adds."""
        said = [one for own, facts in self._facts if not own for one in facts.moments if not one.days]
        is_said = claim.days and any(same_moment(replace(claim, days=()), one, self._zone) for one in said)
        return self._told(replace(claim, clock=None)) if is_said else ()

    def _named(self, name: str) -> tuple[str, ...]:
        return tuple(own for own, text in self._texts if _occurs(name, text))

    def _inside(self, name: Name) -> tuple[str, ...]:
        """The sources of the facts in a word: a range (3-5), a place (3rd, p95), an hour (14h05), a figure in
        quotation marks."""
        text, place, hour = name.text, _PLACE.fullmatch(name.text), _HOUR.fullmatch(name.text)
        if hour is not None:
            readings = [f"{hour[1]}:{hour[2]}"]
        elif place is not None:
            # The 95th percentile is the quantile 0.95.
            readings = [*([] if place[1] else [place[2]]), f"{place[2]} %"]
        else:
            readings = [text if name.is_marked else " ".join(_PIECES.split(text))]
        return next((places for one in readings if (places := self._facts_of(one))), ())

    def _facts_of(self, text: str) -> tuple[str, ...]:
        """The sources of a text that consists of figures and moments."""
        held, rest = find_facts(text), text
        claims: list[Claim] = [*held.figures, *held.moments]
        for one in claims:
            rest = rest.replace(one.text, "", 1)
        proofs = [self._proof(one) for one in claims]
        if not proofs or not all(proofs) or re.search(r"\w", rest):
            return ()
        return tuple(dict.fromkeys(place for places in proofs for place in places))


def _claims(facts: Facts) -> list[Claim]:
    return [*facts.figures, *facts.moments, *facts.names]


def _holds_figure(claim: Figure, facts: Facts) -> bool:
    if holds_figure(facts, claim):
        return True
    # A year may be written alone.
    return any(claim.text == str(day[0]) for moment in facts.moments for day in moment.days)


def _spellings(name: Name) -> Iterator[str]:
    """A name as written, then without suffixes of languages: web-1's, web-1-Server, xrd-1:n."""
    text = plain(name.text)
    yield text
    if name.is_marked:
        return
    if (stem := re.split("[':]", text)[0]) != text:
        yield stem
    parts = stem.split("-")
    while len(parts) > 1 and not any(sign.isdigit() for sign in parts[-1]):
        parts.pop()
    if (shorter := "-".join(parts)) != stem:
        yield shorter
    # AS65000 is AS 65000.
    yield re.sub(r"(?<=[^\W\d_])(?=\d)", " ", text, count=1)


def _occurs(name: str, text: str) -> bool:
    """True if a name occurs in a text, as whole words. Queries may be spaced differently."""
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        is_whole = not (start and name[0].isalnum() and text[start - 1].isalnum() and _has_spaces(name[0])) and not (
            end < len(text) and name[-1].isalnum() and text[end].isalnum() and _has_spaces(name[-1])
        )
        if is_whole:
            return True
        start = text.find(name, start + 1)
    return bool(_QUERY.search(name)) and name.replace(" ", "") in text.replace(" ", "")


def _has_spaces(sign: str) -> bool:
    """False for scripts that write words without spaces between them."""
    return not "\u2e80" <= sign <= "\ud7af"


def _fewest(proofs: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The fewest sources that prove all of these, in order."""
    left, chosen = list(proofs), []
    while left:
        every = [place for places in left for place in places]
        best = max(dict.fromkeys(every), key=every.count)
        chosen.append(best)
        left = [places for places in left if best not in places]
    return tuple(sorted(chosen, key=lambda place: int(place[1:])))


def _with_citations(sentence: str, evidence: Sequence[str]) -> str:
    bare = _CITED.sub("", sentence)
    if not evidence or bare.lstrip().startswith("|"):
        return bare
    place = len(bare.rstrip(_ENDS))
    return f"{bare[:place]} [{', '.join(evidence)}]{bare[place:]}"
