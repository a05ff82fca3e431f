"""Tools offered over MCP: a list of tools as a server, over stdio, over HTTP or in this process.

It uses the SDK's low-level server, which halves the cost of a call.
"""

from __future__ import annotations

import importlib.util
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import to_json, to_jsonable_python

from signalbox import __version__
from signalbox.errors import SignalboxError, ToolArgumentsError, ToolFailedError, redact
from signalbox.toolbox.stdio import open_stdio
from signalbox.toolbox.typed_tools import Tool

__all__ = ["Offer", "ToolServer", "offer"]

_log = logging.getLogger("signalbox.toolbox")
_OBJECT = {"type": "object", "additionalProperties": True}


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool and the async function behind it, which takes the raw arguments and returns an object.

    The caller gets the message of a Signalbox error; of any other error, only that the call failed.
    """

    tool: types.Tool
    call: Callable[[dict[str, Any]], Awaitable[Mapping[str, object]]]

    @classmethod
    def of(
        cls,
        name: str,
        description: str,
        parameters: dict[str, Any],
        call: Callable[[dict[str, Any]], Awaitable[Mapping[str, object]]],
        hints: types.ToolAnnotations | None = None,
    ) -> Offer:
        """A tool by its parts."""
        title = name.replace("_", " ").replace("-", " ").title()
        return cls(
            types.Tool(
                name=name, title=title, description=description, input_schema=parameters, output_schema=_OBJECT,
                annotations=hints,
            ),
            call,
        )  # fmt: skip

    @classmethod
    def of_tool(cls, tool: Tool) -> Offer:
        """A tool of the loop, for MCP clients: `text`, `data` and `blocks` of its result."""

        async def call(given: dict[str, Any]) -> Mapping[str, object]:
            return (await tool.call(given)).as_dict()

        hints = types.ToolAnnotations(read_only_hint=tool.effect == "read", destructive_hint=tool.effect == "other")
        return cls.of(tool.name, tool.description, dict(tool.parameters), call, hints)


class _Untitled(GenerateJsonSchema):
    """Schemas without field titles, which would only repeat the names."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """No."""
        return False


def offer(
    function: Callable[..., Awaitable[Mapping[str, object]]],
    hints: types.ToolAnnotations | None = None,
    *,
    name: str = "",
    description: str = "",
) -> Offer:
    """An async function as a tool: its parameters are the function's, and arguments are checked against their types."""
    arguments: TypeAdapter[Any] = TypeAdapter(function)  # type: ignore[arg-type]  # it takes functions, too
    named = name or function.__name__

    async def call(given: dict[str, Any]) -> Mapping[str, object]:
        try:
            called = arguments.validate_python(given)
        except ValidationError as error:
            wrong = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
            raise ToolArgumentsError(f"{named}: {'; '.join(wrong)}.") from None
        result: Mapping[str, object] = await called
        return result

    described = description or inspect.getdoc(function) or ""
    return Offer.of(named, described, arguments.json_schema(schema_generator=_Untitled), call, hints)


class ToolServer(Server[Any]):
    """A server of these tools; `life` is its lifespan, `routes` are additional paths besides `/mcp`."""

    def __init__(
        self,
        name: str,
        offers: Iterable[Offer],
        *,
        instructions: str = "",
        life: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext,
        routes: Iterable[Any] = (),
    ) -> None:
        super().__init__(
            name,
            version=__version__,
            instructions=instructions,
            lifespan=lambda _: life(),
            on_list_tools=self._list,
            on_call_tool=self.respond,
        )
        self.offers = {one.tool.name: one for one in offers}
        self.routes = list(routes)

    async def give(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """A tool's result. Raises ToolFailedError with a message for the caller."""
        found = self.offers.get(name)
        try:
            if found is None:
                raise ToolFailedError(f"Unknown tool: '{name}'.")
            return dict(await found.call(arguments))
        except ToolFailedError:
            raise
        except SignalboxError as error:
            raise ToolFailedError(f"{error.user_message} {error.suggestion}".strip()) from error
        except Exception as error:
            _log.error("The tool %s broke: %s: %s", name, type(error).__name__, redact(error))
            raise ToolFailedError(f"Error executing tool {name}.") from error

    async def respond(self, context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        """The answer to a call over the protocol; `context.request` is the HTTP request, if any."""
        try:
            given = await self.give(asked.name, asked.arguments or {})
        except ToolFailedError as error:
            return types.CallToolResult(content=[types.TextContent(text=error.user_message)], is_error=True)
        # The text is for clients that read nothing else.
        text = types.TextContent(text=to_json(given, fallback=str).decode())
        return types.CallToolResult(content=[text], structured_content=to_jsonable_python(given, fallback=str))

    def serve_stdio(self) -> None:
        """Serve the parent process, until it closes stdin."""
        options = {"use_uvloop": importlib.util.find_spec("uvloop") is not None}
        anyio.run(self._serve_stdio, backend_options=options)

    def serve_http(self, host: str, port: int) -> None:
        """Serve at `/mcp` of an address, until stopped."""
        import uvicorn

        app = self.streamable_http_app(host=host, custom_starlette_routes=self.routes)
        uvicorn.run(app, host=host, port=port, log_level="warning")

    async def _serve_stdio(self) -> None:
        async with await open_stdio() as (incoming, outgoing):
            await self.run(incoming, outgoing, self.create_initialization_options())

    async def _list(self, _: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[one.tool for one in self.offers.values()])
