"""A map as a table for the terminal: a row a node, with where it leads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from signalbox.maps.draw.text import one_line
from signalbox.maps.registry import builtin_type
from signalbox.maps.spec import GraphSpec, NodeSpec
from signalbox.maps.topology import choices

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

__all__ = ["CHOICE", "FAILURE", "SUCCESS", "entry_line", "next_lines", "short_prompt", "to_table"]

SUCCESS, FAILURE, CHOICE = "✓", "✗", "?"
_STYLES = {SUCCESS: "green", FAILURE: "red", CHOICE: "magenta"}
_PROMPT = 26


def to_table(spec: GraphSpec) -> Table:
    """The rows of the graph in their order, readable from 80 columns on. Prompts are shortened."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(one_line(spec.name)), caption=Text(entry_line(spec)), box=SIMPLE_HEAD)
    table.title_style, table.caption_style = "bold", "dim"
    table.title_justify = table.caption_justify = "left"
    table.pad_edge = False
    table.padding = (0, 1, 0, 0)
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("Node", overflow="fold")
    table.add_column("Type", overflow="fold", style="cyan", max_width=14)
    table.add_column("In", overflow="fold", style="dim", max_width=12)
    table.add_column("Out", overflow="fold", style="dim", max_width=12)
    table.add_column("Next", overflow="fold")
    for number, node in enumerate(spec, start=1):
        table.add_row(f"▶ {number}" if number == 1 else str(number), *_cells(node, spec))
    return table


def entry_line(spec: GraphSpec) -> str:
    """Where the graph begins and how long it is, in words."""
    if not spec.nodes:
        return "No nodes."
    count = len(spec)
    return f"▶ starts at {one_line(spec.entry.name)}; {count} {'node' if count == 1 else 'nodes'}."


def next_lines(node: NodeSpec, spec: GraphSpec) -> list[str]:
    """Where a node leads: `✓ A | B` on success, `✗ C` on failure, `? D | E` for an orchestrator's choice,
    `A` without a mark either way, and `end` where it stops."""
    kind = builtin_type(node.agent_type)
    chosen = choices(node, spec) if kind is not None and kind.chooses else []
    lines = [f"{CHOICE} {_targets(chosen)}"] if chosen else []
    if node.is_conditional:
        lines += [f"{SUCCESS} {_targets(node.on_success)}"] if node.on_success or not chosen else []
        return [*lines, f"{FAILURE} {_targets(node.on_failure)}"]
    return [*lines, _targets(node.on_success)] if node.on_success or not chosen else lines


def short_prompt(node: NodeSpec, width: int = _PROMPT) -> str:
    """The beginning of a node's prompt, or of its description where it has none."""
    text = one_line(node.prompt or node.description)
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def _targets(targets: Iterable[str]) -> str:
    return " | ".join(one_line(target) for target in targets) or "end"


def _cells(node: NodeSpec, spec: GraphSpec) -> list[Text]:
    from rich.text import Text

    name = Text(one_line(node.name), style="bold")
    if prompt := short_prompt(node):
        name.append(f"\n{prompt}", style="not bold dim italic")
    fields = (node.agent_type, " ".join(node.inputs), " ".join(node.outputs))
    leads = (Text(line, style=_STYLES.get(line[:1], "")) for line in next_lines(node, spec))
    return [name, *(Text(one_line(field)) for field in fields), Text("\n").join(leads)]
