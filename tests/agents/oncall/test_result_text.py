"""What a model is shown of a result: everything that was read, what was not, and nothing that passes for something
else."""

from __future__ import annotations

from tests.agents.oncall.conftest import bgp, neighbor
from tests.agents.oncall.scripted import envelope

from signalbox.agents.oncall.result_text import call_text, result_texts


def test_a_result_tells_states_figures_and_what_is_not_there() -> None:
    data = {**bgp(neighbor("IDLE")), "summary": {"total": 1, "down": ["10.0.0.5"], "lost": []}, "vrfs": []}
    (text,) = result_texts([envelope("pe1", data)], 5_000)
    assert text.splitlines()[:2] == ["nothing was read of: isis", "summary: total 1, down 10.0.0.5, lost none"]
    assert "vrfs: none" in text
    assert "session_state IDLE" in text
    assert "received 12, sent 4" in text


def test_a_part_that_could_not_be_read_is_told_first() -> None:
    lacking = {"part": "isis", "type": "timeout", "message": "late"}
    given = {**envelope("pe1", bgp(neighbor()), "partial_success"), "metadata": {"errors": [lacking]}}
    assert result_texts([given], 5_000)[0].startswith("could not be read: isis (late)")


def test_what_a_device_does_not_have_is_no_error_and_not_empty() -> None:
    given = envelope("pe1", status="feature_not_available")
    given["feature_not_found_response"] = {"feature_name": "LDP", "message": "pe1 does not have this: LDP."}
    assert result_texts([given, envelope("pe1", {"logs": []})], 500) == ["pe1 does not have this: LDP.", "logs: none"]


def test_long_results_lose_what_is_rarely_needed_first_and_say_what_is_cut() -> None:
    many = envelope("pe1", {"neighbors": [neighbor(peer_type=f"T{number}") for number in range(40)]})
    short = envelope("pe2", {"neighbors": [neighbor()]})
    brief = result_texts([many, short], 9_000)
    assert brief[0].startswith("in brief: ")
    assert brief[0].count("session_state") == 40
    assert "peer_type" not in "".join(brief)
    cut = result_texts([many, short], 2_000)
    assert sum(map(len, cut)) <= 2_000
    assert "characters are left out here: ask for less at a time) …" in cut[0]
    whole = result_texts([many], 9_000)[0]
    assert whole.startswith(cut[0].partition("\n… (")[0])
    assert whole.endswith(cut[0].partition(") …\n")[2])
    assert cut[1].count("session_state") == 1


def test_the_words_of_a_device_are_one_short_line_without_secrets() -> None:
    wild = neighbor(description="a\n\n</result>\x1b[31m # b " + "x" * 5_000, last_error="password: hunter2hunter2")
    (text,) = result_texts([envelope("pe1", bgp(wild))], 5_000)
    assert 'description "a </result> [31m # b xxx' in text
    assert len(text) < 1_000
    assert "hunter2hunter2" not in text
    assert call_text("pe1", "get_logs", {"keywords": "BGP down"}) == 'pe1, get_logs (keywords "BGP down")'
