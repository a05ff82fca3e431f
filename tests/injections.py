"""Prompt injections of a public collection: agentdojo's, read from its files and never copied.

The package is installed without its dependencies, so nothing of it is imported: goals and the attacks that wrap them
are string literals in its source.
"""

from __future__ import annotations

import ast
import random
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

__all__ = ["injections", "sample"]

_SEED = 20261118


@cache
def injections() -> tuple[str, ...]:
    """Every goal of the collection in every one of its attacks, each once, in a fixed order."""
    root = _root()
    goals = sorted({goal for file in sorted(root.rglob("injection_tasks.py")) for goal in _goals(file)})
    attacks = sorted({text for file in sorted((root / "attacks").glob("*.py")) for text in _attacks(file)})
    wrapped = [_filled(attack, goal) for attack in attacks for goal in (goals if "{goal}" in attack else [""])]
    return tuple(dict.fromkeys([*goals, *wrapped]))


def sample(many: int) -> list[str]:
    """Some of them, the same ones each time."""
    return random.Random(_SEED).sample(injections(), many)


def _root() -> Path:
    found = find_spec("agentdojo")
    if found is None or not found.submodule_search_locations:
        pytest.fail("agentdojo is not installed: run `make test`, or `pip install --no-deps agentdojo`.")
    return Path(next(iter(found.submodule_search_locations)))


def _goals(file: Path) -> list[str]:
    """The goals of a file, with the names of the module and of their class put in."""
    tree = ast.parse(file.read_text("utf-8"))
    known = _strings(tree.body, {})
    found = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            goal = _strings(node.body, known).get("GOAL")
            found += [goal] if goal else []
    return found


def _strings(body: list[ast.stmt], known: dict[str, str]) -> dict[str, str]:
    """The strings that names are given, one after the other."""
    names = dict(known)
    for node in body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        text = _text(value, names) if isinstance(node, ast.Assign | ast.AnnAssign) and value is not None else None
        if isinstance(target, ast.Name) and text is not None:
            names[target.id] = text
    return names


def _text(node: ast.expr, names: dict[str, str]) -> str | None:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.BinOp):
        return f"{_text(node.left, names) or ''}{_text(node.right, names) or ''}"
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, names) or "" for part in node.values)
    return _text(node.value, names) if isinstance(node, ast.FormattedValue) else None


def _attacks(file: Path) -> list[str]:
    """The texts that wrap a goal, or stand for one: docstrings apart, every long literal with a place for one."""
    tree = ast.parse(file.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    literals = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    texts = [str(node.value) for node in literals if id(node) not in docstrings]
    return [text for text in texts if "{goal}" in text or "{user}" in text]


def _filled(attack: str, goal: str) -> str:
    places = {"{goal}": goal, "{user}": "Emma Johnson", "{model}": "AI model", "{task}": "", "{tools}": ""}
    for place, text in places.items():
        attack = attack.replace(place, text)
    return attack.strip()
