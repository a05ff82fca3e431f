"""One file in the data folder: read within a size limit, replaced as a whole, changed by one writer at a time."""

from __future__ import annotations

import os
import stat
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

from signalbox.errors import NotFoundError, OperatorError, RequestError, UnsupportedError
from signalbox.maps.agents.storage.folder import resolve

try:
    import fcntl
except ImportError:  # Windows has none: there the lock holds within the process only.
    fcntl = None  # type: ignore[assignment]

__all__ = ["MAX_BYTES", "DataFile", "data_file"]

MAX_BYTES = 50_000_000
_LOCK_FILE = ".signalbox.lock"
_BINARY_STARTS = {b"%PDF-": "PDF", b"PK\x03\x04": "zip or Office", b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG"}

_guard = threading.Lock()
_locks: WeakValueDictionary[Path, threading.Lock] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of the data folder. Its `name` is relative to the folder: the name that a person is shown."""

    folder: Path
    path: Path
    encoding: str = "utf-8"
    max_bytes: int = MAX_BYTES

    @property
    def name(self) -> str:
        """The path below the data folder, with slashes."""
        return self.path.relative_to(self.folder).as_posix()

    def exists(self) -> bool:
        """True if there is anything at the path."""
        with self._plain_errors("look at"):
            return self.path.exists()

    def read(self) -> str:
        """The whole text, a byte order mark included.

        Raises NotFoundError, UnsupportedError for what is no text, RequestError for what is too large.
        """
        content = self._content()
        for start, kind in _BINARY_STARTS.items():
            if content.startswith(start):
                raise self._is_no_text(f"a {kind} file")
        try:
            text = content.decode(self.encoding)
        except LookupError:
            raise self._unknown_encoding() from None
        except UnicodeError:
            raise RequestError(
                f"{self.name} is not {self.encoding} text. Save it as UTF-8, or name its encoding in the "
                'Context, such as {"encoding": "latin-1"}.'
            ) from None
        if "\0" in text:
            raise self._is_no_text("a binary file")
        return text

    def replace(self, text: str) -> None:
        """Replace the file's content atomically; parent folders are created."""
        content = self._encoded(text)
        with self._plain_errors("write"):
            if self.path.is_dir():
                raise self._is_folder()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _replace(self.path, content)

    def delete(self) -> None:
        """Remove the file. Raises NotFoundError when it is not there."""
        self._regular_size()
        with self._plain_errors("delete"):
            self.path.unlink()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the file against other writers, in this process and others."""
        with _guard:
            lock = _locks.setdefault(self.path, threading.Lock())
        with lock, self._process_lock():
            yield

    @contextmanager
    def _process_lock(self) -> Iterator[None]:
        if fcntl is None:
            yield
            return
        with self._plain_errors("write"):
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.folder / _LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _content(self) -> bytes:
        if self._regular_size() > self.max_bytes:
            raise self._too_large()
        with self._plain_errors("read"), self.path.open("rb") as file:
            content = file.read(self.max_bytes + 1)
        if len(content) > self.max_bytes:
            raise self._too_large()
        return content

    def _regular_size(self) -> int:
        with self._plain_errors("read"):
            status = self.path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise self._is_folder()
        if not stat.S_ISREG(status.st_mode):
            raise UnsupportedError(f"{self.name} is a device or a pipe. Name a regular file.")
        return status.st_size

    def _encoded(self, text: str) -> bytes:
        try:
            return text.encode(self.encoding)
        except LookupError:
            raise self._unknown_encoding() from None
        except UnicodeError as error:
            reason = f"character {error.start}" if isinstance(error, UnicodeEncodeError) else str(error)
            raise RequestError(
                f"{self.name}: the data cannot be written as {self.encoding} ({reason}). Write it as utf-8."
            ) from None

    @contextmanager
    def _plain_errors(self, verb: str) -> Iterator[None]:
        """Turn an error of the file system into one that names the file and the remedy."""
        try:
            yield
        except FileNotFoundError:
            raise NotFoundError(
                f"{self.name} is not in the data folder '{self.folder.name}'. "
                "Put the file there, or mend the name in the Prompt, the Context or the input 'collection'."
            ) from None
        except OSError as error:
            raise OperatorError(
                f"Cannot {verb} {self.name}: {error.strerror or error}. Check the name and the rights.",
                details=error,
            ) from None

    def _is_folder(self) -> RequestError:
        return RequestError(f"{self.name} is a folder. Name a file in it.")

    def _is_no_text(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"{self.name} is {what}, and only text can be read. Convert it to text.")

    def _too_large(self) -> RequestError:
        return RequestError(
            f"{self.name} is larger than the limit of {self.max_bytes:,} bytes. "
            "Split the file, or raise max_bytes in the Context."
        )

    def _unknown_encoding(self) -> RequestError:
        return RequestError(f"{self.name}: there is no encoding '{self.encoding}'. Use utf-8 or latin-1.")


def data_file(data: Path, name: str, encoding: str = "utf-8", max_bytes: int = MAX_BYTES) -> DataFile:
    """The file of that name under the data folder. Raises PathEscapeError when it would lie outside."""
    folder = data.resolve()
    return DataFile(folder, resolve(folder, name), encoding, max_bytes)


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{uuid.uuid4().hex}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
