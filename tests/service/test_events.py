"""Events carry ids: a client that drops and comes back loses nothing and gets nothing twice."""

from __future__ import annotations

from pathlib import Path

import httpx

from .conftest import ANN, events_of


def test_who_comes_back_with_the_last_id_gets_exactly_the_rest(ann: httpx.Client) -> None:
    thread = ann.post("/threads", json={}).json()["thread_id"]
    body = {
        "assistant_id": "Hello",
        "input": {"name": "Ann"},
        "stream_mode": ["values", "updates", "custom", "messages"],
    }
    sent = ann.post(f"/threads/{thread}/runs/stream", json=body)
    whole = events_of(sent.text)
    assert whole[-1][1] == "end"
    ids = [number for number, _, _ in whole[:-1]]
    assert len(set(ids)) == len(ids) > 5
    for place, last in enumerate(ids):
        again = ann.get(sent.headers["location"], headers={"Last-Event-ID": last})
        assert events_of(again.text) == whole[place + 1 :]


def test_a_stream_that_broke_off_goes_on_while_the_run_does(ann: httpx.Client, folder: Path) -> None:
    thread = ann.post("/threads", json={}).json()["thread_id"]
    body = {"assistant_id": "Slow", "input": {"name": "x"}, "stream_mode": ["custom", "values"]}
    seen = []
    with ann.stream("POST", f"/threads/{thread}/runs/stream", json=body) as sent:
        text = ""
        for piece in sent.iter_text():
            text += piece
            if '"tool_result"' in text:
                break
        seen = events_of(text[: text.rindex("\n\n") + 2])
    (folder / "go").touch()
    rest = events_of(ann.get(sent.headers["location"], headers={"Last-Event-ID": seen[-1][0]}).text)
    whole = events_of(ann.get(sent.headers["location"]).text)
    assert seen + rest == whole
    assert whole[-2][2]["answer"] == "Done: x"


def test_a_chat_stream_is_taken_up_with_its_key(ann: httpx.Client) -> None:
    options = {"headers": {"Idempotency-Key": "k1", "Accept": "text/event-stream"}, "json": {"message": "milk"}}
    whole = events_of(ann.post(f"/api/{ANN}/chat", **options).text)
    assert [kind for _, kind, _ in whole] == ["message", "tool_call", "tool_result", "text", "text", "end"]
    options["headers"]["Last-Event-ID"] = "3"
    assert events_of(ann.post(f"/api/{ANN}/chat", **options).text) == whole[3:]


def test_a_chat_stream_is_the_same_as_often_as_it_is_repeated(ann: httpx.Client) -> None:
    headers = {"Idempotency-Key": "k2", "Accept": "text/event-stream"}

    def send(**more: str) -> list[tuple[str, str, object]]:
        return events_of(ann.post(f"/api/{ANN}/chat", headers=headers | more, json={"message": "milk"}).text)

    whole = send()
    assert send() == whole
    for place, (last, _, _) in enumerate(whole[:-1]):
        assert send(**{"Last-Event-ID": last}) == whole[place + 1 :]
