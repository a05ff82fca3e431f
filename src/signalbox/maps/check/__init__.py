"""The validator: finds everything that can be known to be wrong with a map before it runs.

`check_map` is what `signalbox maps check` prints; `require_sound` is what every run goes through first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from signalbox.errors import MapCheckError
from signalbox.maps.check.agents import check_settings, check_types
from signalbox.maps.check.edges import check_loops, check_names, check_reached, check_targets
from signalbox.maps.check.references import check_patterns, check_prompts, check_subgraphs, check_tools, children
from signalbox.maps.check.view import View
from signalbox.maps.findings import Finding
from signalbox.maps.local_code import code_stamp
from signalbox.maps.read import MapFile, read_map
from signalbox.maps.spec import GraphSpec

if TYPE_CHECKING:
    from signalbox.maps.map_run import MapRun

__all__ = ["check_graph", "check_map", "require_sound", "warnings_of"]

_FIRST: tuple[Callable[[View], Iterable[Finding]], ...] = (check_names, check_targets)
_THEN: tuple[Callable[[View], Iterable[Finding]], ...] = (
    check_types,
    check_settings,
    check_prompts,
    check_subgraphs,
    check_tools,
    check_patterns,
    check_loops,
    check_reached,
)
_sound: OrderedDict[object, None] = OrderedDict()


def check_map(source: str | Path, *, code: bool = True) -> tuple[MapFile, list[Finding]]:
    """Read a map file and check all its graphs, and those in other files that it runs.

    The code that the map names is imported, as in a run; with `code` False nothing is imported, and what could not be
    checked is a note. Raises MapReadError for a file that is not a map."""
    document = read_map(source)
    folder = document.path.resolve().parent
    findings = list(document.findings)
    for graph in document.graphs.values():
        findings += check_graph(graph, folder, document.graphs, document, code=code)
    findings.sort(key=lambda f: (f.line, f.level != "error"))
    seen = {graph.digest() for graph in document.graphs.values()}
    for graph in document.graphs.values():
        for child, graphs, place in _inside(graph, folder, document.graphs, seen):
            findings += check_graph(child, place, graphs, code=code)
    return document, findings


def _inside(
    graph: GraphSpec, folder: Path, graphs: Mapping[str, GraphSpec], seen: set[str]
) -> Iterator[tuple[GraphSpec, Mapping[str, GraphSpec], Path]]:
    """The graphs that a graph runs, and those that they run, each once."""
    for child, siblings, place in children(graph, folder, graphs):
        if child.digest() not in seen:
            seen.add(child.digest())
            yield child, siblings, place
            yield from _inside(child, place, siblings, seen)


def check_graph(
    graph: GraphSpec,
    folder: Path,
    graphs: Mapping[str, GraphSpec],
    document: MapFile | None = None,
    *,
    code: bool = True,
) -> list[Finding]:
    """Check one graph; `code` as in `check_map`."""
    view = View(graph, folder, graphs, document, code)
    findings = [finding for check in _FIRST for finding in check(view)]
    if view.too_large:
        return findings
    return findings + [finding for check in _THEN for finding in check(view)]


def warnings_of(run: MapRun) -> list[Finding]:
    """The warnings for the graph that a run is about to execute, and for its file."""
    document = read_map(run.graph.source) if run.graph.source and run.graph.source.is_file() else None
    rows = {node.line for node in run.graph}
    noted = [finding for finding in document.findings if finding.line <= 1 or finding.line in rows] if document else []
    found = [*noted, *check_graph(run.graph, run.folder, run.graphs, document)]
    return [finding for finding in found if finding.level == "warning"]


def require_sound(
    graph: GraphSpec, folder: Path, graphs: Mapping[str, GraphSpec], document: MapFile | None = None
) -> None:
    """Raise MapCheckError if a finding forbids running the graph. A graph found sound is not checked again."""
    key = (graph.digest(), str(folder), tuple(sorted(g.digest() for g in graphs.values())), code_stamp(folder))
    rows = {node.line for node in graph}
    noted = [f for f in document.findings if f.level == "error" and f.line not in rows] if document else []
    if key in _sound and not noted:
        return
    found = [*noted, *check_graph(graph, folder, graphs, document)]
    for child, siblings, place in _inside(graph, folder, graphs, {graph.digest()}):
        found += check_graph(child, place, siblings, document if place == folder and siblings is graphs else None)
    errors = [finding for finding in found if finding.level == "error"]
    if errors:
        listed = "\n".join(f"  {finding}" for finding in errors[:20])
        more = f"\n  … and {len(errors) - 20} more" if len(errors) > 20 else ""
        raise MapCheckError(
            f"The map cannot run:\n{listed}{more}",
            findings=tuple(errors),
            suggestion="signalbox maps check shows everything that was found.",
        )
    _sound[key] = None
    while len(_sound) > 256:
        _sound.popitem(last=False)
