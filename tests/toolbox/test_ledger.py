"""What is kept of a call: enough to see what came back, and nothing that is secret."""

from __future__ import annotations

from signalbox.toolbox.ledger import Ledger


def test_who_follows_a_run_sees_the_beginning_of_what_came_back() -> None:
    ledger = Ledger()
    with ledger.call("list_tasks", {"status": "open"}) as call:
        call.returned("2 tasks", {"tasks": ["milk", "café"], "api_key": "very secret words"})
    event = call.as_event()
    assert event["summary"] == "2 tasks"
    assert "café" in event["result"]
    assert "secret words" not in event["result"]
    assert "result" not in call.as_dict()


def test_a_long_result_is_cut_and_says_so() -> None:
    ledger = Ledger()
    with ledger.call("query", {}) as call:
        call.returned("5,000 rows", list(range(5_000)))
    assert call.result.endswith("…")
    assert len(call.result) < 2_100


def test_a_ledger_adopts_what_another_process_called_for_the_same_run() -> None:
    before, after = Ledger(), Ledger()
    for tool in ("first", "second"):
        with before.call(tool, {}) as call:
            call.returned(tool)
    kept = [call.as_kept() for call in before.calls]
    with after.call("third", {}, number=3):
        pass
    after.adopt(kept)
    after.adopt(kept)
    assert [(call.id, call.tool) for call in after.calls] == [("E1", "first"), ("E2", "second"), ("E3", "third")]


def test_an_id_that_is_taken_is_given_anew() -> None:
    other, ledger = Ledger(), Ledger()
    with other.call("theirs", {}) as theirs:
        pass
    with ledger.call("ours", {}):
        pass
    assert ledger.adopt([theirs.as_kept()])[theirs.key] == "E2"
