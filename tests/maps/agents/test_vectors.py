"""vector_writer and vector_reader: texts are found by what they mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from signalbox.maps import read_map_text, run_map

MAP = """GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Prompt,Context
Notes,Keep,vector_writer,notes,kept,Find,notes,
Notes,Find,vector_reader,question,found,,notes,k:1
"""
NOTES = ["The invoice for the new laptop is overdue.", "Water the tomatoes in the garden.", "The flight lands at noon."]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which bills have I not paid", NOTES[0]),
        ("plants that need care", NOTES[1]),
        ("when does the plane arrive", NOTES[2]),
    ],
)
def test_the_text_nearest_in_meaning_is_found(tmp_path: Path, question: str, expected: str) -> None:
    graph = read_map_text(MAP, tmp_path / "notes.csv").graphs["Notes"]
    result = run_map(graph, {"notes": NOTES, "question": question})
    assert [hit["text"] for hit in result.state["found"]["results"]] == [expected]


def test_a_text_is_replaced_by_its_id_and_deleted_by_it(tmp_path: Path) -> None:
    text = (
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Prompt,Context\n"
        "N,Add,vector_writer,doc,a,Change,n,\n"
        "N,Change,vector_writer,changed,b,Drop,n,mode:update\n"
        "N,Drop,vector_writer,id,c,Find,n,mode:delete\n"
        "N,Find,vector_reader,query,found,,n,\n"
    )
    graph = read_map_text(text, tmp_path / "n.csv").graphs["N"]
    docs = [{"id": "1", "text": "cats"}, {"id": "2", "text": "dogs", "metadata": {"kind": "pet"}}]
    result = run_map(graph, {"doc": docs, "changed": {"id": "1", "text": "lions"}, "id": "2", "query": "animals"})
    assert [(hit["id"], hit["text"]) for hit in result.state["found"]["results"]] == [("1", "lions")]


def test_a_collection_that_is_not_there_is_a_failure_of_the_node(tmp_path: Path) -> None:
    graph = read_map_text(MAP, tmp_path / "notes.csv").graphs["Notes"]
    alone = type(graph)("Notes", (graph.nodes[1],), graph.source)
    result = run_map(alone, {"question": "anything"})
    assert result.status == "error"
    assert "notes.json" in result.state["errors"][0]


def test_a_row_that_names_no_collection_takes_the_one_of_the_other_rows(tmp_path: Path) -> None:
    text = (
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Edge,Context\n"
        "N,Keep,vector_writer,notes,kept,Find,collection_name:pinboard\nN,Find,vector_reader,question,found,,k:1\n"
    )
    graph = read_map_text(text, tmp_path / "notes.csv").graphs["N"]
    result = run_map(graph, {"notes": NOTES, "question": "plants that need care"})
    assert result.values["kept"]["file_path"] == "pinboard.json"
    assert [hit["text"] for hit in result.values["found"]["results"]] == [NOTES[1]]
