"""Says whether the figures of an answer are those that a case expects.

Figures may be off by the tolerance of the case; one in percent, milliseconds or bits equals its ratio, seconds or
bytes, and one that is told in the unit that was asked for counts as it is told. Labels count as far as they tell the
reference's series apart, and more of them are allowed; places in a ranking whose values are as good as equal may
change. A series must also cover the range that is meant, all but a tenth. Things beyond a bound, or down, must be
exactly those of the reference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from signalbox.agents.metrics.evaluation.expectation import tolerance_of

__all__ = ["metrics_misleads", "metrics_right"]

_ONE_FIGURE = ("value", "share", "extreme")
_MOMENT_SECONDS = 600.0
_SCALES = {"percent": 0.01, "%": 0.01, "milliseconds": 0.001, "ms": 0.001, "bits": 0.125, "bits_per_second": 0.125}
_SAME_RANGE = 0.9
# A figure near zero beside large ones is as good as zero.
_SMALL = 0.01
_NONE = re.compile(r"\W*(?:no(?! data)|none|nothing|never|all|every\w*)\b", re.IGNORECASE)
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)
_DOWN = re.compile(r"\b(?:down|not)\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|each|both|every\w*)\b", re.IGNORECASE)


def metrics_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if the outcome is the one that is wanted; `wanted` has its figures already."""
    if "error" in wanted:
        return bool(outcome.get("error") == wanted["error"])
    if "empty" in wanted:
        return bool(outcome.get("empty"))
    if "error" in outcome or "kind" not in outcome:
        return False
    judge = {
        "series": _series_right,
        "ranking": _ranking_right,
        "comparison": _comparison_right,
        "extreme": _extreme_right,
        "threshold": _offenders_right,
        "down": _offenders_right,
        "says": _words_right,
    }.get(wanted["kind"], _figure_right)
    tolerance = tolerance_of(wanted)
    return any(judge(outcome, wanted, tolerance, scale) for scale in _scales(outcome))


