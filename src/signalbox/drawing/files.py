"""Charts as files, by the ending of the name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signalbox.drawing.html_file import figure_page
from signalbox.drawing.image import figure_png
from signalbox.drawing.svg import figure_svg
from signalbox.errors import OperatorError

__all__ = ["write_chart"]


def write_chart(path: Path, figure: Mapping[str, Any], text: str = "") -> None:
    """Write the figure as PNG or SVG if the file name ends that way, otherwise as an HTML page with the text below.

    Raises OperatorError if the file cannot be written, and MissingExtraError.
    """
    kind = path.suffix.lower()
    if kind == ".png":
        content = figure_png(figure)
    else:
        content = (figure_svg(figure) if kind == ".svg" else figure_page(figure, text)).encode()
    try:
        path.write_bytes(content)
    except OSError as error:
        raise OperatorError(f"{path} cannot be written: {error.strerror}.") from None
