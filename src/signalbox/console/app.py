"""The web page: a small front end that uses the service's own API, served as files with a strict content policy."""

from __future__ import annotations

import asyncio
import gzip
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from signalbox.errors import MissingExtraError
from signalbox.runs import default_agent, find_agent

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["create_app"]

_FILES = Path(__file__).with_name("page")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""No inline scripts, no eval, nothing from other servers. Images may be `data:` and `blob:`, which cannot run."""
_HEADERS = {"Content-Security-Policy": _POLICY, "Cache-Control": "no-cache"}


def create_app(agent: str | None = None) -> Any:
    """The page as an ASGI application, for one agent or by default the front door. Raises NotFoundError.

    The service mounts it next to the API that it uses, behind the same authentication.
    """
    from starlette.applications import Starlette
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.responses import HTMLResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    chosen = find_agent(agent) if agent else default_agent()
    house = chosen.name if chosen.hands_over is not None else ""
    shell = Template((_FILES / "index.html").read_text("utf-8")).substitute(assistant=chosen.name, house=house)

    class Files(StaticFiles):
        async def get_response(self, path: str, scope: Any) -> Response:
            found = await super().get_response(path, scope)
            found.headers.update(_HEADERS)
            return found

    async def page(request: Request) -> Response:
        return HTMLResponse(shell, headers=_HEADERS)

    routes = [
        *(Route(path, page) for path in ("/", "/t/{thread}", "/connections")),
        Route("/page/plotly.min.js", _plotly),
        Mount("/page", Files(directory=_FILES)),
    ]
    made = Starlette(routes=routes, exception_handlers={404: _unknown})
    made.add_middleware(GZipMiddleware, minimum_size=500)
    return made


async def _unknown(request: Request, _: Exception) -> Response:
    from signalbox.service.problems import unknown_address

    return unknown_address(request)


async def _plotly(request: Request) -> Response:
    """Plotly's script from its wheel, loaded with the first curve."""
    from starlette.responses import Response

    packed, mark = await asyncio.to_thread(_packed_plotly)
    headers = {**_HEADERS, "ETag": mark, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == mark:
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), media_type="text/javascript", headers=headers)
    return Response(packed, media_type="text/javascript", headers={**headers, "Content-Encoding": "gzip"})


@cache
def _packed_plotly() -> tuple[bytes, str]:
    """The script, compressed once, and its ETag."""
    found = find_spec("plotly")
    if found is None or found.origin is None:
        raise MissingExtraError("Curves", "console")
    script = Path(found.origin).with_name("package_data") / "plotly.min.js"
    packed = gzip.compress(script.read_bytes(), 6)
    return packed, f'"{len(packed):x}-{script.stat().st_size:x}"'
