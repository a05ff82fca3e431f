"""Texts found by their meaning: kept in a JSON file, compared by the word vectors of the offline model."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar

from signalbox.errors import MissingInputError, NotFoundError, RequestError
from signalbox.maps.agents.storage.agent import StorageAgent, StorageReader, StorageWriter
from signalbox.maps.agents.storage.datafile import DataFile

__all__ = ["VectorReaderAgent", "VectorWriterAgent"]

_TEXT_KEYS = ("text", "page_content", "content", "document")


class VectorAgent(StorageAgent):
    """A node on a collection of texts. One that names none takes the one that the map's other vector rows name."""

    suffix: ClassVar[str] = ".json"

    @property
    def template(self) -> str:
        """The name of the collection in the map."""
        graph = self.run_context.graph
        others = (
            _collection(n.context) or n.prompt for n in graph or () if n.agent_type.casefold().startswith("vector")
        )
        return _collection(self.context) or self.prompt or next(filter(None, others), "documents")


class VectorWriterAgent(VectorAgent, StorageWriter):
    """Keeps texts. Data: a text, a list of them, or objects with `text`, and `id` and `metadata` if you like.

    append (the default) adds, update replaces by id, write replaces all, delete removes the ids in `id`.
    """

    options: ClassVar[tuple[str, ...]] = ("mode", "id", "document_id")

    def change(self, file: DataFile, mode: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Change the collection; give back how many texts, and their ids."""
        kept = _load(file) if file.exists() and mode != "write" else []
        if mode == "delete":
            return self._delete(file, kept, inputs)
        documents = [_document(item) for item in _as_list(self.value(inputs, mode))]
        if not documents:
            raise MissingInputError("There is no text to store.")
        replaced = {document["id"] for document in documents}
        kept = [document for document in kept if document["id"] not in replaced]
        _save(file, [*kept, *documents])
        return {"status": "success", "count": len(documents), "stored_count": len(documents), "ids": sorted(replaced)}

    def _delete(self, file: DataFile, kept: list[dict[str, Any]], inputs: dict[str, Any]) -> dict[str, Any]:
        named = {str(name) for name in _as_list(self.document_id(inputs)) if name is not None}
        if not named:
            raise MissingInputError("To delete, name the text in 'id'.")
        left = [document for document in kept if document["id"] not in named]
        if len(left) == len(kept):
            raise NotFoundError(f"No text has the id {', '.join(sorted(named))}.")
        _save(file, left)
        return {"status": "success", "count": len(kept) - len(left), "ids": sorted(named)}


class VectorReaderAgent(VectorAgent, StorageReader):
    """Finds the texts nearest in meaning to the input `query`, or else to the first input.

    Context: `k` (how many, default 4), `min_score` (0 to 1), `metadata` (values that a text's own must have).
    """

    def read(self, file: DataFile, inputs: dict[str, Any]) -> dict[str, Any]:
        """The texts found, the nearest first, each with its score."""
        from signalbox.language.vectors import embed

        query = self._query(inputs)
        wanted = self.option("metadata", inputs) or {}
        documents = [document for document in _load(file) if wanted.items() <= document["metadata"].items()]
        if not documents:
            return {"status": "success", "query": query, "results": [], "count": 0}
        rows = embed([query, *(document["text"] for document in documents)])
        scores = [float(score) for score in rows[1:] @ rows[0]]
        ranked = sorted(zip(scores, documents, strict=True), key=lambda pair: -pair[0])
        least = float(self.option("min_score", inputs, 0))
        results = [{**document, "score": round(score, 4)} for score, document in ranked if score >= least]
        results = results[: self.whole_number("k", 4)]
        return {"status": "success", "query": query, "results": results, "count": len(results)}

    def _query(self, inputs: dict[str, Any]) -> str:
        names = ("query", *(name for name in inputs if name not in self.file_inputs))
        query = next((str(inputs[name]) for name in names if inputs.get(name) not in (None, "")), "")
        if not query:
            raise MissingInputError("There is nothing to look for. Name the question in Input_Fields.")
        return query


def _collection(context: Mapping[str, Any]) -> str:
    return str(context.get("collection") or context.get("collection_name") or context.get("store_key") or "")


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _document(item: Any) -> dict[str, Any]:
    """A text to keep, with an id and its metadata."""
    if isinstance(item, str):
        return {"id": uuid.uuid4().hex, "text": item, "metadata": {}}
    if isinstance(item, Mapping):
        text = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), None)
        if text is not None:
            name = str(item.get("id") or uuid.uuid4().hex)
            return {"id": name, "text": text, "metadata": dict(item.get("metadata") or {})}
    raise RequestError(f"This is neither a text nor an object with a text: {str(item)[:80]!r}.")


def _load(file: DataFile) -> list[dict[str, Any]]:
    try:
        documents = json.loads(file.read())
        return [{"id": str(d["id"]), "text": str(d["text"]), "metadata": dict(d["metadata"])} for d in documents]
    except (ValueError, TypeError, KeyError):
        raise RequestError(f"{file.name} is not a collection of texts. Write it with vector_writer.") from None


def _save(file: DataFile, documents: list[dict[str, Any]]) -> None:
    file.replace(json.dumps(documents, ensure_ascii=False, indent=1) + "\n")
