"""The header of a GGUF file: read and checked here, so that native code is only given a file that is one."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from signalbox.errors import ConfigurationError

__all__ = ["GgufFile", "read_gguf"]

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_LONGEST = 1 << 30


@dataclass(frozen=True)
class GgufFile:
    """What the header says of a model that matters to its use."""

    path: Path
    architecture: str
    context_length: int | None
    chat_template: str

    @property
    def knows_tools(self) -> bool:
        """True if the model's own template has a place for tools."""
        return "tools" in self.chat_template


def read_gguf(path: str | Path) -> GgufFile:
    """Reads the header; raises ConfigurationError for a missing file, a folder, or another kind of file."""
    file = Path(path).expanduser()
    _check_is_file(file)
    stat = file.stat()
    return _read_version(file.resolve(), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=16)
def _read_version(file: Path, modified: int, size: int) -> GgufFile:
    """Kept by date and size: models are loaded often, and walking over a long vocabulary takes time."""
    try:
        with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            fields = _Header(data).read()
    except (OSError, ValueError, struct.error, RecursionError) as error:
        raise ConfigurationError(
            f"{file} is not a GGUF model file: {_reason(error)}.",
            suggestion="Give the path of a .gguf file; if it is one, it may be incomplete: fetch it again.",
        ) from None
    architecture = str(fields.get("general.architecture", ""))
    length = fields.get(f"{architecture}.context_length")
    return GgufFile(
        path=file,
        architecture=architecture,
        context_length=length if isinstance(length, int) else None,
        chat_template=str(fields.get("tokenizer.chat_template", "")),
    )


def _check_is_file(file: Path) -> None:
    if file.is_dir():
        inside = sorted(entry.name for entry in file.glob("*.gguf"))[:5]
        hint = f"It holds {', '.join(inside)}: name one of them." if inside else "Name the .gguf file itself."
        raise ConfigurationError(f"{file} is a folder, not a model file.", suggestion=hint)
    if not file.is_file():
        raise ConfigurationError(
            f"There is no model file {file}.",
            suggestion="Write it as gguf/PATH, with the path of a .gguf file.",
        )


def _reason(error: Exception) -> str:
    if isinstance(error, struct.error | RecursionError):
        return "its header is damaged"
    return (error.strerror or "it cannot be read").lower() if isinstance(error, OSError) else str(error)


class _Header:
    """A cursor over the key-value part of the file; every read is bounded by the file's size."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def read(self) -> dict[str, Any]:
        if self._take(4) != _MAGIC:
            raise ValueError("it does not begin with the GGUF mark")
        version = self._scalar("I")
        if version not in _VERSIONS:
            raise ValueError(f"it has format version {version}, and only 2 and 3 are known")
        self._scalar("Q")
        return {self._string(): self._value(self._scalar("I")) for _ in range(self._scalar("Q"))}

    def _take(self, size: int) -> bytes:
        if size > _LONGEST or self._at + size > len(self._data):
            raise ValueError("it ends inside its header")
        self._at += size
        return self._data[self._at - size : self._at]

    def _scalar(self, form: str) -> Any:
        return struct.unpack(f"<{form}", self._take(struct.calcsize(f"<{form}")))[0]

    def _string(self) -> str:
        return self._take(self._scalar("Q")).decode("utf-8", "replace")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._skip_array(self._scalar("I"), self._scalar("Q"))
        if kind not in _SCALARS:
            raise ValueError("its header is damaged")
        return self._scalar(_SCALARS[kind])

    def _skip_array(self, kind: int, count: int) -> None:
        """Arrays are vocabularies and the like: long, and not needed here."""
        if kind in _SCALARS:
            self._take(struct.calcsize(f"<{_SCALARS[kind]}") * count)
            return
        for _ in range(count):
            self._value(kind)
