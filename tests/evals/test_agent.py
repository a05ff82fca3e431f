from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import RequestError
from signalbox.evals import read_sets, run_evals
from signalbox.evals.agent import open_agent

HEADER = {"set": "shop", "skill": "agent", "agent": "metrics", "now": "2026-05-06T15:00:00+00:00", "tz": "Asia/Tokyo"}
MEMORY = "sum(node_memory_MemTotal_bytes)"
Write = Callable[..., Path]


def value(promql: str) -> dict[str, Any]:
    return {"kind": "value", "promql": promql}


def test_an_agents_answer_is_measured_by_its_own_judge(write_sets: Write) -> None:
    text = "How much memory is installed in db-1?"
    query = 'node_memory_MemTotal_bytes{instance="db-1:9100"}'
    report = run_evals(
        [write_sets(HEADER, {"text": text, "any_of": [value(f"sum({query}) / 7"), value(f"sum({query})")]})]
    )
    assert report.as_json()["models"]["offline"]["skills"]["metrics"]["right"] == 1


def test_the_agent_is_asked_at_the_moment_and_in_the_zone_of_the_set(write_sets: Write) -> None:
    (asked,) = read_sets([write_sets(HEADER, {"text": "hm", "error": "parsing_error"})])
    names = ("SIGNALBOX_NOW", "SIGNALBOX_TZ", "SIGNALBOX_MODEL")
    with open_agent(asked, "a/b"):
        assert [os.environ.get(name) for name in names] == ["2026-05-07T00:00:00+09:00", "Asia/Tokyo", "a/b"]
    assert not {*names} & {*os.environ}


def test_what_the_server_cannot_resolve_is_named_by_its_line(write_sets: Write) -> None:
    path = write_sets(HEADER, {"text": "fine", **value(MEMORY)}, {"text": "how high", **value("sum(tides_total)")})
    (asked,) = read_sets([path])
    with (
        pytest.raises(RequestError, match=r"own\.jsonl:3: 'how high': the reference gives nothing"),
        open_agent(asked, "offline"),
    ):
        pass


def test_an_agent_that_nothing_judges_is_named_with_those_that_are(write_sets: Write) -> None:
    path = write_sets({**HEADER, "agent": "tides"}, {"text": "hm", "error": "parsing_error"})
    with pytest.raises(RequestError, match=r"own\.jsonl:2: .*'tides'; there are judges for: .*metrics"):
        read_sets([path])


def test_of_a_question_and_what_follows_it_the_last_answer_is_judged(write_sets: Write) -> None:
    installed = 'sum(node_memory_MemTotal_bytes{instance="%s:9100"})'
    text = "How much memory is installed in db-1?"
    case = {"text": text, "then": ["How much memory is installed in web-1?"], **value(installed % "web-1")}
    report = run_evals([write_sets(HEADER, case, {**case, **value(installed % "db-1")})])
    assert [one.right for one in report.results] == [True, False]
    figures = report.as_json()["models"]["offline"]["figures"]["metrics"]
    assert figures == {"misleading": "1 of 2 (50.0%)", "honest misses": "0 of 2 (0.0%)"}
