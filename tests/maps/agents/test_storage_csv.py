"""csv_reader and csv_writer on real files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import MissingInputError, NotFoundError, RequestError, UnsupportedError
from signalbox.maps.agents.storage import CsvReaderAgent, CsvWriterAgent
from signalbox.maps.context import RunContext, current_run

PEOPLE = "id,name,age,active\n1,Ann,30,true\n2,Bob,25,false\n3,Cy,41,true\n"


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    folder.mkdir()
    token = current_run.set(RunContext(folder=tmp_path, data=folder))
    yield folder
    current_run.reset(token)


@pytest.fixture
def people(data: Path) -> Path:
    path = data / "people.csv"
    path.write_text(PEOPLE)
    return path


def read(context: dict[str, Any] | None = None, prompt: str = "people.csv", **inputs: Any) -> Any:
    return CsvReaderAgent("read", prompt, context).process(inputs)


def write(context: dict[str, Any] | None = None, prompt: str = "people.csv", **inputs: Any) -> Any:
    return CsvWriterAgent("write", prompt, context).process(inputs)


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


# Reading


def test_a_reader_gives_records_with_numbers_and_truth_values(people: Path) -> None:
    assert read({"format": "records"})[0] == {"id": 1, "name": "Ann", "age": 30, "active": True}


def test_only_a_column_of_plain_numbers_becomes_numbers(data: Path) -> None:
    (data / "people.csv").write_text(
        "zip,phone,price,mixed,gap,huge,none\n007,+4930,1.50,1,5,12345678901234567890123,\n12,+4931,2,x,,1,\n"
    )
    first, second = read()
    assert first == {
        "zip": "007",
        "phone": "+4930",
        "price": 1.5,
        "mixed": "1",
        "gap": 5,
        "huge": "12345678901234567890123",
        "none": "",
    }
    assert (second["zip"], second["price"], second["gap"]) == ("12", 2.0, None)


def test_the_formats_dict_and_text_are_given_and_others_refused_with_the_list(people: Path) -> None:
    assert read({"format": "dict"})[1]["name"] == "Bob"
    assert read({"format": "text", "query": {"id": 2}}) == "id,name,age,active\n2,Bob,25,false\n"
    with pytest.raises(RequestError, match="records, list, dict, text, raw"):
        read({"format": "dataframe"})


def test_a_row_is_found_by_its_id(people: Path) -> None:
    assert read(document_id=2)["name"] == "Bob"
    assert read(id="3")["name"] == "Cy"
    assert read({"id_field": "name"}, id="Ann")["age"] == 30
    assert read(id="3", path="age") == 41


def test_a_row_without_an_id_column_is_found_by_its_number(data: Path) -> None:
    (data / "people.csv").write_text("name\nAnn\nBob\n")
    assert read(id=1) == {"name": "Bob"}


def test_a_missing_row_is_an_error_unless_there_is_a_default(people: Path) -> None:
    with pytest.raises(NotFoundError, match=r"people\.csv has no row with id 9"):
        read(id=9)
    assert read({"default": {}}, id=9) == {}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"active": True}, ["Ann", "Cy"]),
        ({"active": "true", "age": "41"}, ["Cy"]),
        ({"name": ["Ann", "Bob"]}, ["Ann", "Bob"]),
        ({"sort": "age"}, ["Bob", "Ann", "Cy"]),
        ({"sort": "age", "order": "desc", "limit": 2}, ["Cy", "Ann"]),
        ({"offset": 1, "limit": "1"}, ["Bob"]),
        ('{"name": "Cy"}', ["Cy"]),
        ({"name": "Nobody"}, []),
    ],
)
def test_a_query_filters_sorts_and_pages(people: Path, query: Any, expected: list[str]) -> None:
    assert names(read(query=query)) == expected
    assert names(read({"query": query})) == expected


def test_a_query_for_a_column_that_is_not_there_lists_those_that_are(people: Path) -> None:
    with pytest.raises(RequestError, match=r"no column 'nmae'.*id, name, age, active"):
        read(query={"nmae": "Ann"})
    with pytest.raises(RequestError, match="query"):
        read(query="all of them")


def test_sorting_puts_blanks_last_either_way(data: Path) -> None:
    (data / "people.csv").write_text("name,age\nAnn,\nBob,2\nCy,1\n")
    assert names(read(query={"sort": "age"})) == ["Cy", "Bob", "Ann"]
    assert names(read(query={"sort": "age", "order": "desc"})) == ["Bob", "Cy", "Ann"]


def test_untidy_files_are_read(data: Path) -> None:
    (data / "people.csv").write_bytes(
        b'\xef\xbb\xbf\r\nname, note ,name\r\n\r\nAnn, "a, b",x\r\nBob\r\nCy,"two\r\nlines",y,,\r\n'
    )
    assert read() == [
        {"name": "Ann", "note": "a, b", "name.1": "x"},
        {"name": "Bob", "note": "", "name.1": ""},
        {"name": "Cy", "note": "two\r\nlines", "name.1": "y"},
    ]


def test_semicolons_and_a_declared_encoding_are_read(data: Path) -> None:
    (data / "people.csv").write_bytes("name;ort\nJürgen;Köln\n".encode("latin-1"))
    assert read({"encoding": "latin-1"}) == [{"name": "Jürgen", "ort": "Köln"}]
    with pytest.raises(RequestError, match=r"people\.csv is not utf-8 text.*latin-1"):
        read()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'a,b\n1,"open\n', r"people\.csv is not CSV at line 2"),
        (b"a,b\n1,2\n1,2,3\n", r"people\.csv, line 3: 3 cells, and the header has 2"),
    ],
)
def test_a_broken_file_is_an_error_with_its_line(data: Path, content: bytes, message: str) -> None:
    (data / "people.csv").write_bytes(content)
    with pytest.raises(RequestError, match=message):
        read()


def test_what_cannot_be_read_is_named_with_the_remedy(data: Path) -> None:
    (data / "folder.csv").mkdir()
    (data / "image.csv").write_bytes(b"a\0b")
    (data / "big.csv").write_text("a\n" * 100)
    with pytest.raises(NotFoundError, match=r"people\.csv is not in the data folder 'data'. Put"):
        read()
    with pytest.raises(RequestError, match=r"folder\.csv is a folder"):
        read(prompt="folder.csv")
    with pytest.raises(UnsupportedError, match=r"image\.csv is a binary file"):
        read(prompt="image.csv")
    with pytest.raises(RequestError, match=r"big\.csv is larger than the limit of 100 bytes.*max_bytes"):
        read({"max_bytes": 100}, "big.csv")


def test_an_empty_file_has_no_rows(data: Path) -> None:
    (data / "people.csv").write_text("")
    assert read() == []


# Writing


def test_the_inputs_become_one_row_that_is_appended(data: Path) -> None:
    context = {"format": "records", "mode": "append"}
    done = write(context, "personal_goals.csv", goal="run", analysis="good, but\nhard")
    write(context, "data/personal_goals.csv", goal="rest", analysis=None)
    assert (data / "personal_goals.csv").read_text() == 'goal,analysis\nrun,"good, but\nhard"\nrest,\n'
    assert done == {
        "success": True,
        "operation": "append",
        "mode": "append",
        "collection": "personal_goals.csv",
        "file_path": "personal_goals.csv",
        "created_new": True,
        "count": 1,
        "rows_written": 1,
    }


def test_a_query_or_a_path_in_the_state_is_a_column_like_any_other(data: Path) -> None:
    write(query="why?", path="a.b", id=None, answer="so")
    assert (data / "people.csv").read_text() == "query,path,id,answer\nwhy?,a.b,,so\n"


def test_rows_come_as_data_or_as_the_only_input(data: Path) -> None:
    write({"mode": "write"}, data=[{"a": 1}, {"a": 2, "b": [1, "x"]}])
    assert (data / "people.csv").read_text() == 'a,b\n1,\n2,"[1, ""x""]"\n'
    assert write({"mode": "write"}, cleaned=[{"a": 3}])["count"] == 1
    assert (data / "people.csv").read_text() == "a\n3\n"


def test_new_columns_extend_the_header_and_lose_nothing(people: Path) -> None:
    write(data={"name": "Di", "city": "Rome", "id": 4})
    lines = people.read_text().splitlines()
    assert lines[0] == "id,name,age,active,city"
    assert lines[1] == "1,Ann,30,true,"
    assert lines[4] == "4,Di,,,Rome"


def test_what_stands_in_a_file_stays_as_it_stands(data: Path) -> None:
    before = b'\xef\xbb\xbf"zip";note\r\n007;" x "\r\n1e5;"=1+1"'
    (data / "people.csv").write_bytes(before)
    write(data={"zip": "+49", "note": "=SUM(A1)"})
    assert (data / "people.csv").read_bytes() == before + b"\r\n+49;'=SUM(A1)\r\n"
    write(data={"zip": "1", "more": 2})
    assert (data / "people.csv").read_bytes() == (
        b'\xef\xbb\xbfzip;note;more\r\n007;" x ";\r\n1e5;=1+1;\r\n+49;\'=SUM(A1);\r\n1;;2\r\n'
    )


def test_what_is_written_is_read_back_the_same(data: Path) -> None:
    rows = [
        {"t": ' lead, "quoted"\n', "n": 1, "f": 0.5, "b": True, "d": date(2024, 2, 29)},
        {"t": "", "n": -7, "f": 1e300, "b": False, "d": date(2024, 3, 1)},
    ]
    write(data=rows)
    assert read() == [{**row, "d": str(row["d"])} for row in rows]
    write({"mode": "write"}, data=[{"only": ""}, {"only": "x"}])
    assert read() == [{"only": ""}, {"only": "x"}]


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "=", "'=1", " =1", "＝1", "--1", "-x"]
HARMLESS = ["-5", "+3.2", "+49 30 1234", "-1e-5", "-", "'", "'s Gravenhage", "a=b", "1-2", "-12 %", "'-5"]


@pytest.mark.parametrize("text", [*FORMULAS, *HARMLESS])
def test_no_cell_reaches_a_spreadsheet_as_a_formula_and_none_is_changed(data: Path, text: str) -> None:
    write(data={"id": "a", "text": text})
    cell = (data / "people.csv").read_bytes().decode().partition("a,")[2].rstrip("\n")
    assert cell.lstrip('"').startswith("'") or text in HARMLESS
    assert cell == text or text in FORMULAS
    write(data={"id": text, "text": "more"})
    assert [row["text"] for row in read()] == [text, "more"]
    assert read(id=text, id_field="id")["text"] == "more"


def test_numbers_stay_numbers_and_a_name_of_a_column_is_no_formula(data: Path) -> None:
    write(data={"n": -5, "=HYPERLINK()": 1})
    assert (data / "people.csv").read_text() == "n,'=HYPERLINK()\n-5,1\n"
    write(data={"n": 3.2, "=HYPERLINK()": 2})
    assert read() == [{"n": -5, "=HYPERLINK()": 1}, {"n": 3.2, "=HYPERLINK()": 2}]
    assert read({"format": "text"}).startswith("n,'=HYPERLINK()\n")


def test_an_update_changes_the_row_with_the_id_and_adds_one_that_is_new(people: Path) -> None:
    write({"mode": "update"}, data={"id": "2", "age": 26, "city": "Oslo"})
    write({"mode": "update"}, data=[{"name": "Di"}], document_id=4)
    write({"mode": "update", "id_field": "name"}, name="Ann", age=31, active=None)
    assert people.read_text() == (
        "id,name,age,active,city\n1,Ann,31,true,\n2,Bob,26,false,Oslo\n3,Cy,41,true,\n4,Di,,,\n"
    )


def test_an_update_without_an_id_is_an_error(people: Path) -> None:
    with pytest.raises(MissingInputError, match=r"people\.csv: an update needs an id"):
        write({"mode": "update"}, data={"name": "Ann"})
    assert people.read_text() == PEOPLE


def test_rows_are_deleted_by_id_and_by_query(people: Path) -> None:
    assert write({"mode": "delete"}, id=2)["count"] == 1
    assert names(read()) == ["Ann", "Cy"]
    assert write({"mode": "delete", "query": {"active": True, "sort": "age", "limit": 1}})["count"] == 1
    assert names(read()) == ["Cy"]
    with pytest.raises(NotFoundError, match="no row with id 2"):
        write({"mode": "delete"}, id=2)
    assert write({"mode": "delete"})["file_deleted"] is True
    assert not people.exists()


@pytest.mark.parametrize("inputs", [{"id": None}, {"document_id": None}, {"query": {}}, {"query": None}])
def test_a_delete_whose_id_or_query_is_empty_does_not_delete_the_file(people: Path, inputs: dict[str, Any]) -> None:
    with pytest.raises(MissingInputError, match="has no value"):
        write({"mode": "delete"}, **inputs)
    assert people.read_text() == PEOPLE


def test_a_writer_without_data_or_with_a_strange_mode_says_so(people: Path) -> None:
    with pytest.raises(MissingInputError, match=r"people\.csv: There is nothing to write.*goal, analysis"):
        write(goal=None, analysis=None)
    with pytest.raises(RequestError, match="write, update, append, delete"):
        write({"mode": "upsert"}, goal="x")
    with pytest.raises(RequestError, match="mapping of columns"):
        write(data="some text")
    assert people.read_text() == PEOPLE


def test_a_failure_is_a_failure_of_the_node(data: Path) -> None:
    update = CsvReaderAgent("Load", "gone.csv", {"output_field": "rows"}).run({})
    assert update["last_action_success"] is False
    assert "Error in Load: gone.csv is not in the data folder" in update["errors"][0]
    assert "rows" not in update


async def test_a_node_runs_in_an_event_loop(people: Path) -> None:
    update = await CsvReaderAgent("Load", "people.csv", {"output_field": "rows"}).arun({})
    assert names(update["rows"]) == ["Ann", "Bob", "Cy"]


# Several writers at once


def test_threads_that_append_at_once_lose_nothing(data: Path) -> None:
    agent = CsvWriterAgent("write", "log.csv")

    def work(number: int) -> None:
        agent.process({"number": number, f"extra{number % 3}": "x"})

    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(copy_context().run, work, number) for number in range(80)]
        for job in jobs:
            job.result()
    rows = read(prompt="log.csv")
    assert sorted(row["number"] for row in rows) == list(range(80))
    assert all(row[f"extra{row['number'] % 3}"] == "x" for row in rows)


APPEND_TWENTY = """
import sys
from pathlib import Path
from signalbox.maps.agents.storage import CsvWriterAgent
from signalbox.maps.context import RunContext, current_run

folder, start = Path(sys.argv[1]), int(sys.argv[2])
current_run.set(RunContext(folder=folder, data=folder))
for number in range(start, start + 20):
    CsvWriterAgent("write", "log.csv").process({"number": number})
"""


def test_processes_that_append_at_once_lose_nothing(data: Path) -> None:
    starts = (0, 100, 200)
    workers = [subprocess.Popen([sys.executable, "-c", APPEND_TWENTY, str(data), str(start)]) for start in starts]
    assert [worker.wait(120) for worker in workers] == [0, 0, 0]
    expected = [number for start in starts for number in range(start, start + 20)]
    assert sorted(row["number"] for row in read(prompt="log.csv")) == expected
