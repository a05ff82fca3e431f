"""What the floors above know of an agent, and what it gives them."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signalbox.contract import blocks, lazy
from signalbox.contract.answer import Answer
from signalbox.errors import MissingExtraError

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
ALL = [
    blocks.text("t"),
    blocks.value("v", 1.5, "seconds", at=NOON, compared=("before", 1.0, 0.5)),
    blocks.series("s", [("a", {"host": "a"}, [(NOON, 1.0)])], span=(NOON, NOON), bands=[(NOON, NOON, "odd")]),
    blocks.ranking("r", [("a", {}, 1.0)], span=(NOON, NOON)),
    blocks.table(["a", ("b", "bytes")], [["x", 1]]),
    blocks.diff("d", [("x", None, 1)]),
    blocks.timeline("t", [(NOON, "x", "info")]),
    blocks.report("r", "fine", [("f", "info", ["E1"])], [("s", [blocks.text("t")])]),
]


@pytest.mark.parametrize("block", ALL, ids=lambda block: block["type"])
def test_a_block_is_plain_data(block: blocks.Block) -> None:
    assert json.loads(json.dumps(block)) == block


def test_an_answer_says_what_it_leaves_out_and_where_it_comes_from() -> None:
    def notes(**source: str) -> list[str]:
        return Answer("a", None, None, "completed", "", source=source or None, not_covered=["x", "y"]).notes

    assert notes() == ["Not considered: x; y"]
    assert notes(kind="live", system="grafana", address="http://g")[1] == "Source: grafana at http://g"
    assert notes(kind="live", system="list")[1] == "Source: list"
    assert "demonstration" in notes(kind="embedded", system="grafana", address="http://127.0.0.1:1")[1]


def test_a_lazy_function_is_imported_at_its_first_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "lazily_there.py").write_text("def double(n): return 2 * n\n")
    double = lazy("lazily_there:double")
    assert "lazily_there" not in sys.modules
    assert double(4) == 8


def test_a_lazy_function_names_the_extra_that_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "lazily_broken.py").write_text("import not_installed_anywhere\n")
    (tmp_path / "lazily_refused.py").write_text("raise ImportError('This needs another package.')\n")
    for module in ("lazily_broken", "lazily_refused"):
        with pytest.raises(MissingExtraError, match="metrics"):
            lazy(f"{module}:f", "metrics")()
    with pytest.raises(ModuleNotFoundError):
        lazy("lazily_broken:f")()
