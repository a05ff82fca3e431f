"""The page behind the door: a browser signs in and gets a cookie, a program gets 401, and no other page rides along."""

from __future__ import annotations

import json

import httpx
import pytest

from signalbox.service.sign_in import make_code

from .conftest import ANN, BOB, token

PAGE_PATHS = ("/", "/config", "/page/app.js", "/t/a-thread", "/file=/etc/passwd", "/assets/a.js",
              "//", "/API/x", "/threads/../page/app.js", "/healthz/", "/docs/", "/sign-in/x")  # fmt: skip


@pytest.fixture
def browser(place: httpx.Client) -> httpx.Client:
    """Who keeps cookies and says where a request comes from."""
    place.headers["Origin"] = str(place.base_url).rstrip("/")
    return place


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"])
def test_nothing_of_the_page_is_there_without_a_token(place: httpx.Client, method: str) -> None:
    for path in PAGE_PATHS:
        sent = place.request(method, path)
        assert (sent.status_code, sent.headers["content-type"]) == (401, "application/problem+json"), path


def test_an_upload_without_a_token_is_refused_whatever_its_size(place: httpx.Client) -> None:
    assert place.post("/page/upload", files={"files": b"x" * 5_000_000}).status_code == 401


def test_the_page_has_the_limits_of_the_api(place: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MAX_BODY", "2000")
    monkeypatch.setenv("SIGNALBOX_RATE_LIMIT", "4")
    place.headers["Authorization"] = f"Bearer {token(ANN)}"
    assert place.post("/page/upload", files={"files": b"x" * 3000}).status_code == 413
    assert place.post("/page/upload", content=(b"x" * 500 for _ in range(10))).status_code == 413
    asked = [place.get(path).status_code for path in ("/", "/v1/models", "/config")]
    assert asked == [200, 200, 429]


def test_a_browser_gets_a_sign_in_page_and_nothing_of_the_page(place: httpx.Client) -> None:
    sent = place.get("/", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (sent.status_code, sent.headers["cache-control"]) == (401, "no-store")
    assert "Sign in" in sent.text
    assert "the page" not in sent.text
    assert (
        place.get("/v1/models", headers={"Accept": "text/html"})
        .headers["content-type"]
        .startswith("application/problem")
    )


def test_a_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(browser: httpx.Client) -> None:
    assert browser.post("/sign-in", json={"token": "nobody's"}).status_code == 401
    signed_in = browser.post("/sign-in", json={"token": token(ANN)})
    assert signed_in.status_code == 204
    cookie = signed_in.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert browser.get("/").json() == "the page"
    assert browser.post("/threads/search", json={}).json() == []
    assert browser.delete("/sign-in").status_code == 204
    assert browser.get("/").status_code == 401


def test_under_https_the_cookie_is_for_https_alone(place: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_ALLOWED_HOSTS", "box.example.org")
    headers = {"Host": "box.example.org", "Origin": "https://box.example.org"}
    sent = place.post("/sign-in", json={"token": token(ANN)}, headers=headers)
    assert "Secure" in sent.headers["set-cookie"].split("; ")


def test_a_link_signs_in_once(place: httpx.Client) -> None:
    code = make_code(ANN)
    first, second = (place.post("/sign-in", json={"code": code}) for _ in range(2))
    assert (first.status_code, second.status_code) == (204, 401)
    assert "set-cookie" not in second.headers


def test_a_sign_in_is_json_of_our_own_page(place: httpx.Client) -> None:
    given = {"token": token(ANN)}
    assert place.post("/sign-in", data=given).status_code == 422
    as_text = place.post("/sign-in", content=json.dumps(given), headers={"Content-Type": "text/plain"})
    assert as_text.status_code == 422
    for wrong in (b"[]", b"{", b'{"token": 1}', b'{"token": {"a": 1}}', b"x" * 100_000):
        sent = place.post("/sign-in", content=wrong, headers={"Content-Type": "application/json"})
        assert sent.status_code == 422
    assert place.post("/sign-in", json=given, headers={"Origin": "https://evil.example"}).status_code == 403


def test_the_cookie_counts_only_for_what_the_page_sends(browser: httpx.Client) -> None:
    browser.post("/sign-in", json={"token": token(ANN)})
    del browser.headers["Origin"]
    assert browser.post("/threads", json={}).status_code == 401
    assert browser.post("/threads", json={}, headers={"Origin": "http://localhost:3000"}).status_code == 403
    image = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}
    assert browser.get("/v1/models", headers=image).status_code == 401
    typed = {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}
    assert browser.get("/", headers=typed).status_code == 200


def test_a_token_goes_before_the_cookie(browser: httpx.Client) -> None:
    browser.post("/sign-in", json={"token": token(ANN)})
    thread = browser.post("/threads", json={}).json()["thread_id"]
    assert browser.get(f"/threads/{thread}", headers={"Authorization": f"Bearer {token(BOB)}"}).status_code == 404
    assert browser.get(f"/threads/{thread}", headers={"Authorization": "Bearer nobody's"}).status_code == 401
    assert browser.get(f"/threads/{thread}", headers={"Authorization": "Basic dTpw"}).status_code == 200


def test_without_a_page_there_is_nothing_to_sign_in_to(address: str) -> None:
    assert httpx.get(address, headers={"Accept": "text/html"}).headers["content-type"] == "application/problem+json"
    assert httpx.post(f"{address}/sign-in", json={"token": token(ANN)}).status_code == 401
