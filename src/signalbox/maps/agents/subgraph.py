"""The graph type: runs another graph, in this file or another, as one node of this one.

Context: `workflow=::Graph`, `workflow=file.csv::Graph`, or `workflow_field=key` for a graph of this file that
the state names.
Input_Fields: `child=parent` maps a field; a plain name passes it on; none passes the whole state on. Output_Field:
`parent=child` maps a field back; a plain name takes the whole state of the child.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.errors import GraphBubbleUp

from signalbox.contract import current_tracker
from signalbox.errors import MapError
from signalbox.language.names import did_you_mean
from signalbox.maps.agents.base import Inputs, MapAgent
from signalbox.maps.functions import load_function
from signalbox.maps.nested import find_graph
from signalbox.maps.result import OWNED, MapResult
from signalbox.maps.spec import FUNC

__all__ = ["MAX_DEPTH", "GraphAgent"]

MAX_DEPTH = 25


class GraphAgent(MapAgent):
    """Runs another graph. A failure of that graph is a failure of this node."""

    needs_variables = False
    pauses = True
    runs_graph = True

    def _pre_process(self, state: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
        child = Inputs(self._child_state(state), state)
        tracker = current_tracker.get()
        if tracker is not None:
            tracker.record_inputs(self.name, child)
        return state, child

    def process(self, inputs: dict[str, Any]) -> Any:
        """The state that the child graph ended with."""
        return self._ended(self._start(inputs))

    def _start(self, inputs: dict[str, Any]) -> MapResult:
        from signalbox.maps.check import require_sound
        from signalbox.maps.map_run import MapRun
        from signalbox.maps.run import run_map

        here = self.run_context
        if here.depth >= MAX_DEPTH:
            raise MapError(
                f"'{self.name}' runs graphs inside graphs, {MAX_DEPTH} deep.",
                suggestion="A graph that runs itself needs a branch that ends it.",
            )
        state = inputs.state if isinstance(inputs, Inputs) else {}
        child, graphs, folder = find_graph(self.context, self.prompt, state, here.graphs, here.folder)
        require_sound(child, folder, graphs)
        tracker = current_tracker.get()
        run = MapRun(
            child, folder, graphs, dict(inputs), here.data, here.model, budget=here.budget,
            thread_id=here.thread_id, depth=here.depth + 1, stepwise=here.stepwise,
            earlier=tracker.waiting.pop(self.name, None) if tracker else None, noted=here.noted,
            conversation=here.conversation,
        )  # fmt: skip
        try:
            return run_map(run)
        except GraphBubbleUp as pause:
            if tracker is not None and (summary := getattr(pause, "summary", None)) is not None:
                tracker.waiting[self.name] = summary
            raise

    def _ended(self, result: MapResult) -> dict[str, Any]:
        tracker = current_tracker.get()
        if tracker is not None:
            tracker.record_subgraph(self.name, result.summary)
        if result.status == "error":
            error = result.error or {}
            why = error.get("message") or "; ".join(result.state.get("errors", [])) or "it failed"
            if tracker is not None and error.get("error_type") not in ("node_failed", "policy", None):
                tracker.errors[self.name] = error
            # Of graphs inside graphs the innermost says why.
            raise MapError(f"The graph '{result.graph}' failed: {why.rpartition(' failed: ')[2]}")
        return result.values

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        mapped = [field.partition("=") for field in self.output_fields if "=" in field]
        if not mapped or "last_action_success" in output:
            return state, output
        missing = [child.strip() for _, _, child in mapped if child.strip() not in output]
        if missing:
            raise MapError(
                f"The graph did not give '{missing[0]}'.",
                suggestion=did_you_mean(missing[0], map(str, output)),
            )
        updates = {parent.strip(): output[child.strip()] for parent, _, child in mapped}
        updates |= {field: output for field in self.output_fields if "=" not in field}
        return state, {"state_updates": {"last_action_success": True, **updates}}

    def _child_state(self, state: Mapping[str, Any]) -> dict[str, Any]:
        if not self.input_fields:
            return {key: value for key, value in state.items() if key not in OWNED}
        if self.input_fields[0].startswith(FUNC):
            return self._mapped(self.input_fields[0].removeprefix(FUNC), state)
        child: dict[str, Any] = {}
        for field in self.input_fields:
            if "=" in field:
                target, _, source = field.partition("=")
            else:
                source, _, target = field.partition(":")
            source = source.strip()
            if source in state:
                child[target.strip() or source] = state[source]
        return child

    def _mapped(self, name: str, state: Mapping[str, Any]) -> dict[str, Any]:
        """The child's state as a function beside the map makes it of the parent's."""
        child = load_function(name, self.run_context.folder)(dict(state))
        if not isinstance(child, Mapping):
            raise MapError(f"The function '{name}' gave a {type(child).__name__}; it must give a mapping.")
        return dict(child)
