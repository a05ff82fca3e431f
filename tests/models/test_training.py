"""What teaches and what measures are kept apart."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAST_ROUND_THAT_TEACHES = 16


def sentences(path: Path, after: int = 0) -> set[str]:
    """The requests of a file, in small letters; of sets after a round only, where one is given."""
    found, counts = set(), True
    for line in path.read_text("utf-8").splitlines():
        data = json.loads(line) if line.strip() else {}
        if "set" in data:
            counts = data.get("round", 0) > after if after else True
        elif data and counts:
            messages = data.get("messages") or [{"content": data.get("text", "")}]
            found.add(str(messages[-1].get("content", "")).casefold().strip())
    return found - {""}


def test_no_sentence_that_measures_teaches() -> None:
    taught: set[str] = set().union(*(sentences(path) for path in (ROOT / "training").glob("*.jsonl")))
    measured = set().union(
        *(sentences(ROOT / "evals" / f"{skill}.jsonl", LAST_ROUND_THAT_TEACHES) for skill in ("filling", "tools"))
    )
    assert len(taught) > 7000
    assert len(measured) > 500
    assert taught & measured == set()
