"""Prompts: a text, or one that stands elsewhere, with its variables filled in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import PathEscapeError, PromptError
from signalbox.maps import MapResult
from signalbox.maps.prompts import is_reference, render, resolve_prompt, variables


@pytest.fixture
def folder(write_file: Callable[..., Path], tmp_path: Path) -> Path:
    write_file("From a file: {x}", "prompts/hello.txt")
    write_file("Beside the map", "beside.txt")
    write_file("greet: Registered {x}\nelsewhere: file:hello.txt\nnumber: 3\n", "prompts/registry.yaml")
    write_file("a:\n  b:\n    c: Deep {x}\n  list: [1]\n", "prompts/all.yaml")
    return tmp_path


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("plain {x}", "plain {x}"),
        ("", ""),
        ("file:hello.txt", "From a file: {x}"),
        ("file:beside.txt", "Beside the map"),
        ("file:prompts/hello.txt", "From a file: {x}"),
        ("prompt:greet", "Registered {x}"),
        ("prompt:elsewhere", "From a file: {x}"),
        ("yaml:all.yaml#a.b.c", "Deep {x}"),
        (" file: hello.txt ", "From a file: {x}"),
    ],
)
def test_a_prompt_is_its_text_or_what_it_refers_to(folder: Path, prompt: str, text: str) -> None:
    assert resolve_prompt(prompt, folder).strip() == text


@pytest.mark.parametrize(
    ("prompt", "named"),
    [
        ("file:missing.txt", "missing.txt"),
        ("prompt:missing", "prompt:missing"),
        ("prompt:number", "not a text"),
        ("yaml:missing.yaml#a", "missing.yaml"),
        ("yaml:all.yaml#a.x.c", "'x'"),
        ("yaml:all.yaml#a.list", "list"),
        ("yaml:all.yaml", "names no key"),
    ],
)
def test_a_reference_that_leads_nowhere_is_named(folder: Path, prompt: str, named: str) -> None:
    with pytest.raises(PromptError, match=named):
        resolve_prompt(prompt, folder)


def test_a_misspelt_reference_is_told_with_the_nearest(folder: Path) -> None:
    for prompt, near in [("file:helo.txt", "hello.txt"), ("prompt:gret", "greet"), ("yaml:all.yaml#a.lst", "list")]:
        with pytest.raises(PromptError) as caught:
            resolve_prompt(prompt, folder)
        assert near in caught.value.suggestion


def test_files_that_are_no_text_or_no_yaml_are_told(folder: Path) -> None:
    (folder / "prompts" / "bad.txt").write_bytes(b"\xff\xfe\xfa")
    (folder / "prompts" / "bad.yaml").write_text("a: [unclosed\n")
    with pytest.raises(PromptError, match="not UTF-8"):
        resolve_prompt("file:bad.txt", folder)
    with pytest.raises(PromptError, match="not YAML"):
        resolve_prompt("yaml:bad.yaml#a", folder)


def test_a_changed_file_is_read_again(folder: Path) -> None:
    import os

    path = folder / "prompts" / "hello.txt"
    assert resolve_prompt("file:hello.txt", folder) == "From a file: {x}"
    path.write_text("Changed")
    os.utime(path, ns=(1, 1))
    assert resolve_prompt("file:hello.txt", folder) == "Changed"


@pytest.mark.parametrize("prompt", ["Note: this", "file a report", "Please see prompt: below\nand more", "http://x"])
def test_an_ordinary_sentence_is_no_reference(prompt: str) -> None:
    assert not is_reference(prompt)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hello {name}", "Hello Ann"),
        ("{name}{name}", "AnnAnn"),
        ("{{name}}", "{name}"),
        ('{"json": {name}}', '{"json": Ann}'),
        ("{ name }", "{ name }"),
        ("{list} {map} {none}.", '["ä", 1] {"k": 1} .'),
        ("50% {0} {} {a b}", "50% {0} {} {a b}"),
        ("{tricky}", "{name}"),
    ],
)
def test_variables_are_filled_in_once_and_braces_are_left_alone(text: str, shown: str) -> None:
    values = {"name": "Ann", "list": ["ä", 1], "map": {"k": 1}, "none": None, "tricky": "{name}"}
    assert render(text, values.__getitem__) == shown


def test_the_variables_of_a_text_are_known_in_order() -> None:
    assert variables("{b} {a} {b} {{c}} { d }") == ["b", "a"]


# In a run

Run = Callable[..., MapResult]
HEADER = "GraphName,Node,AgentType,Prompt,Input_Fields,Output_Field,Edge\n"


def test_a_prompt_from_a_file_is_filled_in_in_a_run(run_text: Run, folder: Path) -> None:
    assert run_text(HEADER + "G,A,echo,file:hello.txt,x,y,\n", {"x": 1}).output == "From a file: 1"


def test_a_variable_that_nobody_gives_is_an_error_of_the_node_that_names_it(run_text: Run) -> None:
    result = run_text(HEADER + "G,A,summary,,a,s,B\nG,B,echo,Say {missing},a,y,\n", {"a": 1})
    assert result.status == "error"
    assert result.error is not None
    assert "'missing'" in result.error["message"]
    assert "'B'" in result.error["message"]


def test_a_field_that_another_node_would_write_is_empty_until_it_has(run_text: Run) -> None:
    text = (
        "GraphName,Node,AgentType,Prompt,Output_Field,Success_Next,Failure_Next\n"
        "G,A,branching,,,B,C\nG,B,default,b,b,,\nG,C,echo,[{b}],c,,\n"
    )
    assert run_text(text, {"success": False}).output == "[]"


def test_a_value_in_the_state_is_enough_for_a_prompt(run_text: Run) -> None:
    assert run_text(HEADER + "G,A,echo,Hello {name},,y,\n", {"name": "Ann"}).output == "Hello Ann"


def test_text_in_a_value_is_never_taken_for_a_variable(run_text: Run) -> None:
    state: dict[str, Any] = {"name": "{secret}", "secret": "hidden"}
    assert run_text(HEADER + "G,A,echo,Hello {name},name,y,\n", state).output == "Hello {secret}"


# What may be read


@pytest.mark.parametrize("prompt", ["file:{x}", "yaml:{x}#a", "file:prompts/{x}", "prompt:{x}"])
@pytest.mark.parametrize("value", ["/etc/passwd", "../secret.txt", "../../secret.txt", ".env", "a/../secret.txt", ""])
def test_the_state_chooses_a_name_and_never_a_path(run_text: Run, folder: Path, prompt: str, value: str) -> None:
    (folder.parent / "secret.txt").write_text("secret")
    (folder / ".env").write_text("KEY=secret")
    result = run_text(HEADER + f"G,A,echo,{prompt},x,y,\n", {"x": value})
    assert result.status == "error"
    assert "plain name" in result.state["errors"][0]


def test_the_state_may_choose_among_the_prompts(run_text: Run, folder: Path) -> None:
    (folder / "prompts" / "hello de-AT.txt").write_text("Servus")
    assert run_text(HEADER + "G,A,echo,file:hello {x}.txt,x,y,\n", {"x": "de-AT"}).output == "Servus"
    assert run_text(HEADER + "G,A,echo,file:{x},x,y,\n", {"x": "beside.txt"}).output == "Beside the map"


def test_a_prompt_is_read_in_the_folder_of_the_map_and_beside_it_alone(folder: Path) -> None:
    outside = folder.parent / "outside.txt"
    outside.write_text("secret")
    (folder / "prompts" / "link.txt").symlink_to(outside)
    for prompt in (f"file:{outside}", "file:../../outside.txt", "file:link.txt", "yaml:../outside.txt#a"):
        with pytest.raises(PathEscapeError, match="leads out of the map's folder"):
            resolve_prompt(prompt, folder)
