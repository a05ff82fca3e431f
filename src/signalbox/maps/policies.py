"""When a run counts as a success: `all_nodes`, `final_node`, `critical_nodes`, or a function of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from signalbox.contract import ExecutionSummary
from signalbox.contract.tracker import SuccessPolicy, every_node_succeeded
from signalbox.errors import ConfigurationError, SignalboxError
from signalbox.language.names import did_you_mean
from signalbox.maps.local_code import import_attribute

__all__ = ["POLICIES", "find_policy"]

POLICIES = ("all_nodes", "final_node", "critical_nodes")


def find_policy(name: str, folder: Path, critical: Sequence[str] = ()) -> SuccessPolicy:
    """The policy of that name, or the function that `module:function` names. Raises ConfigurationError."""
    if ":" in name:
        return _own_policy(name, folder)
    if name == "all_nodes":
        return every_node_succeeded
    if name == "final_node":
        return final_node_succeeded
    if name == "critical_nodes":
        return critical_nodes_succeeded(critical)
    raise ConfigurationError(f"There is no success policy '{name}'.", suggestion=did_you_mean(name, POLICIES))


def final_node_succeeded(summary: ExecutionSummary) -> bool:
    """The last node that ended succeeded."""
    ended = [node for node in summary.node_executions if node.success is not None]
    return bool(ended) and ended[-1].success is True


def critical_nodes_succeeded(critical: Sequence[str]) -> SuccessPolicy:
    """No node that counts as critical failed, and each of them ran; without any named, every node is critical."""
    if not critical:
        return every_node_succeeded
    wanted = set(critical)

    def policy(summary: ExecutionSummary) -> bool:
        last = {node.node_name: node.success for node in summary.node_executions if node.node_name in wanted}
        ended = summary.status == "running" or wanted <= last.keys()
        return ended and all(success is not False for success in last.values())

    return policy


def _own_policy(name: str, folder: Path) -> SuccessPolicy:
    try:
        function: Callable[[ExecutionSummary], object] = import_attribute(name, folder)
    except SignalboxError as error:
        raise ConfigurationError(
            f"The success policy '{name}' cannot be loaded: {error}", suggestion=error.suggestion
        ) from error
    return lambda summary: bool(function(summary))
