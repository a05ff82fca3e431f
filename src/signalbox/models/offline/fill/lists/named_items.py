"""Lists of objects of which only the names are said: they are looked for as a list of plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State
from signalbox.models.offline.fill.texts.names import has_shape
from signalbox.models.offline.fill.times.moments import time_kind

__all__ = ["as_objects", "list_by_name"]


def list_by_name(state: State) -> dict[str, tuple[Field, Field]]:
    """Let the lists of objects that wait and need but a name be lists of names; each with its field and the name's."""
    plain: dict[str, tuple[Field, Field]] = {}
    for at, leaf in enumerate(state.leaves):
        name = _name_of(leaf)
        if name is not None and leaf.path not in state.filled:
            item = replace(name, name=leaf.name, path=leaf.path, required=False, must=False)
            state.leaves[at] = replace(leaf, item=item)
            plain[leaf.path] = (leaf, name)
    return plain


def as_objects(plain: Mapping[str, tuple[Field, Field]], filled: Mapping[str, Proposal]) -> dict[str, Proposal]:
    """The names that were found, each as an object."""
    return {
        path: replace(filled[path], field=leaf, value=[{name.name: one} for one in filled[path].value])
        for path, (leaf, name) in plain.items()
        if path in filled
    }


def _name_of(leaf: Field) -> Field | None:
    """The one field of an item that must be given, or that is its only one, when any words may fill it."""
    children = leaf.item.children if leaf.item else ()
    needed = [child for child in children if child.required]
    names = [child for child in needed or children if _is_free(child)]
    return names[0] if len(names) == 1 and len(needed) < 2 else None


def _is_free(child: Field) -> bool:
    return child.kind == "string" and not child.options and not has_shape(child) and not time_kind(child)
