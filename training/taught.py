"""`python -m training.taught`: keep what the examples of the shipped agents teach, for the weights that ship.

Every room is asked something of each kind on an empty home; the heads that are learned on the way go into the package,
where a fresh machine finds them. Run it whenever the weights, an agent's schema or its examples have changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "src" / "signalbox" / "models" / "offline" / "data" / "taught"
ASKED = (
    ("frontdoor", "what can you do?"),
    ("oncall", "check the BGP neighbours of pe1"),
    ("oncall", "health check of xrd-3"),
    ("tasks", "remind me to water the plants"),
    ("tasks", "what is overdue?"),
    ("tasks", "mark the plants as done"),
    ("experiments", "what is a decision point?"),
    ("experiments", "is UpGrade running?"),
    ("experiments", "list the running experiments"),
    ("experiments", "show me the details of Hint Timing"),
    ("experiments", "stop Hint Timing"),
    ("experiments", "create an experiment called Blue Button in mathstream"),
    ("experiments", "what would user 42 get in Hint Timing?"),
    ("experiments", "test the balance of Hint Timing with 50 users"),
    ("experiments", "make me a factorial experiment"),
    ("metrics", "CPU usage of web-1 in the last hour"),
    ("metrics", "top 3 hosts by memory right now"),
    ("investigate", "why is checkout slow?"),
)


def main() -> None:
    """Ask every room, and keep what was learned."""
    shutil.rmtree(DATA, ignore_errors=True)
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "SIGNALBOX_HOME": home, "SIGNALBOX_NOW": "2026-11-15T12:00:00Z"}
        for agent, request in ASKED:
            command = [sys.executable, "-m", "signalbox", "ask", "--agent", agent, request]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
            print(f"{agent}: {request} (exit {done.returncode})", flush=True)
        DATA.mkdir(parents=True)
        for file in sorted((Path(home) / "taught").glob("*.npz")):
            shutil.copy(file, DATA / file.name)
    print(f"{len(list(DATA.iterdir()))} heads, {sum(one.stat().st_size for one in DATA.iterdir()):,} bytes")


if __name__ == "__main__":
    main()
