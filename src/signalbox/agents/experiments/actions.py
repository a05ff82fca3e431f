"""What is to be done to an experiment, where a first reading did not tell."""

from __future__ import annotations

from signalbox.agents.experiments.plan import ACTIONS, action_schema
from signalbox.agents.experiments.reading import read
from signalbox.language.words import stem, tokens

__all__ = ["other_action", "sure_action"]

_SURE, _LIKELY = 0.95, 0.9


async def sure_action(text: str) -> str:
    """The action that a text asks for; empty where it is not sure of any."""
    said = await read(action_schema(), text, (), "experiment_management")
    return str(said.get("action") or "") if float(said.get("confidence", 0.0)) >= _SURE else ""


async def other_action(text: str, than: str) -> str:
    """The action other than the one given that a text asks for and calls by its name; empty where there is none."""
    schema = action_schema()
    named = set(map(stem, tokens(text)))
    options = [one for one in ACTIONS if one != than and stem(one) in named]
    if not options:
        return ""
    schema["properties"]["action"] |= {"enum": [one for one in ACTIONS if one != than]}
    said = await read(schema, text, (), "experiment_management")
    found = str(said.get("action") or "")
    return found if found in options and float(said.get("confidence", 0.0)) >= _LIKELY else ""
