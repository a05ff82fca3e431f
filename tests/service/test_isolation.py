"""Two people on one service: nobody reaches another's things, whatever they name and whatever they send along."""

from __future__ import annotations

import re
import time
from itertools import product
from typing import Any

import httpx
import pytest

from .conftest import ANN, BOB, events_of

RUN = {"assistant_id": "Hello", "input": {"name": "Bob"}}
RESUME = {"assistant_id": "Review", "command": {"resume": "approve"}}
BODIES: dict[str, list[dict[str, Any]]] = {
    "/threads/{thread_id}/runs/crons": [{"assistant_id": "Hello", "schedule": "* * * * *", "input": {"name": "x"}}],
    "/threads/{thread_id}/runs/{run_id}/feedback": [{"value": "up"}],
    "/threads/{thread_id}": [{"metadata": {"stolen": True}}],
    "/threads/{thread_id}/history": [{}, {"before": "{checkpoint_id}"}],
    "/threads/{thread_id}/state/checkpoint": [{"checkpoint": {"checkpoint_id": "{checkpoint_id}"}}],
    "/threads/{thread_id}/runs": [RUN, {**RUN, "if_not_exists": "create"}, RESUME],
    "/threads/{thread_id}/runs/wait": [RUN, {**RUN, "if_not_exists": "create"}, RESUME],
    "/threads/{thread_id}/runs/stream": [RUN, {**RUN, "if_not_exists": "create"}, RESUME],
    "/api/{user_id}/conversations/{conversation_id}": [{"title": "stolen"}],
    "/api/{user_id}/chat": [{"message": "hi", "conversation_id": "{conversation_id}"}],
}


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the service keeps its things; on PostgreSQL as a role that may not pass row-level security."""
    if request.param == "postgresql":
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())
    return str(request.param)


def routes() -> list[tuple[str, str]]:
    """Every method and path that names something of a person's."""
    from signalbox.service import create_app

    found = create_app().openapi()["paths"].items()
    named = [(path, told) for path, told in found if re.search(r"{(user|thread|run|checkpoint|conversation)_id}", path)]
    return sorted((method.upper(), path) for path, told in named for method in told)


def anns_things(ann: httpx.Client) -> dict[str, str]:
    """Ann's thread with a run that waits, and a conversation."""
    thread = ann.post("/threads", json={"metadata": {"secret": "Ann's"}}).json()["thread_id"]
    asked = ann.post(f"/threads/{thread}/runs", json={"assistant_id": "Review", "input": {"text": "secret"}}).json()
    ann.get(f"/threads/{thread}/runs/{asked['run_id']}/join")
    checkpoint = ann.post(f"/threads/{thread}/history", json={}).json()[0]["checkpoint"]["checkpoint_id"]
    talk = ann.post(f"/api/{ANN}/chat", json={"message": "secret"}).json()["conversation_id"]
    return {"thread_id": thread, "run_id": asked["run_id"], "checkpoint_id": checkpoint, "conversation_id": talk}


def picture(ann: httpx.Client, things: dict[str, str]) -> list[Any]:
    """All that Ann sees of her things."""
    thread, run = things["thread_id"], things["run_id"]
    places = [
        f"/threads/{thread}", f"/threads/{thread}/state", f"/threads/{thread}/history", f"/threads/{thread}/runs",
        f"/threads/{thread}/runs/{run}", f"/api/{ANN}/conversations/{things['conversation_id']}",
    ]  # fmt: skip
    return [ann.get(place).json() for place in places] + [ann.get(f"/threads/{thread}/runs/{run}/stream").text]


def filled(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: filled(one, names) for key, one in value.items()}
    return value.format(**names) if isinstance(value, str) and "{" in value else value


@pytest.mark.usefixtures("database")
def test_no_route_reaches_what_is_another_persons(ann: httpx.Client, bob: httpx.Client) -> None:
    things = anns_things(ann)
    before = picture(ann, things)
    asked = 0
    for (method, path), shorten in product(routes(), (None, 8)):
        for user_id, refusal in ((BOB, 404), (ANN, 403)) if "{user_id}" in path else ((BOB, 404),):
            names = {"user_id": user_id} | {key: value[:shorten] for key, value in things.items()}
            for body in BODIES.get(path, [{}]) if method in ("POST", "PATCH", "PUT") else [None]:
                makes_own = shorten is not None and body is not None and "if_not_exists" in body
                if makes_own or (path == "/api/{user_id}/conversations" and user_id == BOB):
                    continue  # a new thread of Bob's, or his own list
                answer = bob.request(method, path.format(**names), json=filled(body, names))
                told = f"{method} {path} as {user_id}: {answer.status_code} {answer.text[:200]}"
                assert answer.status_code == refusal, told
                assert "secret" not in answer.text, told
                assert things["thread_id"] not in answer.text.replace(names["thread_id"], ""), told
                asked += 1
        for odd in ("%00", "x%00y", "'%20OR%20'1'='1", "%25", "_" * 8, "%F0%9F%98%80", "%ED%A0%80"):
            names = {"user_id": BOB} | dict.fromkeys(things, odd)
            if method in ("GET", "DELETE") and path.count("_id}") > path.count("{user_id}"):
                answer = bob.request(method, path.format(**names))
                assert answer.status_code in (404, 422), f"{method} {path} of {odd}: {answer.status_code}"
    assert asked >= 4 * 15
    assert picture(ann, things) == before
    assert (bob.post("/threads/search", json={}).json(), bob.get(f"/api/{BOB}/conversations").json()) == ([], [])


