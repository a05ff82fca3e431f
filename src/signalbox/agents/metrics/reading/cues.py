"""What the words of a question say of the answer: its kind, aggregation and places.

Only words that leave no doubt count; each reader gives None where the text does not say.
"""

from __future__ import annotations

import re

from signalbox.agents.metrics.reading.patterns import any_of, words_of
from signalbox.agents.metrics.reading.rates import is_rate, is_total
from signalbox.agents.metrics.state import Aggregation, ResultKind
from signalbox.language.numbers import GROUPS, NUMBERS, SMALL

__all__ = [
    "COMPARISON",
    "blank_moment",
    "find_aggregation",
    "find_kind",
    "find_top",
    "is_comparison",
    "is_current",
    "is_drawn",
    "is_figurative",
    "is_lowest",
    "is_open_figure",
    "is_percentage",
    "is_share",
    "is_superlative",
    "joins_series",
]


_NUMBERS = {word: NUMBERS[word] for word in (*SMALL[1:13], "fifteen", "twenty")} | {
    word: GROUPS[word] for word in ("dozen", "couple")
}
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
# What follows a superlative that is about one thing through time: "the deepest the queue got".
_NO_NOUN = words_of("the it that this a an our we they of was is has had ever")

COMPARISON = any_of(
    r"compare[sd]?\s+(?:it\s+)?(?:with|to|against)\b",
    r"(?:in\s+)?comparison\s+(?:with|to)\b",
    r"(?:versus|vs)\b\.?",
    r"(?:as\s+opposed|relative)\s+to\b",
    r"(?:as\s+|stack\s+up\s+)?against\b",
    r"than\b(?!\s+\d)",
    r"(?:different|differs?|up|down|changed?)\s+from\b",
    r"changed?\s+since\b",
    r"(?<=now\s)and\b(?=\s+(?:an?|one|\d+|two|three|yesterday|last)\b)",
    r"the\s+same\s+as\b",
)
"""What stands between the two sides of a comparison."""

