"""`signalbox ask`: what a person sees, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signalbox.runs.embedded import close_worlds

PROGRAM = "import sys; sys.argv[0] = 'signalbox'; from signalbox.cli import main; main()"
Cli = Callable[..., Any]
LATENCY = "p95 latency of the checkout service yesterday"


@pytest.fixture(autouse=True)
def frozen(set_clock: Callable[[str], None]) -> None:
    set_clock("2026-03-11T09:30:00Z")


@pytest.fixture(autouse=True, scope="module")
def no_world_left() -> Iterator[None]:
    yield
    close_worlds()


def test_a_person_sees_answer_chart_figures_range_and_query_in_this_order(signalbox: Cli) -> None:
    done = signalbox("ask", LATENCY, "--agent", "metrics")
    assert (done.code, done.err) == (0, "")
    places = [
        done.out.index(text)
        for text in ("over the range", "┤", "median", "Range: Tue 10 Mar", "Query: histogram", "Source: ")
    ]
    assert places == sorted(places)


def test_without_an_agent_the_first_one_answers(signalbox: Cli) -> None:
    assert signalbox("ask", LATENCY, "--json").json["agent"] == "metrics"


def test_json_is_the_answer_and_nothing_else(signalbox: Cli) -> None:
    done = signalbox("ask", LATENCY, "--json")
    assert done.code == 0
    assert done.json["status"] == "completed"
    assert done.json["state"]["result"]["kind"] == "value"


def test_a_ranking_is_a_table_with_bars(signalbox: Cli) -> None:
    out = signalbox("ask", "top 3 hosts by CPU usage right now").out
    rows = [line for line in out.splitlines() if "█" in line]
    assert len(rows) == 3
    assert rows[0].count("█") >= rows[-1].count("█")


def test_a_comparison_shows_the_change_in_percent(signalbox: Cli) -> None:
    out = signalbox("ask", "request rate of the gateway yesterday compared with the day before").out
    (change,) = [line for line in out.splitlines() if line.startswith("change: ")]
    assert change.endswith("%")


def test_an_error_goes_to_stderr_with_its_suggestion_and_ends_with_1(signalbox: Cli) -> None:
    done = signalbox("ask", "show anomalies in CPU usage", "--agent", "metrics")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert "metrics-anomalies" in done.err


def test_an_error_with_json_is_an_answer_on_stdout(signalbox: Cli) -> None:
    done = signalbox("ask", "show anomalies in CPU usage", "--agent", "metrics", "--json")
    assert (done.code, done.json["status"], done.err) == (1, "error", "")


def test_an_unknown_agent_ends_with_1_and_lists_those_there_are(signalbox: Cli) -> None:
    done = signalbox("ask", "CPU usage", "--agent", "weather")
    assert done.code == 1
    assert "metrics" in done.err
    assert signalbox("ask", "CPU usage", "--agent", "weather", "--json").json["error"]["error_type"] == "not_found"


def test_an_agent_can_be_a_map_with_more_nodes(signalbox: Cli) -> None:
    done = signalbox("ask", f"any anomalies in {LATENCY}?", "--agent", "metrics-anomalies")
    assert done.code == 0
    assert "1 anomaly" in done.out


def test_a_chart_is_written_as_a_page_or_an_image(signalbox: Cli, tmp_path: Path) -> None:
    done = signalbox("ask", LATENCY, "--chart", tmp_path / "out.html")
    assert "out.html" in done.err
    assert "Plotly.newPlot" in (tmp_path / "out.html").read_text("utf-8")
    signalbox("ask", LATENCY, "--chart", tmp_path / "out.png")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    signalbox("ask", LATENCY, "--chart", tmp_path / "out.svg")
    assert (tmp_path / "out.svg").read_text("utf-8").startswith("<svg")


def test_a_map_that_draws_no_chart_still_has_one_for_the_file(signalbox: Cli, tmp_path: Path) -> None:
    signalbox("ask", LATENCY, "--agent", "metrics-explained", "--chart", tmp_path / "out.png")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_chart_needs_an_ending_that_is_known(signalbox: Cli, tmp_path: Path) -> None:
    done = signalbox("ask", LATENCY, "--chart", tmp_path / "out.gif")
    assert done.code == 2
    assert not (tmp_path / "out.gif").exists()


def test_where_there_is_nothing_to_draw_no_file_is_written_and_that_is_said(signalbox: Cli, tmp_path: Path) -> None:
    done = signalbox("ask", "how many orders yesterday", "--agent", "metrics", "--chart", tmp_path / "out.png")
    assert done.code == 0
    assert "no chart" in done.err
    assert not (tmp_path / "out.png").exists()


def test_a_chart_that_cannot_be_written_ends_with_1(signalbox: Cli, tmp_path: Path) -> None:
    done = signalbox("ask", LATENCY, "--chart", tmp_path / "nowhere" / "out.html")
    assert done.code == 1
    assert "cannot be written" in done.err


def test_where_no_chart_can_be_written_nothing_is_asked(signalbox: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAFANA_URL", "http://127.0.0.1:1")
    assert "cannot be written" in signalbox("ask", LATENCY, "--chart", "nowhere/out.html").err


def test_a_closed_stdout_is_no_fault() -> None:
    command = 'exec "$0" -c "$1" ask "CPU usage right now" >&-'
    done = subprocess.run(["sh", "-c", command, sys.executable, PROGRAM], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_dry_run_shows_the_plan(signalbox: Cli) -> None:
    done = signalbox("ask", "CPU usage for the last hour", "--dry-run")
    assert done.code == 0
    assert "Range: Wed 11 Mar 2026 08:30 to 09:30 (UTC)" in done.out
    assert "Query: " in done.out


def test_a_thread_goes_on_in_the_next_command(signalbox: Cli) -> None:
    signalbox("ask", LATENCY, "--thread", "t1")
    done = signalbox("ask", "and today?", "--thread", "t1", "--json")
    assert done.json["state"]["parsed_query"]["filters"] == {"service": "checkout"}


def test_verbose_shows_nodes_and_evidence(signalbox: Cli) -> None:
    err = signalbox("ask", LATENCY, "-v").err
    assert "✓ metrics_agent" in err
    assert "E1" in err


def test_without_a_question_it_is_wrong_usage(signalbox: Cli) -> None:
    assert signalbox("ask").code == 2


def test_a_terminal_without_unicode_gets_ascii(process: Cli) -> None:
    done = process("ask", LATENCY, SIGNALBOX_NOW="2026-03-11T09:30:00Z", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.code == 0
    assert done.out.isascii()
    assert "*" in done.out


def test_the_persons_zone_is_that_of_range_and_axis(signalbox: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "Asia/Kolkata")
    out = signalbox("ask", "CPU usage for the last hour").out
    assert "14:00 to 15:00 (IST)" in out


def test_the_help_loads_none_of_what_asking_needs(process: Cli) -> None:
    done = process("ask", "--help")
    assert done.code == 0
    assert "--chart" in done.out


def test_doctor_says_where_metrics_are_read(signalbox: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from signalbox.runs.embedded import embedded_metrics

    assert "embedded" in signalbox("doctor").out
    monkeypatch.setenv("GRAFANA_URL", embedded_metrics())
    done = signalbox("doctor")
    assert (done.code, "answers: grafana" in done.out) == (0, True)
    monkeypatch.setenv("GRAFANA_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("GRAFANA_TOKEN", "glsa_a_secret_token")
    done = signalbox("doctor")
    assert done.code == 1
    assert "cannot be reached" in done.out
    assert "secret" not in done.out + done.err


def test_what_models_were_sent_is_shown_on_request(signalbox: Cli) -> None:
    done = signalbox("ask", "thank you, what can you do?", "--show-prompts")
    assert "request 1 of" in done.err
    assert "human: thank you, what can you do?" in done.err
    assert "request 1 of" not in done.out
    prompts = signalbox("ask", "thank you, what can you do?", "--show-prompts", "--json").json["prompts"]
    assert prompts[0]["messages"][-1] == {"role": "human", "content": "thank you, what can you do?"}
    assert "prompts" not in signalbox("ask", "thank you, what can you do?", "--json").json
