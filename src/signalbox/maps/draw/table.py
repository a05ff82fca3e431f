"""A map as a table for the terminal: a row a node, with where it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signalbox.maps.draw.text import one_line
from signalbox.maps.spec import GraphSpec, NodeSpec

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

__all__ = ["FAILURE", "SUCCESS", "entry_line", "next_lines", "short_prompt", "to_table"]

SUCCESS, FAILURE = "✓", "✗"
_PROMPT = 60


def to_table(spec: GraphSpec) -> Table:
    """The rows of the graph in their order, readable from 80 columns on. Prompts are shortened."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(one_line(spec.name)), caption=Text(entry_line(spec)), box=box.SIMPLE_HEAD)
    table.title_style, table.caption_style = "bold", "dim"
    table.title_justify = table.caption_justify = "left"
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("Node", overflow="fold", min_width=8, ratio=None)
    table.add_column("Type", overflow="fold", style="cyan", min_width=5)
    table.add_column("In", overflow="fold", style="dim", min_width=4)
    table.add_column("Out", overflow="fold", style="dim", min_width=4)
    table.add_column("Next", overflow="fold", min_width=12)
    for number, node in enumerate(spec, start=1):
        fields = (", ".join(node.inputs), ", ".join(node.outputs))
        cells = (Text(one_line(cell)) for cell in (node.agent_type, *fields))
        table.add_row(str(number), _name(node, first=number == 1), *cells, _next(node))
    return table


def entry_line(spec: GraphSpec) -> str:
    """Where the graph begins and how long it is, in words."""
    if not spec.nodes:
        return "No nodes."
    count = len(spec)
    return f"Starts at {one_line(spec.entry.name)}. {count} {'node' if count == 1 else 'nodes'}."


def next_lines(node: NodeSpec) -> list[str]:
    """Where a node leads: `✓ A | B` on success, `✗ C` on failure, `A` either way, `end` where it stops."""
    if not node.is_conditional:
        return [_targets(node.on_success)]
    return [f"{SUCCESS} {_targets(node.on_success)}", f"{FAILURE} {_targets(node.on_failure)}"]


def short_prompt(node: NodeSpec, width: int = _PROMPT) -> str:
    """The beginning of a node's prompt, or of its description where it has none."""
    text = one_line(node.prompt or node.description)
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def _targets(targets: tuple[str, ...]) -> str:
    return " | ".join(one_line(target) for target in targets) or "end"


def _name(node: NodeSpec, *, first: bool) -> Text:
    from rich.text import Text

    name = Text(("▶ " if first else "") + one_line(node.name), style="bold")
    prompt = short_prompt(node)
    return name.append(f"\n{prompt}", style="not bold dim italic") if prompt else name


def _next(node: NodeSpec) -> Text:
    from rich.text import Text

    styles = {SUCCESS: "green", FAILURE: "red"}
    lines = (Text(line, style=styles.get(line[:1], "")) for line in next_lines(node))
    return Text("\n").join(lines)
