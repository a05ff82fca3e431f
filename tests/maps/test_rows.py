"""The rows of a file whose cells are not quoted as CSV asks: brackets that hold commas are read as one cell."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.maps import MapFile, read_map_text

HEADER = "GraphName,Node,Context,AgentType,Output_Field,Prompt\n"


def read(row: str) -> tuple[MapFile, Any]:
    document = read_map_text(HEADER + row + "\n")
    return document, document.graphs["G"].entry


@pytest.mark.parametrize(
    ("cell", "context"),
    [
        ('{"provider": "openai", "temperature": 0.7}', {"provider": "openai", "temperature": 0.7}),
        ("{'provider': 'openai', 'temperature': 0.7}", {"provider": "openai", "temperature": 0.7}),
        ('{"memory":{"type":"buffer","memory_key":"talk"}}', {"memory": {"type": "buffer", "memory_key": "talk"}}),
        (
            '{"rules": {"a, b": ["x", "y"]}, "note": "it\'s {odd}"}',
            {"rules": {"a, b": ["x", "y"]}, "note": "it's {odd}"},
        ),
        ('{"text": "a \\"quoted\\" word, and more"}', {"text": 'a "quoted" word, and more'}),
        (' {"a": 1, "b": 2} ', {"a": 1, "b": 2}),
        ("{reason: wait, timeout: 5}", {"reason": "wait", "timeout": 5}),
    ],
)
def test_an_object_without_quotation_marks_is_one_cell(cell: str, context: dict[str, Any]) -> None:
    document, node = read(f'G,A,{cell},llm,x,"Hello, you"')
    assert (node.context, node.agent_type, node.outputs, node.prompt) == (context, "llm", ("x",), "Hello, you")
    (finding,) = document.findings
    assert (finding.level, finding.line) == ("warning", 2)
    assert "no quotation marks" in finding.message


@pytest.mark.parametrize(
    "row",
    [
        "G,A,,echo,x,{name} is here",
        "G,A,{workflow=::B},graph,x,",
        'G,A,"{""a"": 1, ""b"": 2}",echo,x,"{b}, {c}"',
        'G,A,,echo,x,"two lines,\n{a, b}, and more"',
        'G,A,{"nodes":"B|C"},echo,x,',
    ],
)
def test_cells_that_csv_reads_rightly_are_left_alone(row: str) -> None:
    document, node = read(row)
    assert document.findings == []
    assert node.agent_type in ("echo", "graph")


def test_a_bracket_that_is_never_closed_is_not_a_cell_of_its_own() -> None:
    _, node = read("G,A,{open,echo,x,{also open")
    assert (node.agent_type, node.prompt) == ("echo", "{also open")


def test_the_line_of_the_first_such_cell_is_told_once() -> None:
    row = 'G,{name},{{"a": 1, "b": 2}},echo,x,\n'
    document = read_map_text(HEADER + "G,A,,echo,x,\n" + "".join(row.format(name=name) for name in "BCD"))
    assert [finding.line for finding in document.findings] == [3]


def test_a_setting_may_have_a_column_of_its_own() -> None:
    text = 'GraphName,Node,output_validation,Extra\nG,A,error,\nG,B,,"{""output_validation"": ""ignore""}"\n'
    document = read_map_text(text)
    assert [node.context for node in document.graphs["G"]] == [
        {"output_validation": "error"},
        {"output_validation": "ignore"},
    ]
    assert document.findings == []


@pytest.mark.parametrize(
    ("row", "prompt"),
    [
        ("G,A,,echo,x,Look for themes, claims, and {facts}", "Look for themes, claims, and {facts}"),
        ("G,A,,echo,x,,What do you want?", "What do you want?"),
        ("G,A,,echo,x,Plain,,,", "Plain"),
    ],
)
def test_commas_in_the_last_text_of_a_row_belong_to_it(row: str, prompt: str) -> None:
    _, node = read(row)
    assert node.prompt == prompt


def test_what_stands_beyond_the_last_column_is_told_and_elsewhere_not_used() -> None:
    document = read_map_text("GraphName,Node,Prompt,Output_Field\nG,A,Hello,x,lost\n")
    assert document.graphs["G"].entry.outputs == ("x",)
    assert "not used: 'lost'" in document.findings[0].message
    document, _ = read("G,A,,echo,x,one, two")
    assert "read as part of Prompt: 'two'" in document.findings[0].message
    document, _ = read("G,A,,echo,x,one,,")
    assert document.findings == []
