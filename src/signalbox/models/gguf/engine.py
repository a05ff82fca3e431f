"""The native engine of one model file: opened once, used by one run at a time, closed on demand."""

from __future__ import annotations

import atexit
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from typing import Any

from signalbox.errors import ConfigurationError, LLMAPIError, MissingExtraError, ModelTimeoutError
from signalbox.models.gguf.file import GgufFile

__all__ = ["Engine", "EngineOptions", "close_engines", "open_engine", "require_runtime"]

_LONGEST_DEFAULT_CONTEXT = 8192
_PROMPT_CACHE_MIB = 256
_KEPT_OPEN = 2
_SILENT = -1


@dataclass(frozen=True)
class EngineOptions:
    """What is decided when a file is opened; None leaves it to the file or the machine."""

    n_ctx: int | None = None
    n_threads: int | None = None
    n_gpu_layers: int | None = None
    chat_template: str | None = None


class _Started:
    """Comes first in a stream, when the request's turn has come and its time starts."""


class _Ended:
    """Comes last in a stream."""


class Engine:
    """One loaded model. A request holds the lock from its first token to its last, so runs take turns."""

    def __init__(self, file: GgufFile, options: EngineOptions) -> None:
        self.file = file
        self._turn = threading.Lock()
        self._server: Any = _load_native(file, options)

    def stream(self, request: dict[str, Any], timeout: float) -> Iterator[dict[str, Any]]:
        """The chunks of an answer as they come; leaving the iterator stops the model at its next token.

        Raises LLMAPIError if the model refuses the request or takes longer than `timeout` seconds.
        """
        chunks: SimpleQueue[Any] = SimpleQueue()
        abandoned = threading.Event()
        threading.Thread(target=self._generate, args=(request, chunks.put, abandoned), name="signalbox-gguf").start()
        try:
            yield from _received(chunks, timeout)
        finally:
            abandoned.set()

    def _generate(self, request: dict[str, Any], put: Callable[[Any], None], abandoned: threading.Event) -> None:
        def receive(chunk: dict[str, Any]) -> bool:
            put(chunk)
            return abandoned.is_set()

        with self._turn:
            try:
                if self._server is None:
                    raise LLMAPIError("The model file was closed in the meantime.")
                put(_Started())
                if not abandoned.is_set():
                    self._server.handle_chat_completions(request, receive)
            except Exception as error:
                put(error)
            finally:
                put(_Ended())

    def close(self) -> None:
        """Frees the memory, after the current request."""
        with self._turn:
            self._server = None


def _received(chunks: SimpleQueue[Any], timeout: float) -> Iterator[dict[str, Any]]:
    deadline: float | None = None
    while not isinstance(item := _next_item(chunks, deadline, timeout), _Ended):
        if isinstance(item, _Started):
            deadline = time.monotonic() + timeout
        elif isinstance(item, LLMAPIError):
            raise item
        elif isinstance(item, Exception):
            raise _refused(str(item))
        elif "error" in item:
            raise _refused(str(item["error"].get("message", item["error"])))
        else:
            yield item


def _next_item(chunks: SimpleQueue[Any], deadline: float | None, timeout: float) -> Any:
    try:
        return chunks.get(timeout=None if deadline is None else max(0.0, deadline - time.monotonic()))
    except Empty:
        raise ModelTimeoutError(
            f"The model took longer than {timeout:g} seconds to answer.",
            suggestion="Ask for less, raise SIGNALBOX_MODEL_TIMEOUT, or choose a smaller model.",
        ) from None


def _refused(reason: str) -> LLMAPIError:
    if "context size" in reason:
        return LLMAPIError(
            "The request is too long for this model.",
            suggestion="Shorten it, or load the model with a larger n_ctx.",
            details={"error": reason},
        )
    return LLMAPIError(
        "The model file's engine refused the request.",
        suggestion="Check the schema or the tools that the request carries.",
        details={"error": reason},
    )


def require_runtime() -> None:
    """Raises MissingExtraError unless the native runtime is installed."""
    if find_spec("xllamacpp") is None:
        raise MissingExtraError("A model file of your own (gguf/PATH)", "local")


def _load_native(file: GgufFile, options: EngineOptions) -> Any:
    require_runtime()
    xllamacpp = import_module("xllamacpp")

    params = xllamacpp.CommonParams()
    params.model.path = str(file.path)
    params.n_ctx = options.n_ctx or min(file.context_length or _LONGEST_DEFAULT_CONTEXT, _LONGEST_DEFAULT_CONTEXT)
    params.verbosity = _SILENT
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.offline = True
    _lock_listener(params)
    if options.n_threads is not None:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.n_threads
    if options.n_gpu_layers is not None:
        params.n_gpu_layers = options.n_gpu_layers
    if options.chat_template is not None:
        params.chat_template = options.chat_template
    try:
        return xllamacpp.Server(params)
    except Exception as error:
        raise ConfigurationError(
            f"{file.path} could not be loaded as a model.",
            suggestion="It may be incomplete, too large for the memory, or of an unknown kind:"
            ' fetch it again, or update the runtime with: pip install -U "signalbox-agents[local]"',
            details={"error": error},
        ) from None


def _lock_listener(params: Any) -> None:
    """The runtime always listens on a loopback port, with a key that nobody else has."""
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [secrets.token_hex(32)]
    params.ui = False
    params.endpoint_slots = False
    params.n_threads_http = 1


_open: OrderedDict[tuple[Any, ...], Engine] = OrderedDict()
_opening = threading.Lock()


def open_engine(file: GgufFile, options: EngineOptions) -> Engine:
    """The engine of this file and these options: the one already open, or a new one.

    The last few stay open; one that falls out is freed when the request it may be serving is done.
    """
    stat = file.path.stat()
    key = (file.path, stat.st_mtime_ns, stat.st_size, options)
    with _opening:
        if key not in _open:
            _open[key] = Engine(file, options)
        _open.move_to_end(key)
        while len(_open) > _KEPT_OPEN:
            _open.popitem(last=False)
        return _open[key]


def close_engines() -> None:
    """Frees every open model file; a model that is used again reopens its file."""
    with _opening:
        while _open:
            _open.popitem()[1].close()


atexit.register(close_engines)
