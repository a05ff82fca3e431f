from __future__ import annotations

from pathlib import Path

import pytest

from signalbox.errors import NotFoundError, RequestError
from signalbox.evals.load import read_set, read_sets

HEADER = "now: 2026-05-04T12:00:00+02:00\ntz: Europe/Rome\n"
LAMP = """schema:
  title: Lamp
  type: object
  properties:
    colour: {type: string, enum: [red, amber]}
    since: {type: string}
"""
BELL = """tools:
  - name: ring
    description: Rings the bell.
    parameters: {type: object, properties: {times: {type: integer}}}
"""


def write(folder: Path, body: str, name: str = "set.yaml") -> Path:
    path = folder / name
    path.write_text(body, encoding="utf-8")
    return path


def error_of(folder: Path, body: str) -> str:
    with pytest.raises(RequestError) as caught:
        read_set(write(folder, body))
    assert "set.yaml" in str(caught.value)
    return str(caught.value)


def test_times_dates_and_words_like_on_stay_text(tmp_path: Path) -> None:
    body = f"skill: filling\n{HEADER}{LAMP}cases:\n  - {{text: no, expected: {{since: 14:00}}}}\n"
    (case,) = read_set(write(tmp_path, body)).cases
    assert case.text == "no"
    assert case.alternatives[0]["expected"]["since"] == "14:00"


def test_a_folder_gives_its_sets_in_order_of_path(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml"):
        write(tmp_path, f"skill: time\n{HEADER}cases: [{{text: hm, none: true}}]\n", name)
    assert [s.name for s in read_sets([tmp_path])] == ["a", "b"]


def test_a_skill_without_a_set_is_not_found(tmp_path: Path) -> None:
    write(tmp_path, f"skill: time\n{HEADER}cases: [{{text: hm, none: true}}]\n")
    with pytest.raises(NotFoundError, match="tools"):
        read_sets([tmp_path], "tools")


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        read_sets([tmp_path / "nowhere"])


def test_an_unknown_key_is_answered_with_the_nearest(tmp_path: Path) -> None:
    body = f"skill: filling\n{HEADER}{LAMP}cases:\n  - {{text: a lamp, expectd: {{}}}}\n"
    assert "did you mean `expected`" in error_of(tmp_path, body)


def test_a_wrong_case_is_named_by_number_and_text(tmp_path: Path) -> None:
    cases = "  - {text: fine, none: true}\n  - {text: dusk, start: 9, end: soon}\n"
    body = f"skill: time\n{HEADER}cases:\n{cases}"
    message = error_of(tmp_path, body)
    assert "case 2 ('dusk')" in message


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("expected: {colour: blue}", "not among the schema's values"),
        ("expected: {weight: 3}", "no field 'weight'"),
        ("missing: [weight]", "no field 'weight'"),
        ("note: nothing", "needs `expected` or `missing`"),
    ],
)
def test_an_outcome_that_the_schema_forbids_is_refused(tmp_path: Path, outcome: str, reason: str) -> None:
    body = f"skill: filling\n{HEADER}{LAMP}cases:\n  - {{text: a lamp, {outcome}}}\n"
    assert reason in error_of(tmp_path, body)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("expected: [{name: sing}]", "no tool 'sing'"),
        ("expected: [{name: ring, args: {loud: true}}]", "no field 'loud'"),
        ("expected: [{name: ring}], none: true", "exactly one"),
    ],
)
def test_a_call_that_no_tool_takes_is_refused(tmp_path: Path, outcome: str, reason: str) -> None:
    body = f"skill: tools\n{HEADER}{BELL}cases:\n  - {{text: ding, {outcome}}}\n"
    assert reason in error_of(tmp_path, body)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("skill: time\ncases: [", "line"),
        ("- a list", "mapping"),
        ("", "mapping"),
        ("skill: poetry", "`skill`"),
        ("skill: time\ntz: UTC\ncases: []", "`now` is missing"),
        ("skill: time\nnow: noonish\ntz: UTC\ncases: []", "noonish"),
        ("skill: time\nnow: 2026-01-01\ntz: Mars/Base\ncases: []", "Mars/Base"),
        ("skill: time\nnow: 2026-01-01\ntz: UTC\ncases: []", "at least one case"),
    ],
)
def test_a_broken_header_says_what_is_wrong(tmp_path: Path, body: str, reason: str) -> None:
    assert reason in error_of(tmp_path, body)


def test_a_binary_file_is_no_set(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_bytes(bytes(range(128, 256)))
    with pytest.raises(RequestError, match="UTF-8"):
        read_set(path)
