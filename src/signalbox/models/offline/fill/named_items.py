"""Lists of objects of which only the names are said: they are looked for as a list of plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from signalbox.models.offline.fill.moments import time_kind
from signalbox.models.offline.fill.names import has_shape
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State

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
    """The one field of an item that must be given, when any words may fill it."""
    children = leaf.item.children if leaf.item else ()
    needed = [child for child in children if child.required] or list(children[:1] if len(children) == 1 else ())
    if len(needed) != 1 or needed[0].kind != "string" or needed[0].options:
        return None
    return needed[0] if not has_shape(needed[0]) and not time_kind(needed[0]) else None
