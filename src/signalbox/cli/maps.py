"""`signalbox maps`: check, draw, show, list and scaffold maps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signalbox.cli.output import print_json, say, show

if TYPE_CHECKING:
    from signalbox.maps import GraphSpec, MapFile

__all__ = ["maps"]

maps = typer.Typer(help="Check, draw, show, list and scaffold maps.", no_args_is_help=True, rich_markup_mode=None)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Source = Annotated[str, typer.Argument(metavar="FILE.csv[::GRAPH]", help="The map.")]


@maps.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.csv…", help="The maps to check.")],
    code: Annotated[
        bool,
        typer.Option("--code/--no-code", help="Import the Python code that a map names; --no-code imports nothing."),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Check maps: report what is wrong, where, and what was probably meant. Exits with 1 if there are errors.

    A map is code: checking it imports the Python files next to it and the modules it names, as running it would. For a
    map that you do not trust, --no-code imports nothing and reports what it could not check.
    """
    from signalbox.errors import MapReadError
    from signalbox.maps import Finding, check_map

    findings: list[Finding] = []
    for file in files:
        try:
            _, found = check_map(Path(str(file).partition("::")[0]), code=code)
        except MapReadError as error:
            found = [Finding("error", str(file), error.line, error.column, error.user_message, error.suggestion)]
        findings += found
    failed = any(finding.level == "error" for finding in findings)
    if as_json:
        print_json({"ok": not failed, "findings": [finding.to_dict() for finding in findings]})
    else:
        for finding in findings:
            show(finding)
        counts = {level: sum(f.level == level for f in findings) for level in ("error", "warning", "note")}
        told = ", ".join(f"{count} {level}{'s' * (count != 1)}" for level, count in counts.items() if count)
        say(f"{len(files)} {'map' if len(files) == 1 else 'maps'} checked: {told or 'nothing found'}.")
    raise typer.Exit(1 if failed else 0)


@maps.command()
def draw(
    source: Source,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write: .svg, or .mmd for Mermaid.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--format", "-f", help="mermaid or svg; default: by the file's extension, otherwise mermaid."),
    ] = None,
) -> None:
    """Draw a map as Mermaid or SVG, without network or browser."""
    from signalbox.maps import to_mermaid, to_svg
    from signalbox.maps.declared_routes import find_ways

    chosen = kind or ("svg" if output and output.suffix.casefold() == ".svg" else "mermaid")
    if chosen not in ("mermaid", "svg"):
        raise typer.BadParameter(f"'{chosen}' is neither mermaid nor svg", param_hint="--format")
    document, graph = _find(source)
    ways = find_ways(graph, document.path.resolve().parent)
    picture = to_svg(graph, ways) if chosen == "svg" else to_mermaid(graph, ways)
    if output is None:
        show(picture)
    else:
        output.write_text(picture if picture.endswith("\n") else picture + "\n", "utf-8")
        show(output)


@maps.command("show")
def show_map(source: Source, as_json: AsJson = False) -> None:
    """Print a graph as a table."""
    _, graph = _find(source)
    if as_json:
        print_json(graph.to_dict())
        return
    from rich.console import Console

    from signalbox.maps.draw import to_table

    Console().print(to_table(graph))


@maps.command("list")
def list_maps(
    place: Annotated[
        Path, typer.Argument(metavar="[FOLDER|FILE.csv]", help="Where to look; default: the current folder.")
    ] = Path("."),
    as_json: AsJson = False,
) -> None:
    """List the maps in a folder, or the graphs in a file."""
    from signalbox.errors import MapReadError, NotFoundError
    from signalbox.maps import read_map

    if not place.exists():
        raise NotFoundError(f"There is no folder or file {place}.", suggestion="Name one that exists.")
    files = sorted(place.rglob("*.csv")) if place.is_dir() else [place]
    found = []
    for file in files:
        try:
            document = read_map(file)
        except MapReadError:
            if place.is_dir():
                continue
            raise
        found += [
            {
                "map": f"{file}::{name}" if len(document.graphs) > 1 else str(file),
                "graph": name,
                "nodes": len(graph),
            }
            for name, graph in document.graphs.items()
        ]
    if as_json:
        print_json(found)
        return
    for row in found:
        show(f"{row['map']}  ({row['graph']}, {row['nodes']} {'node' if row['nodes'] == 1 else 'nodes'})")
    if not found:
        say(f"There is no map in {place}.")


@maps.command("types")
def list_agent_types(
    folder: Annotated[
        Path | None, typer.Option("--map", metavar="FILE.csv|FOLDER", help="Include types next to this map.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the agent types that maps can use: built in, from plug-ins, and next to a map."""
    from signalbox.cli.output import print_json
    from signalbox.maps.registry import list_types

    place = folder.parent if folder is not None and folder.is_file() else folder
    types = list_types(place)
    if as_json:
        print_json(types)
        return
    width = max(len(row["type"]) for row in types)
    for row in types:
        print(f"{row['type']:<{width}}  {row['description'] or row['origin']}")


@maps.command()
def scaffold(
    source: Annotated[str, typer.Argument(metavar="FILE.csv[::GRAPH]", help="The map; with --new, the file to write.")],
    new: Annotated[bool, typer.Option("--new", help="Write a small example map.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
    as_json: AsJson = False,
) -> None:
    """Create each agent and routing function that a map names but that does not exist yet, with a test."""
    written = _start(Path(source), overwrite) if new else _scaffold(source, overwrite)
    if as_json:
        print_json([str(path) for path in written])
        return
    for path in written:
        show(path)
    if not written:
        say("Nothing is missing.")


def _start(path: Path, overwrite: bool) -> list[Path]:
    from signalbox.errors import RequestError
    from signalbox.maps.scaffold import starter_map

    if path.exists() and not overwrite:
        raise RequestError(f"{path} already exists.", suggestion="Name another file, or add --overwrite.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(starter_map(), "utf-8")
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}.", suggestion="Name another file.") from None
    return [path]


def _scaffold(source: str, overwrite: bool) -> list[Path]:
    from signalbox.maps.scaffold import scaffold as write

    document, graph = _find(source, every=True)
    folder = document.path.resolve().parent
    written: list[Path] = []
    for spec in [graph] if "::" in source else list(document.graphs.values()):
        written += write(spec, _lacking(spec, folder), folder, overwrite=overwrite)
    return list(dict.fromkeys(written))


def _lacking(spec: GraphSpec, folder: Path) -> list[str]:
    """The agent types and functions (as `func:name`) that a graph names but that do not exist."""
    from signalbox.errors import NotFoundError
    from signalbox.maps.local_code import find_function
    from signalbox.maps.registry import BESIDE, find_type
    from signalbox.maps.spec import FUNC

    lacking: list[str] = []
    for node in spec:
        try:
            find_type(node.agent_type, folder, load=False)
        except NotFoundError:
            name = node.agent_type.removeprefix(BESIDE).strip()
            lacking += [name] if ":" not in name.removeprefix(FUNC) else []
        for target in node.targets:
            name = target.removeprefix(FUNC).strip()
            if name != target and name.isidentifier() and find_function(name, folder) is None:
                lacking.append(f"{FUNC}{name}")
    return list(dict.fromkeys(lacking))


def _find(source: str, every: bool = False) -> tuple[MapFile, GraphSpec]:
    from signalbox.maps import read_map
    from signalbox.maps.map_run import choose_graph

    path, _, name = source.partition("::")
    document = read_map(path)
    if every and not name:
        return document, next(iter(document.graphs.values()))
    return document, choose_graph(document.graphs, name, path)
