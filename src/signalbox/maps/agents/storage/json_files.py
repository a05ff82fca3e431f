"""json_reader and json_writer: documents of a JSON file, by id, by path or by query.

A file holds an object of documents by id, a list of documents that carry their id, or one document.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from signalbox.contract.summary import plain
from signalbox.errors import NotFoundError, RequestError
from signalbox.maps.agents.storage.agent import StorageReader, StorageWriter
from signalbox.maps.agents.storage.datafile import DataFile
from signalbox.maps.agents.storage.query import as_query, same, select
from signalbox.maps.agents.storage.tree import MISSING, append, at, drop, merge, put, steps

__all__ = ["JsonReaderAgent", "JsonWriterAgent"]


class JsonReaderAgent(StorageReader):
    """Reads a document by id, what lies at a path, or what a query means. `format` is raw or records."""

    suffix = ".json"
    file_inputs = ("collection", "json_file", "file_path")

    def read(self, file: DataFile, inputs: dict[str, Any]) -> Any:
        data, wanted = _load(file), self.document_id(inputs)
        if data is MISSING:
            raise RequestError(f"{file.name} is empty, which is not JSON. Write {{}} or [] into it.")
        id_field = str(self.option("id_field", inputs, "id"))
        keys = [] if wanted is None else [_key(data, wanted, id_field)]
        keys += steps(self.option("path", inputs))
        found = at(data, keys)
        if found is MISSING:
            raise NotFoundError(f"There is nothing at '{'.'.join(keys)}'. Check the path.")
        found = _selected(found, as_query(self.option("query", inputs)))
        found = self.format(inputs, _FORMATS, "raw")(found)
        if not self.switch("use_envelope", inputs):
            return found
        return {
            "success": True,
            "document_id": wanted or self.collection(inputs),
            "data": found,
            "is_collection": isinstance(found, dict | list),
        }


class JsonWriterAgent(StorageWriter):
    """Writes a document by id, a value at a path, or the file.

    write replaces, update merges at every depth into what must be there, append adds, delete removes.
    """

    suffix = ".json"
    file_inputs = ("collection", "json_file", "file_path")
    options: ClassVar[tuple[str, ...]] = ("mode", "document_id", "id", "id_field", "path")

    def change(self, file: DataFile, mode: str, inputs: dict[str, Any]) -> dict[str, Any]:
        self.require(inputs, "document_id", "id", "path")
        wanted, path = self.document_id(inputs), steps(self.option("path", inputs))
        id_field = str(self.option("id_field", inputs, "id"))
        told = {} if wanted is None else {"document_id": wanted}
        if mode == "delete":
            return {**self._delete(file, wanted, path, id_field, inputs), **told}
        value = plain(self.value(inputs, mode))
        whole = mode == "write" and wanted is None and not path
        data = _load(file) if not whole and (mode == "update" or file.exists()) else MISSING
        if wanted is None and not path:
            data = _whole(data, value, mode, id_field)
        else:
            data = _with_document(data, wanted, path, value, mode, id_field)
        file.replace(self._text(data))
        return {"count": len(value) if isinstance(value, list) else 1, **told}

    def _delete(
        self, file: DataFile, wanted: Any, path: list[str], id_field: str, inputs: dict[str, Any]
    ) -> dict[str, Any]:
        """Delete the documents of the query, else what lies at the id and the path, else the file."""
        self.require(inputs, "query")
        query = as_query(self.option("query", inputs))
        if wanted is None and not path and not query:
            file.delete()
            return {"count": 1, "file_deleted": True}
        data = _load(file)
        keys = ([] if wanted is None else [_key(data, wanted, id_field)]) + path
        if query:
            documents = at(data, keys)
            kept = _without(documents, query)
            data, gone = put(data, keys, kept), len(documents) - len(kept)
        else:
            data, gone = drop(data, keys), 1
        file.replace(self._text(data))
        return {"count": gone, "total_affected": gone}

    def _text(self, data: Any) -> str:
        indent = self.whole_number("indent", 2, least=0)
        try:
            return json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False) + "\n"
        except ValueError:
            raise RequestError("The data contains NaN or Infinity, which JSON does not allow.") from None


def _load(file: DataFile) -> Any:
    """What the file holds; MISSING for one that is empty. Raises RequestError that names line and column."""
    text = file.read().removeprefix("\ufeff")
    if not text.strip():
        return MISSING
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise RequestError(f"{file.name} is not JSON at {where}. Fix the file.") from None
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{file.name} cannot be read as JSON: {error}. Fix the file.") from None


def _find(data: Any, wanted: Any, id_field: str) -> str | None:
    """The key or index of the document: its key in an object, else the value of its id field."""
    if isinstance(data, dict) and str(wanted) in data:
        return str(wanted)
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, item in items:
        if isinstance(item, dict) and id_field in item and same(item[id_field], wanted):
            return str(key)
    return None


def _key(data: Any, wanted: Any, id_field: str) -> str:
    key = _find(data, wanted, id_field)
    if key is None:
        raise NotFoundError(f"There is no document with the id {wanted}. Check document_id, or id_field.")
    return key


def _with_document(data: Any, wanted: Any, path: list[str], value: Any, mode: str, id_field: str) -> Any:
    """The file's data with the value in a document, at a path, or at a path in a document."""
    keys = list(path)
    if wanted is not None:
        found = _key(data, wanted, id_field) if mode == "update" else _find(data, wanted, id_field)
        new = str(len(data)) if isinstance(data, list) else str(wanted)
        keys.insert(0, found or new)
    old = at(data, keys)
    if not path and isinstance(data, list) and isinstance(value, dict):
        own = old.get(id_field, wanted) if isinstance(old, dict) else wanted
        value = {id_field: own, **value}
    if mode == "write" or (old is MISSING and not path):
        return put(data, keys, value)
    return put(data, keys, append(old, value) if mode == "append" else merge(old, value))