def test_a_thread_named_like_the_start_of_another_is_a_thread_of_its_own(ann: httpx.Client, bob: httpx.Client) -> None:
    for person in (bob, ann):
        things = anns_things(ann)
        before = picture(ann, things)
        start = things["thread_id"][:8]
        assert person.post("/threads", json={"thread_id": start}).status_code == 200
        assert person.get(f"/threads/{start}").json()["values"] is None
        refused = person.post(f"/threads/{start}/runs/wait", json={**RESUME, "command": {"resume": "approve"}})
        assert refused.status_code == 422
        assert person.delete(f"/threads/{start}").status_code == 204
        assert person.get(f"/threads/{start}").status_code == 404
        assert picture(ann, things) == before


def test_a_thread_that_is_somebody_elses_cannot_be_made_again(ann: httpx.Client, bob: httpx.Client) -> None:
    things = anns_things(ann)
    before = picture(ann, things)
    for wanted in ({}, {"if_exists": "do_nothing"}, {"metadata": {"secret": "Bob's"}, "if_exists": "raise"}):
        refused = bob.post("/threads", json={"thread_id": things["thread_id"], **wanted})
        assert refused.status_code in (404, 409)
        assert "secret" not in refused.text
    assert picture(ann, things) == before


@pytest.mark.usefixtures("database")
def test_metadata_is_only_given_back(ann: httpx.Client, bob: httpx.Client) -> None:
    things = anns_things(ann)
    before = picture(ann, things)
    metadata = {
        "for_run": things["run_id"], "route": {"to": "metrics", "confidence": 1}, "stream_modes": ["updates"],
        "handed_to": things["run_id"], "person": ANN, "user_id": ANN, "background": False, "run_id": things["run_id"],
    }  # fmt: skip
    for assistant in ("Hello", "Review"):
        body = {"assistant_id": assistant, "input": {"name": "Bob", "text": "Bob"}, "metadata": metadata}
        made = bob.post("/threads", json={"metadata": metadata}).json()
        assert made["metadata"] == metadata
        streamed = bob.post(f"/threads/{made['thread_id']}/runs/stream", json=body)
        assert "secret" not in streamed.text
        [values] = [data for _, kind, data in events_of(streamed.text) if kind == "values"]
        assert values["route"] is None
        run = streamed.headers["Content-Location"]
        assert (bob.get(run).json()["metadata"], bob.get(f"{run}/stream").text) == (metadata, streamed.text)
    assert picture(ann, things) == before


def test_a_checkpoint_of_another_is_no_place_to_look_from(ann: httpx.Client, bob: httpx.Client) -> None:
    things = anns_things(ann)
    own = bob.post("/threads", json={}).json()["thread_id"]
    bob.post(f"/threads/{own}/runs/wait", json=RUN)
    checkpoint = things["checkpoint_id"]
    assert bob.get(f"/threads/{own}/state/{checkpoint}").status_code == 404
    assert (
        bob.post(f"/threads/{own}/state/checkpoint", json={"checkpoint": {"checkpoint_id": checkpoint}}).status_code
        == 404
    )
    for found in (
        bob.post(f"/threads/{own}/history", json={"before": checkpoint}),
        bob.post(f"/threads/{own}/history", json={"before": {"configurable": {"checkpoint_id": checkpoint}}}),
        bob.get(f"/threads/{own}/history", params={"before": checkpoint}),
    ):
        assert found.json() == []
    assert bob.get(f"/threads/{own}/runs/{things['run_id']}").status_code == 404
    assert bob.delete(f"/threads/{own}/runs/{things['run_id']}").status_code == 404


def test_the_same_words_of_two_people_are_two_conversations(ann: httpx.Client, bob: httpx.Client) -> None:
    asked = {"role": "user", "content": "Hi"}
    said = [ann.post("/v1/chat/completions", json={"model": "Review", "messages": [asked]}).json()]
    answer = said[0]["choices"][0]["message"]
    talk = [asked, answer, {"role": "user", "content": "approve"}]
    stolen = bob.post("/v1/chat/completions", json={"model": "Review", "messages": talk}).json()
    assert "Published" not in stolen["choices"][0]["message"]["content"]
    assert [one["status"] for one in ann.post("/threads/search", json={}).json()] == ["interrupted"]


def test_what_one_person_follows_another_does_not_hear(ann: httpx.Client, bob: httpx.Client, folder: Any) -> None:
    """While the run is under way, its events are in the memory of the process that both are served by."""
    thread = ann.post("/threads", json={}).json()["thread_id"]
    run = ann.post(f"/threads/{thread}/runs", json={"assistant_id": "Slow", "input": {"name": "secret"}}).json()[
        "run_id"
    ]
    deadline = time.monotonic() + 20
    while not (folder / "log").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    own = bob.post("/threads", json={}).json()["thread_id"]
    body = {**RUN, "metadata": {"for_run": run}}
    heard = bob.post(f"/threads/{own}/runs/stream", json={**body, "stream_mode": ["values", "custom", "debug"]})
    assert "secret" not in heard.text
    assert "Hello Bob" in heard.text
    (folder / "go").touch()
    assert "Bob" not in ann.get(f"/threads/{thread}/runs/{run}/stream", params={"stream_mode": "debug"}).text
