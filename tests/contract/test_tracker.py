"""The tracker of a run: what it records, tells and sums up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from signalbox.contract import ExecutionSummary, ExecutionTracker, NodeEvent


def tracked(*results: tuple[str, bool]) -> ExecutionTracker:
    tracker = ExecutionTracker("G")
    for name, success in results:
        tracker.record_node_start(name, {"in": 1})
        tracker.record_node_result(name, success, result="out" if success else None, error=None if success else "why")
    return tracker


def test_a_node_that_ended_has_start_duration_success_inputs_and_output() -> None:
    (node,) = tracked(("A", True)).summarize().node_executions
    assert (node.node_name, node.success, node.inputs, node.output, node.error) == ("A", True, {"in": 1}, "out", None)
    assert isinstance(node.start_time, datetime)
    assert node.duration is not None


def test_a_node_that_failed_has_its_error() -> None:
    (node,) = tracked(("A", False)).summarize().node_executions
    assert (node.success, node.error) == (False, "why")


def test_a_node_that_has_not_ended_is_undecided() -> None:
    tracker = ExecutionTracker()
    tracker.record_node_start("A")
    assert tracker.node_executions[0].success is None


def test_each_round_of_a_loop_is_a_record_of_its_own() -> None:
    summary = tracked(("A", False), ("A", True)).summarize()
    assert [node.success for node in summary.node_executions] == [False, True]


def test_by_default_a_run_succeeds_if_every_node_did() -> None:
    assert tracked(("A", True), ("B", True)).update_graph_success() is True
    assert tracked(("A", True), ("B", False)).update_graph_success() is False
    assert tracked(("A", True), ("B", False)).summarize().graph_success is False


def test_a_policy_of_ones_own_decides() -> None:
    def last_only(summary: ExecutionSummary) -> bool:
        return summary.node_executions[-1].success is True

    tracker = ExecutionTracker("G", last_only)
    tracker.record_node_result("A", False)
    tracker.record_node_result("B", True)
    assert tracker.update_graph_success() is True


def test_a_listener_is_told_of_start_end_and_pause() -> None:
    events: list[NodeEvent] = []
    tracker = ExecutionTracker(listener=events.append)
    tracker.record_node_start("A")
    tracker.record_node_result("A", True, result=3)
    tracker.record_node_start("B")
    tracker.record_node_pause("B")
    assert [(e.kind, e.node, e.success, e.output) for e in events] == [
        ("start", "A", None, None),
        ("end", "A", True, 3),
        ("start", "B", None, None),
        ("pause", "B", None, None),
    ]


def test_a_node_that_waits_leaves_no_record() -> None:
    tracker = tracked(("A", True))
    tracker.record_node_start("B")
    tracker.record_node_pause("B")
    assert [node.node_name for node in tracker.node_executions] == ["A"]


def test_parallel_nodes_keep_their_own_records() -> None:
    tracker = ExecutionTracker()
    tracker.record_node_start("A", {"n": 1})
    tracker.record_node_start("B", {"n": 2})
    tracker.record_node_result("A", True, result="a")
    tracker.record_node_result("B", False, error="b")
    assert [(n.node_name, n.inputs, n.success, n.output, n.error) for n in tracker.node_executions] == [
        ("A", {"n": 1}, True, "a", None),
        ("B", {"n": 2}, False, None, "b"),
    ]


def test_a_warning_is_said_once() -> None:
    tracker = ExecutionTracker()
    tracker.warn("mind this")
    tracker.warn("mind this")
    assert tracker.summarize().warnings == ["mind this"]


def test_a_resumed_run_takes_over_what_went_before() -> None:
    before = tracked(("A", True)).summarize("paused")
    before.warnings.append("old")
    tracker = ExecutionTracker("G")
    tracker.continue_from(before)
    tracker.record_node_result("B", True)
    summary = tracker.summarize()
    assert [node.node_name for node in summary.node_executions] == ["A", "B"]
    assert summary.warnings == ["old"]
    assert tracker.has_run("A")
    assert not tracker.has_run("C")


def test_a_run_that_ended_has_a_beginning_an_end_and_a_duration() -> None:
    summary = tracked(("A", True)).summarize(final_output="out")
    assert summary.end_time is not None
    assert summary.duration is not None
    assert summary.end_time - summary.start_time == timedelta(seconds=summary.duration)
    assert (summary.graph_name, summary.status, summary.final_output) == ("G", "completed", "out")


def test_the_frozen_clock_is_the_trackers_clock(set_clock) -> None:  # type: ignore[no-untyped-def]
    set_clock("2024-02-29T12:00:00Z")
    assert ExecutionTracker().summarize().start_time == datetime(2024, 2, 29, 12, tzinfo=UTC)
