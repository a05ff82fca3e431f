"""Any model, leaf by leaf: for what no parser of its own knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from signalbox.agents.oncall.gnmi.tree import Tree, word, words

__all__ = ["parse_values"]

_LARGE = ("afts", "rib", "loc-rib", "link-state-database", "config", "messages", "processes")
"""Tables with an entry for every route or process, and what is told again as `state`."""


def parse_values(tree: Tree) -> dict[str, Any]:
    """Every leaf by its path, as in `interfaces/interface[name=Loopback0]/state/mtu`."""
    return dict(_leaves(tree, ""))


def _leaves(node: Tree, path: str) -> Iterator[tuple[str, Any]]:
    for name, value in node.items():
        if name in _LARGE:
            continue
        below = f"{path}/{name}" if path else name
        if isinstance(value, dict):
            yield from _leaves(value, below)
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            for one in value:
                if isinstance(one, dict):
                    # In OpenConfig the keys are the only leaves that stand in an entry of a list itself.
                    keys = {key: it for key, it in one.items() if not isinstance(it, dict | list)}
                    rest = {key: it for key, it in one.items() if key not in keys}
                    yield from _leaves(rest, below + "".join(f"[{key}={word(it)}]" for key, it in keys.items()))
        elif value is not None:
            yield below, words(value) if isinstance(value, list) else _plain(value)


def _plain(value: Any) -> Any:
    """A number that is written as a text is a number."""
    if not isinstance(value, str):
        return value
    text = word(value) or ""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text
