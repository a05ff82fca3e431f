"""What an agent may do with tools: read only, fixed arguments, and calls that a person approves.

A policy works with any model, because it is applied to the call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from signalbox.errors import ApprovalDeniedError, SignalboxError, ToolArgumentsError, ToolRefusedError
from signalbox.toolbox.ledger import current_ledger
from signalbox.toolbox.sessions import Session, ToolInfo

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

__all__ = ["Policy", "arguments_validator", "as_langchain_tools", "call_tool", "check", "without"]

Approve = Callable[[ToolInfo, Mapping[str, Any]], Awaitable[bool]]


@dataclass(frozen=True)
class Policy:
    """`inject` overrides the model's arguments; `hidden` parameters are not shown to models (nor are injected ones);
    `approve` is called before every call that is not read-only."""

    read_only: bool = False
    inject: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    approve: Approve | None = None
    deadline: float = 30.0


def check(tool: ToolInfo, args: Mapping[str, Any], policy: Policy) -> dict[str, Any]:
    """The arguments of the call.

    Raises ToolRefusedError if the policy forbids the tool, and ToolArgumentsError with the argument's name.
    """
    if policy.read_only and not tool.read_only:
        raise ToolRefusedError(f"{tool.name} changes something, and only reading is allowed here.")
    known = (tool.parameters or {}).get("properties") or {}
    allowed = {**args, **{name: value for name, value in policy.inject.items() if name in known}}
    arguments_validator(tool.name, tool.parameters)(allowed)
    return allowed


def arguments_validator(name: str, parameters: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], None]:
    """A function that checks arguments against the schema of a tool and raises ToolArgumentsError with the argument's
    name."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    validator = Draft202012Validator({"additionalProperties": False, **(parameters or {"type": "object"})})

    def validate(args: Mapping[str, Any]) -> None:
        found = best_match(validator.iter_errors(dict(args)))
        if found is not None:
            where = ".".join(str(part) for part in found.absolute_path) or "arguments"
            raise ToolArgumentsError(f"{name}: {where}: {found.message}")

    return validate


async def call_tool(session: Session, tool: ToolInfo, args: Mapping[str, Any], policy: Policy, step: str = "") -> Any:
    """Call a tool according to the policy, with an entry in the evidence ledger.

    If the model gave a different value for an injected argument, that is recorded. Raises like `check` and
    `Session.call`, and ApprovalDeniedError.
    """
    allowed = check(tool, args, policy)
    if policy.approve is not None and not tool.read_only and not await policy.approve(tool, allowed):
        raise ApprovalDeniedError(f"{tool.name} was not approved.")
    overridden = {name: args[name] for name, value in policy.inject.items() if name in args and args[name] != value}
    shown = {name: value for name, value in allowed.items() if name not in policy.hidden}
    with current_ledger().call(tool.name, shown, step) as entry:
        entry.is_change = not tool.read_only
        given = await session.call(tool.name, allowed, policy.deadline)
        entry.returned(_summary(given) + (f" (overridden: {', '.join(overridden)})" if overridden else ""), given)
    return given


def as_langchain_tools(session: Session, policy: Policy, infos: Sequence[ToolInfo], step: str = "") -> list[BaseTool]:
    """The tools for a chat model, without fixed parameters. A failed call returns its error as
    `{"status": "error", "error_type", "message"}`, for the model to read."""
    from langchain_core.tools import StructuredTool

    gone = {*policy.inject, *policy.hidden}

    def made(info: ToolInfo) -> BaseTool:
        async def run(**given: Any) -> Any:
            try:
                return await call_tool(session, info, given, policy, step)
            except SignalboxError as error:
                return {"status": "error", "error_type": error.error_type, "message": error.user_message}

        return StructuredTool(
            name=info.name, description=info.description, args_schema=without(info.parameters, gone), coroutine=run
        )

    return [made(info) for info in infos if info.read_only or not policy.read_only]


def without(schema: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """A schema without some of its properties."""
    properties = {name: told for name, told in (schema.get("properties") or {}).items() if name not in names}
    required = [name for name in schema.get("required") or () if name not in names]
    return {"type": "object", **schema, "properties": properties, "required": required}


def _summary(given: Any) -> str:
    if isinstance(given, Mapping):
        status = given.get("status")
        return str(status) if isinstance(status, str) else f"{len(given)} fields"
    return f"{len(given)} items" if isinstance(given, list) else str(given)[:80]
