"""file_reader and file_writer: text files, whole or in chunks."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from signalbox.contract.summary import plain
from signalbox.errors import UnsupportedError
from signalbox.maps.agents.storage.agent import StorageAgent, StorageReader, StorageWriter
from signalbox.maps.agents.storage.chunks import split
from signalbox.maps.agents.storage.datafile import DataFile

__all__ = ["FileReaderAgent", "FileWriterAgent"]


class TextFileAgent(StorageAgent):
    """A node on a text file. With a document_id the collection is a folder, and the id names a file in it."""

    file_inputs = ("collection", "file_path", "path")

    def collection(self, inputs: dict[str, Any]) -> str:
        folder, name = super().collection(inputs), self.option("document_id", inputs)
        return folder if name is None else f"{folder}/{name}"


class FileReaderAgent(TextFileAgent, StorageReader):
    """Reads a text, or with should_split a list of chunks. The format structured adds metadata."""

    def read(self, file: DataFile, inputs: dict[str, Any]) -> Any:
        text = file.read().removeprefix("\ufeff").replace("\r\n", "\n")
        as_asked = self.format(inputs, _FORMATS, "text")
        if not self.switch("should_split", inputs):
            return as_asked(text, file)
        size = self.whole_number("chunk_size", 1000)
        overlap = self.whole_number("chunk_overlap", min(200, size // 5), least=0)
        return [as_asked(chunk, file) for chunk in split(text, size, overlap)]


class FileWriterAgent(TextFileAgent, StorageWriter):
    """Writes a text; lists and mappings as JSON. append puts an empty line, or `separator`, between."""

    options: ClassVar[tuple[str, ...]] = ("mode", "document_id")

    def change(self, file: DataFile, mode: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if mode == "delete":
            file.delete()
            return {"count": 1, "file_deleted": True}
        text = _text(self.value(inputs, mode))
        before = file.read() if mode == "append" and file.exists() else ""
        file.replace(before + str(self.context.get("separator", "\n\n")) + text if before else text)
        return {"count": 1}


def _text(data: Any) -> str:
    """The data as text. Of documents, and of what file_reader gives as structured, it is the content."""
    if isinstance(data, str):
        return data
    if isinstance(data, bytes):
        raise UnsupportedError("The data is binary, and file_writer writes text. Decode it first.")
    if hasattr(data, "page_content"):
        return str(data.page_content)
    if isinstance(data, list) and data and all(hasattr(item, "page_content") for item in data):
        return "\n\n".join(str(item.page_content) for item in data)
    if isinstance(data, dict) and data.keys() == {"content", "metadata"}:
        return str(data["content"])
    if isinstance(data, dict | list | tuple | set) or hasattr(data, "model_dump"):
        return json.dumps(plain(data), ensure_ascii=False, indent=2)
    return str(data)


def _as_text(text: str, file: DataFile) -> str:
    return text


def _structured(text: str, file: DataFile) -> dict[str, Any]:
    return {"content": text, "metadata": {"source": file.name, "size": len(text), "type": "text"}}


_FORMATS = {"text": _as_text, "default": _as_text, "raw": _as_text, "structured": _structured}
