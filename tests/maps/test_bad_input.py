"""Input that is no map, or far too much of one: a clear error that names the place, in bounded time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import MapCheckError, MapReadError
from signalbox.maps import check_map, read_map, run_map

Write = Callable[..., Path]


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.touch()
    with pytest.raises(MapReadError, match=r"empty\.csv is empty"):
        run_map(path)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (bytes(range(256)) * 8, 1),
        (b"GraphName,Node\nG,A\x00\n", 2),
        (b"\x89PNG\r\n\x1a\n\x00\x00", 3),
    ],
)
def test_a_binary_file(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "binary.csv"
    path.write_bytes(content)
    with pytest.raises(MapReadError, match=f"binary.csv:{line}: this is a binary file"):
        run_map(path)


def test_a_compressed_file_without_a_zero_byte_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "binary.csv"
    path.write_bytes(b"\x1f\x8b\x08\xff\xfe\xfd")
    with pytest.raises(MapReadError, match=r"binary\.csv:1"):
        run_map(path)


def test_a_bad_encoding_names_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("GraphName,Node,Prompt\nG,A,gut\nG,B,schön\n".encode("latin-1"))
    with pytest.raises(MapReadError, match=r"latin.csv:3: byte 8 of the line \(0xf6\) is not UTF-8"):
        run_map(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfeG\x00r", r"odd\.csv:1: byte 3 of the line \(0x72\) is not UTF-16"),
        (b"\xfe\xff" + "G,A\nG,".encode("utf-16-be") + b"\xdc\x00", r"odd\.csv:2: byte 5 .* is not UTF-16"),
        (b"\xff\xfe\0\0" + "G,A\n".encode("utf-32-le") + b"\0\0\0\x11", r"odd\.csv:2: byte 1 .* is not UTF-32"),
        ("GraphName,Node".encode("utf-16-le"), r"odd\.csv:1: .* UTF-16 or UTF-32 without a mark"),
    ],
)
def test_a_broken_file_in_utf_16_or_32_is_told_as_such(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(content)
    with pytest.raises(MapReadError, match=told) as caught:
        run_map(path)
    assert "UTF-8" in caught.value.suggestion


def test_a_file_of_50_megabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    with pytest.raises(MapReadError, match=r"large.csv is 52 MB; a map may be at most 10 MB"):
        read_map(path)


@pytest.mark.bench
def test_a_bomb_of_a_hundred_thousand_targets_in_one_cell(write_file: Write) -> None:
    targets = "|".join(f"N{i}" for i in range(100_000))
    rows = "\n".join(f"G,N{i}," for i in range(100_000))
    path = write_file(f"GraphName,Node,Edge\nG,S,{targets}\n{rows}\n")
    with pytest.raises(MapCheckError) as caught:
        run_map(path)
    places = {(finding.line, finding.column) for finding in caught.value.findings}
    assert (2, "Edge") in places
    assert "100,000" in str(caught.value)
    assert len(str(caught.value)) < 10_000


def test_a_bomb_of_targets_that_have_no_row(write_file: Write) -> None:
    targets = "|".join(f"N{i}" for i in range(100_000))
    _, findings = check_map(write_file(f"GraphName,Node,Edge\nG,S,{targets}\n"))
    assert {(f.level, f.line, f.column) for f in findings} == {("error", 2, "Edge")}
    assert len(findings) < 10


def test_a_graph_with_too_many_nodes(write_file: Write) -> None:
    rows = "\n".join(f"G,N{i},N{i + 1}" for i in range(20_000))
    with pytest.raises(MapCheckError, match="20,001 nodes"):
        run_map(write_file(f"GraphName,Node,Edge\n{rows}\nG,N20000,\n"))


def test_too_many_rows_are_refused_at_the_line_of_the_first_too_many(
    write_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signalbox.maps.rows.MAX_ROWS", 1_000)
    with pytest.raises(MapReadError, match=r"map.csv:100\d: a map may have at most 1,000 rows"):
        read_map(write_file("GraphName,Node\n" + "G,A\n" * 5_000))


def test_a_dense_graph_is_checked_and_run_in_bounded_time(write_file: Write) -> None:
    names = [f"N{i}" for i in range(60)]
    rows = [f"G,{name},echo,{'|'.join(names[i + 1 :])}" for i, name in enumerate(names)]
    result = run_map(write_file("GraphName,Node,AgentType,Edge\n" + "\n".join(rows) + "\n"))
    assert [node.node_name for node in result.summary.node_executions] == names


def test_a_cell_of_more_than_a_hundred_thousand_characters_is_read(write_file: Write) -> None:
    prompt = "word " * 40_000
    path = write_file(f"GraphName,Node,Prompt,Output_Field\nG,A,{prompt.strip()},x\n")
    assert run_map(path).output == prompt.strip()


def test_a_cycle_without_an_exit_names_its_nodes_and_its_line(write_file: Write) -> None:
    path = write_file("GraphName,Node,Edge\nG,A,B\nG,B,C\nG,C,A\n")
    with pytest.raises(MapCheckError, match=r"map.csv:2:Edge: error: The loop A → B → C → A has no exit"):
        run_map(path)


def test_hundreds_of_rows_with_one_mistake_each_are_told_in_bounded_length(write_file: Write) -> None:
    rows = "\n".join(f"G,N{i},nosuchtype{i}" for i in range(300))
    with pytest.raises(MapCheckError) as caught:
        run_map(write_file(f"GraphName,Node,AgentType\n{rows}\n"))
    assert len(caught.value.findings) == 300
    assert "and 280 more" in str(caught.value)


BOMBS: dict[str, Callable[[], str]] = {
    "a wide cell": lambda: "GraphName,Node,Edge\nG,S," + "|".join(f"N{i}" for i in range(100_000)) + "\n",
    "a loop": lambda: "GraphName,Node,Edge\nG,A,B\nG,B,A\n",
}


@pytest.mark.bench
def test_the_command_line_ends_with_1_in_bounded_memory(write_file: Write, tmp_path: Path) -> None:
    for number, make in enumerate(BOMBS.values()):
        write_file(make(), f"bomb{number}.csv")
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    program = (
        "import json, resource, subprocess, sys\n"
        "done = subprocess.run([sys.executable, '-c', 'from signalbox.cli import main; main()', 'maps', 'check',"
        " '--json', *sys.argv[1:]], capture_output=True, text=True)\n"
        "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(json.dumps([done.returncode, peak, json.loads(done.stdout)]))\n"
    )
    files = [str(tmp_path / name) for name in ("bomb0.csv", "bomb1.csv", "large.csv")]
    done = subprocess.run([sys.executable, "-c", program, *files], capture_output=True, text=True, timeout=60)
    code, peak, told = json.loads(done.stdout)
    findings: list[dict[str, Any]] = [f for f in told["findings"] if f["level"] == "error"]
    assert code == 1
    assert list(dict.fromkeys(Path(f["file"]).name for f in findings)) == ["bomb0.csv", "bomb1.csv", "large.csv"]
    assert peak < 500_000
