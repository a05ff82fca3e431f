"""Host and Origin, as a browser sends them for a page of ours and for somebody else's, and the headers that go back."""

from __future__ import annotations

import socket

import httpx
import pytest

from .conftest import ANN, token

PATHS = ("/", "/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/v1/models", "/threads/search", "/mcp",
         "/page/app.js", "/sign-in", "/nowhere")  # fmt: skip
HEADERS = {"x-frame-options": "DENY", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff"}


def status(place: httpx.Client, path: str = "/healthz", **headers: str) -> int:
    return place.get(path, headers=headers).status_code


def raw(place: httpx.Client, *lines: str) -> bytes:
    """The first line that comes back for a request with exactly these lines."""
    with socket.create_connection((place.base_url.host, place.base_url.port or 80), 10) as connection:
        connection.sendall("\r\n".join((*lines, "Connection: close", "", "")).encode("latin-1"))
        return connection.recv(100).split(b"\r\n")[0]


@pytest.mark.parametrize("name", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.1.2.3", "0.0.0.0",
                                  "localhost.evil.example", "evil-localhost", "[::2]"])  # fmt: skip
def test_another_name_is_not_served_whatever_is_asked_for_and_by_whom(place: httpx.Client, name: str) -> None:
    signed_in = {"Authorization": f"Bearer {token(ANN)}"}
    assert {status(place, path, Host=name, **signed_in) for path in PATHS} == {421}


def test_this_machine_and_its_address_are_served_on_any_port(place: httpx.Client) -> None:
    names = ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:7860", "[::1]:7860", "[0:0:0:0:0:0:0:1]", "localhost."]
    assert {status(place, Host=name) for name in names} == {200}


@pytest.mark.parametrize(
    "name", ["a b", "", "http://localhost", "localhost:99999", "localhost:x", "user@localhost", "[::1"]
)
def test_a_garbled_host_is_a_bad_request(place: httpx.Client, name: str) -> None:
    assert raw(place, "GET /healthz HTTP/1.1", f"Host: {name}").split()[1] == b"400"


def test_no_host_and_two_hosts_are_bad_requests(place: httpx.Client) -> None:
    assert raw(place, "GET /healthz HTTP/1.0").split()[1] == b"400"
    assert raw(place, "GET /healthz HTTP/1.1", "Host: localhost", "Host: evil.example").split()[1] == b"400"


def test_names_that_the_operator_lists_are_served(place: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_ALLOWED_HOSTS", "box.example.org, *.teams.example.org, strict.example.org:8443")
    served = ["box.example.org", "BOX.example.org:444", "a.teams.example.org", "a.b.teams.example.org:1",
              "strict.example.org:8443"]  # fmt: skip
    assert {status(place, Host=name) for name in served} == {200}
    foreign = ["x.box.example.org", "teams.example.org", "evilteams.example.org", "strict.example.org", "example.org"]
    assert {status(place, Host=name) for name in foreign} == {421}


def test_a_listed_name_must_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from signalbox.errors import ConfigurationError
    from signalbox.settings import get_settings

    for wrong in ("*", "http://box.example.org", "*.*"):
        monkeypatch.setenv("SIGNALBOX_ALLOWED_HOSTS", wrong)
        with pytest.raises(ConfigurationError, match="SIGNALBOX_ALLOWED_HOSTS"):
            get_settings()


def test_a_page_of_another_origin_may_not_call(place: httpx.Client) -> None:
    port = place.base_url.port
    signed_in = {"Authorization": f"Bearer {token(ANN)}"}
    foreign = ["https://evil.example", "null", "http://localhost:1", f"http://localhost:{port}", "", "file://",
               f"http://127.0.0.1:{port}.evil.example", f"http://127.0.0.1:{port}@evil.example"]  # fmt: skip
    for origin in foreign:
        assert {status(place, path, Origin=origin, **signed_in) for path in PATHS} == {403}, origin


def test_a_page_of_ours_and_a_program_may_call(place: httpx.Client) -> None:
    assert status(place, Origin=str(place.base_url).rstrip("/")) == status(place) == 200
    assert status(place, Origin="https://localhost", Host="localhost") == 200


def test_behind_a_proxy_the_listed_name_is_the_origin(place: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_ALLOWED_HOSTS", "box.example.org")
    assert status(place, Origin="https://box.example.org") == 200
    assert status(place, Origin="https://box.example.org:3000") == 403
    assert status(place, Origin="https://box.example.org:3000", Host="box.example.org:3000") == 200


def test_every_answer_carries_the_headers(place: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in = {"Authorization": f"Bearer {token(ANN)}"}
    paths = {*PATHS, "/broken"} - {"/mcp"}
    sent = [place.get(path, headers=headers) for path in paths for headers in ({}, signed_in)]
    sent += [place.post("/mcp", json={}), place.get("/", headers={"Host": "evil.example"})]
    sent += [place.get("/", headers={"Origin": "null"}), place.options("/v1/models"), place.head("/")]
    sent += [place.post("/threads", content=b"{", headers=signed_in), place.post("/healthz")]
    monkeypatch.setenv("SIGNALBOX_MAX_BODY", "10")
    sent += [place.post("/threads", content=b"x" * 20, headers=signed_in)]
    assert {one.status_code for one in sent} >= {200, 401, 403, 405, 413, 421, 422, 500}
    for one in sent:
        assert {name: one.headers.get(name) for name in HEADERS} == HEADERS, one.request.url
        assert "hunter2" not in one.text


def test_an_unknown_address_and_method_are_named(place: httpx.Client) -> None:
    signed_in = {"Authorization": f"Bearer {token(ANN)}"}
    found = place.get("/threads/a/b/c/d", headers=signed_in)
    assert (found.status_code, found.json()["detail"]) == (404, "There is nothing at /threads/a/b/c/d.")
    assert "/docs" in found.json()["suggestion"]
    assert place.post("/healthz").json()["detail"] == "/healthz does not support POST, only GET."


def test_a_web_socket_is_refused_as_any_request(place: httpx.Client) -> None:
    upgrade = (
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    )
    asked = "GET /anything HTTP/1.1"
    assert raw(place, asked, "Host: localhost", *upgrade).split()[1] in (b"401", b"403")
    assert raw(place, asked, "Host: evil.example", *upgrade).split()[1] in (b"403", b"421")
