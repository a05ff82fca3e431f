"""json_reader and json_writer on real files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import MissingInputError, NotFoundError, RequestError
from signalbox.maps.agents.storage import JsonReaderAgent, JsonWriterAgent
from signalbox.maps.context import RunContext, current_run

USERS = {
    "ann": {"name": "Ann", "age": 30, "address": {"city": "Rome", "zip": "001"}, "tags": ["a", "b"]},
    "bob": {"name": "Bob", "age": 25, "address": {"city": "Oslo"}, "tags": []},
}
LIST = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "users.json").write_text(json.dumps(USERS))
    (folder / "list.json").write_text(json.dumps(LIST))
    token = current_run.set(RunContext(folder=tmp_path, data=folder))
    yield folder
    current_run.reset(token)


def read(context: dict[str, Any] | None = None, prompt: str = "users.json", **inputs: Any) -> Any:
    return JsonReaderAgent("read", prompt, context).process(inputs)


def write(context: dict[str, Any] | None = None, prompt: str = "users.json", **inputs: Any) -> Any:
    return JsonWriterAgent("write", prompt, context).process(inputs)


# Reading


def test_a_reader_gives_the_file_a_document_or_a_part(data: Path) -> None:
    assert read() == USERS
    assert read(id="ann") == USERS["ann"]
    assert read(document_id="ann", path="address.city") == "Rome"
    assert read({"path": "ann.tags.1"}) == "b"
    assert read({"format": "records"}) == list(USERS.values())


def test_a_document_in_a_list_is_found_by_its_id_field(data: Path) -> None:
    assert read(prompt="list.json", id="2") == LIST[1]
    assert read({"id_field": "name"}, "list.json", id="Ann") == LIST[0]


def test_a_query_filters_objects_and_lists(data: Path) -> None:
    assert read(query={"age": 25}) == {"bob": USERS["bob"]}
    assert list(read(query={"sort": "age"})) == ["bob", "ann"]
    assert read(prompt="list.json", query={"name": ["Ann", "Cy"]}) == [LIST[0]]
    assert read(prompt="list.json", query={"sort": "id", "order": "desc", "limit": 1}) == [LIST[1]]


def test_a_query_leaves_the_context_as_it_was(data: Path) -> None:
    agent = JsonReaderAgent("read", "list.json", {"query": {"limit": 1}})
    assert agent.process({}) == agent.process({}) == [LIST[0]]


def test_an_envelope_is_given_on_request(data: Path) -> None:
    assert read({"use_envelope": True}, id="bob") == {
        "success": True,
        "document_id": "bob",
        "data": USERS["bob"],
        "is_collection": True,
    }


def test_what_is_missing_is_an_error_unless_there_is_a_default(data: Path) -> None:
    with pytest.raises(NotFoundError, match=r"users\.json: There is no document with the id cy"):
        read(id="cy")
    with pytest.raises(NotFoundError, match=r"users\.json: There is nothing at 'ann\.tags\.7'"):
        read(id="ann", path="tags.7")
    with pytest.raises(NotFoundError, match=r"gone\.json is not in the data folder"):
        read(prompt="gone.json")
    assert read({"default": {"new": True}}, id="cy") == {"new": True}
    assert read({"default": None}, "gone.json") is None
    assert read(prompt="gone.json", default=[]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,}', r"bad\.json is not JSON at line 1, column 9"),
        ("", r"bad\.json is empty"),
        ("[" * 100_000, r"bad\.json cannot be read as JSON"),
    ],
)
def test_bad_json_is_an_error_that_a_default_does_not_hide(data: Path, text: str, message: str) -> None:
    (data / "bad.json").write_text(text)
    with pytest.raises(RequestError, match=message):
        read({"default": {}}, "bad.json")


# Writing


def test_write_replaces_the_file_or_one_document(data: Path) -> None:
    done = write({"mode": "write"}, data={"name": "Cy"}, document_id="cy")
    assert read() == {**USERS, "cy": {"name": "Cy"}}
    assert (done["success"], done["file_path"], done["document_id"], done["count"]) == (
        True,
        "users.json",
        "cy",
        1,
    )
    write({"mode": "write"}, id="ann", path="address.city", data="Paris")
    assert read(id="ann", path="address") == {"city": "Paris", "zip": "001"}
    write({"mode": "write"}, state={"step": 1})
    assert read() == {"step": 1}


def test_update_merges_at_every_depth(data: Path) -> None:
    write({"mode": "update"}, id="ann", data={"age": 31, "address": {"city": "Paris"}, "tags": ["c"]})
    assert read(id="ann") == {
        "name": "Ann",
        "age": 31,
        "address": {"city": "Paris", "zip": "001"},
        "tags": ["c"],
    }
    write({"mode": "update"}, id="bob", path="address.country", data="Norway")
    assert read(id="bob", path="address") == {"city": "Oslo", "country": "Norway"}
    write({"mode": "update"}, data={"bob": {"age": 26}})
    assert read(path="bob.age") == 26
    assert read(path="ann.age") == 31


def test_update_finds_documents_of_a_list_by_id(data: Path) -> None:
    write({"mode": "update"}, "list.json", data=[{"id": 2, "age": 5}])
    write({"mode": "update"}, "list.json", id=1, data={"age": 6})
    assert read(prompt="list.json") == [
        {"id": 1, "name": "Ann", "age": 6},
        {"id": 2, "name": "Bob", "age": 5},
    ]


def test_update_of_what_is_not_there_is_an_error_and_changes_nothing(data: Path) -> None:
    with pytest.raises(NotFoundError, match="id cy"):
        write({"mode": "update"}, id="cy", data={"age": 1})
    with pytest.raises(NotFoundError, match=r"gone\.json"):
        write({"mode": "update"}, "gone.json", data={"age": 1})
    with pytest.raises(RequestError, match="needs an object"):
        write({"mode": "update"}, data=[1])
    assert read() == USERS
    assert not (data / "gone.json").exists()


def test_append_adds_to_lists_and_objects_and_starts_a_file(data: Path) -> None:
    write(prompt="list.json", data={"id": 3})
    write(prompt="list.json", data=[{"id": 4}])
    assert [item["id"] for item in read(prompt="list.json")] == [1, 2, 3, 4]
    write(data={"cy": {}})
    assert list(read()) == ["ann", "bob", "cy"]
    write(prompt="results/analysis.json", analysis="first")
    write(prompt="results/analysis.json", analysis="second")
    assert read(prompt="results/analysis.json") == ["first", "second"]
    write(prompt="new.json", document_id="one", data="text")
    assert read(prompt="new.json") == {"one": "text"}
    write(id="ann", path="log", data="came")
    write(id="ann", path="log", data="went")
    assert read(id="ann", path="log") == ["came", "went"]


def test_append_of_what_does_not_fit_is_an_error(data: Path) -> None:
    with pytest.raises(RequestError, match=r"users\.json: a single value cannot be appended to an object"):
        write(note="text")
    assert read() == USERS


def test_a_new_document_of_a_list_carries_its_id(data: Path) -> None:
    write({"mode": "write"}, "list.json", document_id=7, data={"name": "Cy"})
    write({"mode": "write"}, "list.json", document_id="2", data={"name": "Rob"})
    assert read(prompt="list.json") == [LIST[0], {"id": 2, "name": "Rob"}, {"id": 7, "name": "Cy"}]


def test_delete_takes_a_document_a_path_the_matches_or_the_file(data: Path) -> None:
    write({"mode": "delete"}, id="ann", path="address.zip")
    assert read(id="ann", path="address") == {"city": "Rome"}
    write({"mode": "delete"}, id="ann")
    assert list(read()) == ["bob"]
    assert write({"mode": "delete", "query": {"name": "Ann"}}, "list.json")["count"] == 1
    assert read(prompt="list.json") == [LIST[1]]
    write({"mode": "delete"}, "list.json", path="0")
    assert read(prompt="list.json") == []
    with pytest.raises(NotFoundError, match="id ann"):
        write({"mode": "delete"}, id="ann")
    assert write({"mode": "delete"})["file_deleted"] is True
    assert not (data / "users.json").exists()


@pytest.mark.parametrize("mode", ["write", "update", "delete"])
def test_an_id_that_the_state_lacks_never_means_the_whole_file(data: Path, mode: str) -> None:
    with pytest.raises(MissingInputError, match=r"users\.json: 'document_id' has no value"):
        write({"mode": mode}, document_id=None, data={"x": 1})
    assert read() == USERS


def test_a_broken_file_is_not_overwritten_by_an_append(data: Path) -> None:
    (data / "users.json").write_text("{broken")
    with pytest.raises(RequestError, match=r"users\.json is not JSON"):
        write(data={"x": 1})
    assert (data / "users.json").read_text() == "{broken"


def test_a_path_cannot_run_through_a_value_or_far_beyond_a_list(data: Path) -> None:
    with pytest.raises(RequestError, match=r"users\.json: The path"):
        write({"mode": "write"}, path="ann.name.first", data="x")
    with pytest.raises(RequestError, match=r"index from 0 to 2"):
        write({"mode": "write"}, path="ann.tags.999999999", data="x")
    assert read() == USERS


def test_text_is_kept_readable_and_dates_become_text(data: Path) -> None:
    write({"mode": "write", "indent": 0}, data={"città": "Köln", "at": datetime(2024, 1, 2, 3, 4)})
    text = (data / "users.json").read_text("utf-8")
    assert "città" in text
    assert json.loads(text)["at"] == "2024-01-02T03:04:00"


def test_threads_that_append_at_once_lose_nothing(data: Path) -> None:
    agent = JsonWriterAgent("write", "log.json")
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(copy_context().run, agent.process, {"data": [n]}) for n in range(60)]
        for job in jobs:
            job.result()
    assert sorted(read(prompt="log.json")) == list(range(60))
