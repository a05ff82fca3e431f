"""`/mcp`: every agent and map as an MCP tool, over streamable HTTP, for desktop assistants and editors."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from mcp.types import CallToolRequestParams, CallToolResult
from pydantic import Field

from signalbox.contract import Agent
from signalbox.contract.answer import notes_of
from signalbox.errors import ToolFailedError
from signalbox.runs.conversing import say
from signalbox.runs.engine import engine
from signalbox.runs.served import list_served
from signalbox.runs.threads import require_own
from signalbox.toolbox.person import use_person
from signalbox.toolbox.serving import Offer, ToolServer, offer

__all__ = ["create_app", "create_server"]

Request = Annotated[str, Field(description="What is asked, in plain words.", min_length=1, max_length=10_000)]
ThreadId = Annotated[
    str | None,
    Field(description="The thread_id of an answer: continues that conversation, or answers its question."),
]


def create_app() -> Any:
    """The MCP server as an application. The door in front of it knows the person; requests are stateless, so that any
    process can answer them."""
    # On any host: who may reach it is for the door, and whom it trusts says the token.
    return create_server().streamable_http_app(host="", stateless_http=True)


def create_server() -> ToolServer:
    """A server with one tool for each agent and map."""
    offers = [_offer(agent) for agent in list_served()]
    return _PersonsServer("signalbox", offers, instructions="Each tool asks an agent, which answers with evidence.")


class _PersonsServer(ToolServer):
    """Run a call as the person of this request."""

    async def respond(self, context: Any, asked: CallToolRequestParams) -> CallToolResult:
        with use_person(context.request.scope["state"]["person"]):
            return await super().respond(context, asked)


def _offer(agent: Agent) -> Offer:
    examples = "".join(f"\n- {example}" for example in agent.examples)
    about = f"{agent.about}\n\nFor example:{examples}" if examples else agent.about
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", agent.name)
    return offer(_asking(agent), name=name, description=about)


def _asking(agent: Agent) -> Callable[..., Awaitable[dict[str, Any]]]:
    async def ask(request: Request, thread_id: ThreadId = None) -> dict[str, Any]:
        if thread_id is not None:
            await asyncio.to_thread(require_own, thread_id)
        run, _ = await say(agent, request, thread_id=thread_id or str(uuid.uuid4()))
        done = await engine().wait(run)
        answer = dict(done.result.get("answer") or {})
        if done.result.get("error"):
            told = str(answer.get("answer") or done.result["error"]["message"])
            raise ToolFailedError("\n\n".join((told, *notes_of((), answer.get("source")))))
        return answer

    return ask