_COMPARATIVE = words_of(
    "higher lower more less fewer slower faster worse better busier bigger smaller greater larger quieter hotter cooler"
)
_COMPARING = any_of(
    words_of("compare compares compared comparing comparison versus vs difference differ"),
    r"(?P<unit>hour|day|week|month)[ -](?:over|on)[ -](?P=unit)\b",
    rf"(?:did|do|does|is|are|was|were|has|have|had|who|which)\b[^.?!]*\w\s+or\s+\w[^.?!]*\b{_COMPARATIVE}",
    _COMPARATIVE + r"(?:\s+[\w/-]+){0,6}?\s+(?:than\b(?!\s+\d)|or\b)",
)
_SHARE = any_of(
    r"(?:shares?|percent(?:age)?s?|proportions?|fractions?|portions?|ratio|how\s+(?:big|large)\s+a\s+part|what\s+part)\s+of\b",
    r"how\s+much\s+of\s+(?:all|the|our|its|this|that|total)\b",
    r"ratio\s+(?:between\b|[^,.;?]+?\s+(?:to|over)\s+[a-z])",
    r"[a-z][\w-]*[\s-]to[\s-][a-z][\w-]*\s+ratio\b",
    r"what\s*(?:'s|is|was)?\s*(?:the\s+)?%",
    r"out\s+of\s+(?:all|every)\b",
    r"(?:how\s+close|closest|nearest)\b[^.?!]*\bto\s+(?:its|their|the)\s+[^.?!]*\b(?:limits?|max\w*|capacity|quota|ceiling)\b",
)
_PERCENT_OF = re.compile(r"%\s+of\b")
_IN_PERCENT = re.compile(r"(?<!\d)(?<!\d\s)%(?!ile)|(?<!\d\s)\b(?:percent(?:age)?s?|pct)\b", re.IGNORECASE)
_MOMENT = any_of(
    r"when\b",
    r"at\s+(?:what|which)\s+(?:time|moment|hour|point)\b",
    r"what\s+(?:time|day|hour|moment)\b",
    r"which\s+(?:hour|minute|day|moment)\b",
    rf"(?:{_HIGH}|{_LOW}|{_EST})\s+(?:hour|minute|moment|time)\b",
)
_EXTREME = any_of(_HIGH, _LOW, _EST, words_of("bottomed spike spiked crest dip dipped hit record"))
_TOP = any_of(
    rf"(?:top|bottom|first)[\s-]+(?P<after_top>{_NUMBER})\b",
    rf"(?P<before>{_NUMBER})\s+(?!(?:min|max)\b)(?:[\w-]+\s+){{0,2}}?(?:{_HIGH}|{_LOW}|{_EST})",
    rf"(?P<having>{_NUMBER})\s+(?:[\w-]+\s+){{0,2}}?{_THINGS}\s+(?:with|by|that|which|who|[a-z]+ing)\b(?:\s+[\w-]+){{0,4}}?\s+(?:{_HIGH}|{_LOW}|{_EST})",
    rf"(?:{_HIGH}|{_LOW}|{_EST})\s+(?P<after>{_NUMBER})\b",
    rf"which\s+(?P<which>{_NUMBER})\s+{_THINGS}",
)
_RANKING = any_of(
    r"(?:which|what|who)\b(?!\s+(?:is|was|were|are|share|part|percent\w*|fraction|proportion|time|hour|day|moment)\b)"
    rf"(?:\s+[\w/'-]+){{1,8}}?\s+(?:{_HIGH}|{_LOW}|{_EST}|(?:more|less|leads?)\b)",
    rf"(?:top|bottom)\s+(?!of\b)(?:{_THINGS}|[a-z][\w-]*\s+by\b)",
    rf"rank(?:ing)?\s+(?:(?:the|all|our|of|my|every|them)\b|{_THINGS})",
    r"ranked\s+by\b",
    rf"[a-z][\w-]*\s+(?:with|having)\s+the\s+(?:{_HIGH}|{_LOW}|{_EST})",
    rf"(?<!\w\s)which\s+(?!(?:is|was|has|does)\b)(?:[a-z][\w-]*\s+)?{_THINGS}\s+[a-z]",
    rf"sort\s+(?:by|from|in|desc\w*|asc\w*|the|all|our|them|these|it|{_THINGS}\s+by)\b",
    r"sorted\b",
    r"order(?:ed)?\s+by\b",
    rf"(?:{_HIGH}|{_LOW}|{_EST})\s+first\b",
    r"(?:in\s+)?(?:descending|ascending|decreasing|increasing)\s+order\b",
    r"(?:descending|ascending)\b",
    rf"list\s+(?:the\s+|all\s+|our\s+|every\s+|me\s+)*{_THINGS}\s+by\b",
    rf"(?!{_EST_OF_FIGURES}){_EST}\s+(?!{_TIMES}|{_NO_NOUN})[a-z][\w-]*",
)
# Things that are ranked, rather than a share that is asked for: "which host has the highest share of".
_RANKED_THINGS = any_of(
    r"which\b(?!\s+(?:is|was|were|are|share|part|percent\w*|fraction|proportion|time|hour|day|moment)\b)"
    rf"(?:\s+[\w/'-]+){{1,6}}?\s+(?:{_HIGH}|{_LOW})\s+(?:share|percent\w*|proportion|fraction|ratio)\b",
    r"which\b(?:\s+[\w/'-]+){1,4}?\s+(?:closest|nearest)\s+to\b",
)
_ASCENDING = any_of(r"(?:ascending|increasing\s+order|lowest\s+first)\b")
_CURVE = any_of(
    r"(?:graph|plot|chart|curve|trend|draw|visuali[sz]e|over\s+time|time\s*series|timeline|history)\b",
    r"(?:evolve[ds]?|evolution|develop(?:ed|ment)?)\b",
    r"(?:as|in)\s+(?:a|one)\s+(?:single\s+)?(?:line|curve|series)\b",
    r"how\s+(?:has|have|did)\b.*\b(?:chang|develop|evolv|behav|look|mov|trend)\w*",
)
_SHOW = re.compile(
    r"(?:^|[.?!;:])\W*(?:please\s+|can\s+you\s+|could\s+you\s+|i\s+(?:want|need|would\s+like)\s+to\s+see\s+)?(?:show|display|see|view)\b",
    re.IGNORECASE,
)
# Of a state of things over a range, these leave open whether one figure or a curve is wanted.
_OPEN_FIGURE = any_of(
    r"how\s+" + words_of("fast slow full busy long hot warm cold loaded quick quickly"), r"(?:number|count)\s+of\b"
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
    r"(?:right\s+now|just\s+now|as\s+of\s+now|now|atm|rn)\b",
    r"at\s+(?:the|this)\s+(?:moment|point|second)\b",
    r"at\s+this\s+time\b",
    r"at\s+present\b",
    r"this\s+(?:second|instant)\b",
    r"these\s+days\b",
    words_of("presently currently current latest live"),
)
_ONE_NUMBER = any_of(r"(?:one|a\s+single|single|just\s+the|just\s+a)\s+(?:number|figure|value)\b")

