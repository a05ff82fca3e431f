"""A tool: one thing that an agent can do on a live system, and its result. The loop, plans and MCP servers all use
`Tool.call`, which checks the arguments, records the evidence, and runs the function. A tool is strict: it takes ids,
exact names and ISO 8601 times, and raises NotFoundError with the closest names for unknown things.

    @tool(effect="read")
    async def get_task(number: int) -> Result:
        "One task with its notes."
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, overload

from signalbox.contract.blocks import Block, diff
from signalbox.contract.sources import places
from signalbox.errors import ToolArgumentsError
from signalbox.toolbox.effects import Effect, Thing
from signalbox.toolbox.ledger import Call, current_ledger
from signalbox.toolbox.policy import arguments_validator, without

__all__ = ["Kind", "Proposal", "Result", "Tool", "as_proposal", "tool"]

Kind = Literal["read", "own", "other"]
"""The effect of a call, for the policy of effects: it only reads, it changes the person's own things reversibly, or it
changes something else."""
_KEY = "key"
_SUMMARY = 120


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a call.

    `text` is true and complete on its own: models read it, and people may see it alone. Set `is_empty` if nothing was
    found; the text then says what was searched and what to try next. `data` is for programs; anything that JSON cannot
    represent becomes text. `asks` is a question to the person (`kind`, `message`, `options`), which ends the loop.
    """

    text: str
    data: Any = None
    blocks: Sequence[Block] = ()
    source: dict[str, Any] | None = None
    not_covered: Sequence[str] = ()
    is_empty: bool = False
    asks: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        told = {"text": self.text, "data": self.data, "source": self.source, "is_empty": self.is_empty}
        asks = {"asks": self.asks} if self.asks else {}
        return {**told, "blocks": list(self.blocks), "not_covered": list(self.not_covered), **asks}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change before it is made: what, and each field as (name, before, after).

    `effect` describes it for the policy, `things` are all that the person's words could mean, and `source` is the
    system to change. `version` represents the current target: if it differs once the person has said yes, the change is
    shown again. `is_begun` is set if the change was confirmed and begun under this call's key before a crash: it
    continues without asking again.
    """

    what: str
    rows: Sequence[tuple[str, Any, Any]] = ()
    effect: Effect = field(default_factory=Effect)
    things: tuple[Thing, ...] = ()
    source: dict[str, Any] | None = None
    version: str = ""
    is_begun: bool = False

    def as_question(self) -> dict[str, Any]:
        """The question for a person: what changes, before and after, on which server."""
        lines = [f"- {name}: {_shown(before)} → {_shown(after)}" for name, before, after in self.rows]
        where = [f"On {places(self.source)}."] if self.source else []
        message = "\n".join([self.what, *lines, *where])
        blocks = [diff(self.what, self.rows)] if self.rows else []
        version = {"version": self.version} if self.version else {}
        about = {"summary": self.what.split("\n")[0], "blocks": blocks, "source": self.source}
        return {"message": message, **about, **version}


Preview = Callable[[dict[str, Any]], Awaitable[Proposal]]


@dataclass(frozen=True)
class Tool:
    """A tool with the JSON schema of its arguments. `run` takes the arguments and the idempotency key of the call.

    `preview` describes what a change would do. A change without a preview is always confirmed.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[dict[str, Any], str], Awaitable[Result]]
    effect: Kind = "other"
    preview: Preview | None = None

    def check(self, args: Any) -> dict[str, Any]:
        """The arguments according to the schema; null for an optional one means that it is left out.

        Raises ToolArgumentsError that names the argument.
        """
        if not isinstance(args, Mapping):
            raise ToolArgumentsError(f"{self.name}: the arguments are not an object.")
        known, required = self.parameters.get("properties") or {}, self.parameters.get("required") or ()
        given = {
            name: value
            for name, value in args.items()
            if value is not None or name in required or name not in known or _takes_null(known[name])
        }
        self._validator(given)
        return given

    @cached_property
    def _validator(self) -> Callable[[Mapping[str, Any]], None]:
        return arguments_validator(self.name, self.parameters)

    async def call(self, args: Any, step: str = "") -> Result:
        """Call the tool, with an entry in the evidence ledger. Raises ToolArgumentsError and the tool's own errors."""
        given = self.check(args)
        with current_ledger().call(self.name, given, step) as entry:
            return await self.recorded(given, entry)

    async def recorded(self, given: dict[str, Any], entry: Call) -> Result:
        """Call the tool with checked arguments, for an open entry in the ledger."""
        result = await self.run(given, entry.key)
        entry.returned(_first_line(result.text), result.data if result.data is not None else result.text)
        return result


async def as_proposal(tool: Tool, args: dict[str, Any]) -> Proposal:
    """What a call would change; without a preview, the call itself, which the policy then has confirmed."""
    if tool.preview is not None:
        return await tool.preview(args)
    return Proposal(f"{tool.name}: {tool.description}".strip(": "), [(name, None, args[name]) for name in args])


@overload
def tool(function: Callable[..., Awaitable[Result]]) -> Tool: ...


@overload
def tool(
    *,
    effect: Kind = "other",
    preview: Callable[..., Awaitable[Proposal]] | None = None,
    name: str = "",
    description: str = "",
) -> Callable[[Callable[..., Awaitable[Result]]], Tool]: ...


def tool(
    function: Callable[..., Awaitable[Result]] | None = None,
    *,
    effect: Kind = "other",
    preview: Callable[..., Awaitable[Proposal]] | None = None,
    name: str = "",
    description: str = "",
) -> Any:
    """Make a Tool of a typed async function: its docstring describes it, its parameters are the schema.

    A parameter called `key` gets the idempotency key of the call and is shown to no model. `preview` takes the same
    parameters, without the key.
    """
    if function is None:
        return partial(tool, effect=effect, preview=preview, name=name, description=description)
    # Imported here: schemas are made when a room is opened, and not when the package is imported.
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(function)  # type: ignore[arg-type]  # it takes functions, too
    named = name or function.__name__
    takes_key = _KEY in inspect.signature(function).parameters
    schema = _untitled(without(adapter.json_schema(), {_KEY}))

    async def run(args: dict[str, Any], key: str) -> Result:
        result: Result = await _validated(adapter, named, {**args, **({_KEY: key} if takes_key else {})})
        return result

    asked: Preview | None = None
    if preview is not None:
        previewed: TypeAdapter[Any] = TypeAdapter(preview)  # type: ignore[arg-type]

        async def ask(args: dict[str, Any]) -> Proposal:
            proposal: Proposal = await _validated(previewed, named, args)
            return proposal

        asked = ask
    return Tool(named, description or inspect.getdoc(function) or "", schema, run, effect, asked)


def _validated(adapter: Any, name: str, args: dict[str, Any]) -> Any:
    """The coroutine of a call, with the arguments converted to the function's types."""
    from pydantic import ValidationError

    try:
        return adapter.validate_python(args)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise ToolArgumentsError(f"{name}: {'; '.join(wrong)}.") from None


def _untitled(schema: Any) -> Any:
    """A schema without titles, which only repeat the names; a property called `title` is kept."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {name: _untitled(told) for name, told in schema.items() if name != "title" or isinstance(told, Mapping)}


def _takes_null(schema: Mapping[str, Any]) -> bool:
    if schema.get("type") == "null" or "null" in (schema.get("type") or ()) or None in (schema.get("enum") or ()):
        return True
    return any(_takes_null(one) for one in (*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())))


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _SUMMARY else f"{line[: _SUMMARY - 1]}…"


def _shown(value: Any) -> str:
    return "–" if value is None else str(value)
