"""`signalbox chat`: a conversation in the terminal."""

from __future__ import annotations

import asyncio
import sys
import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from signalbox.cli.run import Model

if TYPE_CHECKING:
    from signalbox.contract.answer import Answer

__all__ = ["chat"]


def chat(
    agent: Annotated[
        str | None,
        typer.Option(
            "--agent", "-a", help="The agent to talk to; by default, the front door picks one for each request."
        ),
    ] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", help="Continue the conversation with this name, or start it.")
    ] = None,
    model: Model = None,
) -> None:
    """Chat in the terminal, one request per line; an empty line or Ctrl-D ends it.

    If the agent asks a question, the next line answers it; a new request instead of a yes or no drops the question.
    signalbox chat --thread NAME continues a conversation.
    """
    from signalbox.cli.output import say
    from signalbox.runs import default_agent

    name, held = agent or default_agent().name, thread or f"chat-{uuid.uuid4().hex[:8]}"
    say(f"Type your request; an empty line ends the conversation. Its name is {held}.")
    asyncio.run(_converse(name, held, model))


async def _converse(name: str, thread: str, model: str | None) -> None:
    from signalbox.cli.output import say
    from signalbox.errors import SignalboxError
    from signalbox.runs import aclose, say_in_thread

    try:
        while line := (await asyncio.to_thread(_read_line)).strip():
            try:
                _tell(await say_in_thread(name, line, thread_id=thread, model=model))
            except SignalboxError as error:
                say(f"{error.user_message} {error.suggestion}".strip())
    finally:
        await aclose()


def _read_line() -> str:
    if sys.stdin.isatty():
        print("> ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def _tell(answer: Answer) -> None:
    from signalbox.cli.answers import print_answer
    from signalbox.cli.output import show

    print_answer(answer)
    show("")
