"""Reading a map: every column and alias, every untidy habit, and a place for everything odd."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from signalbox.errors import MapCheckError, MapReadError
from signalbox.maps import GraphSpec, MapFile, NodeSpec, read_map, read_map_text, run_map
from signalbox.maps.columns import ALIASES

FACTS = {
    "GraphName": "graph_name Graph WorkflowName workflow_name workflow",
    "Node": "node_name NodeName Step StepName name",
    "AgentType": "agent_type Agent Type",
    "Prompt": "Instructions Template prompt_template",
    "Description": "desc Details",
    "Input_Fields": "Inputs InputFields",
    "Output_Field": "Output OutputField",
    "Edge": "next_node NextNode Target next",
    "Success_Next": "next_on_success SuccessTarget on_success",
    "Failure_Next": "next_on_failure FailureTarget on_failure",
    "Context": "Config Configuration",
    "Tool_Source": "ToolSource ToolFile ToolModule",
    "Available_Tools": "AvailableTools Tools ToolList",
}
FIELDS = {
    "AgentType": ("agent_type", "x"),
    "Prompt": ("prompt", "x"),
    "Description": ("description", "x"),
    "Input_Fields": ("inputs", ("x",)),
    "Output_Field": ("outputs", ("x",)),
    "Edge": ("edge", ("x",)),
    "Success_Next": ("success_next", ("x",)),
    "Failure_Next": ("failure_next", ("x",)),
    "Context": ("context", {"context": "x"}),
    "Tool_Source": ("tool_source", "x"),
    "Available_Tools": ("tools", ("x",)),
}


def only(text: str) -> GraphSpec:
    (graph,) = read_map_text(text).graphs.values()
    return graph


def told(document: MapFile) -> list[tuple[str, int, str]]:
    return [(finding.level, finding.line, finding.column) for finding in document.findings]


# Columns


@pytest.mark.parametrize(
    ("column", "header"),
    [(column, name) for column, names in FACTS.items() for name in (column, *names.split())],
)
@pytest.mark.parametrize("case", [str, str.lower, str.upper])
def test_every_alias_in_any_case_means_its_column(column: str, header: str, case: Callable[[str], str]) -> None:
    headers = {"GraphName": "GraphName", "Node": "Node", column: case(header)}
    cells = {"GraphName": "G", "Node": "N", **({column: "x"} if column in FIELDS else {})}
    document = read_map_text(",".join(headers.values()) + "\n" + ",".join(cells[name] for name in headers) + "\n")
    assert document.findings == []
    node = document.graphs["G"].node("N")
    if column in FIELDS:
        name, value = FIELDS[column]
        assert getattr(node, name) == value


def test_the_documented_aliases_are_all_there() -> None:
    for column, names in FACTS.items():
        assert set(names.split()) <= set(ALIASES[column])


def test_a_full_row_becomes_a_node() -> None:
    text = (
        "GraphName,Node,AgentType,Prompt,Description,Input_Fields,Output_Field,Edge,Success_Next,Failure_Next,"
        "Context,Tool_Source,Available_Tools\n"
        'G,N,llm,"Say {x}, please",What it does,x|y:z,a|b,,S1|S2,F,"{""k"": 1}",t.py,add|sub\n'
    )
    assert only(text).entry == NodeSpec(
        name="N",
        agent_type="llm",
        prompt="Say {x}, please",
        description="What it does",
        inputs=("x", "y:z"),
        outputs=("a", "b"),
        success_next=("S1", "S2"),
        failure_next=("F",),
        context={"k": 1},
        tool_source="t.py",
        tools=("add", "sub"),
    )


def test_a_row_without_a_type_is_of_the_type_default() -> None:
    assert only("GraphName,Node,AgentType\nG,N,\n").entry.agent_type == "default"
    assert only("GraphName,Node\nG,N\n").entry.agent_type == "default"


def test_the_first_row_is_the_entry_and_rows_keep_their_order() -> None:
    graph = only("GraphName,Node\nG,Z\nG,A\nG,M\n")
    assert graph.entry.name == "Z"
    assert [node.name for node in graph] == ["Z", "A", "M"]


def test_a_file_may_hold_several_graphs_with_their_rows_mixed() -> None:
    graphs = read_map_text("GraphName,Node\nA,1\nB,1\nA,2\n").graphs
    assert {name: [node.name for node in graph] for name, graph in graphs.items()} == {"A": ["1", "2"], "B": ["1"]}


# Untidy habits


def test_comments_blank_lines_and_blank_rows_are_passed_over_and_lines_still_count() -> None:
    text = "# a note\n\nGraphName,Node,Edge\n# G,X,Y\n\n,,\nG,A,B\n   # more\nG,B,\n"
    document = read_map_text(text)
    assert [(node.name, node.line) for node in document.graphs["G"]] == [("A", 7), ("B", 9)]
    assert document.findings == []


def test_a_row_that_starts_inside_a_long_cell_has_the_line_it_starts_on() -> None:
    text = 'GraphName,Node,Prompt\nG,A,"one\ntwo\nthree"\nG,B,x\n'
    assert [(node.name, node.line) for node in only(text)] == [("A", 2), ("B", 5)]


def test_a_short_row_lacks_only_what_it_lacks() -> None:
    assert only("GraphName,Node,AgentType,Edge\nG,A,echo\nG,B\n").entry.agent_type == "echo"


def test_a_long_row_is_told_with_what_was_not_used() -> None:
    document = read_map_text("GraphName,Node\nG,A,spare,cells\n")
    assert told(document) == [("warning", 2, "")]
    assert "spare,cells" in document.findings[0].message


def test_empty_cells_beyond_the_header_are_nothing_odd() -> None:
    assert read_map_text("GraphName,Node\nG,A,,,\n").findings == []


def test_two_columns_for_one_thing_use_the_first_and_say_so() -> None:
    document = read_map_text("workflow,graph,Node\nG,other,A\n")
    assert list(document.graphs) == ["G"]
    assert told(document) == [("warning", 1, "graph")]


def test_an_unknown_column_is_kept_and_told_with_the_nearest() -> None:
    document = read_map_text("GraphName,Node,Promt,Owner\nG,A,hello,Ann\n")
    assert document.graphs["G"].entry.extra == {"Promt": "hello", "Owner": "Ann"}
    assert told(document) == [("error", 1, "Promt"), ("warning", 1, "Owner")]
    assert "'Prompt'" in document.findings[0].suggestion


def test_windows_line_ends_and_a_bom_are_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_bytes(b"\xef\xbb\xbfGraphName,Node,Edge\r\nG,A,B\r\nG,B,\r\n")
    document = read_map(path)
    assert [node.edge for node in document.graphs["G"]] == [("B",), ()]
    assert document.findings == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_file_in_unicode_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text("GraphName,Node,Prompt\nG,Knöten,grüß 世界\n", encoding)
    assert read_map(path).graphs["G"].node("Knöten").prompt == "grüß 世界"


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_spreadsheets_other_delimiters_are_understood(delimiter: str) -> None:
    text = "GraphName,Node,Edge\nG,A,B\nG,B,\n".replace(",", delimiter)
    assert only(text).entry.edge == ("B",)


def test_names_and_headers_are_trimmed_and_prompts_are_not() -> None:
    graph = only("GraphName , Node,Prompt\n G , A , two  spaces \n")
    assert (graph.name, graph.entry.name, graph.entry.prompt) == ("G", "A", " two  spaces ")


def test_a_column_of_predecessors_becomes_edges_forward() -> None:
    document = read_map_text("GraphName,Node,predecessor\nG,A,\nG,B,A\nG,C,A\nG,D,B|C\n")
    assert {node.name: node.edge for node in document.graphs["G"]} == {
        "A": ("B", "C"),
        "B": ("D",),
        "C": ("D",),
        "D": (),
    }
    assert told(document) == [("note", 2, "predecessor")]


def test_edges_are_where_a_row_leads_or_what_it_comes_after() -> None:
    behind = read_map_text("workflow,name,edges\nG,A,\nG,B,A\n")
    assert (behind.graphs["G"].entry.edge, told(behind)) == (("B",), [("note", 2, "edges")])
    forward = read_map_text("GraphName,Node,Edges\nG,A,B\nG,B,\n")
    assert (forward.graphs["G"].entry.edge, told(forward)) == (("B",), [])


# What is wrong


@pytest.mark.parametrize(("row", "column"), [(",A", "graph"), ("G,", "Step"), ("G,  ", "Step")])
def test_a_row_without_a_name_is_an_error_at_its_line(row: str, column: str) -> None:
    document = read_map_text(f"graph,Step\nG,First\n{row}\n")
    assert told(document) == [("error", 3, column)]
    assert [node.name for node in document.graphs["G"]] == ["First"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("\n\n  \n", "is empty"),
        ("# only a note\n", "is empty"),
        ("GraphName,Node\n", "no row below its header"),
        ("a,b\n1,2\n", "no column GraphName and no column Node"),
        ("GraphName,Nodes\nG,A\n", "no column Node"),
        ('GraphName,Node\nG,A\nG,"B\nG,C\n', "m.csv:3: a quotation mark is opened here and never closed"),
        ('GraphName,Node\nG,"A"B\n', "m.csv:2"),
    ],
)
def test_what_is_no_map_is_refused_with_its_place(text: str, told: str) -> None:
    with pytest.raises(MapReadError, match=told) as caught:
        read_map_text(text, "m.csv")
    assert "m.csv" in str(caught.value)
    assert caught.value.suggestion


def test_a_misspelt_header_is_told_with_the_nearest() -> None:
    with pytest.raises(MapReadError) as caught:
        read_map_text("GraphNam,Node\nG,A\n")
    assert "'GraphNam'" in caught.value.suggestion


def test_a_missing_file_is_told_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "weather.csv").write_text("GraphName,Node\nG,A\n")
    with pytest.raises(MapReadError, match="no file") as caught:
        read_map(tmp_path / "wether.csv")
    assert "weather.csv" in caught.value.suggestion


def test_a_folder_is_no_map(tmp_path: Path) -> None:
    with pytest.raises(MapReadError, match="is a folder"):
        read_map(tmp_path)


def test_a_finding_says_file_line_column_level_and_suggestion() -> None:
    document = read_map_text("GraphName,Node,Promt\nG,A,x\n", "m.csv")
    assert str(document.findings[0]).startswith("m.csv:1:Promt: error: 'Promt' is not a column of a map")
    assert document.findings[0].to_dict()["line"] == 1


@pytest.mark.parametrize(
    ("header", "meant"),
    [
        ("Sucess_Next", "Success_Next"),
        ("Promt", "Prompt"),
        ("Promtp", "Prompt"),
        ("Input_Feilds", "Input_Fields"),
        ("Output_Fild", "Output_Field"),
        ("Contex", "Context"),
        ("on_sucess", "on_success"),
        ("Avilable Tools", "Available_Tools"),
    ],
)
def test_a_misspelt_header_is_an_error(header: str, meant: str) -> None:
    (finding,) = read_map_text(f"GraphName,Node,{header}\nG,A,x\n").findings
    assert (finding.level, finding.line, finding.column) == ("error", 1, header)
    assert finding.suggestion == f"Did you mean '{meant}'?"


def test_a_map_with_a_misspelt_header_does_not_run(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("GraphName,Node,Sucess_Next\nG,A,B\nG,B,\n")
    with pytest.raises(MapCheckError, match="'Sucess_Next' is not a column of a map"):
        run_map(tmp_path / "m.csv")


@pytest.mark.parametrize(
    "header", ["Owner", "Note", "Notes", "Text", "Stop", "model_name", "workflow_id", "graph_id", "Nodes", "Title"]
)
def test_a_header_that_is_another_word_is_kept_with_a_warning(header: str) -> None:
    document = read_map_text(f"GraphName,Node,{header}\nG,A,x\n")
    assert [finding.level for finding in document.findings] == ["warning"]
    assert document.graphs["G"].node("A").extra == {header: "x"}


def test_a_header_like_a_column_that_is_there_is_kept_with_a_warning() -> None:
    assert [f.level for f in read_map_text("GraphName,Node,Prompt,Prompt2\nG,A,x,y\n").findings] == ["warning"]
