"""The page: threads on the left, a conversation, and one large question box."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from functools import partial
from html import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

from signalbox.console.conversations import list_conversations, open_conversation
from signalbox.console.sources import source_line
from signalbox.console.talking import follow_run, is_followed, stop, talk
from signalbox.console.transcript import turn_html, turns_html
from signalbox.console.turn import Turn, shown_reply
from signalbox.contract import Agent
from signalbox.contract.sources import is_set_aside
from signalbox.errors import SignalboxError
from signalbox.runs.records import Run

__all__ = ["SCRIPT", "STYLE", "create_page"]

STYLE = Path(__file__).with_name("page.css")
SCRIPT = Path(__file__).with_name("page.js")
_MOST_OPTIONS = 6
_BRAND = '<div class="brand"><span class="lamps"><i></i><i></i><i></i></span>Signalbox</div>'
_ABOUT = (
    '<div class="hero"><h1>Ask your systems in plain language</h1>'
    "<p>One box for all of your agents. A request goes to the agent that it is for; "
    "the answer comes with its figures, its steps and its evidence. Nothing is changed without your word.</p></div>"
)
_SIGN_OUT = '() => fetch("/sign-in", { method: "DELETE" }).then(() => location.reload())'
_HINT = '<p class="hint"><kbd>Enter</kbd> asks, <kbd>Esc</kbd> stops, <kbd>/</kbd> writes, <kbd>n</kbd> begins anew</p>'


def create_page(agent: Agent, offered: Sequence[Agent]) -> Any:
    """The page that asks `agent`, with one example of each agent that is offered, as Gradio's Blocks."""
    import gradio as gr

    examples = [one for one in offered if one.examples and (one is agent or not is_set_aside(one))]
    skipped = gr.skip()

    def enter(kept: dict[str, Any] | None, request: Any) -> tuple[Any, ...]:
        """Open the page for the person whom the door found, with the thread that the browser last had open."""
        person = str(request.request.scope["state"]["person"])
        thread = str((kept or {}).get("thread") or "")
        return (person, gr.update(visible=True), _who(person), {"thread": thread}, *opened(person, thread))

    enter.__annotations__["request"] = gr.Request  # Gradio gives the request to a parameter of this type.

    def choose(thread: str, person: str | None) -> tuple[Any, ...]:
        return ({"thread": thread or ""}, *opened(person, thread or ""))

    def opened(person: str | None, thread: str) -> tuple[Any, ...]:
        """The page with a thread open; an empty page where there is none, or it is somebody else's."""
        turns: list[Turn] = []
        run: Run | None = None
        if person and thread:
            try:
                turns, run = open_conversation(person, thread)
            except SignalboxError:
                thread = ""
        last = turns.pop() if run and turns else turns[-1] if turns else None
        before = turns if run else turns[:-1]
        threads = gr.update(choices=list_conversations(person) if person else [], value=thread or None)
        at_work = Turn(last.said) if run and last else None
        return (
            thread, turns, (at_work, run) if at_work else None, turns_html(before),
            turn_html(at_work or last) if last else "", *offers(None if run else last), threads,
            *welcomes(person is not None and last is None), *buttons(is_busy=run is not None),
        )  # fmt: skip

    def begin(said: str, person: str | None, thread: str, past: list[Turn]) -> tuple[Any, ...]:
        """Take what was said, and show it at once; nothing where there is nothing, or something is being answered."""
        said = (said or "").strip()
        if not said or person is None or (thread and is_followed(person, thread)):
            return ("", *[skipped] * (len(begun) - 1))
        thread = thread or uuid4().hex
        shown = shown_reply(past[-1].question if past else {}, said)
        return (
            said, "", thread, {"thread": thread}, turns_html(past), turn_html(Turn(shown)), *offers(None),
            *welcomes(False), *buttons(is_busy=True),
        )  # fmt: skip

    async def go_on(said: str, person: str | None, thread: str, past: list[Turn]) -> AsyncIterator[tuple[Any, ...]]:
        """Have it answered, and show what comes of it, step by step."""
        if not said or person is None:
            yield (skipped,) * len(answered)
            return
        turn = Turn(shown_reply(past[-1].question if past else {}, said))
        async for _ in talk(person, agent, said, thread, turn):
            yield drawn(turn)
        yield ended(person, thread, past, turn)

    async def watch(
        person: str | None, thread: str, past: list[Turn], under_way: tuple[Turn, Run] | None
    ) -> AsyncIterator[tuple[Any, ...]]:
        """Follow what was being answered already when the thread was opened."""
        if person is None or under_way is None:
            yield (skipped,) * len(answered)
            return
        turn, run = under_way
        async for _ in follow_run(turn, run):
            yield drawn(turn)
        yield ended(person, thread, past, turn)

    def drawn(turn: Turn) -> tuple[Any, ...]:
        return (turn_html(turn), *[skipped] * (len(answered) - 1))

    def ended(person: str, thread: str, past: list[Turn], turn: Turn) -> tuple[Any, ...]:
        threads = gr.update(choices=list_conversations(person), value=thread)
        return (turn_html(turn), [*past, turn], None, *offers(turn), threads, *buttons(is_busy=False))

    async def halt(person: str | None, thread: str) -> Any:
        if person is not None and thread:
            # Where there is nothing of this person's to stop, nothing is to be said.
            with suppress(SignalboxError):
                await stop(person, thread)

    def offers(turn: Turn | None) -> list[Any]:
        """Buttons for what a question can be answered with, and what each says."""
        question = turn.question if turn else {}
        options = [str(one) for one in question.get("options") or ()][:_MOST_OPTIONS]
        shown: list[Any] = []
        for one in options:
            label = shown_reply(question, one)
            kind = {"Approve": "primary", "Reject": "stop"}.get(label, "secondary")
            shown.append(gr.update(value=label, variant=kind, visible=True))
        return [options, *shown, *[gr.update(visible=False)] * (_MOST_OPTIONS - len(shown))]

    def welcomes(is_new: bool) -> list[Any]:
        return [gr.update(visible=is_new)] * 2

    def buttons(*, is_busy: bool) -> list[Any]:
        return [gr.update(visible=not is_busy), gr.update(visible=is_busy)]

    with gr.Blocks(title="Signalbox", analytics_enabled=False, fill_width=True) as page:
        kept = gr.BrowserState({}, storage_key="signalbox")
        person, thread, past, said, said_options = (
            gr.State(None), gr.State(""), gr.State([]), gr.State(""), gr.State([]),
        )  # fmt: skip
        under_way = gr.State(None)
        with gr.Sidebar(width=272, elem_id="side"):
            gr.HTML(_BRAND)
            new = gr.Button("New conversation", elem_id="new", size="sm")
            threads = gr.Radio(
                [], label="Conversations", show_label=False, container=False, elem_id="threads", interactive=True
            )
            signed = gr.HTML("", elem_id="signed")
            with gr.Row(elem_id="foot"):
                out = gr.Button("Sign out", elem_id="sign-out", size="sm", min_width=60)
                gr.Button("Dark or light", elem_id="shade", size="sm", min_width=60)
        with gr.Column(elem_id="main", visible=False) as main:
            with gr.Column(elem_id="welcome", visible=True) as welcome:
                gr.HTML(_ABOUT)
            earlier = gr.HTML("", elem_id="earlier")
            current = gr.HTML("", elem_id="current")
            with gr.Row(elem_id="options"):
                options = [
                    gr.Button("", visible=False, size="md", elem_classes=["option"], min_width=90)
                    for _ in range(_MOST_OPTIONS)
                ]
            with gr.Row(elem_id="ask-row"):
                box = gr.Textbox(
                    label="Your question", show_label=False, placeholder="Ask a question …",
                    lines=1, max_lines=6, scale=8, autofocus=True, elem_id="question", container=False,
                )  # fmt: skip
                send = gr.Button("Ask", variant="primary", scale=1, min_width=84, elem_id="ask")
                halting = gr.Button("Stop", variant="stop", scale=1, min_width=84, elem_id="stop", visible=False)
            with gr.Column(elem_id="start", visible=True) as start:
                with gr.Row(elem_id="examples"):
                    cards = [_card(gr, one) for one in examples]
                gr.HTML(f'<p class="source">{source_line(offered)}</p>{_HINT}')
        shown = [said_options, *options]
        view = [thread, past, under_way, earlier, current, *shown, threads, welcome, start, send, halting]
        begun = [said, box, thread, kept, earlier, current, *shown, welcome, start, send, halting]
        answered = [current, past, under_way, *shown, threads, send, halting]
        # Nobody waits for another person's answer.
        quiet: dict[str, Any] = {"show_progress": "hidden", "concurrency_limit": None}

        asked = [person, thread, past]
        asking = [gr.on([box.submit, send.click], begin, [box, *asked], begun, **quiet)]
        for card, one in zip(cards, examples, strict=True):
            asking.append(card.click(partial(begin, one.examples[0]), asked, begun, **quiet))
        for place, button in enumerate(options):
            reply = partial(_reply, begin, place)
            asking.append(button.click(reply, [said_options, *asked], begun, **quiet))
        answering = [one.then(go_on, [said, person, thread, past], answered, **quiet) for one in asking]

        out.click(None, js=_SIGN_OUT)
        opening = page.load(enter, [kept], [person, main, signed, kept, *view], **quiet)
        watching = opening.then(watch, [person, thread, past, under_way], answered, **quiet)
        # Another conversation is opened: what the page follows goes on, and is no longer shown.
        switching: dict[str, Any] = {"outputs": [kept, *view], "cancels": [*answering, watching], **quiet}
        for switched in (
            threads.input(choose, [threads, person], **switching),
            new.click(partial(choose, ""), [person], **switching),
        ):
            switched.then(watch, [person, thread, past, under_way], answered, **quiet)
        halting.click(halt, [person, thread], None, **quiet)
    return page


def _reply(begin: Any, place: int, options: list[str], *asked: Any) -> Any:
    """Say what the option at that place stands for."""
    return begin(options[place] if place < len(options) else "", *asked)


def _card(gr: Any, agent: Agent) -> Any:
    """An example of what an agent is asked, under the agent's name."""
    return gr.Button(f"{agent.name}\n{agent.examples[0]}", elem_classes=["example"], size="sm", min_width=140)


def _who(person: str) -> str:
    return f'<div class="who-am-i" title="{escape(person)}">Signed in as {escape(person[:8])}</div>'
