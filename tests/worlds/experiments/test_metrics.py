"""Metrics of the embedded server: what the real one (6.5.0) was seen to answer, in the same calls."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from signalbox.worlds.experiments import Store, create_app
from signalbox.worlds.experiments.seed import CONTEXTS

UNITS = [
    {"metric": "orderValue", "datatype": "continuous"},
    {"metric": "opened", "datatype": "categorical", "allowedValues": ["yes", "no"]},
    {
        "groupClass": "workspace",
        "allowedKeys": ["area"],
        "attributes": [{"metric": "seconds", "datatype": "continuous"}],
    },
]


@pytest.fixture
def server() -> TestClient:
    store = Store()
    for context, offered in CONTEXTS.items():
        store.metadata[context] = offered
    client = TestClient(create_app(store), base_url="http://server/api", raise_server_exceptions=False)
    assert client.post("/metric/save", json={"metricUnit": UNITS, "context": ["web-shop"]}).status_code == 200
    return client


def query(key: str, operation: str, repeated: str = "MOST RECENT", **more: Any) -> dict[str, Any]:
    asked = {"operationType": operation, **more}
    return {"name": f"{key} {operation}", "query": asked, "metric": {"key": key}, "repeatedMeasure": repeated}


def make(server: TestClient, queries: list[dict[str, Any]], targets: tuple[str, ...] = ("banner",)) -> dict[str, Any]:
    points = [
        {"id": name, "site": "HomePage", "target": name, "order": 1, "excludeIfReached": False} for name in targets
    ]
    body = {
        "name": "Measured",
        "context": ["web-shop"],
        "state": "enrolling",
        "type": "Simple",
        "assignmentUnit": "individual",
        "consistencyRule": "individual",
        "postExperimentRule": "continue",
        "filterMode": "includeAll",
        "tags": [],
        "conditions": [{"id": "c", "conditionCode": "control", "assignmentWeight": 100, "order": 1}],
        "partitions": points,
        "queries": queries,
    }
    one = server.post("/experiments", json=body).json()
    for number in range(3):
        user = {"User-Id": f"user-{number}"}
        server.post("/v6/init", json={}, headers=user)
        for name in targets:
            server.post("/v6/mark", json={"data": {"site": "HomePage", "target": name}}, headers=user)
    return dict(one)


def log(server: TestClient, user: str, at: str = "2026-11-18T20:00:00.000Z", **values: Any) -> Any:
    body = {"value": [{"timestamp": at, "metrics": {"attributes": values}}]}
    return server.post("/v6/log", json=body, headers={"User-Id": user}).json()


def results(server: TestClient, one: dict[str, Any]) -> list[tuple[Any, Any]]:
    ids = [asked["id"] for asked in one["queries"]]
    found = server.post("/query/analyse", json={"queryIds": ids}).json()
    return [(row["mainEffect"][0]["result"], row["mainEffect"][0]["participantsLogged"]) for row in found]


def test_figures_are_those_of_the_users_enrolled(server: TestClient) -> None:
    operations = ("avg", "stddev", "sum", "min", "max", "count", "median", "mode")
    one = make(server, [query("orderValue", name) for name in operations])
    for number, value in enumerate((10, 20, 60)):
        log(server, f"user-{number}", orderValue=value)
    figures = [float(figure) for figure, _ in results(server, one)]
    assert figures == pytest.approx([30, 26.457513110645905, 90, 10, 60, 3, 20, 10])
    assert {users for _, users in results(server, one)} == {"3"}


def test_nobody_has_logged_reads_as_zero_of_nobody(server: TestClient) -> None:
    assert results(server, make(server, [query("orderValue", "avg")])) == [("0", 0)]


def test_a_user_counts_once_for_each_decision_point(server: TestClient) -> None:
    asked = [query("opened", name, compareFn="=", compareValue="yes") for name in ("count", "percentage")]
    one = make(server, asked, ("banner", "reminder-mail"))
    for number in range(3):
        log(server, f"user-{number}", opened="yes" if number else "no")
    (counted, users), (share, _) = results(server, one)
    assert (counted, users) == ("4", "3")
    assert float(share) == pytest.approx(200 / 3)


def test_a_later_value_takes_the_place_of_an_earlier_one_and_not_the_other_way_round(server: TestClient) -> None:
    one = make(server, [query("orderValue", "max")])
    log(server, "user-0", orderValue=10)
    (stored,) = log(server, "user-0", "2026-11-18T21:00:00.000Z", orderValue=5)
    assert stored["data"] == {"orderValue": 5}
    assert log(server, "user-0", "2026-11-18T19:00:00.000Z", orderValue=99) == []
    assert results(server, one) == [("5", "1")]


def test_a_value_is_kept_only_where_a_query_asks_for_it(server: TestClient) -> None:
    make(server, [query("orderValue", "avg")])
    assert log(server, "user-0", opened="yes") == []
    assert log(server, "user-0", nothing=1) == []


def test_what_the_database_cannot_compute_is_rejected(server: TestClient) -> None:
    one = make(server, [query("opened", "avg", "MEAN")])
    log(server, "user-0", opened="yes")
    asked = {"queryIds": [one["queries"][0]["id"]]}
    assert server.post("/query/analyse", json=asked).json()[0]["mainEffect"][0] == "rejected"


def test_an_archived_experiment_keeps_its_results_and_logs_nothing_more(server: TestClient) -> None:
    one = make(server, [query("orderValue", "avg")])
    log(server, "user-0", orderValue=10)
    server.post("/experiments/state", json={"experimentId": one["id"], "state": "archived"})
    assert log(server, "user-1", orderValue=90) == []
    assert results(server, one) == [("10", "1")]


def test_a_change_without_queries_removes_them(server: TestClient) -> None:
    one = make(server, [query("orderValue", "avg")])
    raw = server.get(f"/experiments/single/{one['id']}").json()
    assert [asked["metric"]["key"] for asked in raw["queries"]] == ["orderValue"]
    del raw["queries"]
    server.put(f"/experiments/{one['id']}", json=raw)
    assert server.get(f"/experiments/single/{one['id']}").json()["queries"] == []


def test_what_is_wrong_is_refused_as_the_real_server_does(server: TestClient) -> None:
    make(server, [query("orderValue", "avg")])
    analyse = [server.post("/query/analyse", json=body) for body in ({}, {"queryIds": "x"}, {"queryIds": ["nope"]})]
    assert [one.status_code for one in analyse] == [400, 400, 500]
    assert analyse[2].json()["message"] == 'invalid input syntax for type uuid: "nope"'
    unknown = str(uuid4())
    asked = server.post("/query/analyse", json={"queryIds": [unknown]}).json()
    assert asked == [{"id": unknown, "interactionEffect": None}]
    entry = {"timestamp": "2026-11-18T20:00:00.000Z", "metrics": {"attributes": {"orderValue": ""}}}
    known, stranger = {"User-Id": "user-0"}, {"User-Id": "nobody"}
    assert server.post("/v6/log", json={}, headers=known).status_code == 400
    assert server.post("/v6/log", json={"value": [entry]}, headers=known).status_code == 400
    assert server.post("/v6/log", json={"value": []}, headers=stranger).status_code == 404
    assert server.get("/metric/nowhere").json()["message"] == "Metrics context not found: nowhere"


def test_metrics_are_shown_as_a_tree_and_removed_with_what_is_below(server: TestClient) -> None:
    tree = {one["key"]: one for one in server.get("/metric/web-shop").json()}
    assert tree["opened"]["allowedData"] == ["yes", "no"]
    assert tree["workspace"]["children"][0]["children"][0]["key"] == "seconds"
    assert server.delete("/metric/workspace").json() == []
    assert server.delete("/metric/workspace").status_code == 404
