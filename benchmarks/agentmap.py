"""The same map files run by Signalbox and by the package `agentmap`, each through its own front door."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import calling, race
from benchmarks.report import Row, at_least_faster
from benchmarks.rivals.environment import Environment, UnavailableError
from benchmarks.rivals.process import RivalProcess
from benchmarks.shapes import SHAPES, start
from signalbox.maps import open_map, run_map, write_map

__all__ = ["AGENTMAP", "measure"]

GROUP = "the same map file in agentmap"
AGENTMAP = Environment("agentmap", ("agentmap==0.9.213",))


def measure() -> Iterator[Row]:
    """Maps of 5 nodes in every shape, and a node's share of a run of 100."""
    with tempfile.TemporaryDirectory() as folder:
        maps = Path(folder) / "maps"
        states = dict(_write_maps(maps))
        try:
            project = _make_project(Path(folder) / "project")
            with RivalProcess(AGENTMAP, "agentmap_runs", str(project), str(maps)) as rival:
                for name, state in states.items():
                    yield from _compare(rival, maps / f"{name}.csv", state)
        except UnavailableError as error:
            yield Row(GROUP, "maps of 5 nodes", target=at_least_faster(5), missing=str(error))


def _write_maps(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    folder.mkdir()
    for size in (5, 100):
        for make in SHAPES.values():
            graph = make(size)
            # After a handled failure agentmap takes the failure branch for ever, so every check succeeds here.
            state = {key: value or True for key, value in start(graph).items()}
            (folder / f"{graph.name}.csv").write_text(write_map(graph), encoding="utf-8")
            (folder / f"{graph.name}.json").write_text(json.dumps(state), encoding="utf-8")
            yield graph.name, state


def _make_project(folder: Path) -> Path:
    folder.mkdir()
    done = subprocess.run([AGENTMAP.program("agentmap"), "init"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise UnavailableError(f"agentmap init failed: {(done.stderr or done.stdout).strip()[-200:]}")
    return folder


def _compare(rival: RivalProcess, file: Path, state: dict[str, Any]) -> Iterator[Row]:
    compiled = open_map(file)
    theirs, ours = rival.ask(file.stem)["result"], run_map(compiled, state).values
    last = compiled.graph.nodes[-1].outputs[0]
    if ours[last] != theirs.get(last):
        raise AssertionError(f"{file.name}: the two runs differ in {last}")
    found = race(
        {
            "agentmap": rival.contender(file.stem),
            "file": calling(lambda: run_map(file, state)),
            "compiled": calling(lambda: run_map(compiled, state)),
        }
    )
    size = len(compiled.graph)
    target = at_least_faster(5) if size == 5 else None
    name, share = (file.stem, 1) if size == 5 else (f"{file.stem}, per node", size)
    yield Row(GROUP, f"{name}: run_map(FILE.csv)", found["file"] / share, found["agentmap"] / share, target)
    yield Row(GROUP, f"{name}: compiled", found["compiled"] / share, found["agentmap"] / share, target)