_AGGREGATIONS: tuple[tuple[Aggregation, re.Pattern[str]], ...] = (
    ("avg", any_of(r"(?<!load )" + words_of("average averages averaged avg mean typical typically"))),
    (
        "max",
        any_of(
            words_of("max maximum maxima highest peak peaked largest greatest biggest worst spike spiked spikes"),
            r"at\s+most\b",
        ),
    ),
    (
        "min",
        any_of(
            r"(?<!\d)(?<!\d\s)min\b",
            words_of("minimum minima lowest smallest least fewest trough bottom"),
            r"at\s+least\b",
        ),
    ),
    (
        "sum",
        any_of(
            words_of("sum summed total totals totalled altogether combined aggregate aggregated"),
            r"added\s+(?:up|together)\b",
        ),
    ),
)

_FURTHEST = any_of(rf"{_EST}\s+(?:that\s+)?{words_of('the it this our we they')}")
_OVER_SERIES = any_of(
    r"(?:averaged|summed|aggregated|combined|added\s+(?:up|together)|totall?ed|average|mean|sum)\s+(?:over|across)\s+"
    r"(?:(?:the|its|all|their|every|our|both)\s+)*[a-z]"
)


def find_aggregation(text: str) -> Aggregation | None:
    """How values are to be put together, by the first word that says so."""
    found = [(match.start(), name) for name, pattern in _AGGREGATIONS if (match := pattern.search(text))]
    if found:
        return min(found)[1]
    return ("min" if is_lowest(text) else "max") if _FURTHEST.search(text) else None


def find_top(text: str) -> int | None:
    """How many places are wanted."""
    found = _TOP.search(text)
    said = next((group for group in found.groups() if group), None) if found else None
    return None if said is None else _NUMBERS.get(said.lower()) or int(said)


def find_kind(text: str) -> ResultKind | None:
    """The kind of answer, where words leave no doubt."""
    if is_comparison(text):
        return "comparison"
    if is_share(text):
        return "ranking" if find_top(text) is not None or _RANKED_THINGS.search(text) else "share"
    if _MOMENT.search(text) and _EXTREME.search(text):
        return "extreme"
    if find_top(text) is not None or _RANKING.search(text):
        return "ranking"
    if _ONE_NUMBER.search(text):
        return "value"
    if is_drawn(text):
        return "series"
    if find_aggregation(text) or _FIGURE.search(text) or is_current(text) or is_total(text):
        return "value"
    return None


def is_comparison(text: str) -> bool:
    """Whether two things or times are put side by side."""
    return bool(_COMPARING.search(text) or COMPARISON.search(text))


def is_share(text: str) -> bool:
    """Whether a part of a whole is asked for."""
    return bool(_SHARE.search(text) or _PERCENT_OF.search(text))


def is_open_figure(text: str) -> bool:
    """Whether a figure is asked for in words that fit a curve as well: "how busy", "number of"."""
    rest = _OPEN_FIGURE.sub(" ", text)
    return bool(_OPEN_FIGURE.search(text)) and not _FIGURE.search(rest) and not is_current(text)


def is_drawn(text: str) -> bool:
    """Whether a curve is asked for, whatever else is said."""
    return bool(_CURVE.search(text) or _SHOW.search(text)) and not is_current(text)


def joins_series(text: str) -> bool:
    """Whether an aggregation is over series rather than over time: "summed over the instances"."""
    return bool(_OVER_SERIES.search(text))


def is_percentage(text: str) -> bool:
    """Whether the figure is wanted in percent."""
    return bool(_IN_PERCENT.search(text))


def is_figurative(text: str) -> bool:
    """Whether the words ask for figures or curves, whatever they are of."""
    found = (is_total(text), is_current(text), is_rate(text), is_percentage(text), is_drawn(text), is_comparison(text))
    return any(found) or find_aggregation(text) is not None or find_top(text) is not None


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
    if _ASCENDING.search(text):
        return True
    low, high = (re.search(rf"\b{words}", text, re.IGNORECASE) for words in (_LOW, _HIGH))
    return bool(low and not (high and high.start() < low.start()))
