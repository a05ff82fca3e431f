"""Observers, which are notified when a run, node, model or tool starts and ends. By default there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from signalbox.toolbox.ledger import Call

__all__ = ["Observer", "Watch", "current_trace", "use_observer", "watched"]


class Observer(Protocol):
    """The interface of an observer. `about["parent"]`, if present, is the result of `start` for the enclosing one, and
    `about["trace"]` the result of `trace` in the process where it began."""

    def start(self, kind: str, name: str, about: dict[str, Any]) -> Any:
        """A run, node, model or tool starts; the result is passed to `end`."""

    def end(self, started: Any, error: str | None, about: dict[str, Any]) -> None:
        """It ended, successfully or with an error."""

    def trace(self) -> str:
        """The position in the trace (W3C's `traceparent`), for a process that continues it."""


_observers: list[Observer] = []
_HANDLER: ContextVar[Any] = ContextVar("signalbox_observing", default=None)


def use_observer(observer: Observer | None) -> None:
    """Set the observer, or none."""
    _observers[:] = [observer] if observer is not None else []
    if observer is not None:
        _register()


def current_trace() -> str:
    """The position in the trace; empty without an observer."""
    return _observers[0].trace() if _observers else ""


class Watch:
    """Observes one run; `called` receives its tool calls. Without an observer, it does nothing."""

    def __init__(self, observer: Observer | None = None, run: Any = None) -> None:
        self._observer, self._run = observer, run
        self._open: dict[str, Any] = {}
        self.error: str | None = None

    def called(self, call: Call, ended: bool) -> None:
        """A tool is called, or has ended."""
        if self._observer is None:
            return
        if not ended:
            self._open[call.id] = self._observer.start("tool", call.tool, {"parent": self._run})
        elif call.id in self._open:
            self._observer.end(self._open.pop(call.id), None if call.ok else call.summary, {})


@contextmanager
def watched(agent: str, thread_id: str = "", run_id: str = "", trace: str = "") -> Iterator[Watch]:
    """Observe what the block runs, as a run of this agent; with `trace`, as a part of what another process began."""
    if not _observers:
        yield Watch()
        return
    observer = _observers[0]
    about = {"gen_ai.conversation.id": thread_id, "signalbox.run.id": run_id}
    started = observer.start("run", agent, {**about, "trace": trace} if trace else about)
    watch, error = Watch(observer, started), None
    token = _HANDLER.set(_handler(observer, started))
    try:
        yield watch
    except BaseException as raised:
        error = type(raised).__name__
        raise
    finally:
        _HANDLER.reset(token)
        observer.end(started, error or watch.error, {})


_registered: list[bool] = []


def _register() -> None:
    """Have LangChain pass the block's handler to everything that runs in an observed block."""
    if not _registered:
        from langchain_core.tracers.context import register_configure_hook

        register_configure_hook(_HANDLER, inheritable=True)
        _registered.append(True)


def _handler(observer: Observer, run: Any) -> Any:
    from langchain_core.callbacks import BaseCallbackHandler

    class Handler(BaseCallbackHandler):
        """Tells the observer of nodes and models."""

        run_inline = True

        def __init__(self) -> None:
            self.open: dict[Any, Any] = {}
            self.within: dict[Any, Any] = {}

        def _parent(self, place: Any) -> Any:
            """The enclosing node, however deep, or else the run."""
            while place is not None and place not in self.open:
                place = self.within.get(place)
            return self.open.get(place, run)

        def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: Any, **known: Any) -> None:
            self.within[run_id] = known.get("parent_run_id")
            node = (known.get("metadata") or {}).get("langgraph_node")
            if node is not None and known.get("name") == node:
                self.open[run_id] = observer.start("node", node, {"parent": run})

        def on_chain_end(self, outputs: Any, *, run_id: Any, **known: Any) -> None:
            if run_id in self.open:
                observer.end(self.open.pop(run_id), None, {})

        def on_chain_error(self, error: BaseException, *, run_id: Any, **known: Any) -> None:
            if run_id in self.open:
                observer.end(self.open.pop(run_id), type(error).__name__, {})

        def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: Any, **known: Any) -> None:
            named = known.get("invocation_params") or {}
            told = (known.get("metadata") or {}).get("ls_model_name") or named.get("model") or known.get("name")
            about = {
                "parent": self._parent(known.get("parent_run_id")),
                "gen_ai.provider.name": (known.get("metadata") or {}).get("ls_provider"),
            }
            self.open[run_id] = observer.start("model", str(told or "model"), about)

        def on_llm_end(self, response: Any, *, run_id: Any, **known: Any) -> None:
            if run_id in self.open:
                observer.end(self.open.pop(run_id), None, _used(response))

        def on_llm_error(self, error: BaseException, *, run_id: Any, **known: Any) -> None:
            if run_id in self.open:
                observer.end(self.open.pop(run_id), type(error).__name__, {})

    return Handler()


def _used(response: Any) -> dict[str, Any]:
    """The tokens that a model used, if reported."""
    try:
        usage = response.generations[0][0].message.usage_metadata or {}
    except (AttributeError, IndexError):
        return {}
    return {
        "gen_ai.usage.input_tokens": usage.get("input_tokens"),
        "gen_ai.usage.output_tokens": usage.get("output_tokens"),
    }
