"""The command line and the import: CPU seconds of a whole child process, from its start to its end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.agentmap import AGENTMAP
from benchmarks.measure import Contender, child_cpu, race
from benchmarks.report import Row, at_least_faster, under
from benchmarks.rivals.environment import UnavailableError

__all__ = ["measure"]

GROUP = "command line"
SIGNALBOX = str(Path(sys.executable).with_name("signalbox"))
COMMANDS = ("--help", "--version")


def measure() -> Iterator[Row]:
    """`signalbox --help` and `--version` alone and beside `agentmap --version`, and `import signalbox`."""
    contenders = {option: _process(SIGNALBOX, option) for option in COMMANDS}
    contenders["import"] = _process(sys.executable, "-c", "import signalbox")
    contenders["python"] = _process(sys.executable, "-c", "pass")
    missing = ""
    try:
        contenders["agentmap"] = _process(AGENTMAP.program("agentmap"), "--version")
    except UnavailableError as error:
        missing = str(error)
    found = race(contenders, rounds=7)
    for option in COMMANDS:
        yield Row(GROUP, f"signalbox {option}", found[option], target=under(0.3))
        versus = f"signalbox {option} against agentmap --version"
        yield Row(GROUP, versus, found[option], found.get("agentmap"), at_least_faster(8), missing)
    yield Row(GROUP, "import signalbox", max(found["import"] - found["python"], 0.0), target=under(0.1))


def _process(*command: str) -> Contender:
    return lambda times: sum(child_cpu(command) for _ in range(times))
