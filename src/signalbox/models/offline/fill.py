"""Filling a schema from a request: the reader says which options hold and which words are meant, code makes values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from signalbox.language.clauses import cut_between, list_members
from signalbox.language.quantities import find_quantities
from signalbox.language.time.stretches import whole_stretch
from signalbox.models.examples import Example
from signalbox.models.offline.encoder import Judged, Span, load_encoder
from signalbox.models.offline.fields import Field, humanise, read_fields
from signalbox.models.offline.labels import field_blocks
from signalbox.models.offline.shortlist import is_named, shortlist
from signalbox.models.offline.shown import Shown, names_nothing
from signalbox.models.offline.teach import Taught, teach_fields
from signalbox.models.offline.values import Moment, number_value, text_value, time_value

__all__ = ["LINE", "OF_THE_READER", "Filled", "fill_fields", "fill_schema"]

LINE = 0.5
_UNNAMED = 0.4
"""How sure a value must be to be given. Below it, it is asked for."""
_MOST_OPTIONS = 30
OF_THE_READER = ("not_covered", "confidence")
"""What a schema may ask of the reading itself: the words that went nowhere, and how sure it is."""


@dataclass
class Filled:
    """Values by name, what is required and was not said, how sure each value is, and the words that each came from."""

    values: dict[str, Any] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    sure: dict[str, float] = field(default_factory=dict)
    used: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Found:
    value: Any
    sure: float
    spans: tuple[tuple[int, int], ...] = ()


def fill_schema(
    schema: Mapping[str, Any],
    text: str,
    moment: Moment,
    context: str = "",
    shown: Shown | None = None,
    examples: Sequence[Example] = (),
) -> Filled:
    """The values that a request gives for a schema; examples teach its options."""
    fields = read_fields(schema)
    taught = teach_fields(fields, examples) if examples else None
    return fill_fields(fields, text, moment, context, shown or Shown(), taught)


def fill_fields(
    fields: Sequence[Field], text: str, moment: Moment, context: str, shown: Shown, taught: Taught | None = None
) -> Filled:
    """The values that a request gives for fields."""
    asked = [_with_fewer_options(one, text) for one in fields if one.name not in OF_THE_READER]
    blocks = field_blocks(asked, has_history=bool(context))
    judged = load_encoder().judge(blocks, text, context)
    if taught is not None:
        judged = taught.adjust(blocks, judged, text)
    for one in asked:
        _weigh_beforehand(one, judged)
    filled = Filled()
    taken: dict[str, list[tuple[int, int]]] = {}
    found: dict[Field, _Found] = {}
    for one in sorted(asked, key=lambda f: -_surest(judged.get(".".join(f.path)))):
        # Two texts, two numbers or two dates are not the same words; a day and a clock time may be.
        mine = taken.setdefault(one.format or one.kind, [])
        value = _value(one, judged, text, moment, context, shown, mine)
        if value is not None and value.sure >= LINE:
            found[one] = value
            mine += value.spans
    for one in asked:
        if one in found:
            _put(filled.values, one.path, found[one].value)
            filled.sure[".".join(one.path)] = found[one].sure
            filled.used += found[one].spans
        elif one.required:
            filled.missing.append(".".join(one.path))
    for one in fields:
        if one.name == "not_covered":
            _put(filled.values, one.path, not_covered(text, filled.used))
        elif one.name == "confidence" and one.kind == "number":
            _put(filled.values, one.path, round(_least_sure(asked, filled), 3))
    return filled


def _least_sure(asked: Sequence[Field], filled: Filled) -> float:
    """How sure the least sure of the chosen options is; nothing is where a required one is missing."""
    if any(one.required and one.kind == "option" and ".".join(one.path) in filled.missing for one in asked):
        return 0.0
    chosen = [filled.sure[key] for one in asked if one.kind == "option" and (key := ".".join(one.path)) in filled.sure]
    return min(chosen, default=min(filled.sure.values(), default=0.0))


def _weigh_beforehand(one: Field, judged: dict[str, Judged]) -> None:
    """Where a schema says how likely each option is before anything is read (`enumPriors`, by a search, say), the
    reader's chances are weighed by it. How likely none is stands under the empty name, else none is as likely as the
    likeliest."""
    priors, mine = one.schema.get("enumPriors"), judged.get(".".join(one.path))
    if not priors or mine is None or one.kind != "option" or one.many:
        return
    highest = max(float(chance) for chance in priors.values()) or 1.0
    weights = [
        float(priors.get("", highest)) / highest,
        *(float(priors.get(str(value), highest)) / highest for value, _ in one.options),
    ]
    weighed = [held * weight for held, weight in zip(mine.holds, weights, strict=True)]
    total = sum(weighed) or 1.0
    judged[".".join(one.path)] = replace(mine, holds=tuple(held / total for held in weighed))


def _with_fewer_options(one: Field, text: str) -> Field:
    """A field with the options that the request may mean, where it has too many to ask about."""
    if len(one.options) <= _MOST_OPTIONS:
        return one
    kept = shortlist(text, [f"{humanise(str(value))} {told}" for value, told in one.options], _MOST_OPTIONS)
    options = tuple(one.options[place] for place in kept)
    # Among many that are alike, one that is named whole is the likelier.
    named = [str(value) for value, _ in options if is_named(text, humanise(str(value)))]
    if len(named) != 1 or "enumPriors" in one.schema:
        return replace(one, options=options)
    priors = {"": _UNNAMED, **{str(value): 1.0 if str(value) in named else _UNNAMED for value, _ in options}}
    return replace(one, options=options, schema={**one.schema, "enumPriors": priors})


def _surest(judged: Judged | None) -> float:
    if judged is None:
        return 0.0
    return judged.spans[0].sure if judged.spans else max(judged.holds[1:], default=0.0)


def _value(
    one: Field, judged: Mapping[str, Judged], text: str, moment: Moment, context: str, shown: Shown,
    taken: Sequence[tuple[int, int]],
) -> _Found | None:  # fmt: skip
    key = ".".join(one.path)
    mine = judged.get(key)
    before = judged.get(f"{key}?before")
    if before is not None and before.holds[0] > LINE:
        referred = _referred(one, mine, text, shown, before.holds[0])
        if referred is not None:
            return referred
    if one.kind == "object":
        return _objects(one, judged, text, moment, context)
    if mine is None:
        return None
    if one.kind == "option" and one.many:
        chosen = [(value, sure) for (value, _), sure in zip(one.options, mine.holds, strict=True) if sure > LINE]
        return _Found([value for value, _ in chosen], min(sure for _, sure in chosen)) if chosen else None
    if one.kind in ("option", "flag"):
        place = max(range(len(mine.holds)), key=mine.holds.__getitem__)
        options = [value for value, _ in one.options] if one.kind == "option" else [True, False]
        return _Found(options[place - 1], mine.holds[place]) if place else None
    past = judged.get(f"{key}?past")
    in_past = past is not None and past.holds[0] > 0.5
    if one.many:
        return _listed(one, mine, text, moment, in_past)
    for span in mine.spans:
        if span.sure < mine.nothing or _overlaps(span, taken):
            continue
        value = _spoken(one, text, span, moment, in_past)
        if value is not None and one.kind == "text" and not context and names_nothing(one, str(value)):
            return None
        if value is not None:
            value = shown.resolve(one, value)
            return _Found(value, span.sure / (span.sure + mine.nothing), ((span.start, span.end),))
    return None


def _listed(one: Field, mine: Judged, text: str, moment: Moment, in_past: bool) -> _Found | None:
    """A list of words: every stretch that is likelier than nothing, in the order of the text."""
    if not mine.spans or mine.nothing > LINE:
        return None
    most = mine.spans[0].sure
    kept = sorted((s for s in mine.spans if s.sure > max(mine.nothing, most * 0.15)), key=lambda s: s.start)
    if one.kind == "text":
        kept = [Span(a, b, s.sure) for s in kept for a, b in list_members(text, s.start, s.end)]
    values = [(value, s) for s in kept if (value := _spoken(one, text, s, moment, in_past)) is not None]
    if not values:
        return None
    return _Found([value for value, _ in values], 1 - mine.nothing, tuple((s.start, s.end) for _, s in values))


def _objects(one: Field, judged: Mapping[str, Judged], text: str, moment: Moment, context: str) -> _Found | None:
    """A list of objects: one for each stretch of their first text or number; the rest is read from its own part."""
    anchor = next((part for part in one.parts if part.kind in ("text", "number")), None)
    mine = judged.get(".".join(anchor.path)) if anchor is not None else None
    anchors = _listed(anchor, mine, text, moment, False) if anchor is not None and mine is not None else None
    if anchor is None or anchors is None:
        return None
    rest = [part for part in one.parts if part is not anchor]
    objects = []
    cuts = [0, *(cut_between(text, one[1], other[0]) for one, other in pairwise(anchors.spans)), len(text)]
    for value, (start, end) in zip(anchors.value, pairwise(cuts), strict=True):
        given = {anchor.name: value}
        if rest:
            given |= fill_fields([_alone(part) for part in rest], text[start:end], moment, "", Shown()).values
        objects.append(given)
    return _Found(objects, anchors.sure, anchors.spans)


def _alone(part: Field) -> Field:
    return Field((part.name,), part.kind, part.about, part.many, part.options, part.parts, False, part.schema)


def _spoken(one: Field, text: str, span: Span, moment: Moment, in_past: bool) -> Any:
    words = text[span.start : span.end]
    if one.kind == "number":
        near = [q for q in find_quantities(text) if q.start < span.end and q.end > span.start]
        wider = text[min(q.start for q in near) : max(q.end for q in near)] if near else words
        return number_value(one, words) if not near else number_value(one, wider)
    if one.kind == "time":
        start, end = whole_stretch(text, span.start, span.end)
        stretches = [text[start:end], words] if one.format == "date-time" else [words, text[start:end]]
        for stretch in (*stretches, *_wider(text, span)):
            value = time_value(one.format, stretch, moment, past=in_past, ends=_is_end(one))
            if value is not None:
                return value
        return None
    return _without_name(one, text_value(words)) or None


def _without_name(one: Field, words: str) -> str:
    """The words without the name of the field, where they begin with it: zone 4 is the zone 4."""
    name = f"{humanise(one.name)} "
    return words[len(name) :].strip() if words.casefold().startswith(name) and len(words) > len(name) else words


def _is_end(one: Field) -> bool:
    return one.name.split("_")[0] in ("end", "until", "to")


def _wider(text: str, span: Span) -> list[str]:
    """The words of a span with one and two more at its sides."""
    before = [match.start() for match in re.finditer(r"\S+", text[: span.start])]
    after = [span.end + match.end() for match in re.finditer(r"\S+", text[span.end :])]
    starts = [span.start, *reversed(before[-2:])]
    ends = [span.end, *after[:2]]
    return [text[a:b] for a in starts for b in ends][1:]


def _referred(one: Field, mine: Judged | None, text: str, shown: Shown, sure: float) -> _Found | None:
    """What was shown before and is meant now: the reader says which words refer, code says to what."""
    span = mine.spans[0] if mine is not None and mine.spans else None
    words = text[span.start : span.end] if span is not None else ""
    value = shown.find(one, words)
    return _Found(value, sure, ((span.start, span.end),) if span else ()) if value is not None else None


def _overlaps(span: Span, taken: Sequence[tuple[int, int]]) -> bool:
    return any(span.start < end and span.end > start for start, end in taken)


def _put(values: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        values = values.setdefault(part, {})
    values[path[-1]] = value


def not_covered(text: str, used: Sequence[tuple[int, int]]) -> list[str]:
    """The words that look like names or figures and went nowhere."""
    left = []
    for found in re.finditer(r"(?<![\w.])(?:\d[\w.,:%-]*|[\"“][^\"”]+[\"”]|(?<=[a-z,] )[A-Z][\w-]+)", text):
        if not any(found.start() < end and found.end() > start for start, end in used):
            left.append(found[0].strip('"“”.,'))
    return left
