"""Code for what a map names and nobody has written yet: short agents and routing functions, each with a test.

What is written runs at once and says that it is a sketch. Files that exist are left alone.
"""

from __future__ import annotations

import json
import keyword
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from signalbox.contract import StateAdapter
from signalbox.errors import MapError, PathEscapeError
from signalbox.maps.draw.text import one_line
from signalbox.maps.local_code import normalize
from signalbox.maps.registry import BESIDE
from signalbox.maps.spec import FUNC, GraphSpec, NodeSpec
from signalbox.maps.templates import AGENT, AGENT_TEST, ROUTING, ROUTING_TEST, WORK, WORK_TEST

__all__ = ["Sketch", "plan_scaffold", "scaffold", "starter_map"]

_LONGEST_NAME = 80
_LONGEST_PROMPT = 400
_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Sketch(NamedTuple):
    """A file that the scaffolder would write."""

    path: Path
    text: str


def scaffold(spec: GraphSpec, unknown_types: Sequence[str], folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write an agent and a test for each unknown type, and the same for each unknown `func:name`.

    Gives the files it wrote. One that exists is kept unless `overwrite` is set; `plan_scaffold` names them
    all. Raises MapError for a name that no Python code can have and PathEscapeError for one that leaves the
    folder; then nothing is written.
    """
    written = []
    for sketch in plan_scaffold(spec, unknown_types, folder):
        if overwrite or not sketch.path.exists():
            sketch.path.parent.mkdir(parents=True, exist_ok=True)
            sketch.path.write_text(sketch.text, encoding="utf-8")
            written.append(sketch.path)
    return written


def plan_scaffold(spec: GraphSpec, unknown_types: Sequence[str], folder: Path) -> list[Sketch]:
    """The files for the unknown types and functions, whether they exist or not; nothing is written."""
    types: dict[str, str] = {}
    functions: dict[str, None] = {}
    for name in unknown_types:
        if name.startswith(FUNC):
            functions[name.removeprefix(FUNC).strip()] = None
        else:
            types.setdefault(normalize(name), name)
    sketches = [sketch for name in types.values() for sketch in _agent_files(spec, name)]
    sketches += [sketch for name in functions for sketch in _function_files(spec, name)]
    root = folder.resolve()
    placed = [Sketch(folder / path, text) for path, text in sketches]
    for sketch in placed:
        if not sketch.path.resolve().is_relative_to(root):
            raise PathEscapeError(f"{sketch.path} lies outside {folder}.")
    return placed


def starter_map() -> str:
    """A map of five rows to begin with: it asks, checks, answers either way, and sums up."""
    return (
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt\n"
        "Hello,Ask,input,,name,Check,,What is your name?\n"
        "Hello,Check,validator,name,check,Greet,Excuse,\n"
        'Hello,Greet,default,name,greeting,Report,,"Hello {name}, good to see you."\n'
        'Hello,Excuse,default,,greeting,Report,,"Hello, whoever you are."\n'
        "Hello,Report,summary,name|greeting,report,,,\n"
    )


def _agent_files(spec: GraphSpec, name: str) -> Iterator[Sketch]:
    words = _words(name)
    stem = "_".join(word.lower() for word in words)
    nodes = [node for node in spec if normalize(node.agent_type.removeprefix(BESIDE)) == normalize(name)]
    nodes = nodes or [NodeSpec(stem, name)]
    names = {"name": _plain(name), "stem": stem, "agent_class": _class_name(words)}
    code = AGENT.substitute(names, docstring=_docstring(nodes), body=_indented(_body(nodes), 8))
    yield Sketch(Path("agents", f"{stem}.py"), code)
    yield Sketch(Path("tests", f"test_{stem}.py"), AGENT_TEST.substitute(names, **_example(nodes[0])))


def _function_files(spec: GraphSpec, name: str) -> Iterator[Sketch]:
    """A function that does a row's work where a row names it as its type; else one that routes."""
    _refuse_paths(name)
    if not name.isidentifier() or keyword.iskeyword(name) or len(name) > _LONGEST_NAME:
        raise MapError(
            f"'{FUNC}{name}' cannot be a Python function of that name.",
            suggestion="Use letters, digits and underscores, a letter first.",
        )
    workers = [node for node in spec if _calls(node.agent_type, name)]
    yield from _work_files(workers, name) if workers else _routing_files(spec, name)


def _work_files(nodes: Sequence[NodeSpec], name: str) -> Iterator[Sketch]:
    outputs = [_literal(field) for field in nodes[0].outputs]
    text = f'f"{name} is a sketch; it was given {{inputs}}."'
    lines = _mapping("return ", dict.fromkeys(outputs, text)) if len(outputs) > 1 else [f"return {text}"]
    inputs = _literal({param: "example" for _, param in StateAdapter.bindings(nodes[0].inputs)})
    code = WORK.substitute(name=name, docstring=_docstring(nodes), body=_indented(lines, 4))
    yield Sketch(Path("functions", f"{name}.py"), code)
    yield Sketch(Path("tests", f"test_{name}.py"), WORK_TEST.substitute(name=name, inputs=inputs))


def _routing_files(spec: GraphSpec, name: str) -> Iterator[Sketch]:
    users = [_plain(node.name) for node in spec if any(_calls(target, name) for target in node.targets)]
    after = textwrap.shorten(" and ".join(users) or "the node", 70, placeholder=" …")
    code = ROUTING.substitute(name=name, docstring=f"Where the graph goes after {after}.")
    yield Sketch(Path("functions", f"{name}.py"), code)
    yield Sketch(Path("tests", f"test_route_{name}.py"), ROUTING_TEST.substitute(name=name))


def _calls(target: str, name: str) -> bool:
    return target.startswith(FUNC) and target.removeprefix(FUNC).strip() == name


def _refuse_paths(name: str) -> None:
    if re.search(r"[/\\\0]|^\.+$", name.strip()):
        raise PathEscapeError(f"'{name}' is a path, not a name.", suggestion="Name a type or function without slashes.")


def _words(name: str) -> list[str]:
    """The words of a type's name, however they are joined: `ApiClient`, `api-client`, `API client`."""
    _refuse_paths(name)
    if ":" in name:
        raise MapError(
            f"'{name}' names an attribute of a module, which the scaffolder does not write.",
            suggestion=f"Write {name.rpartition(':')[2]} into the module {name.partition(':')[0]}.",
        )
    spaced = _BETWEEN_WORDS.sub(" ", unicodedata.normalize("NFKC", name))
    words = [word for word in re.split(r"[\W_]+", spaced) if word]
    if not words or len(name) > _LONGEST_NAME:
        raise MapError(
            f"'{one_line(name)[:_LONGEST_NAME]}' cannot be the name of a class.",
            suggestion=f"Use letters, digits and underscores, {_LONGEST_NAME} at most.",
        )
    return words


def _class_name(words: Sequence[str]) -> str:
    """PascalCase, with the word Agent at the end once. A name that begins with a digit takes Type before it;
    the agent is then found by the name of its file."""
    parts = [word[:1].upper() + word[1:] for word in words]
    joined = "".join(parts[:-1] if parts[-1].lower() == "agent" else parts) + "Agent"
    return joined if joined[0].isalpha() else f"Type{joined}"


def _body(nodes: Sequence[NodeSpec]) -> list[str]:
    """What `process` does. Where the rows of a type declare different fields, it goes by the row's."""
    if len({(node.inputs, node.outputs) for node in nodes}) > 1:
        return [
            'text = f"{self.name} is a sketch; it was given {dict(inputs)}."',
            "fields = self.output_fields",
            "return dict.fromkeys(fields, text) if len(fields) > 1 else text",
        ]
    params = [_literal(param) for _, param in StateAdapter.bindings(nodes[0].inputs)]
    outputs = [_literal(field) for field in nodes[0].outputs]
    given = _mapping("given = ", {param: f"inputs.get({param})" for param in params}) if params else []
    text = f'f"{{self.name}} is a sketch; it was given {"{given}" if params else "nothing"}."'
    if len(outputs) < 2:
        return [*given, f"return {text}"]
    return [*given, f"text = {text}", *_mapping("return ", dict.fromkeys(outputs, "text"))]


def _docstring(nodes: Sequence[NodeSpec]) -> str:
    """The descriptions and prompts of the rows, as a docstring's inside."""
    described = [node.description for node in nodes if node.description.strip()]
    prompts = [f"Prompt: {node.prompt}" for node in nodes if node.prompt.strip()]
    used = f"The work of {', '.join(node.name for node in nodes)}."
    paragraphs = list(dict.fromkeys([*(described or [used]), *prompts]))[:4]
    lines = [line for text in paragraphs for line in ("", *_wrapped(text))][1:]
    return lines[0] if len(lines) == 1 else "\n".join([lines[0], _indented(lines[1:], 4), "    "])


def _wrapped(text: str) -> list[str]:
    plain = one_line(text)
    plain = plain if len(plain) <= _LONGEST_PROMPT else plain[:_LONGEST_PROMPT].rstrip() + "…"
    # Characters of other scripts may count as two columns each.
    return textwrap.wrap(_plain(plain), 84 if plain.isascii() else 42)


def _example(node: NodeSpec) -> dict[str, str]:
    """What the test of an agent is given, and what it looks for."""
    state = {_literal(key): '"example"' for key, _ in StateAdapter.bindings(node.inputs)}
    context = {
        '"input_fields"': _literal(list(node.inputs)),
        '"output_field"': _literal("|".join(node.outputs)),
    }
    return {
        "node": _literal(node.name),
        "context": "\n    ".join(_mapping("", context)),
        "state": "\n    ".join(_mapping("", state)) if state else "dict[str, str]()",
        "asserts": "".join(f"    assert update[{_literal(field)}]\n" for field in node.outputs),
    }


def _mapping(before: str, items: Mapping[str, str]) -> list[str]:
    return [before + "{", *(f"    {key}: {value}," for key, value in items.items()), "}"]


def _indented(lines: Iterable[str], by: int) -> str:
    return "\n".join(" " * by + line if line else "" for line in lines)


def _plain(text: str) -> str:
    """The text so that it can stand in a docstring."""
    return one_line(text).replace("\\", "/").replace('"', "'")


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
