"""The wordings of options: what may stand for an option of a field, by value, synonym, description or family."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from signalbox.language.numbers import ORDINAL_WORDS
from signalbox.language.units import CURRENCIES, dimension_of
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import DEGREES, STOP, content_words, split_name, stem
from signalbox.models.offline.fill.english.thesaurus import idioms_for, parted_verbs_for, stands_for
from signalbox.models.offline.fill.options.codes import code_names
from signalbox.models.offline.fill.options.denials import DENYING
from signalbox.models.offline.fill.schema import Field

__all__ = ["Phrase", "phrases_of"]

_MOST_PHRASES = 2_000


_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = "january february march april june july august september october november december".split()
_CALENDAR = {name: (name[:3],) for name in (*_DAYS, *_MONTHS)} | {
    "tuesday": ("tue", "tues"),
    "thursday": ("thu", "thur", "thurs"),
    "september": ("sep", "sept"),
}
_CALENDAR |= {name[:3]: (name, *short) for name, short in _CALENDAR.items()}
_ORDINALS = ORDINAL_WORDS[:10]
_SHORT_ORDINALS = dict(zip(_ORDINALS, "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th".split(), strict=True))
_TOPS = word_set("urgent urgently critical emergency asap pressing highest")
# What these are of is said by the rest of an option.
_VAGUE = STOP | DEGREES | word_set("one two three four five way")
_VAGUE |= frozenset(map(stem, _VAGUE))
_NONE = word_set("none no never nobody nothing")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that mean an option, and how surely they do; some mean it only where they are denied.

    Others may stand between the words of a `parted` one.
    """

    value: Any
    stems: tuple[str, ...]
    joined: str
    weight: float
    when_denied: bool = False
    parted: bool = False


@lru_cache(maxsize=1_000)
def _phrases_cached(field_key: tuple[Any, ...]) -> tuple[Phrase, ...]:
    options, synonyms, description, name, coded = field_key
    spoken: list[tuple[Any, str, float]] = []
    by_name = {_plain(option): option for option in options}
    for option in options:
        spoken.append((option, _plain(option), 1.0))
    for value, words in synonyms:
        for word in words:
            if value in by_name:
                spoken.append((by_name[value], word, 0.97))
            elif word in by_name:
                spoken.append((by_name[word], value, 0.97))
    spoken += [(option, word, 0.97) for word, code in CURRENCIES.items() for option in options if option == code]
    spoken += [(option, short, 0.97) for name, option in by_name.items() for short in _CALENDAR.get(name.lower(), ())]
    if coded:
        phrases = [_phrase(value, text, weight) for value, text, weight in spoken[:_MOST_PHRASES]]
        return tuple(phrase for phrase in phrases if phrase.stems)
    about = f"{' '.join(split_name(name))} . {description}".lower()
    spoken += [(one, word, 0.95) for one, words in code_names(tuple(by_name), about).items() for word in words]
    spoken += [(one, _SHORT_ORDINALS[key.lower()], 0.97) for key, one in by_name.items() if key.lower() in _ORDINALS]
    spoken += list(_levels(by_name))
    spoken += list(_from_description(by_name, description))
    phrases = [_phrase(value, text, weight) for value, text, weight in spoken[:_MOST_PHRASES]]
    phrases = [phrase for phrase in phrases if phrase.stems]
    return (*_with_weaker(phrases, set(split_name(name))), *_denials(by_name, name, description))


def phrases_of(field: Field) -> tuple[Phrase, ...]:
    """All phrases that mean one of the field's options, from values, synonyms, description and thesaurus."""
    options = field.options or field.candidates
    synonyms = tuple((key, tuple(words)) for key, words in field.synonyms.items() if key)
    return _phrases_cached((options, synonyms, field.description, field.name, field.coded))


def _plain(option: Any) -> str:
    return str(option).lower() if isinstance(option, bool) else str(option)


def _phrase(value: Any, text: str, weight: float) -> Phrase:
    words = split_name(text) or ((text,) if dimension_of(text) else ())
    return Phrase(value, tuple(stem(word) for word in words), "".join(words), weight)


def _with_weaker(phrases: list[Phrase], name: set[str]) -> Iterator[Phrase]:
    """Each phrase, and what may stand for it: a word of the same family, or its one telling word."""
    yield from phrases
    yield from _idioms(phrases)
    yield from _parted(phrases)
    said = {phrase.stems for phrase in phrases}
    owners: dict[str, set[str]] = {}
    for phrase in phrases:
        for word in phrase.stems:
            owners.setdefault(word, set()).add(str(phrase.value))
    for phrase in phrases:
        if len(phrase.stems) == 1:
            for kin in sorted(stands_for(phrase.stems[0])):
                if (kin,) not in said and kin not in owners:
                    yield Phrase(phrase.value, (kin,), kin, 0.8 * phrase.weight)
        elif "only" in phrase.stems:
            yield from _alone(phrase)
        elif phrase.weight == 1.0 or (phrase.weight > 0.9 and len(phrase.stems) < 3):
            for word in () if _denied_part(phrase.stems) else phrase.stems:
                if len(owners[word]) == 1 and word not in _VAGUE and word not in name and len(word) > 2:
                    yield Phrase(phrase.value, (word,), word, 0.72 * phrase.weight)
                    for kin in sorted(k for k in stands_for(word) - owners.keys() if k.endswith("est")):
                        yield Phrase(phrase.value, (kin,), kin, 0.6 * phrase.weight)


