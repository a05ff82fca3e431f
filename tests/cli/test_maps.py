"""`signalbox maps`: check, show, draw, list, scaffold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.maps import GraphSpec, read_map

Cli = Callable[..., Any]
Write = Callable[..., Path]
GOOD = "GraphName,Node,AgentType,Edge\nG,A,echo,B\nG,B,echo,\n"
BAD = "GraphName,Node,AgentType,Edge\nG,A,ecko,Nowhere\n"
TWO = "GraphName,Node\nOne,A\nTwo,A\n"


def test_check_passes_a_sound_map(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("maps", "check", write_file(GOOD))
    assert (done.code, done.out, done.err) == (0, "", "1 map checked: nothing found.\n")


def test_check_prints_each_finding_on_a_line_and_ends_with_1(signalbox: Cli, write_file: Write) -> None:
    path = write_file(BAD)
    done = signalbox("maps", "check", path)
    assert done.code == 1
    assert sorted(line.split(" ")[0] for line in done.out.splitlines()) == [f"{path}:2:AgentType:", f"{path}:2:Edge:"]
    assert "2 errors" in done.err


def test_check_takes_several_files_and_ends_with_1_if_one_is_wrong(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("maps", "check", write_file(GOOD, "good.csv"), write_file(BAD, "bad.csv"), "--json")
    assert done.code == 1
    assert done.json["ok"] is False
    assert {Path(finding["file"]).name for finding in done.json["findings"]} == {"bad.csv"}
    assert set(done.json["findings"][0]) == {"level", "file", "line", "column", "message", "suggestion"}


def test_check_takes_what_is_no_map_as_a_finding(signalbox: Cli, write_file: Write, tmp_path: Path) -> None:
    write_file("", "empty.csv")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    done = signalbox("maps", "check", "empty.csv", "binary.csv", "missing.csv", "--json")
    assert done.code == 1
    assert [finding["file"] for finding in done.json["findings"]] == ["empty.csv", "binary.csv", "missing.csv"]


def test_warnings_alone_end_with_0(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("maps", "check", write_file("GraphName,Node,Edge\nG,A,\nG,Lost,\n"))
    assert done.code == 0
    assert "1 warning." in done.err


def test_show_prints_a_table(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("maps", "show", write_file(GOOD))
    assert done.code == 0
    assert "A" in done.out
    assert "echo" in done.out


def test_show_as_json_is_the_graph(signalbox: Cli, write_file: Write) -> None:
    path = write_file(GOOD)
    assert GraphSpec.from_dict(signalbox("maps", "show", path, "--json").json) == read_map(path).graphs["G"]


def test_draw_gives_mermaid_by_default_and_svg_by_the_files_ending(
    signalbox: Cli, write_file: Write, tmp_path: Path
) -> None:
    path = write_file(GOOD)
    assert signalbox("maps", "draw", path).out.lstrip().startswith(("flowchart", "graph", "---"))
    assert signalbox("maps", "draw", path, "-o", "picture.svg").out == "picture.svg\n"
    assert (tmp_path / "picture.svg").read_text("utf-8").lstrip().startswith(("<svg", "<?xml"))
    assert signalbox("maps", "draw", path, "--format", "svg").out.lstrip().startswith(("<svg", "<?xml"))


def test_draw_refuses_a_format_it_does_not_know(signalbox: Cli, write_file: Write) -> None:
    done = signalbox("maps", "draw", write_file(GOOD), "--format", "gif")
    assert done.code == 2
    assert "gif" in done.err


@pytest.mark.parametrize("command", ["show", "draw"])
def test_one_of_several_graphs_must_be_named(signalbox: Cli, write_file: Write, command: str) -> None:
    path = write_file(TWO)
    done = signalbox("maps", command, path)
    assert done.code == 1
    assert f"{path}::Two" in done.err
    assert signalbox("maps", command, f"{path}::Two").code == 0


def test_list_finds_the_maps_of_a_folder_and_passes_over_other_files(signalbox: Cli, write_file: Write) -> None:
    write_file(GOOD, "one.csv")
    write_file(TWO, "deep/two.csv")
    write_file("a,b\n1,2\n", "data.csv")
    done = signalbox("maps", "list", "--json")
    assert done.json == [
        {"map": "deep/two.csv::One", "graph": "One", "nodes": 1},
        {"map": "deep/two.csv::Two", "graph": "Two", "nodes": 1},
        {"map": "one.csv", "graph": "G", "nodes": 2},
    ]
    assert "one.csv  (G, 2 nodes)" in signalbox("maps", "list").out


def test_list_of_a_place_that_is_not_there_ends_with_1(signalbox: Cli) -> None:
    assert signalbox("maps", "list", "nowhere").code == 1


def test_list_of_an_empty_folder_says_so(signalbox: Cli) -> None:
    done = signalbox("maps", "list")
    assert (done.code, done.out) == (0, "")
    assert "no map" in done.err


def test_a_new_map_runs_at_once(signalbox: Cli) -> None:
    assert signalbox("maps", "scaffold", "--new", "first.csv").out == "first.csv\n"
    assert signalbox("maps", "check", "first.csv").code == 0
    assert signalbox("maps", "scaffold", "--new", "first.csv").code == 1


def test_scaffold_writes_what_the_map_lacks_and_the_map_runs(signalbox: Cli, write_file: Write) -> None:
    path = write_file("GraphName,Node,AgentType,Input_Fields,Output_Field\nG,A,Fetcher,x,y\n")
    assert signalbox("run", path).code == 1
    done = signalbox("maps", "scaffold", path, "--json")
    assert [Path(file).name for file in done.json] == ["fetcher.py", "test_fetcher.py"]
    assert signalbox("run", path, "--set", "x=1").code == 0
    assert "Nothing is missing" in signalbox("maps", "scaffold", path).err


def test_check_runs_no_code_where_it_must_not(signalbox: Cli, write_file: Write, tmp_path: Path) -> None:
    write_file("open(__file__ + '.ran', 'w')\nclass Own: ...\n", "agents/own.py")
    path = write_file("GraphName,Node,AgentType\nG,A,own\n")
    done = signalbox("maps", "check", "--no-code", path)
    assert done.code == 0
    assert "note: 'own'" in done.out
    assert not list(tmp_path.rglob("*.ran"))
