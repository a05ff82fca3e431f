"""Messages about a waiting run for other programs: JSON files in `messages/TOPIC/` of its data folder.

A suspend or human node asks for them in its Context: `send_suspend_message` and `send_graph_message` are written when
it pauses, `send_resume_message` when it continues; `…_message_topic` names the folder, and `…_message_template` a
template in `messages.yaml` next to the map. Nothing is delivered: who watches the folder takes them from there.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from signalbox.contract import StateAdapter
from signalbox.contract.agent import package_logger
from signalbox.contract.summary import plain
from signalbox.errors import SignalboxError, redact
from signalbox.maps.agents.storage.datafile import data_file
from signalbox.settings import get_settings, now

__all__ = ["KINDS", "TEMPLATES", "asked_for", "load_templates", "tell_paused", "tell_resumed"]

KINDS = ("graph", "suspend", "resume")
TEMPLATES = "messages.yaml"
_EVENTS = {"graph": "workflow_graph_trigger", "suspend": "workflow_suspended", "resume": "workflow_resumed"}
_COMMON = ("event_type", "thread_id", "node_name", "workflow", "graph", "timestamp", "context")
_OWN: dict[str, dict[str, str]] = {
    "graph": {"state": "$inputs"},
    "suspend": {"inputs": "$inputs"},
    "resume": {
        "action": "resume",
        "resume_value": "$resume_value",
        "suspension_duration_seconds": "$suspension_duration_seconds",
    },
}
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*(?:\.\w+)*)\}?")


def asked_for(context: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The messages that a node's Context asks for, each with its topic and its template."""
    return {
        kind: {
            "topic": str(context.get(f"{kind}_message_topic") or "workflow_events"),
            "template": str(context.get(f"{kind}_message_template") or ""),
        }
        for kind in KINDS
        if context.get(f"send_{kind}_message", False) not in (False, "false", "no")
    }


def load_templates(folder: Path) -> dict[str, Any]:
    """The templates of the maps in a folder, by name; none where there is no file, or it holds no mapping."""
    file = folder / TEMPLATES
    try:
        found = yaml.safe_load(file.read_text("utf-8")) if file.is_file() else {}
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return found if isinstance(found, dict) else {}


def tell_paused(question: Mapping[str, Any], thread_id: str, folder: Path, data: Path | None) -> None:
    """Write what a pause has to tell others."""
    _tell(("graph", "suspend"), question, thread_id, folder, data, {})


def tell_resumed(
    question: Mapping[str, Any], thread_id: str, folder: Path, data: Path | None, answer: Any, since: datetime
) -> None:
    """Write that a run goes on, with what, and how long it waited."""
    more = {"resume_value": answer, "suspension_duration_seconds": round((now() - since).total_seconds(), 3)}
    _tell(("resume",), question, thread_id, folder, data, more)


def _tell(
    kinds: tuple[str, ...],
    question: Mapping[str, Any],
    thread_id: str,
    folder: Path,
    data: Path | None,
    more: Mapping[str, Any],
) -> None:
    messages: Mapping[str, Mapping[str, str]] = question.get("messages") or {}
    for kind in kinds:
        if kind not in messages:
            continue
        values = {
            "event_type": _EVENTS[kind],
            "thread_id": thread_id,
            "node_name": question.get("node", ""),
            "workflow": question.get("graph", ""),
            "graph": question.get("graph", ""),
            "timestamp": now().isoformat(),
            "inputs": question.get("inputs") or {},
            "context": question.get("context") or {},
            **more,
        }
        template = load_templates(folder).get(messages[kind]["template"]) or _built_in(kind)
        _write(data or get_settings().data or folder / "data", messages[kind]["topic"], _fill(template, values))


def _built_in(kind: str) -> dict[str, str]:
    return {**{name: f"${name}" for name in _COMMON}, **_OWN[kind]}


def _fill(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with its variables filled in; one that stands alone keeps its value's own type."""
    if isinstance(template, Mapping):
        return {str(key): _fill(value, values) for key, value in template.items()}
    if isinstance(template, list):
        return [_fill(item, values) for item in template]
    if not isinstance(template, str):
        return template
    alone = _VARIABLE.fullmatch(template)
    if alone:
        return StateAdapter.get_value(values, alone.group(1))
    return _VARIABLE.sub(lambda match: str(StateAdapter.get_value(values, match.group(1)) or ""), template)


def _write(data: Path, topic: str, payload: Any) -> None:
    """Write a message into its topic's folder. If it cannot be written, that is logged and does not stop the run."""
    message_id, moment = uuid.uuid4().hex[:12], now()
    message = {"message_id": message_id, "topic": topic, "timestamp": moment.isoformat(), "payload": payload}
    name = f"messages/{topic}/{moment.strftime('%Y-%m-%dT%H-%M-%S-%f')}_{message_id}.json"
    try:
        file = data_file(data, name)
        file.replace(json.dumps(redact(plain(message)), ensure_ascii=False, indent=2) + "\n")
    except (OSError, SignalboxError) as error:
        package_logger.warning("A message to %s could not be written: %s", topic, redact(str(error)))
