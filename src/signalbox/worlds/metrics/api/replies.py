"""The shapes of answers: Prometheus's envelope, Grafana's errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starlette.responses import JSONResponse, Response

from signalbox.worlds.metrics.promql import Curve, PromQLError, Result
from signalbox.worlds.metrics.promql.numbers import format_numbers

__all__ = ["grafana_error", "prometheus_data", "prometheus_error", "prometheus_result"]

_STATUS = {"bad_data": 400, "execution": 422}


def prometheus_data(data: Any) -> JSONResponse:
    """A success of Prometheus."""
    return JSONResponse({"status": "success", "data": data})


def prometheus_error(error: PromQLError) -> JSONResponse:
    """A refusal of Prometheus."""
    body = {"status": "error", "errorType": error.kind, "error": error.user_message}
    return JSONResponse(body, status_code=_STATUS[error.kind])


def grafana_error(status: int, message: str, message_id: str, **more: str) -> JSONResponse:
    """A refusal of Grafana."""
    body = {"message": message, "messageId": message_id, "statusCode": status, "traceID": "", **more}
    return JSONResponse(body, status_code=status)


def prometheus_result(result: Result) -> Response:
    """A result in Prometheus's envelope, written by hand: an answer may have a million points."""
    if result.kind == "matrix":
        rows = "[" + ",".join(_row(curve, "values", points) for curve, points in _pointed(result.curves)) + "]"
    elif result.kind == "vector":
        rows = "[" + ",".join(_row(curve, "value", points[1:-1]) for curve, points in _pointed(result.curves)) + "]"
    elif result.kind == "scalar":
        rows = next(points[1:-1] for _, points in _pointed(result.curves))
    else:
        rows = json.dumps([result.at / 1000, result.text])
    body = f'{{"status":"success","data":{{"resultType":"{result.kind}","result":{rows}}}}}'
    return Response(body, media_type="application/json")


def _row(curve: Curve, name: str, points: str) -> str:
    return f'{{"metric":{json.dumps(dict(curve.labels))},"{name}":{points}}}'


def _pointed(curves: list[Curve]) -> Iterator[tuple[Curve, str]]:
    """Each curve with its points; most curves share their timestamps, which are written once."""
    written: dict[bytes, list[str]] = {}
    for curve in curves:
        key = curve.stamps.tobytes()
        if key not in written:
            written[key] = format_numbers((curve.stamps / 1000).tolist())
        pairs = zip(written[key], format_numbers(curve.values.tolist()), strict=True)
        yield curve, "[" + ",".join([f'[{stamp},"{value}"]' for stamp, value in pairs]) + "]"
