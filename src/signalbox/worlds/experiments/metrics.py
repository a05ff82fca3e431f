"""Metrics: which there are, what applications log of them for their users, and what an experiment's queries give.

All as on a running server 6.5.0, with what surprises there: a value is kept only where a query of an experiment asks
for its metric, a user counts once for each decision point at which it was enrolled, and values logged before count too.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from signalbox.worlds.experiments.checks import check_log, is_id
from signalbox.worlds.experiments.errors import QUERY_FAILED, Refusal, bad_body
from signalbox.worlds.experiments.rows import moment, stamped
from signalbox.worlds.experiments.store import Store

__all__ = ["JOINT", "analyse", "delete", "in_context", "log", "save", "shown"]

JOINT = "@__@"


def shown(metrics: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Metrics as the server shows them: a tree, where a leaf has the joined keys above it as its own."""
    found: list[dict[str, Any]] = []
    for one in metrics:
        level = found
        for key in one["key"].split(JOINT):
            node = next((kept for kept in level if kept["key"] == key), None)
            if node is None:
                node = {
                    "key": key,
                    "children": [],
                    "metadata": {"type": one["type"]},
                    "allowedData": one["allowedData"],
                    "context": one["context"],
                }
                level.append(node)
            level = node["children"]
    return found


def in_context(store: Store, context: str) -> list[dict[str, Any]]:
    """GET /metric/:context."""
    found = [one for one in store.metrics.values() if context in one["context"]]
    if not found:
        raise Refusal(404, f"Metrics context not found: {context}", QUERY_FAILED)
    return shown(found)


def save(store: Store, body: Any) -> list[dict[str, Any]]:
    """POST /metric/save: `{metricUnit: [{metric, datatype, allowedValues?} | {groupClass, …}], context: [name]}`."""
    units, contexts = (body.get(key) if isinstance(body, Mapping) else None for key in ("metricUnit", "context"))
    if not isinstance(units, list) or not isinstance(contexts, list):
        raise bad_body()
    saved = []
    for key, leaf in [pair for unit in units for pair in _leaves(unit)]:
        allowed = leaf.get("allowedValues")
        row = {"key": key, "type": leaf["datatype"], "allowedData": allowed, "context": list(contexts)}
        store.metrics[key] = (store.metrics.get(key) or stamped()) | row
        saved.append(store.metrics[key])
    return shown(saved)


def delete(store: Store, key: str) -> list[dict[str, Any]]:
    """DELETE /metric/:key, with those below it."""
    gone = [one for one in store.metrics if one == key or one.startswith(key + JOINT)]
    if not gone:
        raise Refusal(404, f"Metric key not found: {key}", QUERY_FAILED)
    for one in gone:
        del store.metrics[one]
    root = key.split(JOINT)[0]
    return shown([one for name, one in store.metrics.items() if name == root or name.startswith(root + JOINT)])


def log(store: Store, user_id: str, body: Any) -> list[dict[str, Any]]:
    """POST /v6/log. A later value of the same metric and uniquifier takes the place of the one before."""
    check_log(body)
    asked = {
        query["metric"]["key"]
        for one in store.experiments.values()
        if one["state"] != "archived"
        for query in one.get("queries") or []
        if query["metric"]
    }
    updated: list[dict[str, Any]] = []
    made: list[dict[str, Any]] = []
    for entry in body["value"]:
        for uniquifier, values in _said(entry["metrics"]):
            wanted = {key: value for key, value in values.items() if key in asked and key in store.metrics}
            _keep(store, user_id, uniquifier, wanted, entry["timestamp"], updated, made)
    return updated + made


def analyse(store: Store, body: Any) -> list[dict[str, Any]]:
    """POST /query/analyse: the result of each query by condition."""
    asked = body.get("queryIds") if isinstance(body, Mapping) else None
    if not isinstance(asked, list) or not all(isinstance(one, str) for one in asked):
        raise bad_body()
    if wrong := next((one for one in asked if not is_id(one)), None):
        raise Refusal(500, f'invalid input syntax for type uuid: "{wrong}"', None, "QueryFailedError")
    known = {query["id"]: (one, query) for one in store.experiments.values() for query in one.get("queries") or []}
    if asked and asked[0] in known and known[asked[0]][0]["state"] == "archived":
        kept = known[asked[0]][0]["archived"]
        return [kept[one] | {"id": one} for one in asked if one in kept]
    return [
        {"id": one, **(results(store, *known[one]) if one in known else {"interactionEffect": None})} for one in asked
    ]


def results(store: Store, experiment: Mapping[str, Any], query: Mapping[str, Any]) -> dict[str, Any]:
    """What a query gives for each condition of its experiment; `rejected` where the database cannot compute it."""
    try:
        rows: list[Any] = _rows(store, experiment, query)
    except InvalidOperation:
        rows = ["rejected"]
    there = {row["conditionId"] for row in rows if isinstance(row, dict)}
    empty = {"result": "0", "participantsLogged": 0}
    rows += [{"conditionId": one["id"]} | empty for one in experiment["conditions"] if one["id"] not in there]
    return {"mainEffect": rows, "interactionEffect": None}


