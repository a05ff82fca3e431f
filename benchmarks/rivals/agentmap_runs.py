"""Runs the maps of a folder in the package `agentmap`, in a project of its own. Its log is off, in its favour."""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.rivals.serving import serve


def cases(project: Path, maps: Path) -> dict[str, Callable[[], Any]]:
    """A run of each map: `NAME.csv`, started with what `NAME.json` holds."""
    os.chdir(project)
    with contextlib.redirect_stdout(sys.stderr):
        from agentmap.runtime_api import ensure_initialized, run_workflow  # type: ignore[import-not-found]

        ensure_initialized(config_file=str(project / "agentmap_config.yaml"))
    logging.disable(logging.CRITICAL)

    def run(file: Path, state: dict[str, Any]) -> dict[str, Any]:
        done = run_workflow(f"{file}::{file.stem}", dict(state))
        return {key: value for key, value in done["outputs"].items() if not key.startswith("__")}

    return {
        file.stem: functools.partial(run, file, json.loads(file.with_suffix(".json").read_text(encoding="utf-8")))
        for file in sorted(maps.glob("*.csv"))
    }


if __name__ == "__main__":
    serve(cases(Path(sys.argv[1]), Path(sys.argv[2])))
