"""What the real server says to bodies that lack something or hold something else, the embedded one says too.

The answers were recorded from UpGrade 6.5.0. With `UPGRADE_URL` set to such a server, whose contexts are those of the
recordings, the same calls are put to it: it is left as it was found.
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.testclient import TestClient

from signalbox.worlds.experiments import Store, create_app
from signalbox.worlds.experiments.seed import CONTEXTS

LIVE = os.environ.get("UPGRADE_URL", "")
_RECORDED = Path(__file__).with_name("recorded") / "bodies.jsonl"
ROWS = [json.loads(line) for line in _RECORDED.read_text("utf-8").splitlines()][1:]
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TAKEN: dict[str, Any] = {
    "name": "probe",
    "description": "d",
    "context": ["assign-prog"],
    "state": "inactive",
    "type": "Simple",
    "assignmentUnit": "individual",
    "consistencyRule": "individual",
    "assignmentAlgorithm": "random",
    "postExperimentRule": "continue",
    "filterMode": "includeAll",
    "tags": ["demo"],
    "group": None,
    "conditions": [
        {"id": "c1", "conditionCode": "control", "assignmentWeight": 50, "order": 1},
        {"id": "c2", "conditionCode": "variant", "assignmentWeight": 50, "order": 2},
    ],
    "partitions": [
        {
            "id": "p1",
            "site": "SelectSection",
            "target": "absolute_value_plot_equality",
            "order": 1,
            "excludeIfReached": False,
        }
    ],
    "experimentSegmentInclusion": [],
    "experimentSegmentExclusion": [],
    "queries": [],
    "factors": [],
    "conditionPayloads": [
        {
            "id": "x1",
            "parentCondition": "c1",
            "decisionPoint": "p1",
            "payload": {"type": "string", "value": "blue"},
        },
        {
            "id": "x2",
            "parentCondition": "c2",
            "decisionPoint": "p1",
            "payload": {"type": "json", "value": '{"a":1}'},
        },
    ],
}


@pytest.fixture(params=["embedded", "live"])
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "live":
        if not LIVE:
            pytest.skip("UPGRADE_URL names no server")
        with httpx.Client(base_url=LIVE, timeout=60) as client:
            yield client
        return
    store = Store()
    store.metadata["assign-prog"] = CONTEXTS["assign-prog"]
    store.metadata["mathstream"] = CONTEXTS["mathstream"]
    yield TestClient(create_app(store), base_url="http://server/api", raise_server_exceptions=False)


def edited(body: dict[str, Any], edits: list[list[Any]], ids: dict[str, str]) -> dict[str, Any]:
    body, told = copy.deepcopy(body), json.dumps(edits)
    for name, own in ids.items():
        told = told.replace(f'"${name}"', f'"{own}"')
    for how, path, *value in json.loads(told):
        *way, last = path.split(".")
        held: Any = body
        for part in way:
            held = held[int(part)] if isinstance(held, list) else held[part]
        place = int(last) if isinstance(held, list) else last
        if how == "drop":
            del held[place]
        elif how == "set":
            held[place] = value[0]
        else:
            held[place].append(value[0])
    return body


def told(answer: Any) -> dict[str, Any]:
    if answer.status_code == 200:
        return {"status": 200}
    body = answer.json()
    kept = {key: _ID.sub("<id>", str(body[key]))[:300] for key in ("name", "message", "type") if key in body}
    return {"status": answer.status_code, **kept}


def seen(server: Any, own: str) -> dict[str, Any]:
    raw = server.get(f"/experiments/single/{own}").json()
    points = {one["id"]: f"{one['site']}/{one['target']}" for one in raw["partitions"]}
    codes = {one["id"]: one["conditionCode"] for one in raw["conditions"]}
    rows = sorted(raw["conditions"], key=lambda one: one["order"])
    return {
        "name": raw["name"],
        "state": raw["state"],
        "versionNumber": raw["versionNumber"],
        "post": raw["postExperimentRule"],
        "conditions": [[one["conditionCode"], one["assignmentWeight"], one["order"]] for one in rows],
        "points": [
            [one["site"], one["target"], one["description"], one["order"], one["excludeIfReached"]]
            for one in raw["partitions"]
        ],
        "payloads": sorted(
            [
                codes[one["parentCondition"]],
                points[one["decisionPoint"]],
                one["payload"]["type"],
                one["payload"]["value"],
            ]
            for one in raw["conditionPayloads"]
        ),
    }


def sent(server: Any, method: str, path: str, body: Any) -> Any:
    return server.request(method, path, content=json.dumps(body), headers={"content-type": "application/json"})


def enrolling(server: Any) -> dict[str, Any]:
    own = server.post("/experiments", json=TAKEN).json()["id"]
    server.post("/experiments/state", json={"experimentId": own, "state": "enrolling"})
    raw: dict[str, Any] = server.get(f"/experiments/single/{own}").json()
    raw["conditions"].sort(key=lambda one: one["order"])
    raw["conditionPayloads"].sort(key=lambda one: one["payload"]["value"])
    return raw


def rows_of(*calls: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["call"] in calls]


def test_a_new_experiment_is_refused_as_the_real_server_refuses_it(server: Any) -> None:
    wrong = {}
    for row in rows_of("POST"):
        answer = sent(server, "POST", "/experiments", edited(TAKEN, row["edits"], {}))
        if told(answer) != row["answer"]:
            wrong[row["case"]] = told(answer), row["answer"]
        if answer.status_code == 200:
            server.delete(f"/experiments/{answer.json()['id']}")
    assert not wrong


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.bench)])
def test_a_changed_experiment_is_refused_and_half_stored_as_on_the_real_server(server: Any, every: int) -> None:
    wrong = {}
    for row in rows_of("PUT")[::every]:
        raw = enrolling(server)
        before, ids = seen(server, raw["id"]), {name: str(uuid4()) for name in ("new", "new2", "new3")}
        body = edited(raw, row["edits"], {**ids, "p0": raw["partitions"][0]["id"]})
        answer = told(sent(server, "PUT", f"/experiments/{raw['id']}", body))
        after = {key: value for key, value in seen(server, raw["id"]).items() if value != before[key]}
        if (answer, after) != (row["answer"], row["after"]):
            wrong[row["case"]] = (answer, after), (row["answer"], row["after"])
        server.delete(f"/experiments/{raw['id']}")
    assert not wrong


def test_lists_and_states_are_refused_as_on_the_real_server(server: Any) -> None:
    wrong = {}
    for row in rows_of("inclusionList", "state"):
        if row["case"] == "without experimentId" and not isinstance(server, TestClient):
            # It goes into whichever experiment is the first on the server, which may be somebody's.
            continue
        own = server.post("/experiments", json=TAKEN).json()["id"]
        body = json.loads(json.dumps(row["body"]).replace('"$id"', f'"{own}"'))
        answer = told(sent(server, "POST", f"/experiments/{row['call']}", body))
        raw = server.get(f"/experiments/single/{own}").json()
        after: Any = [raw["state"], raw["versionNumber"]]
        if row["call"] == "inclusionList":
            lists = [one["segment"] for one in raw["experimentSegmentInclusion"]]
            after = [
                [
                    sorted(user["userId"] for user in one["individualForSegment"]),
                    sorted(f"{group['type']}:{group['groupId']}" for group in one["groupForSegment"]),
                    one["listType"],
                ]
                for one in lists
            ]
        if (answer, after) != (row["answer"], row["after"]):
            wrong[row["case"]] = (answer, after), (row["answer"], row["after"])
        server.delete(f"/experiments/{own}")
    assert not wrong