def _whole(data: Any, value: Any, mode: str, id_field: str) -> Any:
    """The file's data with the value in it; in an update of a list, each document in the one with its id."""
    if mode == "write":
        return value
    if mode == "append":
        return append(data, value)
    if data is MISSING or (isinstance(data, dict) and isinstance(value, dict)):
        return merge(data, value)
    if not isinstance(data, list):
        raise RequestError("An update of the whole file needs an object. Give a document_id or a path.")
    merged = list(data)
    for item in value if isinstance(value, list) else [value]:
        wanted = item.get(id_field) if isinstance(item, dict) else None
        key = None if wanted is None else _find(merged, wanted, id_field)
        if key is None:
            raise NotFoundError(f"There is no document with {id_field} {wanted}. Use mode append to add it.")
        merged[int(key)] = merge(merged[int(key)], item)
    return merged


def _selected(data: Any, query: dict[str, Any]) -> Any:
    if not query:
        return data
    if isinstance(data, dict):
        return dict(select(list(data.items()), query))
    if isinstance(data, list):
        return [item for _, item in select(list(enumerate(data)), query)]
    raise RequestError("A query needs a list or an object of documents, and here is a single value.")


def _without(data: Any, query: dict[str, Any]) -> Any:
    """The documents that the query does not mean."""
    if isinstance(data, dict):
        gone = _selected(data, query)
        return {key: item for key, item in data.items() if key not in gone}
    if isinstance(data, list):
        indices = {key for key, _ in select(list(enumerate(data)), query)}
        return [item for i, item in enumerate(data) if i not in indices]
    return _selected(data, query)


def _as_is(data: Any) -> Any:
    return data


def _as_records(data: Any) -> Any:
    return list(data.values()) if isinstance(data, dict) else data


def _as_text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)


_FORMATS = {
    "raw": _as_is,
    "dict": _as_is,
    "json": _as_is,
    "records": _as_records,
    "list": _as_records,
    "text": _as_text,
}
