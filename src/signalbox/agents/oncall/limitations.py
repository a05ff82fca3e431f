"""What could not be done on a device, in lines: the contract's `tool_limitations_report`."""

from __future__ import annotations

from collections.abc import Sequence

from signalbox.agents.oncall.state import ExecutedToolCall, StepExecutionResult
from signalbox.agents.oncall.tools import lacking_parts

__all__ = ["lacking_in", "limitations"]


def lacking_in(calls: Sequence[ExecutedToolCall]) -> str | None:
    """The parts that answers lack because they could not be read; None where they lack none."""
    parts = {one["function"]: lacking for one in calls if (lacking := lacking_parts(one.get("result")))}
    return "; ".join(f"{name} could not read {lacking}" for name, lacking in parts.items()) or None


def limitations(device: str, results: Sequence[StepExecutionResult]) -> str | None:
    """What failed or could not be tried, a line each after the device's name; a bare name where nothing did."""
    lines: list[tuple[int, str]] = []
    for one in sorted(results, key=lambda result: result["step_index"]):
        failed = [
            f"{call['function']} failed ({call.get('error_type')}): {call['error']}"
            for call in one["executed_calls"]
            if call.get("error")
        ]
        if one.get("problem"):
            failed.append(str(one["problem"]))
        lines += [(one["step_index"] + 1, text) for text in failed]
    return "\n".join(f"{device}: {_steps(at)}: {text}" for text, at in _by_text(lines).items()) or f"{device}:"


def _by_text(lines: Sequence[tuple[int, str]]) -> dict[str, list[int]]:
    """Where each thing is told of, told once."""
    places: dict[str, list[int]] = {}
    for place, text in lines:
        places.setdefault(text, []).append(place)
    return places


def _steps(places: Sequence[int]) -> str:
    return f"step{'s' if len(places) > 1 else ''} {', '.join(map(str, places))}"
