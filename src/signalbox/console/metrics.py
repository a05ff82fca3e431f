"""The page of the metrics agent: a conversation, and beside it the chart, the figures, the data and the query."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

from signalbox.console.downloads import Downloads
from signalbox.console.metrics_view import View, view_answer
from signalbox.console.patience import Patience, wait_for

__all__ = ["EXAMPLES", "create_metrics_page"]

EXAMPLES = (
    "Show CPU usage for the last hour",
    "p95 latency of the checkout service yesterday",
    "The five busiest hosts right now",
    "What share of requests failed today?",
    "Request rate of the gateway compared with yesterday",
)

_ASKED = "…"
_SLOW = "Still working: this takes longer than usual. You can stop it, or wait up to {limit:g} seconds."
_GIVEN_UP = (
    "**No answer within {limit:g} seconds, so the question was cancelled.**\n\n"
    "Ask for a shorter range of time, or for fewer series."
)
_CSS = "#error {border-left: 4px solid #b91c1c; padding-left: 0.8em;} footer {display: none !important;}"

Message = dict[str, Any]


def create_metrics_page(patience: Patience) -> Any:
    """The page, as Gradio's Blocks."""
    import gradio as gr

    downloads = Downloads()

    async def answer(question: str, chat: list[Message], thread: str) -> AsyncIterator[tuple[Any, ...]]:
        """Put the question to the agent and show what comes of it, step by step."""
        kept = (gr.skip(),) * 6
        question = (question or "").strip()
        if not question:
            return
        chat = [*chat, {"role": "user", "content": question}]
        yield ("", _with(chat, _ASKED), *kept)
        from signalbox.runs import aask

        async for waited in wait_for(aask("metrics", question, thread_id=thread), patience):
            if waited.event == "slow":
                yield ("", _with(chat, _SLOW.format(limit=patience.limit)), *kept)
            elif waited.result is None:
                told = _GIVEN_UP.format(limit=patience.limit)
                yield _parts(gr, chat, View(message=told, error=told), downloads)
            else:
                yield _parts(gr, chat, view_answer(waited.result.as_dict()), downloads)

    with gr.Blocks(title="Signalbox: metrics", analytics_enabled=False, fill_width=True) as page:
        thread = gr.State(lambda: uuid4().hex)
        gr.HTML(f"<style>{_CSS}</style>", visible=True, padding=False)
        gr.Markdown("# Signalbox: metrics\nAsk about your metrics in plain language; the answer shows its query.")
        with gr.Row():
            with gr.Column(scale=2):
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
                examples = [gr.Button(text, size="sm") for text in EXAMPLES]
            with gr.Column(scale=3):
                error = gr.Markdown(visible=False, elem_id="error")
                chart = gr.Plot(label="Chart", elem_id="chart")
                with gr.Tab("Statistics"):
                    figures = gr.Dataframe(
                        headers=["Figure", "Value"],
                        interactive=False,
                        show_label=False,
                        elem_id="statistics",
                        wrap=True,
                    )
                with gr.Tab("Data"):
                    rows = gr.Dataframe(interactive=False, show_label=False, max_height=320, elem_id="data")
                    csv = gr.DownloadButton("Download as CSV", interactive=False, elem_id="csv")
                with gr.Tab("Query"):
                    query = gr.Code(label="PromQL and range", interactive=False, wrap_lines=True, elem_id="promql")
        shown = [box, chat, error, chart, figures, rows, csv, query]
        started = [
            gr.on([box.submit, send.click], answer, [box, chat, thread], shown, concurrency_limit=None),
            *(
                button.click(answer, [gr.State(text), chat, thread], shown, concurrency_limit=None)
                for text, button in zip(EXAMPLES, examples, strict=True)
            ),
        ]
        stop.click(_stopped, chat, chat, cancels=started)
    return page


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


def _parts(gr: Any, chat: list[Message], view: View, downloads: Downloads) -> tuple[Any, ...]:
    """The new content of every part of the page, in the order of `shown`."""
    import plotly.graph_objects as go  # type: ignore[import-untyped]

    path = downloads.write(f"metrics-{uuid4().hex[:8]}.csv", view.csv) if view.csv else None
    return (
        "",
        _with(chat, view.message),
        gr.update(value=view.error or "", visible=view.error is not None),
        go.Figure(view.chart) if view.chart else None,
        gr.update(value=view.figures),
        gr.update(value=view.rows, headers=view.header) if view.rows else gr.update(value=[]),
        gr.update(value=path, interactive=path is not None),
        view.query,
    )
