"""file_reader and file_writer on real files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import MissingInputError, NotFoundError, RequestError, UnsupportedError
from signalbox.maps import read_map_text, run_map
from signalbox.maps.agents.storage import FileReaderAgent, FileWriterAgent
from signalbox.maps.context import RunContext, current_run


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    folder.mkdir()
    token = current_run.set(RunContext(folder=tmp_path, data=folder))
    yield folder
    current_run.reset(token)


def read(context: dict[str, Any] | None = None, prompt: str = "note.txt", **inputs: Any) -> Any:
    return FileReaderAgent("read", prompt, context).process(inputs)


def write(context: dict[str, Any] | None = None, prompt: str = "note.txt", **inputs: Any) -> Any:
    return FileWriterAgent("write", prompt, context).process(inputs)


def test_the_value_of_the_only_input_is_written_and_read_back(data: Path) -> None:
    done = write({"mode": "write"}, "data/validation_report.txt", final_report="All good.\n")
    assert (data / "validation_report.txt").read_text() == "All good.\n"
    assert done["success"] is True
    assert done["file_path"] == "validation_report.txt"
    assert read(prompt="", collection="data/validation_report.txt") == "All good.\n"


def test_append_puts_an_empty_line_or_the_separator_between(data: Path) -> None:
    write(text="one")
    write(text="two")
    write({"separator": "\n"}, text="three")
    assert (data / "note.txt").read_text() == "one\n\ntwo\nthree"


def test_update_replaces_and_delete_removes(data: Path) -> None:
    write(text="one")
    write({"mode": "update"}, text="two")
    assert read() == "two"
    assert write({"mode": "delete"})["file_deleted"] is True
    assert not (data / "note.txt").exists()
    with pytest.raises(NotFoundError, match=r"note\.txt"):
        write({"mode": "delete"})


def test_structures_are_written_as_json(data: Path) -> None:
    write({"mode": "write"}, report={"città": [1, None]})
    assert json.loads((data / "note.txt").read_text("utf-8")) == {"città": [1, None]}
    write({"mode": "write"}, title="A", body="B")
    assert json.loads((data / "note.txt").read_text("utf-8")) == {"title": "A", "body": "B"}
    write({"mode": "write"}, number=42)
    assert read() == "42"


def test_a_document_id_names_a_file_in_a_folder(data: Path) -> None:
    write(prompt="notes", document_id="monday.md", text="rain")
    assert (data / "notes" / "monday.md").read_text() == "rain"
    assert read(prompt="notes", document_id="monday.md") == "rain"


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_the_text(data: Path) -> None:
    (data / "note.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert read() == "one\ntwo\n"


def test_another_encoding_must_be_declared(data: Path) -> None:
    write({"mode": "write", "encoding": "latin-1"}, text="Köln")
    assert (data / "note.txt").read_bytes() == b"K\xf6ln"
    assert read({"encoding": "latin-1"}) == "Köln"
    with pytest.raises(RequestError, match=r"note\.txt is not utf-8 text.*latin-1"):
        read()
    with pytest.raises(RequestError, match="no encoding 'klingon'"):
        read({"encoding": "klingon"})
    with pytest.raises(RequestError, match=r"note\.txt: the data cannot be written as ascii"):
        write({"encoding": "ascii", "mode": "write"}, text="Köln")


def test_chunks_cover_the_text_at_the_size_asked_for(data: Path) -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "Some words here. " * (n % 7) for n in range(60))
    (data / "note.txt").write_text(text)
    chunks = read({"should_split": True, "chunk_size": 300, "chunk_overlap": 0})
    assert "".join(chunks) == text
    assert all(len(chunk) <= 300 for chunk in chunks)
    assert all(chunk[-1].isspace() for chunk in chunks[:-1])
    lapped = read({"should_split": "true", "chunk_size": "300", "chunk_overlap": "50"})
    assert all(after.startswith(before[-50:]) for before, after in pairwise(lapped))
    assert lapped[0] + "".join(chunk[50:] for chunk in lapped[1:]) == text


def test_text_without_any_blank_is_still_cut(data: Path) -> None:
    (data / "note.txt").write_text("x" * 2500)
    assert [len(chunk) for chunk in read({"should_split": True, "chunk_size": 1000, "chunk_overlap": 0})] == [
        1000,
        1000,
        500,
    ]
    assert len(read({"should_split": True})) == 3
    with pytest.raises(RequestError, match="chunk_overlap"):
        read({"should_split": True, "chunk_size": 10, "chunk_overlap": 10})
    with pytest.raises(RequestError, match="chunk_size"):
        read({"should_split": True, "chunk_size": "many"})


def test_structured_format_adds_where_the_text_is_from_and_can_be_written_back(data: Path) -> None:
    (data / "note.txt").write_text("hello")
    found = read({"format": "structured"})
    assert found == {"content": "hello", "metadata": {"source": "note.txt", "size": 5, "type": "text"}}
    write({"mode": "write"}, "copy.txt", document=found)
    assert read(prompt="copy.txt") == "hello"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"%PDF-1.7 ...", r"doc\.pdf is a PDF file, and only text can be read"),
        (b"PK\x03\x04....", r"doc\.pdf is a zip or Office file"),
        (b"ab\0cd", r"doc\.pdf is a binary file"),
    ],
)
def test_what_is_no_text_is_refused_honestly(data: Path, content: bytes, message: str) -> None:
    (data / "doc.pdf").write_bytes(content)
    with pytest.raises(UnsupportedError, match=message):
        read(prompt="doc.pdf")


def test_folders_pipes_and_huge_files_are_refused(data: Path) -> None:
    (data / "sub").mkdir()
    os.mkfifo(data / "pipe")
    with (data / "huge.txt").open("wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(RequestError, match="sub is a folder"):
        read(prompt="sub")
    with pytest.raises(RequestError, match="sub is a folder"):
        write({"mode": "write"}, "sub", text="x")
    with pytest.raises(UnsupportedError, match="pipe is a device or a pipe"):
        read(prompt="pipe")
    with pytest.raises(RequestError, match=r"huge\.txt is larger than the limit of 50,000,000 bytes"):
        read(prompt="huge.txt")


def test_a_writer_whose_input_is_not_in_the_state_fails(data: Path) -> None:
    with pytest.raises(MissingInputError, match=r"note\.txt: There is nothing to write.*final_report"):
        write(final_report=None)
    with pytest.raises(MissingInputError, match="report"):
        write(prompt="{who}.txt", who="ann", report=None)
    assert not list(data.glob("*.txt"))


def test_a_missing_file_is_an_error_unless_there_is_a_default(data: Path) -> None:
    with pytest.raises(NotFoundError, match=r"note\.txt is not in the data folder 'data'"):
        read()
    assert read({"default": ""}) == ""


def test_a_readers_only_input_names_the_file_whatever_it_is_called(data: Path) -> None:
    (data / "plan.txt").write_text("Go west.")
    assert read(prompt="", document_path="plan.txt") == "Go west."
    with pytest.raises(MissingInputError, match="No file is named"):
        read(prompt="", document_id="7")
    with pytest.raises(MissingInputError, match="No file is named"):
        write(prompt="", report="plan.txt")


def test_a_files_name_may_be_filled_in_from_the_state(tmp_path: Path) -> None:
    text = "GraphName,Node,AgentType,Input_Fields,Output_Field,Prompt\nG,Save,file_writer,report,done,notes/{day}.md\n"
    graph = read_map_text(text, tmp_path / "g.csv").graphs["G"]
    assert run_map(graph, {"report": "fine", "day": "monday"}).status == "completed"
    assert (tmp_path / "data/notes/monday.md").read_text() == "fine"
    assert "{day}" in str(run_map(graph, {"report": "fine"}).error)
