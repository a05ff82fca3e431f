"""The orchestrator: reads a request and chooses the node that fits it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from signalbox.errors import RequestError
from signalbox.maps.agents.base import MapAgent
from signalbox.maps.agents.matching import STRATEGIES, choose, fallback_by_model
from signalbox.maps.agents.models import choose_model
from signalbox.maps.spec import FUNC, NodeSpec
from signalbox.maps.topology import choices

__all__ = ["OrchestratorAgent"]


class OrchestratorAgent(MapAgent):
    """Chooses the next node by the request in its inputs. Its output is the name of the node.

    Context: `matching_strategy` (tiered, algorithm, llm), `confidence_threshold` (0.8), `nodes` (`A|B|C`) or
    `node_type` to choose among, `routing_rules` (words to nodes, `default` among them) to choose by, `default_target`
    if nothing fits, or else a fallback node. Its prompt tells a model how to choose. It never chooses itself."""

    chooses = True
    uses_model = True
    needs_variables = False
    allowed_options: ClassVar[Mapping[str, tuple[str, ...]]] = {"matching_strategy": STRATEGIES}

    def process(self, inputs: dict[str, Any]) -> Any:
        """The name of the node that comes next."""
        graph = self.run_context.graph
        assert graph is not None
        row = graph.node(self.name)
        among = {name: _described(graph.node(name)) for name in choices(row, graph)}
        among, default = self._by_rules(among)
        request = " ".join(str(value) for value in inputs.values() if value not in (None, ""))
        strategy = str(self.context.get("matching_strategy", "tiered"))
        threshold = float(self.context.get("confidence_threshold", 0.8))
        instruction = self.render_prompt(inputs, lenient=True)
        name, confidence = choose(request, among, strategy, threshold, self._model, instruction)
        targets = [default, *(t for t in row.on_success if not t.startswith(FUNC))]
        fallback = next((str(target) for target in targets if target and target != self.name), None)
        if name is None and fallback is None and strategy != "algorithm":
            fallback = fallback_by_model(among, self._model())
        if name is None and fallback is None:
            raise RequestError(
                f"No node fits the request '{request}'.",
                suggestion="The choice is: " + ", ".join(among) + ".",
            )
        self.log_debug("chose %s (%.2f)", name or fallback, confidence)
        return name or fallback

    def _model(self) -> Any:
        return choose_model(self.context, str(self.context.get("llm_type") or ""), self.name)

    def _by_rules(self, among: dict[str, str]) -> tuple[dict[str, str], Any]:
        """The choice as `routing_rules` narrow it, each node with the words that lead to it, and the default."""
        default, rules = self.context.get("default_target"), self.context.get("routing_rules")
        if not isinstance(rules, Mapping):
            return among, default
        ruled: dict[str, str] = {}
        for word, name in rules.items():
            if word != "default" and name in among:
                ruled[name] = f"{word} {ruled.get(name) or among[name]}"
        return ruled, default or rules.get("default")

    def _post_process(self, state: Any, inputs: dict[str, Any], output: Any) -> tuple[Any, Any]:
        if isinstance(output, Mapping):
            return state, output
        updates = {"__next_node": output, "last_action_success": True}
        return state, {"state_updates": {**updates, **({self.output_field: output} if self.output_field else {})}}


def _described(node: NodeSpec) -> str:
    told = (node.context.get(key) for key in ("description", "keywords", "context"))
    return " ".join(str(part) for part in (node.description, node.prompt, *told) if part)
