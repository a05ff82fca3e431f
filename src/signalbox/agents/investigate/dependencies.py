"""`dependencies.yaml`: what the operator says of what depends on what.

    depends_on:
      checkout: [payment, orders]
      payment: [payment-provider]
      payment-provider: [pe2]
    also_called:
      checkout: [shop-checkout, the till]

A name is that of a service, of a machine (an instance, a host, a router), or of something else, such as a provider.
`service:orders` and `machine:orders` say which, where both are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from signalbox.contract import Relation
from signalbox.contract.plugins import entry_points
from signalbox.contract.sources import Kind
from signalbox.errors import ConfigurationError
from signalbox.settings import get_settings, home_folder

__all__ = ["read_dependencies", "told_error"]

_FILE = "dependencies.yaml"
_KEYS = ("depends_on", "also_called")
_KINDS = ("service:", "machine:", "experiment:", "external:")


def read_dependencies(kind: Kind) -> tuple[list[Relation], dict[str, str], list[str]]:
    """The relations, and other names by what they stand for: of the file that the settings name, else of the one in
    the home, which is about real systems. The embedded ones have a file of their own as well. Of a file that is wrong
    nothing is used, and the third tells what is wrong in it."""
    own = get_settings().dependencies
    if own is None and kind == "live" and (home_folder() / _FILE).is_file():
        own = home_folder() / _FILE
    relations: list[Relation] = []
    names: dict[str, str] = {}
    wrong: list[str] = []
    for path in filter(None, (_embedded_file() if kind == "embedded" else None, own)):
        try:
            more, others = _read(path)
            relations, names = [*relations, *more], {**names, **others}
        except ConfigurationError as error:
            wrong.append(f"{error.user_message} {error.suggestion}")
    return relations, names, wrong


def _embedded_file() -> Path | None:
    offered = entry_points(group="signalbox.addresses", name="dependencies")
    return next((Path(str(one.load()())) for one in offered), None)


def _read(path: Path) -> tuple[list[Relation], dict[str, str]]:
    import yaml

    if not path.is_file():
        raise _wrong(path, "there is no such file")
    try:
        told: Any = yaml.safe_load(path.read_text("utf-8")) or {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise _wrong(path, told_error(error)) from None
    if not isinstance(told, Mapping) or (unknown := [key for key in told if key not in _KEYS]):
        found = f"it has {', '.join(map(str, unknown))}" if isinstance(told, Mapping) else "it holds no keys"
        raise _wrong(path, f"{found}, and there is {' and '.join(_KEYS)}")
    relations = [
        Relation(_thing(thing), _thing(other), path.name)
        for thing, others in _entries(path, told, "depends_on")
        for other in others
    ]
    # A name on the left may be one that no system knows, such as a provider: it is known by being written here.
    return relations, {other: thing for thing, others in _entries(path, told, "also_called") for other in others}


def _entries(path: Path, told: Mapping[str, Any], key: str) -> list[tuple[str, list[str]]]:
    entries = told.get(key) or {}
    if not isinstance(entries, Mapping):
        raise _wrong(path, f"{key} maps a name to names")
    found = []
    for name, others in entries.items():
        listed = others if isinstance(others, list) else [others]
        if not all(isinstance(one, str) and one.strip() for one in (name, *listed)):
            raise _wrong(path, f"{key} of {name}: it is a name, or a list of names")
        found.append((str(name).strip(), [one.strip() for one in listed]))
    return found


def _thing(name: str) -> str:
    return name if name.startswith(_KINDS) else f"name:{name}"


def _wrong(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(f"{path}: {why}.", suggestion="Correct the file, or unset SIGNALBOX_DEPENDENCIES.")


def told_error(error: Exception, lines_before: int = 0) -> str:
    """The line of an operator's file, and what is wrong there; `lines_before` are those before the YAML."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is not text in UTF-8, from byte {error.start} on"
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "strerror", None) or "it is no YAML"
    return f"line {mark.line + 1 + lines_before}: {what}" if mark else what
