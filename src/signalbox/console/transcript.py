"""A turn of a conversation as HTML: what was said, the steps on the way with the map of the graph, and the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from signalbox.console.answers import answer_html, draft_html, opening_of, shown_name, told
from signalbox.console.graphs import draw_graph
from signalbox.console.turn import Turn

__all__ = ["turn_html", "turns_html"]


def turns_html(turns: Sequence[Turn]) -> str:
    """Turns that are over, in their order."""
    return "".join(map(turn_html, turns))


def turn_html(turn: Turn) -> str:
    """The turn as one section of the page."""
    if turn.answer and turn.shown is not None:
        end = draft_html(str(turn.answer.get("agent") or ""), first_words(opening_of(turn.answer), turn.shown))
    elif turn.answer:
        end = answer_html(turn.answer, turn.key)
    elif turn.is_stopped:
        end = '<div class="answer stopped">Stopped. Nothing more happens for this request.</div>'
    else:
        end = draft_html(turn.agent, turn.draft) if turn.draft else ""
    parts = [f'<div class="said">{escape(turn.said)}</div>', _steps(turn) if turn.is_over else _live(turn), end]
    return f'<section class="turn" data-turn="{turn.key}">{"".join(parts)}</section>'


def first_words(text: str, count: int) -> str:
    """So many words of a text, with the lines as they are; what is set off by marks is not cut in the middle."""
    cut = "".join(re.findall(r"\S+\s*", text)[:count])
    for mark in ("**", "`"):
        if cut.count(mark) % 2:
            cut = cut[: cut.rindex(mark)]
    return cut


def _live(turn: Turn) -> str:
    """What happens now: the step, how long it has taken so far, and the map with the node that runs."""
    now = turn.steps[-1]["name"] if turn.steps else "Reading the request"
    head = (
        f'<div class="now" role="status"><span class="pulse"></span><b>{escape(shown_name(turn.agent))}</b>'
        f'<span class="doing">{escape(now)}</span>'
        f'<span class="elapsed" data-since="{turn.since * 1000:.0f}"></span></div>'
    )
    notice = f'<p class="note">{escape(turn.notice)}</p>' if turn.notice else ""
    return f'<div class="live">{head}{notice}{_list(turn)}{_graph(turn, "" if turn.draft else "open")}</div>'


def _steps(turn: Turn) -> str:
    if not turn.steps:
        return ""
    return f'<div class="done">{_list(turn)}{_graph(turn)}</div>'


def _list(turn: Turn) -> str:
    """The steps, folded: nodes, and under them the calls with their arguments and results."""
    count = "1 step" if len(turn.steps) == 1 else f"{len(turn.steps)} steps"
    rows = "".join(_step(step, f"{turn.key}-{place}") for place, step in enumerate(turn.steps))
    return f'<details class="steps" data-key="{turn.key}-steps"><summary>{count}</summary><ol>{rows}</ol></details>'


def _graph(turn: Turn, state: str = "") -> str:
    drawn = draw_graph(turn.agent, turn.at_work) if turn.agent else ""
    if not drawn:
        return ""
    summary = "<summary>Map of the agent</summary>"
    kept = f'data-key="{turn.key}-graph-{state}"'
    return f'<details class="graph" {kept} {state}>{summary}<div class="map">{drawn}</div></details>'


def _step(step: Mapping[str, Any], key: str) -> str:
    ok = step.get("ok")
    mark = {True: '<i class="ok">✓</i>', False: '<i class="failed">✗</i>', None: '<i class="runs">…</i>'}[ok]
    ms = f' <span class="ms">{step["ms"]:.0f} ms</span>' if isinstance(step.get("ms"), int | float) else ""
    head = f"{mark}{escape(str(step['name']))}{ms}"
    inside = "".join(
        f"<pre><b>{title}</b>\n{escape(told(step[name]))}</pre>"
        for name, title in (("args", "asked"), ("result", "got"))
        if step.get(name) not in (None, "", {})
    )
    kind = escape(str(step.get("kind") or "node"))
    if not inside:
        return f'<li class="{kind}">{head}</li>'
    return f'<li class="{kind}"><details data-key="{key}"><summary>{head}</summary>{inside}</details></li>'
