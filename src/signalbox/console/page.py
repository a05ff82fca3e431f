"""The page: threads on the left, a conversation, and one large question box."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from html import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

from signalbox.console.signing_in import person_of_page
from signalbox.console.talking import list_conversations, open_conversation, talk
from signalbox.console.transcript import Turn, turn_html
from signalbox.contract import Agent
from signalbox.errors import SignalboxError

__all__ = ["STYLE", "create_page"]

STYLE = Path(__file__).with_name("page.css")
_MOST_OPTIONS = 6
_FOLD = "() => { if (window.innerWidth < 700) document.querySelector('#side .toggle-button')?.click(); }"
"""On a phone the list of conversations is folded away, and one tap opens it."""
_LABELS = {"yes": "Approve", "no": "Reject", "approve": "Approve", "reject": "Reject"}
_ABOUT = (
    '<div class="hero"><h1>Ask your systems in plain language.</h1>'
    "<p>Figures, devices, to-do lists, A/B tests: the request goes to the agent that it is for, and the answer comes "
    "with its evidence.</p></div>"
)


def create_page(agent: Agent, offered: Sequence[Agent]) -> Any:
    """The page that asks `agent`, with one example of each agent that is offered, as Gradio's Blocks."""
    import gradio as gr

    examples = [one for one in offered if one.examples]

    async def sign_in(token: str | None, kept: dict[str, Any] | None) -> tuple[Any, ...]:
        """Who uses the page: by the token typed in, else by the one that the browser keeps."""
        given = (token or "").strip() or str((kept or {}).get("token") or "")
        person = await person_of_page(given)
        keeps = {**(kept or {}), "token": given if person else ""}
        wrong = "That token is nobody's, or has run out." if given and person is None else ""
        thread = str(keeps.get("thread") or "") if person else ""
        return (person, keeps, *_gates(gr, person, wrong), *_opened(person, thread))

    async def submit(
        said: str, kept: dict[str, Any], person: str | None, thread: str, past: list[Turn]
    ) -> AsyncIterator[Any]:
        """Say something, and show what comes of it, step by step."""
        said = (said or "").strip()
        if not said or person is None:
            return
        thread = thread or uuid4().hex
        keeps = {**(kept or {}), "thread": thread}
        shown = _html(past)
        yield ("", thread, past, keeps, shown, "", *_options(None), gr.skip(), gr.update(visible=False))
        turn = Turn(said)
        async for turn in talk(person, agent, said, thread):
            hidden = [gr.skip()] * _MOST_OPTIONS
            yield (
                gr.skip(),
                gr.skip(),
                gr.skip(),
                gr.skip(),
                gr.skip(),
                turn_html(turn),
                *hidden,
                gr.skip(),
                gr.skip(),
            )
        told = [*past, turn]
        threads = gr.update(choices=list_conversations(person), value=thread)
        yield ("", thread, told, keeps, shown, turn_html(turn), *_options(turn), threads, gr.skip())

    def choose(thread: str, kept: dict[str, Any], person: str | None) -> tuple[Any, ...]:
        return ({**(kept or {}), "thread": thread or ""}, *_opened(person, thread or ""))

    def _opened(person: str | None, thread: str) -> tuple[Any, ...]:
        """The page with a thread open; an empty page where there is none, or it is somebody else's."""
        turns: list[Turn] = []
        if person and thread:
            try:
                turns = open_conversation(person, thread)
            except SignalboxError:
                thread = ""
        threads = gr.update(choices=list_conversations(person) if person else [], value=thread or None)
        last = turns[-1] if turns else None
        return (
            thread, turns, _html(turns[:-1]), turn_html(last) if last else "", *_options(last), threads,
            gr.update(visible=not turns and person is not None),
        )  # fmt: skip

    def _options(turn: Turn | None) -> list[Any]:
        """Buttons for what a question can be answered with."""
        question = ((turn.answer or {}).get("question") or {}) if turn else {}
        options = [str(one) for one in question.get("options") or ()][:_MOST_OPTIONS]
        is_confirm = question.get("kind") == "confirm"
        shown = [
            gr.update(value=_LABELS.get(one.casefold(), one) if is_confirm else one, visible=True) for one in options
        ]
        return shown + [gr.update(visible=False)] * (_MOST_OPTIONS - len(shown))

    with gr.Blocks(title="Signalbox", analytics_enabled=False, fill_width=True) as page:
        kept = gr.BrowserState({}, storage_key="signalbox")
        person, thread, past = gr.State(None), gr.State(""), gr.State([])
        with gr.Sidebar(width=280, elem_id="side"):
            gr.HTML('<div class="brand">Signalbox</div>')
            new = gr.Button("New conversation", elem_id="new", size="sm")
            threads = gr.Radio([], show_label=False, container=False, elem_id="threads", interactive=True)
            signed = gr.HTML("", elem_id="signed")
            out = gr.Button("Sign out", elem_id="sign-out", size="sm", visible=False)
        with gr.Column(elem_id="gate", visible=False) as gate:
            gr.HTML(
                '<div class="hero"><h1>Sign in</h1><p>A token says who you are: '
                "<code>signalbox token</code> makes one.</p></div>"
            )
            token = gr.Textbox(type="password", label="Token", elem_id="token")
            enter = gr.Button("Sign in", variant="primary", elem_id="sign-in")
            refused = gr.HTML("", elem_id="refused")
        with gr.Column(elem_id="main", visible=False) as main:
            with gr.Column(elem_id="welcome", visible=True) as welcome:
                gr.HTML(_ABOUT)
                with gr.Row(elem_id="examples"):
                    shown_examples = [
                        gr.Button(one.examples[0], elem_classes=["example"], size="sm") for one in examples
                    ]
                gr.HTML(f'<p class="source">{escape(_where())}</p>')
            earlier = gr.HTML("", elem_id="earlier", padding=False)
            current = gr.HTML("", elem_id="current", padding=False)
            with gr.Row(elem_id="options"):
                options = [
                    gr.Button("", visible=False, size="sm", elem_classes=["option"]) for _ in range(_MOST_OPTIONS)
                ]
            with gr.Row(elem_id="ask-row"):
                box = gr.Textbox(
                    show_label=False, placeholder="Ask a question …", lines=1, max_lines=6, scale=8, autofocus=True,
                    elem_id="question", container=False,
                )  # fmt: skip
                send = gr.Button("Ask", variant="primary", scale=1, min_width=70, elem_id="ask")
        gates = [gate, main, signed, out, refused, token]
        view = [thread, past, earlier, current, *options, threads, welcome]
        asked = [kept, person, thread, past]
        changed = [box, thread, past, kept, earlier, current, *options, threads, welcome]
        page.load(None, None, None, js=_FOLD)
        page.load(sign_in, [token, kept], [person, kept, *gates, *view])
        gr.on([enter.click, token.submit], sign_in, [token, kept], [person, kept, *gates, *view])
        out.click(lambda: ({}, None), None, [kept, token]).then(sign_in, [token, kept], [person, kept, *gates, *view])
        submits: dict[str, Any] = {"concurrency_limit": None, "show_progress": "hidden"}
        gr.on([box.submit, send.click], submit, [box, *asked], changed, **submits)
        for button in [*shown_examples]:
            button.click(submit, [button, *asked], changed, **submits)
        for button in options:
            button.click(lambda label, *rest: label, [button], [box]).then(submit, [box, *asked], changed, **submits)
        threads.input(choose, [threads, kept, person], [kept, *view])
        new.click(lambda kept, person: choose("", kept, person), [kept, person], [kept, *view])
    return page


def _gates(gr: Any, person: str | None, wrong: str) -> tuple[Any, ...]:
    """What is seen before and after signing in."""
    told = f'<div class="who-am-i" title="{escape(person)}">Signed in as {escape(person[:8])}…</div>' if person else ""
    return (
        gr.update(visible=person is None), gr.update(visible=person is not None), told, gr.update(visible=bool(person)),
        f'<p class="error">{escape(wrong)}</p>' if wrong else "", "",
    )  # fmt: skip


def _html(turns: Sequence[Turn]) -> str:
    return "".join(map(turn_html, turns))


def _where() -> str:
    return (
        "Systems that are not connected are embedded demonstrations: GRAFANA_URL or PROMETHEUS_URL, NETWORK_INVENTORY "
        "and UPGRADE_URL connect yours."
    )
