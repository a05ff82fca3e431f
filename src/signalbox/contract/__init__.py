"""What an agent is and what it returns: the class of a node (`BaseAgent`), and an agent for people (`Agent`)."""

from signalbox.contract.agent import BaseAgent
from signalbox.contract.room import Agent, Examination, Observation, Presented, Relation, lazy
from signalbox.contract.state import StateAdapter
from signalbox.contract.summary import ExecutionSummary, NodeExecution
from signalbox.contract.tracker import ExecutionTracker, NodeEvent, current_tracker

__all__ = [
    "Agent",
    "BaseAgent",
    "Examination",
    "ExecutionSummary",
    "ExecutionTracker",
    "NodeEvent",
    "NodeExecution",
    "Observation",
    "Presented",
    "Relation",
    "StateAdapter",
    "current_tracker",
    "lazy",
]
