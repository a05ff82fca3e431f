"""The embedded server by itself: the facts of a real one that hold without its recordings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from signalbox.worlds.experiments import Access, Store, create_app, fill
from signalbox.worlds.experiments.seed import CONTEXTS, PLANTED

BODY: dict[str, Any] = {
    "name": "Simple",
    "context": ["assign-prog"],
    "state": "inactive",
    "type": "Simple",
    "assignmentUnit": "individual",
    "consistencyRule": "individual",
    "postExperimentRule": "continue",
    "filterMode": "includeAll",
    "tags": [],
    "conditions": [
        {"id": "c1", "conditionCode": "control", "assignmentWeight": 50, "order": 1},
        {"id": "c2", "conditionCode": "variant", "assignmentWeight": 50, "order": 2},
    ],
    "partitions": [{"id": "p1", "site": "SelectSection", "target": "t", "order": 1, "excludeIfReached": False}],
}
REQUIRED = [key for key in BODY if key != "description"]
NOBODY = "c007080a-b3f9-486b-afeb-042557896814"


@pytest.fixture
def server() -> TestClient:
    store = Store()
    for context, offered in CONTEXTS.items():
        store.metadata[context] = offered
    return TestClient(create_app(store), base_url="http://server/api")


def make(server: TestClient, **more: Any) -> dict[str, Any]:
    answer = server.post("/experiments", json=BODY | more)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def move(server: TestClient, own: str, state: str) -> None:
    assert server.post("/experiments/state", json={"experimentId": own, "state": state}).status_code == 200


def visit(server: TestClient, user: str, site: str = "SelectSection", target: str = "t") -> str | None:
    header = {"User-Id": user}
    server.post("/v6/init", json={}, headers=header)
    found = server.post("/v6/assign", json={"context": "assign-prog"}, headers=header).json()
    given = next((one["assignedCondition"][0] for one in found if (one["site"], one["target"]) == (site, target)), None)
    data = {"site": site, "target": target} | ({"assignedCondition": given} if given else {})
    assert server.post("/v6/mark", json={"data": data}, headers=header).status_code == 200
    return given["conditionCode"] if given else None


@pytest.mark.parametrize("field", REQUIRED)
def test_every_required_field_is_required_and_none_is_named(server: TestClient, field: str) -> None:
    answer = server.post("/experiments", json={key: value for key, value in BODY.items() if key != field})
    assert answer.status_code == 400
    assert answer.json()["message"] == "Invalid body, check 'errors' property for more info."


@pytest.mark.parametrize(
    "more",
    [
        {"conditions": []},
        {"conditions": [BODY["conditions"][0], BODY["conditions"][0]]},
        {"conditions": [BODY["conditions"][0] | {"assignmentWeight": -5}]},
        {"partitions": [BODY["partitions"][0] | {"site": "Nowhere"}]},
        {"consistencyRule": "group"},
        {"assignmentUnit": "group", "group": "unheard-of"},
    ],
)
def test_much_is_taken_in_silence(server: TestClient, more: dict[str, Any]) -> None:
    make(server, **more)


@pytest.mark.parametrize(
    "more",
    [
        {"conditions": [BODY["conditions"][0] | {"conditionCode": "DEFAULT"}]},
        {"assignmentUnit": "group"},
        {"group": "schoolId"},
        {"assignmentUnit": "household"},
        {"context": ["nowhere"]},
        {"experimentSegmentInclusion": {"segment": {}}},
    ],
)
def test_some_things_are_refused(server: TestClient, more: dict[str, Any]) -> None:
    assert server.post("/experiments", json=BODY | more).status_code == 400


def test_a_new_experiment_always_continues_and_gets_ids_of_its_own(server: TestClient) -> None:
    made = make(server, postExperimentRule="revert")
    assert made["postExperimentRule"] == "continue"
    assert made["conditions"][0]["id"] != "c1"
    assert made["partitions"][0]["id"] != "p1"


def test_at_a_frozen_moment_users_of_a_new_experiment_get_the_same_in_every_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-03-10T14:20:00+00:00")
    runs = []
    for _ in range(2):
        store = Store()
        fill(store)
        server = TestClient(create_app(store), base_url="http://server/api")
        ids = [make(server, name=name)["id"] for name in ("One", "Two")]
        assert server.delete(f"/experiments/{ids[0]}").status_code == 200
        runs.append([*ids, make(server, name="Three")["id"]])
        assert len({*runs[-1]}) == 3
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("enrolling", "running"), ("running", "running"), ("enrollmentComplete", "paused"), ("cancelled", "completed")],
)
def test_states_are_renamed_on_the_way_out(server: TestClient, asked: str, shown: str) -> None:
    own = make(server)["id"]
    move(server, own, asked)
    assert server.get(f"/experiments/single/{own}").json()["state"] == shown


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/experiments/single/abc", None, 400),
        ("GET", f"/experiments/single/{NOBODY}", None, 404),
        ("DELETE", f"/experiments/{NOBODY}", None, 404),
        ("POST", "/experiments/state", {"experimentId": NOBODY, "state": "enrolling"}, 500),
        ("POST", "/experiments/state", {"experimentId": NOBODY, "state": "started"}, 400),
        ("PUT", f"/experiments/{NOBODY}", BODY, 500),
        ("PUT", f"/experiments/{NOBODY}", {"name": "new"}, 400),
        ("POST", "/stats/enrollment/detail", {"experimentId": NOBODY}, 500),
        ("POST", "/v6/init", {}, 400),
        ("GET", "/nope", None, 404),
    ],
)
def test_failures_have_their_statuses(server: TestClient, method: str, path: str, body: Any, status: int) -> None:
    assert server.request(method, path, json=body).status_code == status


def test_a_put_needs_payloads_and_ignores_lists(server: TestClient) -> None:
    own = make(server)["id"]
    whole = server.get(f"/experiments/single/{own}").json()
    without = {key: value for key, value in whole.items() if key != "conditionPayloads"}
    assert server.put(f"/experiments/{own}", json=without).status_code == 500
    listed = [{"segment": {"type": "private", "individualForSegment": [{"userId": "u"}]}}]
    answer = server.put(f"/experiments/{own}", json=whole | {"experimentSegmentInclusion": listed, "name": "Other"})
    assert answer.json()["name"] == "Other"
    assert answer.json()["experimentSegmentInclusion"] == []


def test_users_that_nobody_made_known_are_not_found(server: TestClient) -> None:
    header = {"User-Id": "ghost"}
    assert server.post("/v6/assign", json={"context": "assign-prog"}, headers=header).status_code == 404
    batch = {"context": "assign-prog", "site": "SelectSection", "target": "t", "userIds": ["ghost"]}
    assert server.post("/batch-assign", json=batch).json() == {"ghost": "NOT_FOUND"}


def test_asking_stores_nothing_and_coming_enrols(server: TestClient) -> None:
    own = make(server)["id"]
    move(server, own, "enrolling")
    batch = {"context": "assign-prog", "site": "SelectSection", "target": "t", "userIds": ["anna"]}
    server.post("/v6/init", json={}, headers={"User-Id": "anna"})
    foretold = server.post("/batch-assign", json=batch).json()["anna"]["assignedCondition"][0]["conditionCode"]
    assert server.post("/stats/enrollment/detail", json={"experimentId": own}).json()["users"] == 0
    assert visit(server, "anna") == foretold
    assert server.post("/stats/enrollment/detail", json={"experimentId": own}).json()["users"] == 1


def test_an_unknown_condition_and_a_foreign_experiment_are_refused_at_a_visit(server: TestClient) -> None:
    own = make(server)["id"]
    move(server, own, "enrolling")
    header = {"User-Id": "anna"}
    server.post("/v6/init", json={}, headers=header)
    data = {"site": "SelectSection", "target": "t", "assignedCondition": {"conditionCode": "nonsense"}}
    assert server.post("/v6/mark", json={"data": data}, headers=header).status_code == 500
    data["assignedCondition"] = {"conditionCode": "control", "experimentId": NOBODY}
    assert server.post("/v6/mark", json={"data": data}, headers=header).status_code == 404


def test_enough_users_complete_the_enrolment(server: TestClient) -> None:
    own = make(server, enrollmentCompleteCondition={"userCount": 2})["id"]
    move(server, own, "enrolling")
    assert [visit(server, user) is not None for user in ("a", "b", "c")] == [True, True, False]
    assert server.get(f"/experiments/single/{own}").json()["state"] == "paused"


def test_delete_answers_with_an_array_and_forgets_who_was_enrolled(server: TestClient) -> None:
    own = make(server)["id"]
    move(server, own, "enrolling")
    visit(server, "anna")
    answer = server.delete(f"/experiments/{own}").json()
    assert [one["state"] for one in answer] == ["enrolling"]
    assert server.get("/experiments/names").json() == []


def test_pages_are_searched_and_sorted(server: TestClient) -> None:
    for name in ("Beta", "Alpha", "Gamma"):
        make(server, name=name)
    asked = {"skip": 0, "take": 2, "sortParams": {"key": "name", "sortAs": "DESC"}}
    page = server.post("/experiments/paginated", json=asked).json()
    assert (page["total"], [one["name"] for one in page["nodes"]]) == (3, ["Gamma", "Beta"])
    asked["searchParams"] = {"key": "name", "string": "alp"}
    assert server.post("/experiments/paginated", json=asked).json()["total"] == 1


def test_an_alias_is_the_same_user(server: TestClient) -> None:
    own = make(server)["id"]
    move(server, own, "enrolling")
    given = visit(server, "anna")
    server.patch("/v6/useraliases", json={"aliases": ["ann"]}, headers={"User-Id": "anna"})
    found = server.post("/v6/assign", json={"context": "assign-prog"}, headers={"User-Id": "ann"}).json()
    assert found[0]["assignedCondition"][0]["conditionCode"] == given


def test_tokens_close_the_administration_and_leave_the_applications() -> None:
    store = Store()
    fill(store)
    server = TestClient(create_app(store, Access(tokens=("known",))), base_url="http://server/api")
    assert server.get("/").status_code == 200
    assert server.get("/version").status_code == 401
    assert server.get("/version", headers={"Authorization": "Bearer known"}).text == "6.5.0"
    assert server.post("/v6/init", json={}, headers={"User-Id": "x"}).status_code == 200


def test_the_seed_has_a_dozen_experiments_in_several_contexts_and_states() -> None:
    store = Store()
    fill(store)
    assert len(store.experiments) == len(PLANTED) >= 12
    assert len({one["context"][0] for one in store.experiments.values()}) >= 3
    assert len({one["state"] for one in store.experiments.values()}) >= 6
    again = Store()
    fill(again)
    assert list(again.experiments) == list(store.experiments)


def test_what_was_tried_out_is_kept_in_a_file_and_shared(tmp_path: Path) -> None:
    path = tmp_path / "world.sqlite"
    one, other = Store(path), Store(path)
    one.once(fill)
    other.once(fill)
    mine, theirs = (TestClient(create_app(store), base_url="http://server/api") for store in (one, other))
    own = make(mine)["id"]
    assert theirs.get(f"/experiments/single/{own}").status_code == 200
    move(theirs, own, "enrolling")
    assert visit(mine, "anna") is not None
    assert theirs.delete(f"/experiments/{own}").status_code == 200
    assert mine.get(f"/experiments/single/{own}").status_code == 404
    one.close()
    other.close()
    later = Store(path)
    later.once(fill)
    assert len(later.experiments) == len(PLANTED)
    later.close()
