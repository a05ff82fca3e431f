"""The location of a named file, always inside the data folder of the run."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from signalbox.errors import MissingInputError, PathEscapeError

__all__ = ["resolve"]

_DRIVE = re.compile(r"[A-Za-z]:")


def resolve(data: Path, name: str) -> Path:
    """The absolute path of a file named in a map. `data` is a resolved folder.

    `goals.csv`, `data/goals.csv` (when the folder is called data) and an absolute path inside the folder
    are one file. Raises PathEscapeError for a path that leaves the folder.
    """
    if "\0" in name or _DRIVE.match(name):
        raise _escape(data, name)
    written = PurePosixPath(name.strip().replace("\\", "/"))
    if ".." in written.parts:
        raise _escape(data, name)
    try:
        path = (Path(written) if written.is_absolute() else data / _below(data, written)).resolve()
    except (OSError, RuntimeError):  # links that lead round in a circle
        raise _escape(data, name) from None
    if not path.is_relative_to(data):
        raise _escape(data, name)
    if path == data:
        raise MissingInputError(f"'{name}' is the data folder itself. Name a file in it.")
    return path


def _below(data: Path, written: PurePosixPath) -> PurePosixPath:
    """The path without a leading component that is the data folder's own name."""
    if written.parts and written.parts[0] == data.name:
        return PurePosixPath(*written.parts[1:])
    return written


def _escape(data: Path, name: str) -> PathEscapeError:
    return PathEscapeError(
        f"The path {name!r} leaves the data folder. Name a file under '{data.name}', such as notes.txt.",
        details={"data": str(data)},
    )
