"""The grammar of references, in the order of its strength."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate

from signalbox.grounding.candidates import Ask, Candidate, NotFound, One, Result, Several, View, members, some
from signalbox.grounding.descriptions import described
from signalbox.grounding.positions import by_number, by_place, by_pronoun, by_range
from signalbox.grounding.scene import Days, Scene
from signalbox.language import references as refs
from signalbox.language.words import fold, read_words, stems_of

__all__ = ["resolve"]

_LONGEST, _MOST_MEMBERS = 400, 40
"""The longest reference in characters, and the longest list."""
_NO_VIEW = View()
_QUOTES = "\"'“”‘’„«»`"
_WILDCARDS = re.compile(r"[\w.:/-]*(?:\*|[-_.\w]\?|\[[\w,-]+\])(?:[\w.:/*?-]|\[[\w,-]+\])*")
_ID_BESIDE_NAME = re.compile(r"#\s?(?P<marked>[\w-]+)|^(?P<first>\d+)(?=[.):\s])")


def resolve(
    words: str, candidates: Sequence[Candidate], view: View = _NO_VIEW, *, days: Days | None = None
) -> One | Several | Ask | NotFound:
    """Return what words, or an id, refer to among the candidates.

    `days` reads words that name a day or days as the first ISO day and the one after the last, and returns None for
    any other words. Without it, nothing is found by its day.
    """
    scene = Scene(candidates, view, days)
    if len(words) > _LONGEST:
        return NotFound(words[:_LONGEST])
    if view.offered and not scene.called(_trimmed(words)):
        # The answer to a question is sought among its options first.
        found = _read(words, Scene(scene.shown, view, days))
        if isinstance(found, One | Several):
            return found
    found = _read(words, scene)
    if not isinstance(found, NotFound):
        return found
    nearest = {one.id: one for one in (*found.nearest, *scene.nearest(_bare(found.words)))}
    return NotFound(found.words, tuple(nearest.values())[:3])


def _read(words: str, scene: Scene) -> Result:
    text = _trimmed(words)
    for reader in (_exact, _pattern, _nothing, _all_but, _range, _list, _part, by_number, by_place, by_pronoun):
        found = reader(text, scene)
        if found is not None:
            return found
    return described(text, scene)[0] or NotFound(words)


def _trimmed(words: str) -> str:
    text = re.sub(r"^[-•*]\s+", "", words.strip()).strip(_QUOTES + ".,;:! ")
    return text if re.search(r"[*\[]|[-_?]\?$", text) else text.rstrip("?").strip(_QUOTES)


def _exact(text: str, scene: Scene) -> Result | None:
    """The thing with this id or exactly this name, or both; other words may stand around: "the task called …"."""
    if scene.view.offered and text.isdecimal():
        return None
    own = scene.by_id(text.removeprefix("#").strip())
    if own is not None:
        return One(own)
    for said in (text, _bare(text)):
        called = scene.called(said) if said and not said.isdecimal() else []
        if called:
            return One(called[0]) if len(called) == 1 else Ask(tuple(called))
    match = _ID_BESIDE_NAME.search(text)
    own = scene.by_id(match["marked"] or match["first"]) if match else None
    called = scene.called(_bare(text[: match.start()] + text[match.end() :])) if match else []
    if own is None or not called:
        return None
    return One(own) if own in called else Ask((own, *called))


def _bare(text: str) -> str:
    """The text without the words that may stand around a name."""
    telling = [one for one in read_words(text) if one.word not in refs.FILLING | refs.SINGULARS]
    return text[telling[0].start : telling[-1].end] if telling else ""


def _nothing(text: str, scene: Scene) -> Result | None:
    says_so = any(one.word in refs.NO_ONE for one in read_words(text)) and not _is_in_name(text, scene)
    return NotFound(text) if says_so else None


def _all_but(text: str, scene: Scene) -> Result | None:
    """A group without some of it: "all except the dentist", "everything but the first"."""
    parts = refs.EXCEPT.split(text, maxsplit=1)
    if len(parts) != 2 or not parts[0].strip() or refs.EXCEPT.search(parts[1]) or _is_in_name(text, scene):
        return None
    in_view = by_number(parts[1], scene) or by_place(parts[1], scene) or by_pronoun(parts[1], scene)
    is_list = in_view and scene.shown and not {one.word for one in read_words(parts[0])} - refs.LIGHT
    group = some(scene.shown) if is_list else _read(parts[0], scene)
    left_out = in_view or _read(parts[1], scene)
    if not isinstance(group, Several):
        return group if isinstance(group, Ask) else None
    is_trait = stems_of(fold(_bare(parts[1]))) in scene.traits
    gone = left_out.options if isinstance(left_out, Ask) and is_trait else members(left_out)
    if not gone:
        return left_out
    return some((one for one in group.candidates if one not in gone), is_group=True) or NotFound(text)


def _range(text: str, scene: Scene) -> Result | None:
    return by_range(text, scene, lambda end: _exact(_trimmed(end), scene) or by_number(end, scene))


def _list(text: str, scene: Scene) -> Result | None:
    """Several things named one by one. If one of them is unknown or ambiguous, that is the result."""
    parts = [one.strip() for one in refs.JOINED.split(text) if one.strip()]
    if len(parts) == 2 and fold(parts[0].split(" ")[0]) in refs.BOTH:
        parts[0] = parts[0].partition(" ")[2] or parts[0]
    if not 1 < len(parts) <= _MOST_MEMBERS or (_is_in_name(text, scene) and "\n" not in text):
        return None
    noun = next((one.word for one in read_words(parts[-1]) if one.word in refs.PLURALS), "")
    found: list[Candidate] = []
    is_group, stem = False, ""
    for part in parts:
        # In "xrd-1, 2 and 3" the name is said once, and in "PE and CE routers" the noun.
        meant = _read(f"{stem}{part}" if stem and part.isdecimal() else part, scene)
        meant = _read(f"{part} {noun}", scene) if noun and isinstance(meant, Ask) else meant
        if not members(meant):
            whole, fits = described(text, scene)
            return whole if fits else meant
        found += members(meant)
        is_group = is_group or (isinstance(meant, Several) and meant.is_group)
        numbered = re.fullmatch(r"(.*[^\W\d][\s_-]?)\d+", part)
        stem = numbered[1] if numbered else stem
    return some(found, is_group=is_group)


def _part(text: str, scene: Scene) -> Result | None:
    """Part of a group without saying which: "one of the reflectors"."""
    match = refs.SOME_OF.match(text)
    found = _read(text[match.end() :], scene) if match and not _is_in_name(text, scene) else None
    return Ask(found.candidates) if isinstance(found, Several) else found


def _pattern(text: str, scene: Scene) -> Result | None:
    """The things whose names fit a pattern with wildcards: pe*, core-rtr-?, xrd-[1-3]."""
    match = _WILDCARDS.search(text)
    if not match or {one.word for one in read_words(text[: match.start()] + text[match.end() :])} - refs.LIGHT:
        return None
    fits = re.compile(translate(fold(match[0]))).match
    found = [one for one in scene.candidates if any(fits(fold(name)) for name in (one.name, one.id, *one.aliases))]
    return some(found, is_group=True) or NotFound(text)


def _is_in_name(text: str, scene: Scene) -> bool:
    first = next((one.start for one in read_words(text) if one.word not in refs.ARTICLES), len(text))
    return first < len(text) and fold(text[first:]) in scene.folded
