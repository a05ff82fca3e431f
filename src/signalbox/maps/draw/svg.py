"""A map as a picture: SVG made here, with no network, no browser and no other program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from signalbox.maps.draw.diagram import Box, Diagram, Kind, Shape, diagram_of
from signalbox.maps.draw.layout import Layout, Size, lay_out
from signalbox.maps.draw.routes import Line, draw_lines
from signalbox.maps.draw.text import one_line, shortened, text_width
from signalbox.maps.spec import GraphSpec
from signalbox.maps.topology import Ways

__all__ = ["to_svg"]

_MARGIN = 28.0
_TITLE = 17.0
_NAME = 13.0
_TYPE = 11.0
_WIDEST_TEXT = 210.0
_LEGEND = {
    Kind.SUCCESS: "on success",
    Kind.FAILURE: "on failure",
    Kind.CHOICE: "may choose",
}

_STYLE = """
.sbx{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.sbx .page{fill:#fff}
.sbx text{fill:#1d2530;text-anchor:middle}
.sbx .title{font-size:17px;font-weight:600;text-anchor:start}
.sbx .name{font-size:13px;font-weight:600}
.sbx .type,.sbx .key{font-size:11px;fill:#647083}
.sbx .key{text-anchor:start}
.sbx .box{fill:#f6f8fa;stroke:#c2cad4;stroke-width:1.2}
.sbx .graph .box,.sbx .graph .rib{fill:#edf3fe;stroke:#86a8e0}
.sbx .person .box{fill:#fff6e3;stroke:#dcae5c}
.sbx .router .box{fill:#f3effe;stroke:#a795e0}
.sbx .missing .box{fill:#fef0f0;stroke:#d64545;stroke-dasharray:4 3}
.sbx .start .box,.sbx .end .dot{fill:#647083;stroke:none}
.sbx .end .box{fill:none;stroke:#647083;stroke-width:1.6}
.sbx .line{fill:none;stroke-width:1.6;stroke-linecap:round}
.sbx .line.plain{stroke:#8a95a5}.sbx .head.plain{fill:#8a95a5}
.sbx .line.success{stroke:#2e9e5b}.sbx .head.success{fill:#2e9e5b}
.sbx .line.failure{stroke:#d64545;stroke-dasharray:6 4}.sbx .head.failure{fill:#d64545}
.sbx .line.choice{stroke:#7a66d9;stroke-dasharray:.1 4.5;stroke-width:2}.sbx .head.choice{fill:#7a66d9}
@media (prefers-color-scheme:dark){
.sbx .page{fill:#14181e}
.sbx text{fill:#e8ecf1}
.sbx .type,.sbx .key{fill:#9aa6b5}
.sbx .box{fill:#212832;stroke:#475262}
.sbx .graph .box,.sbx .graph .rib{fill:#1d2a42;stroke:#5277b8}
.sbx .person .box{fill:#352a14;stroke:#a37d36}
.sbx .router .box{fill:#2a2442;stroke:#7d6cc0}
.sbx .missing .box{fill:#3a1d20}
.sbx .start .box,.sbx .end .dot{fill:#9aa6b5}
.sbx .end .box{fill:none;stroke:#9aa6b5}
.sbx .line.plain{stroke:#78859a}.sbx .head.plain{fill:#78859a}
}"""


def to_svg(spec: GraphSpec, ways: Mapping[str, Ways] | None = None) -> str:
    """The graph as an SVG document of its own, readable on light and dark pages."""
    diagram = diagram_of(spec, ways)
    labels = [_label(box) for box in diagram.boxes]
    layout = lay_out(diagram, [label.size for label in labels])
    title = shortened(diagram.name, _TITLE, 560)
    kinds = [kind for kind in _LEGEND if any(arrow.kind is kind for arrow in diagram.arrows)]
    frame = _frame(layout, title, kinds)
    return "\n".join(
        [
            _opening(frame, diagram),
            f'<text class="title" x="{_MARGIN:g}" y="{_MARGIN + 13:g}">{escape(title)}</text>',
            *_legend(kinds),
            f'<g transform="translate({frame.left:.1f} {frame.top:.1f})">',
            *(_line(line) for line in draw_lines(layout)),
            *(_box(box, labels[i], layout.center(i)) for i, box in enumerate(diagram.boxes)),
            "</g>",
            "</svg>\n",
        ]
    )


@dataclass(frozen=True, slots=True)
class _Label:
    """The text of a box as it fits, and the size that the box takes for it."""

    name: str
    kind: str
    size: Size


@dataclass(frozen=True, slots=True)
class _Frame:
    """The page, and where on it the drawing begins."""

    page: Size
    left: float
    top: float


def _label(box: Box) -> _Label:
    if box.shape is Shape.START:
        return _Label("", "", Size(14, 14))
    if box.shape is Shape.END:
        return _Label("", "", Size(20, 20))
    name = shortened(box.title, _NAME, _WIDEST_TEXT)
    kind = shortened(box.subtitle, _TYPE, _WIDEST_TEXT)
    text = max(text_width(name, _NAME), text_width(kind, _TYPE))
    if box.shape is Shape.ROUTER:
        return _Label(name, kind, Size(round(text * 1.4 + 28), 52, diamond=True))
    sides = 40 if box.shape in (Shape.GRAPH, Shape.PERSON) else 28
    return _Label(name, kind, Size(round(max(92.0, text + sides)), 46))


def _frame(layout: Layout, title: str, kinds: Sequence[Kind]) -> _Frame:
    size = layout.size
    words = max(text_width(title, _TITLE), _legend_width(kinds), size.width + _loops(layout))
    top = _MARGIN + 34 + (22 if kinds else 0)
    page = Size(words + 2 * _MARGIN, top + size.height + _MARGIN)
    return _Frame(page, (page.width - size.width) / 2, top)


def _loops(layout: Layout) -> float:
    """Room on both sides for the bow of a box that leads to itself."""
    return 40.0 if layout.layered.loops else 0.0


def _opening(frame: _Frame, diagram: Diagram) -> str:
    width, height = round(frame.page.width), round(frame.page.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sbx" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(one_line(diagram.name))}>\n'
        f"<style>{_STYLE}</style>\n"
        f'<rect class="page" width="{width}" height="{height}" rx="10"/>'
    )


def _legend_width(kinds: Sequence[Kind]) -> float:
    return sum(44 + text_width(_LEGEND[kind], _TYPE) for kind in kinds)


def _legend(kinds: Sequence[Kind]) -> Iterator[str]:
    x, y = _MARGIN, _MARGIN + 33
    for kind in kinds:
        yield f'<path class="line {kind}" d="M{x:g} {y:g}h22"/>'
        yield f'<text class="key" x="{x + 28:g}" y="{y + 4:g}">{_LEGEND[kind]}</text>'
        x = round(x + 44 + text_width(_LEGEND[kind], _TYPE))


def _line(line: Line) -> str:
    heads = f'<path class="head {line.kind}" d="{"".join(line.heads)}"/>' if line.heads else ""
    return f'<path class="line {line.kind}" d="{line.path}"/>{heads}'


def _box(box: Box, label: _Label, center: tuple[float, float]) -> str:
    x, y = center
    tip = "\n".join(part for part in (box.title, box.subtitle, box.note) if part)
    parts = [f'<g class="{box.shape}" transform="translate({x:.1f} {y:.1f})"><title>{_safe(tip)}</title>']
    parts.append(_outline(box.shape, label.size))
    if label.name:
        parts.append(f'<text class="name" y="{-3 if label.kind else 4.5}">{escape(label.name)}</text>')
    if label.kind:
        parts.append(f'<text class="type" y="13">{escape(label.kind)}</text>')
    return "".join([*parts, "</g>"])


def _outline(shape: Shape, size: Size) -> str:
    w, h = size.width, size.height
    if shape is Shape.START:
        return f'<circle class="box" r="{w / 2:g}"/>'
    if shape is Shape.END:
        return f'<circle class="box" r="{w / 2 - 1:g}"/><circle class="dot" r="{w / 2 - 5:g}"/>'
    if shape is Shape.ROUTER:
        return f'<path class="box" d="M0 {-h / 2:g}L{w / 2:g} 0L0 {h / 2:g}L{-w / 2:g} 0Z"/>'
    corner = h / 2 if shape is Shape.PERSON else 8
    frame = f'<rect class="box" x="{-w / 2:g}" y="{-h / 2:g}" width="{w:g}" height="{h:g}" rx="{corner:g}"/>'
    if shape is Shape.GRAPH:
        ribs = "".join(f"M{x:g} {-h / 2:g}v{h:g}" for x in (7 - w / 2, w / 2 - 7))
        frame += f'<path class="rib" d="{ribs}"/>'
    return frame


def _safe(text: str) -> str:
    return escape("\n".join(one_line(line) for line in text.splitlines()))
