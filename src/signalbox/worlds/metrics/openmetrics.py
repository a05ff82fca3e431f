"""The samples of a store as OpenMetrics text, so that a real Prometheus can be filled with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from signalbox.worlds.metrics.labels import NAME, Labels, label_of
from signalbox.worlds.metrics.promql.numbers import format_numbers
from signalbox.worlds.metrics.series import Series
from signalbox.worlds.metrics.store import Store

__all__ = ["openmetrics_lines"]

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def openmetrics_lines(store: Store, series: Iterable[Series], low_ms: int, high_ms: int) -> Iterator[str]:
    """Every sample of the series in [low, high], a line each, and the mark of the end (`promtool tsdb
    create-blocks-from openmetrics` reads it)."""
    for one in sorted(series, key=lambda item: item.labels):
        stamps, values = store.samples(one, low_ms, high_ms)
        name = _written(one.labels)
        for stamp, value in zip(stamps.tolist(), format_numbers(values.tolist()), strict=True):
            yield f"{name} {value} {stamp / 1000:.3f}\n"
    yield "# EOF\n"


def _written(labels: Labels) -> str:
    pairs = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels if name != NAME)
    return f"{label_of(labels, NAME)}{{{pairs}}}"
