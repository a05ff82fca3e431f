"""What an incident does to the figures: pulses by the thing and what of it, as the series look them up."""

from __future__ import annotations

from collections import defaultdict

from signalbox.worlds.shapes import Pulse, Span

__all__ = ["Effects", "Pulses"]

Pulses = tuple[tuple[Pulse, float], ...]


class Effects:
    """Pulses with their strength, spans of silence, moments of restarts and of new versions."""

    def __init__(self) -> None:
        self._pulses: dict[tuple[str, str], list[tuple[Pulse, float]]] = defaultdict(list)
        self.restarts: dict[str, list[float]] = defaultdict(list)
        self.versions: dict[str, tuple[float, str]] = {}
        self.down: dict[tuple[str, str], list[Span]] = defaultdict(list)

    def add(self, thing: str, what: str, span: Span, strength: float, ramp: float = 45.0) -> None:
        """Let something of a thing grow by so many times its usual size during a span (seconds as shapes count)."""
        self._pulses[(thing, what)].append((Pulse(*span, ramp=ramp), strength))

    def of(self, thing: str, what: str, share: float = 1.0) -> Pulses:
        """The pulses of something of a thing."""
        return tuple((pulse, strength * share) for pulse, strength in self._pulses.get((thing, what), ()))
