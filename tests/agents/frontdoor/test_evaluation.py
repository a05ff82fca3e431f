"""What `signalbox eval` measures of the front door."""

from __future__ import annotations

import json
from pathlib import Path

from signalbox.evals import run_evals


def test_a_request_is_measured_by_where_it_goes(tmp_path: Path) -> None:
    header = {"set": "doors", "skill": "agent", "agent": "frontdoor", "now": "2026-11-16T10:30:00", "tz": "UTC"}
    cases = [
        {"text": "put milk on my to-do list", "to": "tasks"},
        {"text": "put bread on my to-do list", "any_of": [{"to": "metrics"}, {"to": "tasks"}]},
        {"text": "put honey on my to-do list", "to": {"any_of": ["metrics", "tasks"]}},
        {"text": "put jam on my to-do list", "to": "oncall"},
    ]
    file = tmp_path / "doors.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in (header, *cases)), "utf-8")
    told = run_evals([file], ["offline"]).as_json()["models"]["offline"]
    assert told["skills"]["frontdoor"]["right"] == 3
    assert told["misses"][0]["got"]["to"] == "tasks"
