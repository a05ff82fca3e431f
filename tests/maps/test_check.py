"""The validator: one kind of finding a test, each with its place and the nearest thing that would be right."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import MapCheckError
from signalbox.maps import Finding, GraphSpec, NodeSpec, check_map, run_map


@pytest.fixture
def check(write_file: Callable[..., Path]) -> Callable[[str], list[Finding]]:
    def find(text: str) -> list[Finding]:
        return check_map(write_file(text))[1]

    return find


def only(findings: list[Finding]) -> Finding:
    (finding,) = findings
    return finding


def place(finding: Finding) -> tuple[str, int, str]:
    return finding.level, finding.line, finding.column


Check = Callable[[str], list[Finding]]


def test_a_sound_map_has_no_finding(check: Check) -> None:
    assert check("GraphName,Node,AgentType,Edge\nG,A,echo,B\nG,B,echo,\n") == []


def test_every_finding_names_the_file(check: Check, tmp_path: Path) -> None:
    assert only(check("GraphName,Node,Edge\nG,A,B\n")).file == str(tmp_path / "map.csv")


# Edges


@pytest.mark.parametrize("column", ["Edge", "Success_Next", "Failure_Next"])
def test_a_target_without_a_row(check: Check, column: str) -> None:
    finding = only(check(f"GraphName,Node,{column},Edge2\nG,Start,Finsih line,\nG,Finish line,,\n")[1:2])
    assert place(finding) == ("error", 2, column)
    assert "'Finsih line'" in finding.message
    assert "'Finish line'" in finding.suggestion


def test_the_column_goes_by_the_name_in_the_file(check: Check) -> None:
    finding = only(check("workflow,Step,on_success\nG,A,Nowhere\n"))
    assert place(finding) == ("error", 2, "on_success")


def test_targets_with_commas_are_told_how_to_be_written(check: Check) -> None:
    findings = check('GraphName,Node,Edge\nG,A,"B, C"\nG,B,\nG,C,\n')
    assert place(findings[0]) == ("error", 2, "Edge")
    assert "B|C" in findings[0].suggestion


def test_a_target_in_another_case(check: Check) -> None:
    finding = only(check("GraphName,Node,Edge\nG,A,last\nG,Last,\n"))
    assert place(finding) == ("warning", 2, "Edge")
    assert "'Last'" in finding.suggestion


@pytest.mark.parametrize("end", ["End", "end", "END", "__end__"])
def test_an_end_without_a_row_is_only_a_note(check: Check, end: str) -> None:
    assert place(only(check(f"GraphName,Node,Edge\nG,A,{end}\n"))) == ("note", 2, "Edge")


def test_a_name_with_two_rows(check: Check) -> None:
    findings = check("GraphName,Node,Edge\nG,A,B\nG,B,\nG,B,\n")
    assert place(findings[0]) == ("error", 4, "Node")
    assert "line 3" in findings[0].message


def test_an_edge_beside_a_success_next(check: Check) -> None:
    finding = only(check("GraphName,Node,Edge,Success_Next\nG,A,B,C\nG,B,C,\nG,C,,\n"))
    assert place(finding) == ("warning", 2, "Success_Next")


def test_an_edge_beside_a_failure_next_is_nothing_odd(check: Check) -> None:
    assert check("GraphName,Node,Edge,Failure_Next\nG,A,B,C\nG,B,,\nG,C,,\n") == []


def test_a_row_that_nothing_leads_to(check: Check) -> None:
    finding = only(check("GraphName,Node,Edge\nG,A,\nG,Lost,\n"))
    assert place(finding) == ("warning", 3, "Node")
    assert "'A'" in finding.suggestion


def test_a_loop_without_an_exit(check: Check) -> None:
    findings = [f for f in check("GraphName,Node,Edge\nG,S,A\nG,A,B\nG,B,A\n") if f.level == "error"]
    finding = only(findings)
    assert (finding.line, finding.column) in [(2, "Edge"), (3, "Edge"), (4, "Edge")]
    assert "no exit" in finding.message
    assert "A" in finding.message
    assert "B" in finding.message


def test_a_node_that_leads_to_itself_for_ever(check: Check) -> None:
    assert place(only(check("GraphName,Node,Edge\nG,A,A\n"))) == ("error", 2, "Edge")


@pytest.mark.parametrize("way_out", ["Success_Next", "Failure_Next"])
def test_a_loop_with_a_way_out_is_sound(check: Check, way_out: str) -> None:
    other = {"Success_Next": "Failure_Next", "Failure_Next": "Success_Next"}[way_out]
    assert check(f"GraphName,Node,{other}\nG,A,B\nG,B,A\n") == []
    assert check(f"GraphName,Node,{other},{way_out}\nG,A,B,Out\nG,B,A,Out\nG,Out,,\n") == []


def test_a_routing_function_that_is_not_there(check: Check) -> None:
    finding = only([f for f in check("GraphName,Node,Edge\nG,A,func:chose\n") if f.level == "error"])
    assert place(finding) == ("error", 2, "Edge")
    assert "functions/chose.py" in finding.suggestion


def test_a_routing_function_beside_the_map(check: Check, write_file: Callable[..., Path]) -> None:
    write_file("def choose(state, success, failure):\n    return success\n", "functions/choose.py")
    assert check("GraphName,Node,Edge,Success_Next\nG,A,func:choose,B\nG,B,,\n") == []


# Agents


def test_a_type_that_is_not_there(check: Check) -> None:
    finding = only(check("GraphName,Node,Type\nG,A,ecko\n"))
    assert place(finding) == ("error", 2, "Type")
    assert "'echo'" in finding.suggestion


@pytest.mark.parametrize("name", ["Echo", "echo", "EchoAgent", "ECHO", "echo_agent", "SuccessAgent", "GPT", "Claude"])
def test_a_type_in_any_case_and_with_the_word_agent(check: Check, name: str) -> None:
    assert check(f"GraphName,Node,AgentType,Prompt\nG,A,{name},Hello\n") == []


def test_a_type_whose_file_is_broken(check: Check, write_file: Callable[..., Path]) -> None:
    write_file("class MineAgent(:\n", "agents/mine.py")
    findings = check("GraphName,Node,AgentType\nG,A,mine\n")
    assert ("error", 2, "AgentType") in map(place, findings)
    assert any("mine.py" in finding.message for finding in findings)


@pytest.mark.parametrize(
    ("kind", "context", "nearest"),
    [
        ("human", "interaction_type:aproval", "'approval'"),
        ("orchestrator", "matching_strategy:algoritm", "'algorithm'"),
        ("csv_writer", "mode:apend, collection:x", "'append'"),
        ("llm", "temperature:9", "from 0 to 2"),
        ("llm", "max_tokens:none at all", "at least 1"),
        ("orchestrator", "confidence_threshold:80", "from 0 to 1"),
        ("human", "timeout_seconds:-5", "Give a number"),
        ("echo", "success_policy:final_nod", "'final_node'"),
        ("echo", "success_policy:critical_nodes, critical_nodes:Otter", "'Other'"),
        ("echo", "success_policy:nowhere:policy", ""),
        ("orchestrator", "nodes:Otter", "'Other'"),
        ("orchestrator", "default_target:Otter", "'Other'"),
        ("orchestrator", "nodes:5", ""),
        ("echo", "success_policy:critical_nodes, critical_nodes:5", ""),
        ("echo", "state:nowhere_at_all:Basket", ""),
    ],
)
def test_a_setting_in_the_context_that_cannot_be(check: Check, kind: str, context: str, nearest: str) -> None:
    text = f'GraphName,Node,AgentType,Prompt,Edge,Config\nG,A,{kind},Hello,Other,"{context}"\nG,Other,echo,,,\n'
    finding = only([f for f in check(text) if f.level == "error"])
    assert place(finding) == ("error", 2, "Config")
    assert nearest in finding.suggestion
    assert "e-09" not in finding.suggestion


@pytest.mark.parametrize("context", ["nodes:A|B", "nodes:B, default_target:A"])
def test_an_orchestrator_that_names_itself(check: Check, context: str) -> None:
    finding = only(check(f'GraphName,Node,AgentType,Context\nG,A,orchestrator,"{context}"\nG,B,echo,\n'))
    assert (finding.line, finding.column) == (2, "Context")
    assert "itself" in finding.message


def test_a_context_that_was_meant_to_be_json(check: Check) -> None:
    finding = only(check('GraphName,Node,Context\nG,A,"{""mode"" ""a""}"\n'))
    assert place(finding) == ("warning", 2, "Context")


def test_a_choice_without_options(check: Check) -> None:
    finding = only(check("GraphName,Node,AgentType,Context\nG,A,human,interaction_type:choice\n"))
    assert place(finding) == ("warning", 2, "Context")


def test_an_environment_variable_that_is_not_set(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "GraphName,Node,AgentType,Context\nG,A,echo,key:env:MAP_TEST_KEY\n"
    finding = only(check(text))
    assert place(finding) == ("warning", 2, "Context")
    assert "MAP_TEST_KEY" in finding.message
    monkeypatch.setenv("MAP_TEST_KEY", "x")
    assert check(text) == []


def test_a_storage_node_that_names_no_file(check: Check) -> None:
    assert place(only(check("GraphName,Node,AgentType\nG,A,csv_reader\n"))) == ("warning", 2, "Prompt")


# References


@pytest.mark.parametrize("prompt", ["file:greting.txt", "prompt:greting", "yaml:all.yaml#say.greting"])
def test_a_prompt_that_leads_nowhere(check: Check, write_file: Callable[..., Path], prompt: str) -> None:
    write_file("Hello", "prompts/greeting.txt")
    write_file("greeting: Hello\n", "prompts/registry.yaml")
    write_file("say:\n  greeting: Hello\n", "prompts/all.yaml")
    finding = only(check(f"GraphName,Node,AgentType,Prompt\nG,A,echo,{prompt}\n"))
    assert place(finding) == ("error", 2, "Prompt")
    assert "greting" in finding.message
    assert "greeting" in finding.suggestion


def test_a_variable_that_no_node_writes(check: Check) -> None:
    text = "GraphName,Node,AgentType,Prompt,Output_Field,Edge\nG,A,echo,,topic,B\nG,B,llm,About {topik},,\n"
    finding = only(check(text))
    assert place(finding) == ("note", 3, "Prompt")
    assert "'topic'" in finding.suggestion


def test_a_sub_graph_that_is_not_there(check: Check) -> None:
    text = "GraphName,Node,AgentType,Context\nG,A,graph,{workflow=::Chld}\nChild,B,echo,\n"
    finding = only(check(text))
    assert place(finding) == ("error", 2, "Context")
    assert "'Child'" in finding.suggestion


def test_a_graph_node_that_names_no_graph(check: Check) -> None:
    assert place(only(check("GraphName,Node,AgentType\nG,A,graph\n"))) == ("error", 2, "Context")


def test_a_tool_file_that_is_not_there(check: Check, write_file: Callable[..., Path]) -> None:
    write_file("def add(a, b):\n    return a + b\n", "sums.py")
    finding = only(check("GraphName,Node,AgentType,Tool_Source\nG,A,tool_agent,sum.py\n"))
    assert place(finding) == ("error", 2, "Tool_Source")
    assert "'sums.py'" in finding.suggestion


def test_a_tool_that_is_not_there(check: Check, write_file: Callable[..., Path]) -> None:
    write_file("def multiply(a, b):\n    return a * b\n", "sums.py")
    finding = only(check("GraphName,Node,AgentType,Tool_Source,Tools\nG,A,tool_agent,sums.py,multply(a)\n"))
    assert place(finding) == ("error", 2, "Tools")
    assert "'multiply'" in finding.suggestion


# Before a run


def test_a_run_is_refused_with_every_error_and_its_place(run_text: Callable[..., Any]) -> None:
    with pytest.raises(MapCheckError) as caught:
        run_text("GraphName,Node,AgentType,Edge\nG,A,ecko,B\nG,B,echo,Nowhere\n")
    assert [(f.line, f.column) for f in caught.value.findings] == [(3, "Edge"), (2, "AgentType")]
    assert "map.csv:2:AgentType: error" in str(caught.value)


def test_a_row_that_cannot_be_read_forbids_the_run(run_text: Callable[..., Any]) -> None:
    with pytest.raises(MapCheckError, match=r"map\.csv:3:Node: error: The row has no Node"):
        run_text("GraphName,Node\nG,A\nG,\n")


def test_warnings_and_notes_do_not_forbid_a_run(run_text: Callable[..., Any]) -> None:
    assert run_text("GraphName,Node,Edge,Odd\nG,A,End,x\nG,Lost,,\n").status == "completed"


def test_a_graph_in_python_is_checked_too() -> None:
    with pytest.raises(MapCheckError, match="Nowhere"):
        run_map(GraphSpec("G", (NodeSpec("A", edge=("Nowhere",)),)))


def test_findings_come_in_the_order_of_the_lines(check: Check) -> None:
    lines = [f.line for f in check("GraphName,Node,AgentType,Edge\nG,A,ecko,B\nG,B,ecko,C\nG,C,ecko,D\n")]
    assert lines == sorted(lines)


def test_settings_for_model_routing_are_named_as_unused(check: Check) -> None:
    context = '"{""routing_enabled"": true, ""task_type"": ""general""}"'
    finding = only(check(f"GraphName,Node,AgentType,Prompt,Context\nG,A,llm,Hello,{context}\n"))
    assert place(finding) == ("warning", 2, "Context")
    assert "routing_enabled, task_type" in finding.message


# Without running code

BOOM = "import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\nraise RuntimeError('imported')\n"
EVERY_WAY = """
GraphName,Node,AgentType,Edge,Input_Fields,Context
G,Own,own,func:route,,"{""success_policy"": ""beside:policy"", ""state"": ""beside:State""}"
G,Function,func:work,func:beside.route,,
G,Reference,beside:Agent,func:beside:route,,
G,Installed,antigravity:fly,,,
G,Child,graph,,func:beside:mapper,{workflow=::G}
"""


def test_nothing_is_imported_where_no_code_may_run(write_file: Callable[..., Path], tmp_path: Path) -> None:
    write_file(BOOM + "class Agent: ...\ndef route(): ...\n", "beside.py")
    write_file(BOOM + "class Own: ...\n", "agents/own.py")
    write_file(BOOM + "def work(): ...\ndef route(): ...\n", "functions/work.py")
    _, findings = check_map(write_file(EVERY_WAY), code=False)
    assert not list(tmp_path.rglob("*.ran"))
    assert "antigravity" not in sys.modules
    unchecked = [finding for finding in findings if "not checked" in finding.message]
    assert {finding.level for finding in unchecked} == {"note"}
    named = " ".join(finding.message for finding in unchecked)
    for what in (
        "'own'", "'func:work'", "'beside:Agent'", "'antigravity:fly'", "'beside:route'", "'beside:mapper'",
        "'beside:State'", "'beside:policy'",
    ):  # fmt: skip
        assert what in named


def test_what_is_missing_is_found_without_running_code(write_file: Callable[..., Path]) -> None:
    _, findings = check_map(write_file("GraphName,Node,AgentType,Edge\nG,A,nosuch,func:nowhere\n"), code=False)
    assert sorted(finding.column for finding in findings if finding.level == "error") == ["AgentType", "Edge"]


@pytest.mark.parametrize("cell", ["{place}.evil:f", "..evil:f", "evil/evil:f", "evil:", "evil:f.1"])
def test_a_reference_reaches_no_file_elsewhere(write_file: Callable[..., Path], tmp_path: Path, cell: str) -> None:
    write_file(BOOM, "evil.py")
    write_file(BOOM, "evil/evil.py")
    for row in (f"G,A,{cell},", f"G,A,echo,func:{cell}"):
        text = f"GraphName,Node,AgentType,Edge\n{row.format(place=tmp_path)}\n"
        finding = only([f for f in check_map(write_file(text, "maps/map.csv"))[1] if f.level == "error"])
        assert "is not of the form module:attribute" in finding.message
    assert not list(tmp_path.rglob("*.ran"))
