"""The shapes of answers: Prometheus's envelope, Grafana's errors."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

from signalbox.worlds.metrics.promql import Curve, PromQLError, Result
from signalbox.worlds.metrics.promql.numbers import format_number

__all__ = ["grafana_error", "prometheus_data", "prometheus_error", "result_data"]

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


def result_data(result: Result) -> dict[str, Any]:
    """A result as the `data` of Prometheus's envelope."""
    if result.kind == "matrix":
        rows: Any = [{"metric": dict(curve.labels), "values": _points(curve)} for curve in result.curves]
    elif result.kind == "vector":
        rows = [{"metric": dict(curve.labels), "value": _points(curve)[0]} for curve in result.curves]
    elif result.kind == "scalar":
        rows = _points(result.curves[0])[0]
    else:
        rows = [result.at / 1000, result.text]
    return {"resultType": result.kind, "result": rows}


def _points(curve: Curve) -> list[tuple[float, str]]:
    stamps = [stamp // 1000 if stamp % 1000 == 0 else stamp / 1000 for stamp in curve.stamps.tolist()]
    return list(zip(stamps, map(format_number, curve.values.tolist()), strict=True))
