"""The plans: those that ship, and those of a user's folder, which add to them or replace one of the same intent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from signalbox.agents.oncall.steps import read_step
from signalbox.errors import ConfigurationError
from signalbox.language.words import stem
from signalbox.settings import get_settings
from signalbox.toolbox.sessions import ToolInfo

__all__ = ["Plan", "likely_tools", "load_plans", "match_step", "unserved_steps"]

_OWN = Path(__file__).with_name("plans")
_ORDER = (
    "check_bgp_neighbors",
    "check_interface_status",
    "review_pe_device",
    "review_p_device",
    "review_rr_device",
    "troubleshoot_vpn_vrf",
    "check_mpls_state",
    "general_device_health_check",
    "check_isis_adjacencies",
    "check_routes",
    "check_logs",
    "show_system_facts",
    "show_lldp_neighbors",
)
_MOST_LIKELY = 6
_AS_LIKELY = 0.3
_FORM = '{"intent": "the file\'s name", "description": "…", "steps": ["…", …]}'
_ACRONYM = re.compile(
    r"\b(?!(?:AND|OR|NOT|IF|ALL|UP|DOWN|INIT|IDLE|ACTIVE|CONNECT|ESTABLISHED|OPERATIONAL)\b)[A-Z][A-Z0-9]{2,}s?\b"
)
_COMMON = frozenset(
    map(
        stem,
        "check look every all each any the its device devices state status whether and then see verify get list that "
        "have "
        "how many what which there with for from this normal network router box find make sure first "
        "count run show read measure take use try test".split(),
    )
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: what it is for, in the words that a model chooses by, and its steps in plain language."""

    intent: str
    description: str
    steps: tuple[str, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """All that it says of what it is about."""
        return self.description, *self.steps


def load_plans() -> dict[str, Plan]:
    """The plans by intent. `SIGNALBOX_ONCALL_PLANS` names the user's folder.

    Raises ConfigurationError that names the file and what is wrong with it.
    """
    own = get_settings().oncall_plans
    if own is not None and not own.is_dir():
        raise ConfigurationError(
            f"{own}, where plans of your own should be, is no folder.", suggestion="Correct SIGNALBOX_ONCALL_PLANS."
        )
    files = [_OWN / f"{name}.json" for name in _ORDER] + sorted(own.glob("*.json") if own else [])
    return {plan.intent: plan for plan in (_read(path, path.stat().st_mtime_ns) for path in files)}


@lru_cache(maxsize=256)
def _read(path: Path, _changed: int) -> Plan:
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"The plan {path} cannot be read: {error}.", suggestion=f"A plan is {_FORM}."
        ) from None
    if not isinstance(data, Mapping) or data.get("intent") != path.stem:
        raise ConfigurationError(
            f"The plan {path} must have the intent '{path.stem}', as its file is named.",
            suggestion=f"A plan is {_FORM}.",
        )
    steps = data.get("steps")
    if not isinstance(data.get("description"), str) or not data["description"].strip():
        raise ConfigurationError(f"The plan {path} has no description.", suggestion=f"A plan is {_FORM}.")
    if not isinstance(steps, list) or not steps or not all(isinstance(one, str) and one.strip() for one in steps):
        raise ConfigurationError(f"The plan {path} has no steps, each a sentence.", suggestion=f"A plan is {_FORM}.")
    return Plan(path.stem, data["description"].strip(), tuple(one.strip() for one in steps))


def match_step(text: str, tools: Sequence[ToolInfo]) -> list[str]:
    """The tools that may serve a step, the likeliest first; none where nothing that it speaks of is spoken of there.

    An acronym that no tool knows (BFD, OSPF) is what the step is about: then no tool serves it.
    """
    asked = " ".join(part.text for part in read_step(text, {}).parts)
    told = {tool.name: _told(tool) for tool in tools}
    known = " ".join(told.values()).casefold()
    named = _ACRONYM.findall(asked.partition(":")[0])
    if named and not any(_names(known, word) for word in named):
        return []
    scores = _weighed(_stems(asked), {name: _stems(words) for name, words in told.items()})
    acronyms = {name: any(_names(told[name], word) for word in named) for name in told}
    serving = (name for name, score in scores.items() if score >= 0.3 or acronyms[name])
    return sorted(serving, key=lambda name: -scores[name])


def likely_tools(text: str, tools: Sequence[ToolInfo]) -> list[ToolInfo]:
    """The tools that a model is offered for something to do: those that speak of it, most of all by their names.

    Fewer are quicker to choose among, and surer. All of them where none speaks of it.
    """
    wanted = _stems(text)
    names = {tool.name: _stems(tool.name.replace("_", " ")) for tool in tools}
    scores = _weighed(wanted, {tool.name: _stems(_told(tool)) for tool in tools})
    scores = {name: scores[name] + score for name, score in _weighed(wanted, names).items()}
    least = max(scores.values(), default=0.0) * _AS_LIKELY
    best = sorted(scores, key=lambda name: -scores[name])[:_MOST_LIKELY]
    return [tool for tool in tools if tool.name in best and scores[tool.name] >= least] if least else list(tools)


def _weighed(wanted: set[str], told: Mapping[str, set[str]]) -> dict[str, float]:
    """How much of what is wanted each speaks of; a word counts the less the more of them have it."""
    often = {word: sum(word in words for words in told.values()) for word in wanted}
    return {name: sum(1 / often[word] for word in wanted & words) for name, words in told.items()}


def unserved_steps(steps: Iterable[str], tools: Sequence[ToolInfo]) -> dict[int, str]:
    """The steps that no tool serves, by their place from 0."""
    return {place: text for place, text in enumerate(steps) if not match_step(text, tools)}


def _names(told: str, acronym: str) -> bool:
    return re.search(rf"\b{re.escape(acronym.rstrip('s'))}s?\b", told, re.IGNORECASE) is not None


def _told(tool: ToolInfo) -> str:
    properties = (tool.parameters or {}).get("properties") or {}
    abouts = [f"{name} {one.get('description', '')}" for name, one in properties.items() if isinstance(one, Mapping)]
    return " ".join([tool.name.replace("_", " "), tool.description, *abouts])


def _stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[a-z]+(?:-[a-z]+)*", text.casefold()) if len(word) > 2} - _COMMON