def _rows(store: Store, experiment: Mapping[str, Any], query: Mapping[str, Any]) -> list[dict[str, Any]]:
    values: dict[str, list[tuple[str, Any]]] = {}
    for (own, user), condition in store.records.users.items():
        if own == experiment["id"]:
            datum = _datum(store, user, query)
            # A row of enrolment a decision point, each with the user's value.
            times = sum((user, one["site"], one["target"]) in store.visits for one in experiment["partitions"])
            values.setdefault(condition, []).extend([(user, datum)] * times if datum is not None else [])
    return [
        {
            "conditionId": condition,
            "result": _figure(query, [datum for _, datum in held]),
            "participantsLogged": str(len({user for user, _ in held})),
        }
        for condition, held in values.items()
        if held
    ]


def _leaves(unit: Mapping[str, Any], above: str = "") -> list[tuple[str, Mapping[str, Any]]]:
    if "metric" in unit:
        return [(above + str(unit["metric"]), unit)]
    path = f"{above}{unit['groupClass']}{JOINT}"
    return [
        pair
        for key in unit["allowedKeys"]
        for one in unit["attributes"]
        for pair in _leaves(one, f"{path}{key}{JOINT}")
    ]


def _said(metrics: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What is logged at once: single metrics together, and each group by itself, under joined keys."""
    found = [("1", dict(metrics.get("attributes") or {}))]
    for group in metrics.get("groupedMetrics") or []:
        path = f"{group['groupClass']}{JOINT}{group['groupKey']}{JOINT}"
        found.append((group["groupUniquifier"], {path + key: one for key, one in group["attributes"].items()}))
    return found


def _keep(
    store: Store,
    user_id: str,
    uniquifier: str,
    wanted: Mapping[str, Any],
    at: str,
    updated: list[dict[str, Any]],
    made: list[dict[str, Any]],
) -> None:
    fresh = dict(wanted)
    for number, row in list(store.logs.items()):
        shared = [key for key in wanted if key in row["values"]]
        if (row["userId"], row["uniquifier"]) != (user_id, uniquifier) or not shared:
            continue
        for key in shared:
            fresh.pop(key, None)
        if _is_later(at, row["timeStamp"]):
            row = row | {"values": row["values"] | {key: wanted[key] for key in shared}, "timeStamp": at}
            store.logs[number] = row | {"updatedAt": moment()}
            updated.append(_shown_log(int(number), row) | {"userId": user_id})
    if fresh:
        number = str(len(store.logs) + 1)
        row = {"userId": user_id, "uniquifier": uniquifier, "values": fresh, "timeStamp": at}
        store.logs[number] = row | {"updatedAt": moment()}
        user = {"id": user_id, "requestedUserId": user_id} | store.users[user_id]
        made.append(
            _shown_log(int(number), row) | {"metrics": [dict(store.metrics[key]) for key in fresh], "user": user}
        )


def _is_later(at: str, before: str) -> bool:
    try:
        return datetime.fromisoformat(at) >= datetime.fromisoformat(before)
    except ValueError:
        return False


def _shown_log(number: int, row: Mapping[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in row["values"].items():
        level, (*above, last) = data, key.split(JOINT)
        for name in above:
            level = level.setdefault(name, {})
        level[last] = value
    return {"id": number, "uniquifier": row["uniquifier"], "timeStamp": row["timeStamp"], "data": data}


def _datum(store: Store, user_id: str, query: Mapping[str, Any]) -> Any:
    """The one value of a user that counts: the mean of all, the first, or else the last that was written."""
    key = query["metric"]["key"] if query["metric"] else None
    own = [row for row in store.logs.values() if row["userId"] == user_id and key in row["values"]]
    own.sort(key=lambda row: row["updatedAt"])
    if not own:
        return None
    if query["repeatedMeasure"] == "MEAN":
        return sum(Decimal(str(row["values"][key])) for row in own) / len(own)
    return own[-1 if query["repeatedMeasure"] == "MOST RECENT" else 0]["values"][key]


def _figure(query: Mapping[str, Any], values: Sequence[Any]) -> Any:
    asked = query["query"]
    if query["metric"]["type"] == "categorical":
        wanted = str(asked.get("compareValue") or "")
        hits = sum((str(one) == wanted) == (asked.get("compareFn") == "=") for one in values)
        return f"{100 * hits / len(values):.20f}" if asked["operationType"] == "percentage" else str(hits)
    numbers = [float(Decimal(str(one))) for one in values]
    compute = _OPERATIONS.get(asked["operationType"])
    if compute is None:
        raise InvalidOperation
    return compute(numbers)


def _spread(numbers: Sequence[float]) -> str | None:
    return _plain(statistics.stdev(numbers)) if len(numbers) > 1 else None


def _plain(number: float) -> str:
    return f"{number:.16f}".rstrip("0").rstrip(".")


_OPERATIONS: Mapping[str, Callable[[list[float]], Any]] = {
    "sum": lambda numbers: _plain(sum(numbers)),
    "count": lambda numbers: str(len(numbers)),
    "min": lambda numbers: _plain(min(numbers)),
    "max": lambda numbers: _plain(max(numbers)),
    "avg": lambda numbers: _plain(statistics.fmean(numbers)),
    "mode": lambda numbers: _plain(min(statistics.multimode(numbers))),
    "median": statistics.median,
    "stddev": _spread,
}