def _alone(phrase: Phrase) -> Iterator[Phrase]:
    """Half an option that says "only" is not the option; but the word may stand first, or be another: "just X"."""
    rest = tuple(word for word in phrase.stems if word != "only")
    for lead in (("only",), ("only", "the"), ("just",), ("just", "the"), ("nothing", "but")):
        stems = (*lead, *rest)
        yield Phrase(phrase.value, stems, "".join(stems), 0.93)


def _levels(by_name: dict[str, Any]) -> Iterator[tuple[Any, str, float]]:
    """How people say the top and the bottom of a scale, where no option of its own says it."""
    options = {key.lower(): option for key, option in by_name.items()}
    if "high" in options and not options.keys() & _TOPS:
        yield from ((options["high"], word, 0.93) for word in sorted(_TOPS))
    if "low" in options:
        yield from ((options["low"], words, 0.9) for words in ("no rush", "no hurry", "can wait", "not urgent"))


def _denials(by_name: dict[str, Any], name: str, description: str) -> Iterator[Phrase]:
    """What means an option where it is denied: "no gluten" is gluten_free, "can't swim" cannot_swim, "no card" none."""
    for key, option in by_name.items():
        words = split_name(key)
        if key.lower() in _NONE:
            spoken_of = (*split_name(name), *content_words(description)[:1])
            rests: list[tuple[str, ...]] = [
                (stem(word),) for word in dict.fromkeys(spoken_of) if word not in STOP and len(word) > 3
            ]
        else:
            rests = [tuple(stem(w) for w in rest)] if (rest := _denied_part(words)) else []
        for stems in rests:
            yield Phrase(option, stems, "".join(stems), 0.92, when_denied=True)


def _denied_part(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of an option that itself denies, without those that do."""
    if len(words) > 1 and words[-1] == "free":
        return words[:-1]
    return words[1:] if len(words) > 1 and words[0] in DENYING else ()


def _idioms(phrases: list[Phrase]) -> Iterator[Phrase]:
    """Turns of speech for an option's last word ("every week" for weekly), behind its first when others end alike."""
    last_words = [phrase.stems[-1] for phrase in phrases if phrase.weight == 1.0]
    for phrase in phrases:
        for idiom in idioms_for(phrase.joined if len(phrase.stems) == 1 else phrase.stems[-1]):
            alone = len(phrase.stems) == 1 or last_words.count(phrase.stems[-1]) == 1
            stems = tuple(stem(word) for word in idiom.split())
            yield Phrase(phrase.value, stems if alone else phrase.stems[:-1] + stems, idiom.replace(" ", ""), 0.9)


def _parted(phrases: list[Phrase]) -> Iterator[Phrase]:
    """Verbs with a particle that mean an option: "bring it back" for return."""
    found = {(verb, p.value) for p in phrases if len(p.stems) == 1 for verb in parted_verbs_for(p.stems[0])}
    claimed = [verb for verb, _ in found]
    for verb, value in sorted(found):
        # What may mean two options tells neither.
        if claimed.count(verb) == 1:
            yield Phrase(value, verb, "".join(verb), 0.9, parted=True)


def _from_description(by_name: dict[str, Any], description: str) -> Iterator[tuple[Any, str, float]]:
    """What the description says an option means: 'urgent' means high; high (urgent, asap); c = celsius."""
    if not description:
        return
    for name, option in by_name.items():
        quoted = rf"['\"`]?\b{re.escape(name)}\b['\"`]?"
        for found in re.finditer(
            rf"['\"`]([\w\s/-]+?)['\"`](?:\s*(?:,|or|and|/)\s*['\"`]([\w\s/-]+?)['\"`])*\s+(?:means?|is|=|->|"
            rf"for)\s+{quoted}",
            description,
            re.I,
        ):
            for word in re.findall(r"['\"`]([\w\s/-]+?)['\"`]", found.group()):
                if word.lower() != name.lower():
                    yield option, word, 0.95
        for found in re.finditer(
            rf"(?:^|[,;.(]|\band\b|\bor\b)\s*((?:[\w-]+ ){{1,3}})(?:means?|=|->|is) {quoted}", description, re.I
        ):
            yield option, found[1], 0.95
        for found in re.finditer(rf"{quoted}\s*\(([^)]{{1,80}})\)", description, re.I):
            for word in re.split(r",|/|;|\bor\b", found[1]):
                if word.strip() and len(word.split()) <= 3:
                    yield option, re.sub(r"^(?:e\.?g\.?|i\.?e\.?|also|aka|default)\s*", "", word.strip()), 0.93
        for found in re.finditer(rf"{quoted}\s*(?:=|:|->|—|–|-|for|means|is)\s+([^;.\n()]{{2,90}})", description, re.I):
            yield from _explained(option, by_name, found[1])


def _explained(option: Any, by_name: dict[str, Any], explanation: str) -> Iterator[tuple[Any, str, float]]:
    """The parts of "above, over, exceeds", up to the next option; single words of a longer part count less."""
    for part in re.split(r",|\bor\b|/", explanation):
        words = split_name(part)
        if not words or any(word in map(str.lower, by_name) for word in words):
            return
        telling = [word for word in words if word not in STOP] or list(words)
        if len(telling) <= 2:
            yield option, " ".join(telling), 0.93
        for word in telling if len(telling) > 1 else ():
            if len(word) > 3:
                yield option, word, 0.7
