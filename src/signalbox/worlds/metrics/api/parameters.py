"""Parameters of requests: times and durations as Prometheus and Grafana write them."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import parse_qsl

from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from signalbox.worlds.metrics.promql import PromQLError
from signalbox.worlds.metrics.promql.failures import badly_asked

__all__ = ["Parameters", "duration_ms", "grafana_moment_ms", "moment_ms", "read_parameters"]

_UNITS_MS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
    "y": 31_536_000_000,
}
_DURATION = re.compile(r"(\d+)(ms|[smhdwy])")
_FARTHEST_SECONDS = 9.2e9
_RELATIVE = re.compile(r"now(?:([+-])([0-9a-z]+))?")


class Parameters:
    """The query string and the form of a request, read as one."""

    def __init__(self, *sources: ImmutableMultiDict[str, str]) -> None:
        self._pairs = [pair for source in sources for pair in source.multi_items()]

    def get(self, name: str) -> str:
        """The first value, or the empty string."""
        return next((value for key, value in self._pairs if key == name), "")

    def all(self, name: str) -> list[str]:
        """Every value."""
        return [value for key, value in self._pairs if key == name]

    def moment(self, name: str, otherwise: int) -> int:
        """A moment in milliseconds."""
        text = self.get(name)
        return moment_ms(text, name) if text else otherwise


async def read_parameters(request: Request) -> Parameters:
    """The parameters of a GET, or of a POST with a form."""
    if request.method != "POST":
        return Parameters(request.query_params)
    form = parse_qsl((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)
    return Parameters(ImmutableMultiDict(form), request.query_params)


def moment_ms(text: str, name: str) -> int:
    """A moment given as seconds since 1970 or in ISO 8601."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = datetime.fromisoformat(text).timestamp()
        except ValueError:
            raise _wrong(name, f'cannot parse "{text}" to a valid timestamp') from None
    if not abs(seconds) < _FARTHEST_SECONDS:
        raise _wrong(name, f'cannot parse "{text}" to a valid timestamp')
    return round(seconds * 1000)


def duration_ms(text: str, name: str) -> int:
    """A duration given as seconds or like `1h30m`."""
    try:
        seconds = float(text)
    except ValueError:
        parts = _DURATION.findall(text)
        if not parts or "".join(number + unit for number, unit in parts) != text:
            raise _wrong(name, f'cannot parse "{text}" to a valid duration') from None
        return sum(int(number) * _UNITS_MS[unit] for number, unit in parts)
    if not abs(seconds) < _FARTHEST_SECONDS:
        raise _wrong(name, f'cannot parse "{text}" to a valid duration. It overflows int64')
    return round(seconds * 1000)


def grafana_moment_ms(value: object, now_ms: int, name: str) -> int:
    """A moment as Grafana's queries give it: milliseconds, `now`, or `now-1h`."""
    text = str(value)
    relative = _RELATIVE.fullmatch(text)
    if relative:
        sign, span = relative.groups()
        shift = duration_ms(span, name) if span else 0
        return now_ms - shift if sign == "-" else now_ms + shift
    try:
        return round(float(text))
    except ValueError:
        return moment_ms(text, name)


def _wrong(name: str, why: str) -> PromQLError:
    return badly_asked(f'invalid parameter "{name}": {why}')
