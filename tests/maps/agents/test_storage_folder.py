"""Which file a storage node means, and that it never lies outside the data folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import MissingInputError, PathEscapeError, PromptError
from signalbox.maps.agents.storage import (
    CsvReaderAgent,
    CsvWriterAgent,
    FileReaderAgent,
    FileWriterAgent,
    JsonWriterAgent,
)
from signalbox.maps.context import RunContext, current_run


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    folder.mkdir()
    token = current_run.set(RunContext(folder=tmp_path, data=folder))
    yield folder
    current_run.reset(token)


def read(prompt: str = "", context: dict[str, Any] | None = None, **inputs: Any) -> Any:
    return FileReaderAgent("read", prompt, context).process(inputs)


@pytest.mark.parametrize("name", ["note.txt", "data/note.txt", "./data/note.txt", "data\\note.txt"])
def test_every_way_to_write_a_name_means_the_same_file(data: Path, name: str) -> None:
    (data / "note.txt").write_text("here")
    assert read(name) == "here"


def test_an_absolute_path_inside_the_data_folder_is_fine(data: Path) -> None:
    (data / "note.txt").write_text("here")
    assert read(str(data / "note.txt")) == "here"


def test_a_folder_of_the_same_name_deeper_down_is_not_dropped(data: Path) -> None:
    (data / "old" / "data").mkdir(parents=True)
    (data / "old" / "data" / "note.txt").write_text("deep")
    assert read("data/old/data/note.txt") == "deep"


@pytest.mark.parametrize(
    "name",
    [
        "../secret.txt",
        "sub/../../secret.txt",
        "data/../secret.txt",
        "..\\secret.txt",
        "/etc/passwd",
        "//server/share/x",
        "C:\\Users\\x.txt",
        "c:x.txt",
        "note\0.txt",
    ],
)
def test_a_path_that_leaves_the_folder_is_refused_by_name(data: Path, name: str) -> None:
    (data.parent / "secret.txt").write_text("secret")
    with pytest.raises(PathEscapeError) as refused:
        read(name)
    assert repr(name) in str(refused.value)


def test_a_path_from_the_state_is_refused_like_one_in_the_map(data: Path) -> None:
    with pytest.raises(PathEscapeError):
        FileWriterAgent("write", "ok.txt").process({"collection": "../evil.txt", "text": "x"})
    with pytest.raises(PathEscapeError):
        FileWriterAgent("write", "{who}.txt").process({"who": "../evil", "text": "x"})
    assert not (data.parent / "evil.txt").exists()


def test_a_link_that_leaves_the_folder_is_refused(data: Path) -> None:
    outside = data.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (data / "door").symlink_to(outside)
    (data / "key.txt").symlink_to(outside / "secret.txt")
    for name in ("door/secret.txt", "key.txt", "door/new.txt"):
        with pytest.raises(PathEscapeError):
            read(name)
        with pytest.raises(PathEscapeError):
            FileWriterAgent("write", name).process({"text": "x"})
    assert (outside / "secret.txt").read_text() == "secret"


def test_a_link_that_stays_inside_is_followed_and_kept(data: Path) -> None:
    (data / "real.txt").write_text("one")
    (data / "link.txt").symlink_to(data / "real.txt")
    FileWriterAgent("write", "link.txt", {"mode": "write"}).process({"text": "two"})
    assert (data / "link.txt").is_symlink()
    assert (data / "real.txt").read_text() == "two"


def test_links_in_a_circle_are_an_error_of_the_node(data: Path) -> None:
    (data / "a").symlink_to(data / "b")
    (data / "b").symlink_to(data / "a")
    update = FileReaderAgent("read", "a/x.txt", {"output_field": "out"}).run({})
    assert update["last_action_success"] is False


def test_the_input_goes_before_the_context_and_the_context_before_the_prompt(data: Path) -> None:
    for name in ("input", "context", "prompt"):
        (data / f"{name}.txt").write_text(name)
    context = {"collection": "context.txt"}
    assert read("prompt.txt", context, collection="input.txt") == "input"
    assert read("prompt.txt", context, collection=None) == "context"
    assert read("prompt.txt", collection=None) == "prompt"
    assert read("", file_path="input.txt") == "input"


def test_a_field_in_the_prompt_is_filled_from_the_inputs(data: Path) -> None:
    FileWriterAgent("write", "out/{who}.txt").process({"who": "ann", "report": "fine"})
    assert (data / "out" / "ann.txt").read_text() == "fine"
    with pytest.raises(PromptError, match="who"):
        FileWriterAgent("write", "out/{who}.txt").process({"who": None, "report": "fine"})


def test_a_node_that_names_no_file_says_where_to_name_one(data: Path) -> None:
    with pytest.raises(MissingInputError, match="Prompt"):
        read("", collection=None)


def test_a_collection_without_an_ending_gets_that_of_its_type(data: Path) -> None:
    CsvWriterAgent("w", "users").process({"name": "Ann"})
    JsonWriterAgent("w", "users").process({"data": {"name": "Ann"}})
    assert (data / "users.csv").is_file()
    assert (data / "users.json").is_file()
    assert CsvReaderAgent("r", "users").process({}) == [{"name": "Ann"}]


def test_a_failed_replacement_leaves_the_old_file_and_no_rubbish(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "note.txt").write_text("old")

    def full_disk(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    update = FileWriterAgent("write", "note.txt", {"mode": "write"}).run({})
    assert update["last_action_success"] is False
    agent = FileWriterAgent("write", "note.txt", {"mode": "write", "input_fields": ["text"]})
    update = agent.run({"text": "new"})
    assert "Cannot write note.txt: No space left on device" in update["errors"][0]
    assert (data / "note.txt").read_text() == "old"
    assert not list(data.glob("*.tmp")) + list(data.glob(".*.tmp"))


def test_a_replaced_file_keeps_its_rights(data: Path) -> None:
    (data / "note.txt").write_text("old")
    (data / "note.txt").chmod(0o640)
    FileWriterAgent("write", "note.txt", {"mode": "write"}).process({"text": "new"})
    assert (data / "note.txt").stat().st_mode & 0o777 == 0o640
