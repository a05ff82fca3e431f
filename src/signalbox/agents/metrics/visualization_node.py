"""`visualization_node`: adds `chart`, a Plotly figure as plain JSON, to the state of the metrics agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.metrics.present import blocks_of
from signalbox.drawing.figure import chart_of

__all__ = ["visualization_node"]


def visualization_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """The chart of the result, with the anomalies shaded if some were looked for; None where nothing can be drawn.

    A state with an error passes unchanged.
    """
    result = state.get("result")
    if result is None or state.get("error") is not None:
        return {}
    return {"chart": chart_of(blocks_of(result, state.get("anomalies")))}
