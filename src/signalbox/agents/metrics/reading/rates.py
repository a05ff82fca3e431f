"""Whether a question asks how fast something goes, or how much of it added up."""

from __future__ import annotations

from signalbox.agents.metrics.reading.patterns import any_of, words_of

__all__ = ["find_rate_time", "is_flow", "is_rate", "is_running_total", "is_total"]

_PER_TIME = r"(?:per|a|every|each)\s+(?:second|sec|minute|min|hour|day|s)\b"
_PER = any_of(r"(?:per|a|every|each)\s+(?P<unit>minute|min|hour|day)\b")
_SECONDS = {"minute": (60, "min"), "min": (60, "min"), "hour": (3_600, "h"), "day": (86_400, "day")}
_TOTAL = any_of(
    rf"how\s+many\b(?!.*\b{_PER_TIME})",
    r"how\s+(?:much|often)\b(?!\s+(?:higher|lower|more|less|fewer|slower|faster|worse|better|bigger|smaller)\b)",
    r"(?:in\s+)?total\b",
    r"altogether\b",
    r"(?:number|count|sum)\s+of\b",
    r"(?:counts?|counted)\b",
    # An amount by its unit: "liters of fuel".
    words_of("liters litres gallons dollars euros kilometers miles tons tonnes kilograms kilos") + r"\s+of\b",
)
_SO_FAR = any_of(r"so\s+far\b")
# Of what flows, people want to know how fast, also where they rank or compare it.
_FLOW = any_of(words_of("traffic throughput bandwidth busiest busier busy quietest quieter activity io usage load"))
_RATE = any_of(_PER_TIME, words_of("rate throughput rps qps ops tps bandwidth speed"))


def find_rate_time(text: str) -> tuple[int, str] | None:
    """The time, other than a second, by which a rate is wanted, in seconds and as units have it: per minute."""
    found = _PER.search(text)
    return _SECONDS[found["unit"].lower()] if found else None


def is_flow(text: str) -> bool:
    """Whether what is ranked or compared flows, rather than being counted."""
    return is_rate(text) or bool(_FLOW.search(text))


def is_rate(text: str) -> bool:
    """Whether it is asked how fast something goes."""
    return bool(_RATE.search(text))


def is_running_total(text: str, body: str) -> bool:
    """Whether "so far", which may be read as a part of the time, asks for what added up."""
    return bool(_SO_FAR.search(text)) and not _RATE.search(body)


def is_total(text: str) -> bool:
    """Whether what added up is asked for, rather than how fast it goes."""
    return bool(_TOTAL.search(text)) and not _RATE.search(text)
