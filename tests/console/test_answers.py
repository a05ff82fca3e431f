"""An answer as HTML: each thing is said once, and ids of evidence open it."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.console.answers import answer_html
from signalbox.console.turn import shown_reply
from signalbox.contract import blocks


def shown(text: str, drawn: list[dict[str, Any]], **more: Any) -> str:
    return answer_html({"agent": "a", "answer": text, "blocks": drawn, **more}, "k").replace("\n", "")


@pytest.mark.parametrize("status", ["completed", "needs_input", "error"])
def test_an_answer_a_question_and_an_error_name_their_source(status: str) -> None:
    question = {"kind": "confirm", "message": "Delete it?"} if status == "needs_input" else None
    error = {"error_type": "x", "message": "It failed.", "suggestion": ""} if status == "error" else None
    source = {"kind": "live", "system": "prometheus", "address": "http://p:9090"}
    told = shown("Told", [], status=status, question=question, error=error, source=source)
    assert told.count("Source: prometheus at http://p:9090") == 1


@pytest.mark.parametrize(
    ("reply", "label"),
    [("yes", "Approve"), ("Ja, bitte", "Approve"), ("reject", "Reject"), ("I'm fine, thanks", "I'm fine, thanks")],
)
def test_a_reply_to_a_confirmation_is_shown_as_it_is_read(reply: str, label: str) -> None:
    assert shown_reply({"kind": "confirm"}, reply) == label
    assert shown_reply({"kind": "clarify"}, reply) == reply


def test_the_rows_of_a_table_are_not_listed_above_it() -> None:
    told = shown("2 things:\n- Red (on)\n- Blue (off)", [blocks.table(["thing"], [["Red"], ["Blue"]])])
    body = told.partition('class="tools"')[0]
    assert body.count("Red") == body.count("Blue") == 1
    assert "2 things:" in body


def test_a_verdict_is_said_by_its_report_or_by_the_text_before_a_table() -> None:
    report = blocks.report("Checked", "All is well.", [("One thing", "info", [])])
    for drawn in ([report], [blocks.table(["thing"], [["Red"]]), report]):
        body = shown("**All is well.**", drawn).partition('class="tools"')[0]
        assert (body.count("All is well."), "One thing" in body) == (1, True)


def test_what_a_report_lists_is_not_listed_above_it() -> None:
    report = blocks.report(
        "Checked", "All is well.", [("One thing", "info", ["E1"])], [("Ruled out", [blocks.text("- a fire")])]
    )
    told = shown(
        "All is well.\n\nFor information:\n- One thing [E1]\n\nRuled out:\n- a fire\n\nMore to come.", [report]
    )
    body = told.partition('class="tools"')[0]
    assert (body.count("One thing"), body.count("a fire"), body.count("More to come.")) == (1, 1, 1)
    assert "For information" not in body


def test_the_house_itself_answers_under_its_own_name_and_a_bare_question_is_not_copied() -> None:
    question = {"kind": "clarify", "message": "What is this about?", "options": ["a"]}
    told = answer_html({"agent": "frontdoor", "answer": question["message"], "blocks": [], "question": question}, "k")
    assert ">Signalbox<" in told
    assert "data-copy" not in told


def test_a_chart_has_the_statistics_and_a_table_of_them_is_left_out() -> None:
    curve = ("up", {}, [("2026-03-10T12:00:00+00:00", 1.0), ("2026-03-10T12:05:00+00:00", 3.0)])
    told = shown("Up.", [blocks.series("Up", [curve], "ratio"), blocks.table(["min", "max"], [[1.0, 3.0]])])
    assert told.count("<th>min</th>") == 1
    assert "block-table" not in told


def test_an_id_of_evidence_opens_it_and_an_unknown_one_is_text() -> None:
    evidence = [{"id": "E1", "tool": "look", "args": {"at": "[E1]"}, "ok": True, "summary": "seen", "ms": 2.0}]
    told = shown("Seen [E1], and not [E7].", [], evidence=evidence)
    assert told.count('data-opens="E1"') == 1
    assert "[E7]" in told
    assert "at: [E1]" in told


def test_an_error_is_said_once_and_escaped() -> None:
    error = {"message": "<b>No</b>", "suggestion": "Try again."}
    body = shown("<b>No</b> Try again.", [], error=error).partition('class="tools"')[0]
    assert (body.count("&lt;b&gt;No&lt;/b&gt;"), body.count("Try again.")) == (1, 1)
