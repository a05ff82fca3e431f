"""How agents call other systems: MCP sessions, tools and the loop, the policy of effects, the current person, and the
evidence."""

from __future__ import annotations

from signalbox.toolbox.ledger import Call, Ledger, current_ledger, hear_calls, use_ledger
from signalbox.toolbox.person import current_person, use_person
from signalbox.toolbox.policy import Policy, as_langchain_tools, call_tool
from signalbox.toolbox.sessions import ServerEntry, Session, ToolInfo, close_sessions, hold, read_entries
from signalbox.toolbox.typed_tools import Proposal, Result, Tool, tool

__all__ = [
    "Call",
    "Ledger",
    "Policy",
    "Proposal",
    "Result",
    "ServerEntry",
    "Session",
    "Tool",
    "ToolInfo",
    "as_langchain_tools",
    "call_tool",
    "close_sessions",
    "current_ledger",
    "current_person",
    "hear_calls",
    "hold",
    "read_entries",
    "tool",
    "use_ledger",
    "use_person",
]
