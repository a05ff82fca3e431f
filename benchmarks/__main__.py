"""`python -m benchmarks [NAME …] [--json] [--strict]`: all of them, or those in `NAMES` that are named."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.report import Row, as_json, print_table

NAMES = ("maps", "agentmap", "cli", "loop", "models", "metrics", "oncall", "experiments", "tasks")


def main() -> int:
    """Run the benchmarks that are named, or all. Exit 1 under --strict where a target is missed."""
    options = _parse()
    with tempfile.TemporaryDirectory() as home:
        # Nothing of the person's own runs may be read or written, and nothing may go over the network.
        os.environ.update(SIGNALBOX_HOME=home, LANGSMITH_TRACING="false", LANGCHAIN_TRACING_V2="false")
        rows = list(_measure(options.names or NAMES))
    if options.json:
        print(json.dumps(as_json(rows), indent=2))
    else:
        print_table(rows)
    return int(options.strict and any(row.met is False for row in rows))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run: {', '.join(NAMES)} (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a target is missed or not measured")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(NAMES)):
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return options


def _measure(names: tuple[str, ...] | list[str]) -> Iterator[Row]:
    for name in names:
        try:
            for row in importlib.import_module(f"benchmarks.{name}").measure():
                print(f"  {row.group}: {row.what}", file=sys.stderr)
                yield row
        except ModuleNotFoundError as error:
            if str(error.name).partition(".")[0] in ("signalbox", "benchmarks"):
                raise
            yield Row(name, "all of it, or the rest of it", missing=f"the package {error.name} is not installed here")


if __name__ == "__main__":
    sys.exit(main())
