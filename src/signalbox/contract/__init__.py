"""What an agent is: a name, a prompt, a context, and a `process` that turns inputs into an output."""

from signalbox.contract.agent import BaseAgent
from signalbox.contract.state import StateAdapter
from signalbox.contract.summary import ExecutionSummary, NodeExecution
from signalbox.contract.tracker import ExecutionTracker, NodeEvent, current_tracker

__all__ = [
    "BaseAgent",
    "ExecutionSummary",
    "ExecutionTracker",
    "NodeEvent",
    "NodeExecution",
    "StateAdapter",
    "current_tracker",
]
