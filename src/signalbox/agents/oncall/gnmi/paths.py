"""gNMI paths: as people write them, and as the protocol carries them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pygnmi.spec.v080 import gnmi_pb2

__all__ = ["Step", "read_path", "steps_of", "to_message"]

Step = tuple[str, dict[str, str]]
_STEP = re.compile(r"((?:[^/\[\]]|\[[^\]]*\])+)")
_KEY = re.compile(r"\[([^=\]]+)=([^\]]*)\]")
# Platforms that take the module of a path as its origin; all others take the word of the specification.
_MODULE_AS_ORIGIN = ("iosxr", "ios-xr", "xr", "cisco")


def read_path(text: str) -> tuple[str, list[Step]]:
    """A path as (module, steps): `openconfig-interfaces:interfaces/interface[name=Gi0/0/0/1]/state`."""
    steps: list[Step] = []
    module = ""
    for part in _STEP.findall(text):
        name = part.split("[", 1)[0]
        if not steps and ":" in name:
            module, _, name = name.partition(":")
        if name:
            steps.append((name, dict(_KEY.findall(part))))
    return module, steps


def to_message(text: str, nos: str = "") -> Any:
    """A path as the protocol carries it, with the origin that this platform expects."""
    module, steps = read_path(text)
    origin = module if nos.lower().startswith(_MODULE_AS_ORIGIN) else "openconfig"
    return gnmi_pb2.Path(origin=origin, elem=[gnmi_pb2.PathElem(name=name, key=keys) for name, keys in steps])


def steps_of(*paths: Any) -> list[Step]:
    """The steps of messages, one after the other, without the prefixes of modules."""
    elements: Iterable[Any] = (one for path in paths for one in path.elem)
    return [(one.name.rpartition(":")[2], dict(one.key)) for one in elements]
