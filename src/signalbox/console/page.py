"""The page on which agents are asked: a conversation, and beside it the blocks of the answer and its evidence."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import uuid4

from signalbox.console.downloads import Downloads
from signalbox.console.patience import Patience, wait_for
from signalbox.console.view import Part, View, view_answer, view_error
from signalbox.contract import Agent
from signalbox.contract.answer import Answer
from signalbox.drawing.html import STYLE
from signalbox.errors import ProgrammerError, SignalboxError

__all__ = ["create_page"]

_log = logging.getLogger("signalbox.console")
_MOST_EXAMPLES = 6
_ASKED = "…"
_SLOW = "Still working: this takes longer than usual. You can stop it, or wait up to {limit:g} seconds."
_GIVEN_UP = (
    "**No answer within {limit:g} seconds, so the question was cancelled.**\n\n"
    "Ask for less at once, such as a shorter range of time."
)
_CSS = "#error {border-left: 4px solid #b91c1c; padding-left: 0.8em;} footer {display: none !important;}" + STYLE

Message = dict[str, Any]


def create_page(agents: Sequence[Agent], patience: Patience) -> Any:
    """The page for these agents, as Gradio's Blocks; with several there is a choice, and the first is chosen."""
    import gradio as gr

    downloads = Downloads()
    by_name = {agent.name: agent for agent in agents}
    title = f"Signalbox: {agents[0].name}" if len(agents) == 1 else "Signalbox"

    async def answer(
        question: str, chat: list[Message], thread: str, agent: str
    ) -> AsyncIterator[tuple[str, list[Message], Any, Any]]:
        """Put the question to the agent and show what comes of it, step by step."""
        question = (question or "").strip()
        if not question:
            return
        chat = [*chat, {"role": "user", "content": question}]
        yield "", _with(chat, _ASKED), gr.skip(), gr.skip()
        async for waited in wait_for(_ask(agent, question, thread), patience):
            if waited.event == "slow":
                yield "", _with(chat, _SLOW.format(limit=patience.limit)), gr.skip(), gr.skip()
                continue
            told = waited.result
            view = view_error(_GIVEN_UP.format(limit=patience.limit)) if told is None else view_answer(told)
            yield "", _with(chat, view.message), gr.update(value=view.error or "", visible=bool(view.error)), view

    def show(view: View | None) -> None:
        """The right side of the page, made anew for every answer."""
        _show(gr, view or View(""), downloads)

    def introduce(name: str) -> list[Any]:
        """What the page says of the chosen agent, and its examples."""
        agent = by_name[name]
        return [agent.about, *(gr.update(value=text, visible=bool(text)) for text in _examples(agent))]

    with gr.Blocks(title=title, analytics_enabled=False, fill_width=True) as page:
        thread, shown = gr.State(lambda: uuid4().hex), gr.State(None)
        gr.HTML(f"<style>{_CSS}</style>", visible=True, padding=False)
        gr.Markdown(f"# {title}")
        about = gr.Markdown(agents[0].about, elem_id="about")
        with gr.Row():
            with gr.Column(scale=2):
                chosen = gr.Dropdown(
                    list(by_name), value=agents[0].name, label="Agent", visible=len(agents) > 1, elem_id="agent"
                )
                chat = gr.Chatbot(
                    label="Conversation", height=460, buttons=["copy"], feedback_options=None, elem_id="chat"
                )
                with gr.Row():
                    box = gr.Textbox(
                        show_label=False, placeholder="Ask a question …", scale=6, elem_id="question", autofocus=True
                    )
                    send = gr.Button("Ask", variant="primary", scale=1, min_width=70, elem_id="ask")
                    stop = gr.Button("Stop", variant="stop", scale=1, min_width=70, elem_id="stop")
                gr.Markdown("Examples")
                examples = [gr.Button(text, size="sm", visible=bool(text)) for text in _examples(agents[0])]
            with gr.Column(scale=3):
                error = gr.Markdown(visible=False, elem_id="error")

                gr.render(inputs=shown, triggers=[shown.change], show_progress="hidden")(show)
        asked = [chat, thread, chosen]
        changed = [box, chat, error, shown]
        started = [
            gr.on([box.submit, send.click], answer, [box, *asked], changed, concurrency_limit=None),
            *(button.click(answer, [button, *asked], changed, concurrency_limit=None) for button in examples),
        ]
        stop.click(_stopped, chat, chat, cancels=started)
        chosen.change(introduce, chosen, [about, *examples])
    return page


async def _ask(agent: str, question: str, thread: str) -> Answer:
    """The answer; also what is raised becomes one, so that the page says it and stays usable."""
    from signalbox.runs import aask

    try:
        return await aask(agent, question, thread_id=thread)
    except SignalboxError as error:
        return Answer.of_error(error, agent=agent)
    except Exception:
        _log.exception("The agent %s failed", agent)
        told = ProgrammerError(f"Something went wrong in the agent '{agent}'.", suggestion="The log says what.")
        return Answer.of_error(told, agent=agent)


def _examples(agent: Agent) -> list[str]:
    """As many examples as the page has buttons; a button without one is hidden."""
    return [*agent.examples, *[""] * _MOST_EXAMPLES][:_MOST_EXAMPLES]


def _show(gr: Any, view: View, downloads: Downloads) -> None:
    """The answer's parts, one below the other, then what they rest on."""
    for part in view.parts:
        _show_part(gr, part, downloads)
    if view.evidence:
        with gr.Accordion("Evidence", open=False):
            gr.HTML(view.evidence, elem_id="evidence")
    if view.notes:
        gr.HTML(view.notes, elem_id="notes")


def _show_part(gr: Any, part: Part, downloads: Downloads) -> None:
    if part.chart is not None:
        import plotly.graph_objects as go  # type: ignore[import-untyped]

        gr.Plot(go.Figure(part.chart), show_label=False, elem_classes=["block-chart"])
    else:
        gr.HTML(part.html)
    if part.csv:
        path = downloads.write(f"{part.type}-{uuid4().hex[:8]}.csv", part.csv)
        gr.DownloadButton("Download as CSV", value=path, size="sm", elem_classes=["csv"])


def _stopped(chat: list[Message]) -> list[Message]:
    """The conversation after the person gave up waiting."""
    waits = bool(chat) and _text(chat[-1]).startswith((_ASKED, _SLOW[:13]))
    return _with(chat[:-1], "Stopped.") if waits else chat


def _text(message: Message) -> str:
    """What a message says; the browser sends it back in parts."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _with(chat: list[Message], told: str) -> list[Message]:
    return [*chat, {"role": "assistant", "content": told}]
