"""What the storage agent types share: the file of a node, its data, its mode, a writer's result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from signalbox.contract import StateAdapter
from signalbox.errors import MissingInputError, NotFoundError, PromptError, RequestError
from signalbox.maps.agents.base import Inputs, MapAgent
from signalbox.maps.agents.storage.datafile import MAX_BYTES, DataFile, data_file
from signalbox.maps.prompts import render, variables

__all__ = ["StorageReader", "StorageWriter"]

Format = Callable[..., Any]
_READ_OPTIONS = ("document_id", "id", "id_field", "query", "path", "format", "default")
_MODES = ("write", "update", "append", "delete")


class StorageAgent(MapAgent):
    """A node that works on one file of the run's data folder."""

    uses_files = True

    suffix: ClassVar[str] = ""
    """What a collection without an ending gets."""
    file_inputs: ClassVar[tuple[str, ...]] = ("collection", "file_path")
    """The inputs that may name the file."""

    def file(self, inputs: dict[str, Any]) -> DataFile:
        """The file: named by an input, else by the Context, else by the Prompt with its {fields} filled in.

        Raises MissingInputError when nothing names it, PathEscapeError when it lies outside the data folder.
        """
        name = self.collection(inputs)
        if self.suffix and "." not in name.replace("\\", "/").rsplit("/", 1)[-1]:
            name += self.suffix
        return data_file(
            self.run_context.data,
            name,
            str(self.context.get("encoding") or "utf-8"),
            self.whole_number("max_bytes", MAX_BYTES),
        )

    def collection(self, inputs: dict[str, Any]) -> str:
        """The name of the file, as the map or the state gives it."""
        given = [str(inputs[key]).strip() for key in self.file_inputs if inputs.get(key) is not None]
        name = next(filter(None, given), "")
        name = name or render(self.template, lambda field: _filled(field, inputs)).strip() or self.implied(inputs)
        if not name:
            raise MissingInputError(
                "No file is named. Put its name in the Prompt, in the Context as collection, or in the input "
                "'collection'."
            )
        return name

    def implied(self, inputs: dict[str, Any]) -> str:
        """The name if neither the map nor an input with a known name provides it; empty for a writer."""
        return ""

    @property
    def template(self) -> str:
        """The name in the map itself, with its {fields}."""
        return str(self.context.get("collection") or self.prompt or "")

    def document_id(self, inputs: dict[str, Any]) -> Any:
        """The id of the one document that is meant, or None."""
        found = self.option("document_id", inputs)
        return self.option("id", inputs) if found is None else found

    def switch(self, name: str, inputs: dict[str, Any]) -> bool:
        """An option that is on or off, even if the map has it as text."""
        return str(self.option(name, inputs)).strip().lower() in ("true", "1", "yes", "on")

    def whole_number(self, name: str, default: int, least: int = 1) -> int:
        """A number from the Context. Raises RequestError when it is none, or too small."""
        value = self.context.get(name, default)
        try:
            number = int(value)
        except (TypeError, ValueError):
            number = least - 1
        if number < least:
            raise RequestError(f"{name} in the Context must be a whole number from {least}, not {value!r}.")
        return number


class StorageReader(StorageAgent):
    """A node that reads. A missing file or document is a failure, unless there is an option `default`."""

    def process(self, inputs: dict[str, Any]) -> Any:
        file = self.file(inputs)
        try:
            with _naming(file):
                return self.read(file, inputs)
        except NotFoundError:
            if inputs.get("default") is None and "default" not in self.context:
                raise
            return self.option("default", inputs)

    def implied(self, inputs: dict[str, Any]) -> str:
        """A reader's only input is the file, whatever its name: `document_path`, `source`."""
        named = [value for key, value in inputs.items() if key not in _READ_OPTIONS]
        return named[0].strip() if len(named) == 1 and isinstance(named[0], str) else ""

    def read(self, file: DataFile, inputs: dict[str, Any]) -> Any:
        """What the file holds, as the options ask for it."""
        raise NotImplementedError

    def format(self, inputs: dict[str, Any], known: Mapping[str, Format], default: str) -> Format:
        """The function for the option `format`. Raises RequestError that lists the known ones."""
        name = str(self.option("format", inputs, default)).lower()
        if name not in known:
            raise RequestError(f"There is no format '{name}'. Use one of: {', '.join(known)}.")
        return known[name]


