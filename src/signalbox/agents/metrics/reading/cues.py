"""What the words of a question say of the answer: its kind, aggregation, quantile and places.

Only words that leave no doubt count; each reader gives None where the text does not say.
"""

from __future__ import annotations

import re

from signalbox.agents.metrics.state import Aggregation, ResultKind

__all__ = [
    "COMPARISON",
    "any_of",
    "blank_moment",
    "find_aggregation",
    "find_kind",
    "find_quantile",
    "find_top",
    "is_comparison",
    "is_current",
    "is_lowest",
    "is_superlative",
    "is_total",
    "words_of",
]


def any_of(*parts: str) -> re.Pattern[str]:
    """Any of the parts, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(parts)})", re.IGNORECASE | re.DOTALL)


def words_of(words: str) -> str:
    """One of the words, which are written with blanks between them."""
    return rf"(?:{'|'.join(words.split())})\b"


_NUMBERS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
} | {"fifteen": 15, "twenty": 20, "dozen": 12, "couple": 2}
_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"

_HIGH = words_of(
    "highest biggest largest greatest most busiest hottest slowest worst heaviest fullest noisiest loudest top max "
    "maximum peak peaked peaks longest hungriest hungry chattiest"
)
_LOW = words_of(
    "lowest smallest least fewest quietest fastest best lightest emptiest coldest idlest bottom min minimum shortest "
    "coolest"
)
# No superlatives, whatever their ending.
_NO_EST = words_of(
    "latest request test west midwest interest forest guest rest harvest contest manifest ingest invest digest arrest "
    "chest nearest suggest protest least east northeast southeast beast feast yeast"
)
_EST = rf"(?!{_NO_EST})[a-z]{{2,}}est\b"
_EST_OF_FIGURES = words_of("highest lowest biggest largest smallest greatest longest shortest fewest")
_THINGS = r"[a-z][\w-]*s\b"
_TIMES = words_of("time hour day minute moment")
_PER_TIME = r"(?:per|a|every|each)\s+(?:second|sec|minute|min|hour|s)\b"

COMPARISON = any_of(
    r"compare[sd]?\s+(?:it\s+)?(?:with|to|against)\b",
    r"(?:in\s+)?comparison\s+(?:with|to)\b",
    r"(?:versus|vs)\b\.?",
    r"(?:as\s+opposed|relative)\s+to\b",
    r"(?:as\s+|stack\s+up\s+)?against\b",
    r"than\b(?!\s+\d)",
    r"(?:different|differs?|up|down|changed?)\s+from\b",
    r"changed?\s+since\b",
    r"the\s+same\s+as\b",
)
"""What stands between the two sides of a comparison."""

_COMPARING = any_of(
    words_of("compare compares compared comparing comparison versus vs difference differ"),
    r"(?P<unit>hour|day|week|month)[ -](?:over|on)[ -](?P=unit)\b",
    words_of("higher lower more less fewer slower faster worse better busier bigger smaller greater larger quieter")
    + r"(?:\s+[\w/-]+){0,6}?\s+(?:than\b(?!\s+\d)|or\b)",
)
_SHARE = any_of(
    r"(?:shares?|percent(?:age)?s?|proportions?|fractions?|portions?|ratio|how\s+(?:big|large)\s+a\s+part|what\s+part)\s+of\b",
    r"what\s*(?:'s|is|was)?\s*(?:the\s+)?%",
    r"out\s+of\s+(?:all|every)\b",
)
_PERCENT_OF = re.compile(r"%\s+of\b")
_MOMENT = any_of(
    r"when\b",
    r"at\s+(?:what|which)\s+(?:time|moment|hour|point)\b",
    r"what\s+(?:time|day|hour|moment)\b",
    r"which\s+(?:hour|minute|day|moment)\b",
)
_EXTREME = any_of(_HIGH, _LOW, _EST, words_of("bottomed spike spiked crest dip dipped hit record"))
_TOP = any_of(
    rf"(?:top|bottom|first)[\s-]+(?P<after_top>{_NUMBER})\b",
    rf"(?P<before>{_NUMBER})\s+(?:[\w-]+\s+){{0,2}}?(?:{_HIGH}|{_LOW}|{_EST})",
    rf"(?:{_HIGH}|{_LOW}|{_EST})\s+(?P<after>{_NUMBER})\b",
    rf"which\s+(?P<which>{_NUMBER})\s+{_THINGS}",
)
_RANKING = any_of(
    r"(?:which|what|who)\b(?!\s+(?:is|was|were|are|share|part|percent\w*|fraction|proportion|time|hour|day|moment)\b)"
    rf"(?:\s+[\w/'-]+){{1,8}}?\s+(?:{_HIGH}|{_LOW}|{_EST}|(?:more|less|leads?)\b)",
    rf"(?:top|bottom)\s+(?!of\b)(?:{_THINGS}|[a-z][\w-]*\s+by\b)",
    rf"rank(?:ing)?\s+(?:(?:the|all|our|of|my|every|them)\b|{_THINGS})",
    r"ranked\s+by\b",
    r"sort(?:ed)?\b",
    r"order(?:ed)?\s+by\b",
    rf"(?!{_EST_OF_FIGURES}){_EST}\s+(?!{_TIMES})[a-z][\w-]*",
)
_CURVE = any_of(
    r"(?:graph|plot|chart|curve|trend|draw|visuali[sz]e|over\s+time|time\s*series|timeline|history)\b",
    r"(?:evolve[ds]?|evolution|develop(?:ed|ment)?)\b",
    r"how\s+(?:has|have|did)\b.*\b(?:chang|develop|evolv|behav|look|mov|trend)\w*",
)
_SHOW = re.compile(
    r"^\W*(?:please\s+|can\s+you\s+|could\s+you\s+|i\s+(?:want|need|would\s+like)\s+to\s+see\s+)?(?:show|display|see|view)\b",
    re.IGNORECASE,
)
_FIGURE = any_of(
    r"what(?:'s|\s+is|\s+was|\s+are|\s+were|s)?\b(?!\s+about|\s+if)",
    r"how\s+" + words_of("many much high low big large fast slow full busy long often hot warm cold loaded close far"),
    r"(?:number|count)\s+of\b",
    r"tell\s+me\b",
    r"give\s+me\s+the\s+(?:value|number|figure|average|mean|total|sum|max\w*|min\w*|count)\b",
    r"(?:is|are|was|were)\s+there\b",
)
_NOW = any_of(
    r"(?:right\s+now|just\s+now|as\s+of\s+now|now|atm)\b",
    r"at\s+(?:the|this)\s+(?:moment|point|second)\b",
    r"at\s+this\s+time\b",
    r"at\s+present\b",
    r"this\s+(?:second|instant)\b",
    r"these\s+days\b",
    words_of("presently currently current latest live"),
)
_TOTAL = any_of(
    rf"how\s+many\b(?!.*\b{_PER_TIME})",
    r"how\s+(?:much|often)\b(?!\s+(?:higher|lower|more|less|fewer|slower|faster|worse|better|bigger|smaller)\b)",
    r"(?:in\s+)?total\b",
    r"altogether\b",
    r"(?:number|count|sum)\s+of\b",
    r"count\b",
)
_RATE = any_of(_PER_TIME, words_of("rate throughput rps qps ops tps bandwidth speed"))

_AGGREGATIONS: tuple[tuple[Aggregation, re.Pattern[str]], ...] = (
    ("avg", any_of(r"(?<!load )" + words_of("average averages averaged avg mean typical typically"))),
    (
        "max",
        any_of(
            words_of("max maximum maxima highest peak peaked largest greatest biggest worst spike spiked spikes"),
            r"at\s+most\b",
        ),
    ),
    ("min", any_of(words_of("min minimum minima lowest smallest least fewest trough bottom"), r"at\s+least\b")),
    (
        "sum",
        any_of(words_of("sum summed total totals totalled altogether combined aggregate aggregated"), r"added\s+up\b"),
    ),
)

_QUANTILE = re.compile(
    r"\bp\s?-?(?P<p>\d{2}(?:\.\d+|\d)?)\b"
    r"|\b(?P<th>\d{1,2}(?:\.\d+)?)\s?-?(?:th|st|nd|rd)?[\s-]*(?:percentiles?|pctl|%ile|centile|quantile)"
    r"|\bquantile\s+(?:of\s+)?(?P<q>0?\.\d+)|\b(?P<q2>0\.\d+)\s+quantile"
    r"|\bpercentile\s+(?P<after>\d{1,2}(?:\.\d+)?)|(?P<median>\bmedians?\b)",
    re.IGNORECASE,
)


def find_quantile(text: str) -> float | None:
    """The quantile that is named: p95, 99th percentile, median."""
    found = _QUANTILE.search(text)
    if found is None:
        return None
    if found["median"]:
        return 0.5
    if fraction := found["q"] or found["q2"]:
        return float(fraction)
    digits = found["p"] or found["th"] or found["after"]
    number = float(digits) if "." in digits or len(digits) <= 2 else float(f"{digits[:2]}.{digits[2:]}")
    return round(number / 100, 6) if 0 < number < 100 else None


def find_aggregation(text: str) -> Aggregation | None:
    """How values are to be put together, by the first word that says so."""
    found = [(match.start(), name) for name, pattern in _AGGREGATIONS if (match := pattern.search(text))]
    return min(found)[1] if found else None


def find_top(text: str) -> int | None:
    """How many places are wanted."""
    found = _TOP.search(text)
    said = next((group for group in found.groups() if group), None) if found else None
    return None if said is None else _NUMBERS.get(said.lower()) or int(said)


def find_kind(text: str) -> ResultKind | None:
    """The kind of answer, where words leave no doubt."""
    if is_comparison(text):
        return "comparison"
    if _SHARE.search(text) or _PERCENT_OF.search(text):
        return "share"
    if _MOMENT.search(text) and _EXTREME.search(text):
        return "extreme"
    if find_top(text) is not None or _RANKING.search(text):
        return "ranking"
    if _CURVE.search(text) or (_SHOW.search(text) and not is_current(text)):
        return "series"
    if find_aggregation(text) or _FIGURE.search(text) or is_current(text) or is_total(text):
        return "value"
    return None


def is_comparison(text: str) -> bool:
    """Whether two things or times are put side by side."""
    return bool(_COMPARING.search(text) or COMPARISON.search(text))


def is_superlative(word: str) -> bool:
    """Whether a word is one such as warmest, or fewest."""
    return bool(re.fullmatch(_EST, word, re.IGNORECASE))


def blank_moment(text: str) -> str:
    """The text without the words that ask for a moment: "at what time" is about no measure of time."""
    return _MOMENT.sub(lambda found: " " * len(found.group()), text)


def is_current(text: str) -> bool:
    """Whether the present value is asked for in words."""
    return bool(_NOW.search(text))


def is_lowest(text: str) -> bool:
    """Whether the lower end is asked for: lowest, least, quietest."""
    low, high = (re.search(rf"\b{words}", text, re.IGNORECASE) for words in (_LOW, _HIGH))
    return bool(low and not (high and high.start() < low.start()))


def is_total(text: str) -> bool:
    """Whether what added up is asked for, rather than how fast it goes."""
    return bool(_TOTAL.search(text)) and not _RATE.search(text)
