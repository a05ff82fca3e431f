"""A figure as one HTML file that needs no network: it contains Plotly's script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape, unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from signalbox.errors import MissingExtraError

__all__ = ["figure_page"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ margin: 1rem; font: 15px/1.5 system-ui, sans-serif; }} #chart {{ height: 70vh; }}
pre {{ white-space: pre-wrap; }}</style>
<script>{script}</script>
</head>
<body>
<div id="chart"></div>
<pre>{text}</pre>
<script>
const figure = {figure};
Plotly.newPlot("chart", figure.data, figure.layout, {{responsive: true, displaylogo: false}});
</script>
</body>
</html>
"""


def figure_page(figure: Mapping[str, Any], text: str = "") -> str:
    """The page with the chart and, under it, the answer's text. Raises MissingExtraError without Plotly."""
    title = str(figure["layout"].get("title", {}).get("text", "Signalbox"))
    # Inside a script element nothing but "<" can end the script; labels are a server's data.
    data = json.dumps(figure).replace("<", "\\u003c")
    return _PAGE.format(title=escape(unescape(title)), script=_plotly_script(), text=escape(text), figure=data)


def _plotly_script() -> str:
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise MissingExtraError("A chart as HTML", "charts")
    return (Path(spec.origin).parent / "package_data" / "plotly.min.js").read_text("utf-8")
