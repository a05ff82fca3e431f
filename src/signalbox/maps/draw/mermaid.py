"""A map as a Mermaid flowchart."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from signalbox.maps.draw.diagram import Box, Diagram, Kind, Shape, diagram_of
from signalbox.maps.spec import GraphSpec
from signalbox.maps.topology import Ways

__all__ = ["to_mermaid"]

_BRACKETS = {
    Shape.START: ("((", "))"),
    Shape.AGENT: ("[", "]"),
    Shape.GRAPH: ("[[", "]]"),
    Shape.PERSON: ("([", "])"),
    Shape.ROUTER: ("{", "}"),
    Shape.MISSING: ("[", "]"),
    Shape.END: ("(((", ")))"),
}
_LINKS = {
    Kind.PLAIN: "-->",
    Kind.SUCCESS: "-->|success|",
    Kind.FAILURE: "-.->|failure|",
    Kind.CHOICE: "-.->",
}
_LINK_STYLES = {
    Kind.SUCCESS: "stroke:#2e9e5b",
    Kind.FAILURE: "stroke:#d64545",
    Kind.CHOICE: "stroke:#6d5bd0,stroke-dasharray:2 4",
}
_CLASSES = {
    Shape.START: "fill:#5b6675,stroke:#5b6675,color:#ffffff",
    Shape.PERSON: "fill:#fff4dc,stroke:#c98a1b,color:#1f2733",
    Shape.GRAPH: "fill:#e9f0fd,stroke:#4a7fd6,color:#1f2733",
    Shape.ROUTER: "fill:#f1edfd,stroke:#6d5bd0,color:#1f2733",
    Shape.MISSING: "fill:#fdecec,stroke:#d64545,color:#1f2733,stroke-dasharray:4 3",
    Shape.END: "fill:#5b6675,stroke:#5b6675,color:#ffffff",
}
# Mermaid refuses a longer flowchart unless its reader's own configuration allows it.
_EDGES_BY_DEFAULT = 500


def to_mermaid(spec: GraphSpec, ways: Mapping[str, Ways] | None = None) -> str:
    """The graph as a Mermaid flowchart: valid whatever the names of graph and nodes."""
    diagram = diagram_of(spec, ways)
    lines = ["---", f"title: {json.dumps(_printable(diagram.name), ensure_ascii=False)}", "---"]
    if len(diagram.arrows) > _EDGES_BY_DEFAULT:
        lines.append(f"%% {len(diagram.arrows)} edges: set Mermaid's maxEdges to at least that.")
    lines.append("flowchart TD")
    lines += [f"    {_box(key, box)}" for key, box in enumerate(diagram.boxes)]
    lines += [f"    n{a.source} {_LINKS[a.kind]} n{a.target}" for a in diagram.arrows]
    lines += _styles(diagram)
    return "\n".join(lines) + "\n"


def _box(key: int, box: Box) -> str:
    opening, closing = _BRACKETS[box.shape]
    label = _escaped(box.title)
    if box.subtitle:
        label += f"<br/><small>{_escaped(box.subtitle)}</small>"
    styled = f":::{box.shape}Node" if box.shape in _CLASSES else ""
    return f'n{key}{opening}"{label}"{closing}{styled}'


def _styles(diagram: Diagram) -> list[str]:
    shapes = dict.fromkeys(box.shape for box in diagram.boxes)
    lines = [f"    classDef {shape}Node {_CLASSES[shape]}" for shape in shapes if shape in _CLASSES]
    for kind, style in _LINK_STYLES.items():
        places = [str(place) for place, arrow in enumerate(diagram.arrows) if arrow.kind is kind]
        if places:
            lines.append(f"    linkStyle {','.join(places)} {style}")
    return lines


# Mermaid undoes the codes and only then looks for `\\n`, `$$` and `:fa`: a mark of no width parts them.
_READ_TOO_LATE = re.compile(r"(?<=[\\$])(?=[n$])|(?<=:)(?=fa)")
_INSIDE_A_WORD = re.compile(r"(?<=[^\W_])[_.-](?=[^\W_])")


def _escaped(text: str) -> str:
    """The text as a label: Mermaid reads a label as Markdown and HTML, so all punctuation becomes `#code;`,
    but for what stands inside a word and means nothing there."""
    text = _READ_TOO_LATE.sub("\u200b", _printable(text))
    kept = {match.start() for match in _INSIDE_A_WORD.finditer(text)}
    plain = (c.isalnum() or c in " ," or ord(c) > 127 or i in kept for i, c in enumerate(text))
    label = "".join(c if ok else f"#{ord(c)};" for c, ok in zip(text, plain, strict=True))
    return label or "#160;"


def _printable(text: str) -> str:
    """On one line and without characters that no text file should hold."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable() or ord(c) == 0x200D)
