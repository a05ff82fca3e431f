"""An answer on a terminal: the finding, a chart of characters, the figures, then range and query."""

from __future__ import annotations

import shutil
import sys

from signalbox.agents.metrics import MetricsQueryResult
from signalbox.agents.metrics.charts.names import series_names
from signalbox.agents.metrics.charts.terminal import draw_result, statistics_table
from signalbox.agents.metrics.units import format_value
from signalbox.contract.answer import Answer
from signalbox.runs.metrics import finding, sources

__all__ = ["answer_words", "show_answer"]

_WIDEST = 100


def show_answer(answer: Answer) -> str:
    """The whole answer as text for the terminal at hand."""
    if not answer.state.get("result"):
        return _plain(answer.answer)
    result = MetricsQueryResult.model_validate(answer.state["result"])
    width = min(shutil.get_terminal_size((80, 24)).columns - 1, _WIDEST)
    parts = [
        finding(answer.state),
        draw_result(result, width, unicode=_shows_unicode()),
        _change(result),
        _statistics(result),
        _sources(answer),
    ]
    return "\n\n".join(part for part in parts if part)


def answer_words(answer: Answer) -> str:
    """The answer in plain words, for where Markdown is not shown."""
    return "\n\n".join((finding(answer.state), _sources(answer)))


def _sources(answer: Answer) -> str:
    return "\n".join(f"{name}: {text}" for name, text in sources(answer.state))


def _statistics(result: MetricsQueryResult) -> str:
    """The figures of a curve; of several, those of the one that the question means, with its name."""
    if result.statistics is None or result.datapoint_count < 2 or result.comparison or result.ranking:
        return ""
    table = statistics_table(result.statistics, result.unit)
    if len(result.series) < 2:
        return table
    return f"{series_names([one.labels for one in result.series], result.metric_name)[0]}\n{table}"


def _change(result: MetricsQueryResult) -> str:
    if result.comparison is None or result.comparison.change is None:
        return ""
    change = result.comparison.change
    return f"change: {'-' if change < 0 else '+'}{format_value(abs(change), 'ratio')}"


def _shows_unicode() -> bool:
    try:
        "⣿█┤└─…".encode(_encoding())
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _plain(text: str) -> str:
    """Markdown without its marks."""
    return text.replace("  \n", "\n").replace("`", "")


def _encoding() -> str:
    """What stdout takes; it may be closed."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"