class StorageWriter(StorageAgent):
    """A node that writes, by its mode: append (the default), write, update or delete."""

    allowed_options: ClassVar[Mapping[str, tuple[str, ...]]] = {"mode": _MODES}

    options: ClassVar[tuple[str, ...]] = ("mode", "document_id", "id_field")
    """The inputs that say how to write; all others are data."""

    def process(self, inputs: dict[str, Any]) -> dict[str, Any]:
        file = self.file(inputs)
        mode = self.mode(inputs)
        with _naming(file), file.lock():
            existed = file.exists()
            done = self.change(file, mode, inputs)
        return {
            "success": True,
            "operation": mode,
            "mode": mode,
            "collection": self.collection(inputs),
            "file_path": file.name,
            "created_new": not existed,
            **done,
        }

    def change(self, file: DataFile, mode: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Change the file, which is locked; returns `count` and other details."""
        raise NotImplementedError

    def mode(self, inputs: dict[str, Any]) -> str:
        """The mode. Raises RequestError for one that does not exist."""
        mode = str(self.option("mode", inputs, "append")).strip().lower()
        if mode not in _MODES:
            raise RequestError(f"There is no mode '{mode}'. Use one of: {', '.join(_MODES)}.")
        return mode

    def require(self, inputs: dict[str, Any], *names: str) -> None:
        """Raise MissingInputError if the node declares one of the options and it has no value: without it,
        the whole file would be replaced or deleted in the place of one document."""
        for name in names:
            if (name in inputs or name in self.context) and self.option(name, inputs) in (None, "", {}):
                raise MissingInputError(f"'{name}' has no value. Give it one, or take it out of the map.")

    def value(self, inputs: dict[str, Any], mode: str) -> Any:
        """The data: the input `data`, else the only input that is data, else all of them as an object."""
        if inputs.get("data") is not None:
            return inputs["data"]
        only = self.only_field(inputs)
        return self.fields(inputs, mode) if only is None else only

    def only_field(self, inputs: dict[str, Any]) -> Any:
        """The value of the only input that is data; one whose {field} names the file does not count."""
        fields = self._own_fields(inputs)
        return next(iter(fields.values())) if len(fields) == 1 else None

    def fields(self, inputs: dict[str, Any], mode: str) -> dict[str, Any]:
        """The inputs that are data, by name. Raises MissingInputError when none has a value."""
        fields = self._data_fields(inputs)
        if all(value is None for value in self._own_fields(inputs).values()):
            empty = ", ".join(key for key, value in inputs.items() if value is None)
            reason = f": the state has no value for {empty}." if empty else ". Name the data in Input_Fields."
            raise MissingInputError(f"There is nothing to write{reason}")
        # An input that the state lacks must not blank what an update leaves alone.
        return {key: value for key, value in fields.items() if mode != "update" or value is not None}

    def _data_fields(self, inputs: dict[str, Any]) -> dict[str, Any]:
        others = ("data", *self.file_inputs, *self.options)
        return {key: value for key, value in inputs.items() if key not in others}

    def _own_fields(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The data without what only names the file, unless there is nothing else."""
        fields, naming = self._data_fields(inputs), variables(self.template)
        return {key: value for key, value in fields.items() if key not in naming} or fields


@contextmanager
def _naming(file: DataFile) -> Iterator[None]:
    """Add the file's name to every error that the person can fix."""
    try:
        yield
    except RequestError as error:
        if file.name in str(error):
            raise
        raise type(error)(f"{file.name}: {error}") from None


def _filled(field: str, inputs: dict[str, Any]) -> Any:
    for source in (inputs, inputs.state if isinstance(inputs, Inputs) else {}):
        if (value := StateAdapter.get_value(source, field)) is not None:
            return value
    raise PromptError(f"The file's name needs a value for {{{field}}}. Give it at the start, or mend the name.")
