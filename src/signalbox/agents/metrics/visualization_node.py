"""`visualization_node`: adds `chart`, a Plotly figure as plain JSON, to the state of the metrics agent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from signalbox.agents.metrics.charts.figure import make_figure
from signalbox.agents.metrics.charts.moments import wall_clock

__all__ = ["visualization_node"]


def visualization_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """The chart of the result, with the anomalies shaded if some were looked for; None where nothing can be drawn.

    A state with an error passes unchanged.
    """
    result = state.get("result")
    if result is None or state.get("error") is not None:
        return {}
    figure = make_figure(result)
    intervals = (state.get("anomalies") or {}).get("intervals", ())
    if figure is not None and figure["data"][0]["type"] == "scatter" and intervals:
        figure["layout"]["shapes"] = [_shade(one) for one in intervals]
    return {"chart": figure}


def _shade(interval: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": wall_clock(datetime.fromisoformat(interval["start"])),
        "x1": wall_clock(datetime.fromisoformat(interval["end"])),
        "y0": 0,
        "y1": 1,
        "fillcolor": "#d95f02",
        "opacity": 0.15,
        "line": {"width": 0},
        "layer": "below",
    }
