"""Connections: who is signed in, the agents with example requests, and the health of the systems and the model.
Addresses are shown without credentials."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from fastapi import APIRouter, Depends, Request

from signalbox.contract import Agent
from signalbox.contract.installed import default_agent
from signalbox.contract.sources import is_set_aside, kind_in_use, shown, source_of
from signalbox.errors import NotFoundError, SignalboxError, redact
from signalbox.runs.answers import mark_used
from signalbox.runs.served import list_served
from signalbox.service.assistants import identity
from signalbox.service.options import refuse_unknown_query
from signalbox.service.problems import REFUSALS
from signalbox.service.tokens import Caller
from signalbox.settings import get_settings

__all__ = ["router"]

router = APIRouter(
    prefix="/api", tags=["connections"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)]
)
_PATIENCE = 8.0
"""Seconds a system has to respond."""
_KEPT = 15.0
"""Seconds for which a system's response is reused."""
_answers: dict[Hashable, tuple[float, asyncio.Task[Any]]] = {}


@router.get("/me")
async def me(request: Request) -> dict[str, Any]:
    """Return who is signed in, until when, and with which scopes."""
    caller: Caller = request.state.caller
    until = None if caller.until is None else datetime.fromtimestamp(caller.until, UTC).isoformat()
    return {"user_id": caller.person, "name": caller.name, "scopes": sorted(caller.scopes), "expires_at": until}


@router.get("/agents")
async def agents(suggest: bool = True) -> list[dict[str, Any]]:
    """List the available agents and maps, with example requests for their connected systems. Without `suggest` this is
    instant: no live system is queried, and agents of live systems come without examples."""
    return list(await asyncio.gather(*(_agent(agent, suggest) for agent in list_served())))


@router.get("/agents/{name}")
async def agent(name: str) -> dict[str, Any]:
    """Return one of them."""
    found = next((one for one in list_served() if one.name == name), None)
    if found is None:
        raise NotFoundError(f"There is no agent '{name}'.")
    return await _agent(found, True)


async def _agent(agent: Agent, suggest: bool) -> dict[str, Any]:
    source = source_of(agent)
    return {
        "name": agent.name,
        "assistant_id": identity(agent),
        "about": agent.about,
        "examples": list(await _examples(agent, source or {}, suggest)),
        "source": shown(source) if source else None,
        "is_default": agent.name == default_agent().name,
        "is_offered": agent.is_offered and not is_set_aside(agent),
    }


async def _examples(agent: Agent, source: Mapping[str, Any], suggest: bool) -> Sequence[str]:
    """Example requests for things that exist; an agent's built-in ones name things of the demonstration."""
    if agent.suggest is None or source.get("kind") != "live":
        return agent.examples
    try:
        return cast(Sequence[str], await _asked_lately(agent, agent.suggest)) if suggest else ()
    except Exception:
        return ()


@router.get("/connections")
async def connections() -> dict[str, Any]:
    """List the systems behind the agents, live or embedded, and the model, with their health."""
    systems = [agent for agent in list_served() if agent.has_system and agent.source is not None]
    checks = await asyncio.gather(*map(_health, systems))
    found: dict[str, dict[str, Any]] = {}
    for agent, health in zip(systems, checks, strict=True):
        source = source_of(agent)
        told = shown(source) if source else {"kind": "unknown", "system": agent.name, "address": ""}
        place = str(sorted((name, str(value)) for name, value in told.items()))
        known = found.setdefault(place, {**told, "data": agent.data or agent.name, "agents": [], "health": health})
        known["agents"].append(agent.name)
        known["in_use"] = not is_set_aside(agent)
        known["health"] = known["health"] or health
    return {"kind": kind_in_use(), "systems": list(found.values()), "model": await asyncio.to_thread(_model)}


async def _health(agent: Agent) -> dict[str, Any] | None:
    """True if a system answers; None for one that is not asked."""
    if agent.check is None or is_set_aside(agent):
        return None
    try:
        return {"ok": True, "message": str(redact(await _asked_lately(agent, agent.check)))}
    except SignalboxError as error:
        return {"ok": False, "message": f"{error.user_message} {error.suggestion}".strip()}
    except TimeoutError:
        return {"ok": False, "message": f"No answer within {_PATIENCE:.0f} seconds."}
    except Exception as error:
        return {"ok": False, "message": f"The check failed: {type(error).__name__}."}


async def _asked_lately(agent: Agent, ask: Callable[[], Awaitable[Any]]) -> Any:
    """A system's response, reused for some seconds; concurrent callers share one request."""
    key = (asyncio.get_running_loop(), ask, str(source_of(agent)))
    since, task = _answers.get(key, (0.0, None))
    if task is None or time.monotonic() - since > _KEPT:
        mark_used(agent)

        async def asking() -> Any:
            async with asyncio.timeout(_PATIENCE):
                return await ask()

        task = asyncio.create_task(asking())
        _answers.clear() if len(_answers) > 100 else None
        _answers[key] = (time.monotonic(), task)
    return await asyncio.shield(task)


def _model() -> dict[str, Any]:
    """The model in use, and whether it answered the last time. It is not called for this, which might cost money."""
    from signalbox.models import is_offline, load_chat_model
    from signalbox.models.figures import model_figures

    settings = get_settings()
    told = {"name": settings.model, "address": shown({"address": settings.model_base_url or ""})["address"]}
    try:
        model = load_chat_model()
    except SignalboxError as error:
        return {**told, "health": {"ok": False, "message": f"{error.user_message} {error.suggestion}".strip()}}
    name = getattr(model, "model_label", None) or getattr(model, "model_name", "")
    last = model_figures().last.get(str(name))
    if last is None:
        health = {"ok": True if is_offline(model) else None, "message": "It has not been asked yet."}
    elif last.error is not None:
        health = {"ok": False, "message": f"{last.error.user_message} {last.error.suggestion}".strip()}
    else:
        health = {"ok": True, "message": "It answered the last request."}
    return {**told, "health": {**health, "at": last.at.isoformat() if last else None}}
