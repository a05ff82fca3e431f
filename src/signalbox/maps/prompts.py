"""Prompts: a text, or a reference to one in a file, and the variables in it.

`prompt:name` is looked up in `registry.yaml`, `file:path` is a text file, `yaml:file#a.b.c` a value in a YAML
file; all in `prompts/` beside the map, beside the map itself, or in `prompts/` beside its folder, and nowhere else.
`{field}` in a text is a variable; braces around anything that is no name are left alone, and `{{` is a brace. A
variable in a reference stands for a plain name: the state may choose among prompts, never where they are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from signalbox.errors import PathEscapeError, PromptError
from signalbox.language.names import did_you_mean, nearest

__all__ = ["is_reference", "render", "render_reference", "resolve_prompt", "variables"]

_REFERENCE = re.compile(r"\s*(prompt|file|yaml):\s*(\S.*?)\s*", re.DOTALL)
_PLAIN_NAME = re.compile(r"\w+(?:[ .-]\w+)*")
_VARIABLE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][\w.-]*)\}")


def is_reference(prompt: str) -> bool:
    """True if the prompt is a reference."""
    return "\n" not in prompt.strip() and _REFERENCE.fullmatch(prompt) is not None


def resolve_prompt(prompt: str, folder: Path, _through: tuple[str, ...] = ()) -> str:
    """The text of a prompt. Raises PromptError naming a reference that leads nowhere or in a circle."""
    if not is_reference(prompt):
        return prompt
    match = _REFERENCE.fullmatch(prompt)
    assert match is not None
    kind, what = match.groups()
    if kind == "file":
        return _text(_find(what, folder, prompt))
    if kind == "yaml":
        file, _, path = what.partition("#")
        if not path:
            raise PromptError(f"'{prompt}' names no key.", suggestion="Write yaml:file#key.of.the.prompt.")
        return _dig(_load(_find(file, folder, prompt)), path, prompt)
    return _registered(what, folder, prompt, _through)


def variables(text: str) -> list[str]:
    """The names of the variables in a text, in order, each once."""
    return list(dict.fromkeys(m.group(1) for m in _VARIABLE.finditer(text) if m.group(1)))


def render(text: str, lookup: Callable[[str], Any]) -> str:
    """The text with every variable replaced by what the lookup gives for its name."""

    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        return _as_text(lookup(name)) if name else match.group(0)[0]

    return _VARIABLE.sub(replace, text) if "{" in text or "}" in text else text


def render_reference(reference: str, lookup: Callable[[str], Any]) -> str:
    """As `render`, for a reference. Raises PromptError for a value that is no plain name, such as a path."""

    def plain_name(name: str) -> str:
        value = _as_text(lookup(name))
        if not _PLAIN_NAME.fullmatch(value):
            raise PromptError(
                f"'{reference}' needs a plain name for '{name}', and the state holds {value[:80]!r}.",
                suggestion="Use letters and digits, with single dots, dashes, blanks or underscores between them.",
            )
        return value

    return render(reference, plain_name)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _find(name: str, folder: Path, prompt: str) -> Path:
    """The file of that name. Raises PathEscapeError for one outside the map's folder and the project's prompts."""
    project = folder.absolute().parent / "prompts"
    bases = (folder / "prompts", folder, project)
    for base in bases:
        path = base / name
        if path.is_file():
            if not any(path.resolve().is_relative_to(root.resolve()) for root in (folder, project)):
                raise PathEscapeError(
                    f"'{prompt}' leads out of the map's folder.",
                    suggestion=f"Put the file into {folder / 'prompts'}, or name one that is there.",
                )
            return path
    there = [p.name for base in bases if base.is_dir() for p in base.iterdir() if p.is_file()]
    raise PromptError(
        f"'{prompt}' needs the file {name}, which is not there.",
        suggestion=f"It is looked for in {folder / 'prompts'} and next to the map."
        + (f" Did you mean '{close[0]}'?" if (close := nearest(name, there)) else ""),
    )


def _registered(name: str, folder: Path, prompt: str, through: tuple[str, ...]) -> str:
    if name in through:
        raise PromptError(f"'{prompt}' leads in a circle: {' → '.join((*through, name))}.")
    path = _find("registry.yaml", folder, prompt)
    registry = _load(path)
    if not isinstance(registry, dict) or name not in registry:
        names = list(registry) if isinstance(registry, dict) else []
        raise PromptError(f"'{prompt}' is not in {path}.", suggestion=did_you_mean(name, names))
    text = registry[name]
    if not isinstance(text, str):
        raise PromptError(f"'{prompt}' in {path} is not a text.", suggestion="A prompt in the registry is a text.")
    return resolve_prompt(text, folder, (*through, name))


def _dig(data: Any, path: str, prompt: str) -> str:
    for key in path.split("."):
        if not isinstance(data, dict) or key not in data:
            names = list(data) if isinstance(data, dict) else []
            raise PromptError(f"'{prompt}': there is no key '{key}'.", suggestion=did_you_mean(key, map(str, names)))
        data = data[key]
    if not isinstance(data, str):
        raise PromptError(f"'{prompt}' leads to a {type(data).__name__}, not to a text.")
    return data


def _text(path: Path) -> str:
    return _read(path, path.stat().st_mtime_ns)


def _load(path: Path) -> Any:
    try:
        return yaml.safe_load(_text(path))
    except yaml.YAMLError as error:
        raise PromptError(f"{path} is not YAML: {error}.") from None


@lru_cache(maxsize=256)
def _read(path: Path, _changed: int) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path} is not UTF-8 at byte {error.start}.", suggestion="Save it as UTF-8.") from None
