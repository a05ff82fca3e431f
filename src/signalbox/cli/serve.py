"""`signalbox serve`."""

from __future__ import annotations

import errno
import gc
import os
import socket
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["collect_seldom", "serve"]


def serve(
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="The agent to ask on the page; default: the front door.")
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")] = 7860,
    map_files: Annotated[
        list[Path] | None, typer.Option("--map", "-m", exists=True, help="A map to offer as an agent; repeatable.")
    ] = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Serve the web page, or only the API.")] = True,
    works: Annotated[
        bool,
        typer.Option("--worker/--no-worker", help="On PostgreSQL: execute runs, or leave them to signalbox worker."),
    ] = True,
    opens: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve the API and the web page until stopped with Ctrl-C.

    On localhost it prints a token and a link that opens the page signed in. On any other address it starts only if
    SIGNALBOX_JWT_SECRET or SIGNALBOX_JWKS_URL is set, with which tokens are verified.
    """
    from signalbox.cli.output import progress, say
    from signalbox.errors import MissingExtraError
    from signalbox.runs import find_agent

    if map_files:
        os.environ["SIGNALBOX_MAPS"] = os.pathsep.join(str(file.resolve()) for file in map_files)
    with progress("Starting …"):
        try:
            import uvicorn

            from signalbox.service import create_app
            from signalbox.service.logs import set_up_logs
            from signalbox.service.sign_in import PATH, make_code
            from signalbox.service.telemetry import set_up_telemetry
            from signalbox.service.tokens import is_secret_set, make_token
        except ImportError as error:
            if (error.name or "").startswith("signalbox"):
                raise
            raise MissingExtraError("The service", "service") from None
        if agent is not None:
            find_agent(agent)
        is_local = _is_local(host)
        _require_secret(host, is_local or is_secret_set())
        set_up_logs()
        set_up_telemetry()
        listening = _listen(host, port)
        has_page = page and _has_page()
        app = create_app(partial(_page, agent) if has_page else None, None if _is_any(host) else host, carries=works)
    with listening:
        from signalbox.settings import get_settings

        address = f"http://{_shown(host)}:{listening.getsockname()[1]}"
        is_own = is_local and not is_secret_set()
        say(f"Signalbox is at {address} (Ctrl-C stops it).")
        if is_own and has_page:
            say(f"Open the page, signed in (works once): {address}{PATH}#{make_code(get_settings().user)}")
        if is_own:
            say(f"Your token: {make_token(get_settings().user)}")
        elif not is_local:
            say("Every request needs a token (Authorization: Bearer …); signalbox token makes one.")
        if opens and has_page:
            # Other people on this machine can see the browser's arguments, but the code in the link works only once.
            _open_browser(f"{address}{PATH}#{make_code(get_settings().user)}" if is_own else address)
        options: dict[str, Any] = {"log_level": "warning", "access_log": False, "log_config": None}
        config = uvicorn.Config(app, timeout_graceful_shutdown=3, **options)
        collect_seldom()
        uvicorn.Server(config).run(sockets=[listening])


def collect_seldom() -> None:
    """Collect garbage after 50,000 new objects instead of 700, and never among the service's own long-lived objects.

    A request creates thousands of objects that are freed without a collection; collecting was a third of the work
    under load."""
    gc.freeze()
    gc.set_threshold(50_000, *gc.get_threshold()[1:])


def _open_browser(address: str) -> None:
    """Open the page in a browser, if this machine has a display. The browser waits until the service responds."""
    import sys
    import threading
    import webbrowser

    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    threading.Thread(target=webbrowser.open_new_tab, args=(address,), daemon=True).start()


def _has_page() -> bool:
    from importlib.util import find_spec

    from signalbox.cli.output import say

    if find_spec("plotly") is None:
        say('The web page is not installed; add it with pip install "signalbox-agents[console]".')
        return False
    return True


def _page(agent: str | None) -> Any:
    from signalbox.console import create_app

    return create_app(agent)


def _is_local(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _is_any(host: str) -> bool:
    """True if the host stands for all addresses of this machine, so that it cannot be opened in a browser."""
    return host in ("", "0.0.0.0", "::")


def _shown(host: str) -> str:
    if _is_any(host):
        return "[::1]" if host == "::" else "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _require_secret(host: str, is_set: bool) -> None:
    from signalbox.errors import OperatorError

    if not is_set:
        raise OperatorError(
            f"{host} can be reached from other machines, but there is no way to verify tokens.",
            suggestion="Set SIGNALBOX_JWT_SECRET (32 characters or more) or SIGNALBOX_JWKS_URL, or serve on 127.0.0.1.",
        )


def _listen(host: str, port: int) -> socket.socket:
    """A socket listening on the address. Raises OperatorError with advice if that fails."""
    from signalbox.errors import OperatorError

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = "is already in use" if error.errno == errno.EADDRINUSE else f"cannot be used: {error.strerror}"
        raise OperatorError(
            f"{host}:{port} {reason}.", suggestion="Choose another port with --port; --port 0 picks a free one."
        ) from None