def metrics_misleads(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if a wrong outcome has figures and does not say what of the question it leaves out.

    That is the most there can be: an answer in another form, a curve for its highest point, counts as well.
    """
    return "kind" in outcome and not outcome.get("empty") and not outcome.get("not_covered")


def _scales(outcome: Mapping[str, Any]) -> list[float]:
    """By what a figure may be multiplied: as it is kept, in its base unit, and in the unit in which it is told."""
    scale = _SCALES.get(str(outcome.get("unit", "")).casefold())
    return [1.0, *(one for one in (scale, outcome.get("shown_factor")) if one is not None)]


def _close(got: Any, want: float, tolerance: float, largest: float = 0.0) -> bool:
    if not isinstance(got, int | float):
        return False
    return abs(got - want) <= tolerance * max(abs(want), _SMALL * largest) + 1e-9


def _figure_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    if outcome["kind"] not in _ONE_FIGURE or outcome.get("value") is None:
        return False
    return _close(outcome["value"] * scale, wanted["figures"]["value"], tolerance)


def _extreme_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    if not _figure_right(outcome, wanted, tolerance, scale) or not outcome.get("at"):
        return False
    at = datetime.fromisoformat(str(outcome["at"]))
    allowed = timedelta(seconds=max(_MOMENT_SECONDS, wanted["figures"]["step"]))
    spans = [tuple(map(datetime.fromisoformat, span)) for span in wanted["figures"]["at"]]
    return any(start - allowed <= at <= end + allowed for start, end in spans)


def _comparison_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    got, want = outcome.get("comparison"), wanted["figures"]
    if not got or not all(_close(got[side] * scale, want[side], tolerance) for side in ("a", "b")):
        return False
    if want["change"] is None or got.get("change") is None:
        return want["change"] is got.get("change")
    return bool(abs(got["change"] - want["change"]) <= 2 * tolerance * (1 + abs(want["change"])))


def _ranking_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    got, want = outcome.get("ranking") or [], _told_apart(wanted["figures"]["ranking"])
    places = min(int(wanted.get("top") or len(want)), len(want))
    if len(got) < places or (len(got) > places and not wanted.get("more")):
        return False
    largest = max(abs(place["value"]) for place in want)
    left = list(want)
    for place, best in zip(got[:places], want, strict=False):
        known = _with_labels(place["labels"], want)
        if known is None or known not in left or not _close(place["value"] * scale, known["value"], tolerance, largest):
            return False
        if not _close(known["value"], best["value"], tolerance, largest):
            return False
        left.remove(known)
    return True


def _words_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    return all(_says(outcome.get("text", ""), word) for word in wanted["words"])


def _says(text: str, word: Any) -> bool:
    return re.search(rf"(?<!\w){re.escape(str(word))}(?!\w)", text, re.IGNORECASE) is not None


def _offenders_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    """Exactly the things that the reference gives are named: by labels, or else in the text."""
    want, others, text = wanted["figures"]["offenders"], wanted["figures"]["others"], outcome.get("text", "")
    findings = [one for one in outcome.get("findings") or () if one.get("labels")]
    # Where it is said that none is, what was beyond the bound and no longer is offends nobody.
    beyond = [one for one in outcome.get("beyond") or () if not _NONE.match(text) or _lasts(one, outcome)]
    named = [one["labels"] for one in outcome.get("ranking") or beyond or findings]
    is_down = wanted["kind"] == "down"
    if wanted.get("none"):
        is_verdict = is_down or outcome.get("threshold") is not None or _ALL.search(text)
        is_fine = is_down and not _DOWN.search(text.partition(".")[0])
        says_none = bool(_NONE.match(text) or (_YES.match(text) and is_verdict) or is_fine)
        return not (named or outcome.get("empty")) and says_none
    if named:
        are_meant = all(any(_fits(one, thing) for thing in want) for one in named)
        are_told_apart = not any(_fits(one, thing) for one in named for thing in others)
        return are_meant and are_told_apart and all(any(_fits(one, thing) for one in named) for thing in want)
    is_curve = outcome["kind"] == "series" and outcome.get("threshold") is None
    is_said = _DOWN.search(text) if is_down else _YES.match(text) or (want != [{}] and not _NONE.match(text))
    told = [[all(_says(text, value) for value in one.values()) for one in things] for things in (want, others)]
    return bool(is_said) and not is_curve and all(told[0]) and not any(told[1])


def _lasts(spell: Mapping[str, Any], outcome: Mapping[str, Any]) -> bool:
    return datetime.fromisoformat(str(spell["end"])) >= datetime.fromisoformat(str(outcome["range"]["end_time"]))


def _fits(labels: Mapping[str, str], thing: Mapping[str, str]) -> bool:
    """True if labels of an answer are those of a thing, as far as both have them."""
    return (not thing or bool(thing.keys() & labels.keys()) or not labels) and all(
        labels.get(name, value) == value for name, value in thing.items()
    )


def _told_apart(places: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The reference's figures with the labels that tell them apart: one that all share says nothing of an answer."""
    shared = set.intersection(*(set(place["labels"].items()) for place in places)) if places else set()
    return [{**place, "labels": dict(set(place["labels"].items()) - shared)} for place in places]


def _with_labels(labels: Mapping[str, str], places: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The one place that the labels of an answer single out, also by fewer labels than the reference has."""
    shared = [place for place in places if place["labels"].keys() & labels.keys() or not place["labels"]]
    fitting = [place for place in shared if all(labels.get(k, v) == v for k, v in place["labels"].items())]
    return fitting[0] if len(fitting) == 1 else None


def _series_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any], tolerance: float, scale: float) -> bool:
    got, want = list(outcome.get("series") or []), _told_apart(wanted["figures"]["series"])
    if outcome["kind"] != "series" or len(got) != len(want) or not _range_right(outcome, wanted):
        return False
    largest = max(abs(one["mean"]) for one in want)
    for one in want:
        same = [g for g in got if one["labels"].items() <= g["labels"].items()]
        found = next((g for g in same if _close(g["mean"] * scale, one["mean"], tolerance, largest)), None)
        if found is None:
            return False
        got.remove(found)
    return True


def _range_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """A mean says little about where a curve begins and ends: nearly the same range must have been asked."""
    said, (start, end) = outcome.get("range"), map(datetime.fromisoformat, wanted["figures"]["range"])
    if not said:
        return False
    first, last = (datetime.fromisoformat(str(said[key])) for key in ("start_time", "end_time"))
    return min(last, end) - max(first, start) >= _SAME_RANGE * (max(last, end) - min(first, start))
