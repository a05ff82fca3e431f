"""Tokens, keys, and the limits of what a person may ask for."""

from __future__ import annotations

import asyncio
import base64
import json
import stat
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import jwt
import pytest

from signalbox.service import tokens

from .conftest import ANN, BOB, token

PROTECTED = [
    ("GET", f"/api/{ANN}/conversations"), ("POST", f"/api/{ANN}/chat"), ("GET", f"/api/{ANN}/conversations/x"),
    ("PATCH", f"/api/{ANN}/conversations/x"), ("DELETE", f"/api/{ANN}/conversations/x"),
    ("POST", "/assistants/search"), ("GET", "/assistants/Hello"), ("GET", "/assistants/Hello/graph"),
    ("POST", "/threads"), ("GET", "/threads/x"), ("GET", "/threads/x/state"), ("POST", "/threads/x/history"),
    ("DELETE", "/threads/x"), ("POST", "/threads/x/runs"), ("POST", "/threads/x/runs/wait"),
    ("POST", "/threads/x/runs/stream"), ("GET", "/threads/x/runs/y"), ("POST", "/threads/x/runs/y/cancel"),
    ("GET", "/threads/x/runs/y/join"), ("GET", "/threads/x/runs/y/stream"), ("POST", "/runs/wait"),
    ("GET", "/v1/models"), ("POST", "/v1/chat/completions"), ("POST", "/mcp"), ("POST", "/hooks/alertmanager"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), PROTECTED)
def test_no_route_of_the_api_answers_who_has_no_token(address: str, method: str, path: str) -> None:
    for headers in ({}, {"Authorization": "Bearer nonsense"}, {"X-Api-Key": f"sb_{uuid.UUID(ANN).hex}_guess"}):
        sent = httpx.request(method, f"{address}{path}", headers=headers)
        assert (sent.status_code, sent.headers["content-type"]) == (401, "application/problem+json")
        told = "unknown or has expired" if headers else "Sign in first"
        assert method == "HEAD" or told in sent.json()["detail"]


def test_every_route_but_those_for_machines_is_protected(address: str) -> None:
    open_paths = {"/healthz", "/ok", "/readyz", "/metrics"}
    with httpx.Client(base_url=address) as client:
        for path in client.get("/openapi.json").json()["paths"]:
            if path not in open_paths:
                assert client.options(path).status_code != 200
                assert client.get(path.replace("{", "").replace("}", "")).status_code == 401


def status(address: str, credential: str) -> int:
    return httpx.get(f"{address}/v1/models", headers={"Authorization": f"Bearer {credential}"}).status_code


def claims(**more: Any) -> dict[str, Any]:
    return {"sub": ANN, "exp": datetime.now(UTC) + timedelta(hours=1), **more}


def test_only_tokens_of_the_secret_count(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "a secret of more than sixty-four characters, which is enough for every kind"
    monkeypatch.setenv("SIGNALBOX_JWT_SECRET", secret)
    assert status(address, jwt.encode(claims(), secret, "HS256")) == 200
    wrong = [
        jwt.encode(claims(), "another secret of forty characters, I say", "HS256"),
        jwt.encode(claims(), secret, "HS512"),
        jwt.encode(claims(), None, "none"),
        jwt.encode(claims(exp=datetime.now(UTC) - timedelta(minutes=1)), secret, "HS256"),
        jwt.encode({"sub": ANN}, secret, "HS256"),
        jwt.encode(claims(sub="ann"), secret, "HS256"),
    ]
    assert [status(address, one) for one in wrong] == [401] * len(wrong)
    monkeypatch.setenv("SIGNALBOX_JWT_AUDIENCE", "signalbox")
    assert status(address, jwt.encode(claims(), secret, "HS256")) == 401
    assert status(address, jwt.encode(claims(aud="signalbox"), secret, "HS256")) == 200


@pytest.mark.parametrize("name", ["exp", "nbf", "iat"])
def test_a_claim_of_a_wrong_type_is_none(address: str, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    secret = "a secret of more than sixty-four characters, which is enough for every kind"
    monkeypatch.setenv("SIGNALBOX_JWT_SECRET", secret)
    now = int(datetime.now(UTC).timestamp())
    wrong: list[Any] = [
        str(now + 1000), str(now - 1000), "", "never", True, None, [now + 1000], {"a": 1}, float("nan"), float("inf"),
        -1, 10**15, 10**400, "9" * 400,
    ]  # fmt: skip
    for value in wrong:
        made = jwt.api_jws.encode(json.dumps({"sub": ANN, "exp": now + 1000, name: value}).encode(), secret, "HS256")
        assert status(address, made) == 401, value


def test_a_person_is_named_by_a_text_and_no_token_breaks_the_door(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "a secret of more than sixty-four characters, which is enough for every kind"
    monkeypatch.setenv("SIGNALBOX_JWT_SECRET", secret)
    until = int(datetime.now(UTC).timestamp()) + 1000
    for person in ([ANN], {"a": ANN}, 1, None, True, "", ANN[:-1]):
        claimed = json.dumps({"sub": person, "exp": until}).encode()
        assert status(address, jwt.api_jws.encode(claimed, secret, "HS256")) == 401, person
    for claimed in (b"[]", b"1", b"null", b"[" * 3000, b"{"):
        assert status(address, jwt.api_jws.encode(claimed, secret, "HS256")) == 401
    deep = base64.urlsafe_b64encode(b'{"alg":' + b"[" * 5000).decode().rstrip("=")
    assert status(address, f"{deep}.e30.x") == status(address, "..") == status(address, "sb_x") == 401


def test_who_operates_the_service_is_told_more(address: str) -> None:
    operator = tokens.make_token(ANN, scopes=["operator"])
    asked = [
        httpx.get(f"{address}/readyz", headers={"Authorization": f"Bearer {one}"}) for one in (operator, token(ANN))
    ]
    assert "signalbox.db" in asked[0].json()["databases"]["runs"]["address"]
    assert asked[1].json() == httpx.get(f"{address}/readyz").json() == {"status": "ready"}


def test_tokens_of_public_keys_at_an_address_count(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec

    key, stranger = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    shown = {**jwt.algorithms.ECAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": "k1", "alg": "ES256"}

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"keys": [shown]}).encode())

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Keys) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("SIGNALBOX_JWKS_URL", f"http://127.0.0.1:{server.server_port}/keys")
        assert status(address, jwt.encode(claims(), key, "ES256", {"kid": "k1"})) == 200
        assert status(address, jwt.encode(claims(), stranger, "ES256", {"kid": "k1"})) == 401
        assert status(address, jwt.encode(claims(), "x" * 40, "HS256", {"kid": "k1"})) == 401
        server.shutdown()


def test_a_key_works_until_it_is_revoked(address: str) -> None:
    from signalbox.service.tokens import make_api_key, revoke_api_keys
    from signalbox.storage import close_stores

    async def made() -> str:
        key = await make_api_key(ANN, "editor")
        await close_stores()
        return key

    async def revoked() -> int:
        ended = await revoke_api_keys(ANN, "editor")
        await close_stores()
        return ended

    key = asyncio.run(made())
    assert status(address, key) == 200
    assert httpx.get(f"{address}/v1/models", headers={"X-Api-Key": key}).status_code == 200
    assert status(address, key.replace(uuid.UUID(ANN).hex, uuid.UUID(BOB).hex)) == 401
    assert asyncio.run(revoked()) == 1
    assert status(address, key) == 401


def test_the_secret_of_this_machine_is_made_once_and_nobody_else_reads_it(own_home: Path) -> None:
    first, second = token(ANN), token(ANN)
    file = own_home / "token-secret"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    secret = file.read_text()
    assert jwt.decode(first, secret, ["HS256"])["sub"] == jwt.decode(second, secret, ["HS256"])["sub"] == ANN


def test_the_first_two_who_need_the_secret_at_once_get_the_same(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, draw = threading.Barrier(2), tokens.secrets.token_urlsafe

    def drawn(length: int) -> str:
        both.wait(20)
        return draw(length)

    monkeypatch.setattr(tokens.secrets, "token_urlsafe", drawn)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(tokens._own_secret.__wrapped__, [str(own_home)] * 2))
    assert made == [(own_home / "token-secret").read_text()] * 2
    assert [file.name for file in own_home.iterdir()] == ["token-secret"]


def test_a_body_that_is_too_large_is_refused(ann: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MAX_BODY", "2000")
    assert ann.post("/threads", json={"metadata": {"a": "x" * 2000}}).status_code == 413
    pieces = (b"x" * 500 for _ in range(10))
    sent = ann.post("/threads", content=pieces, headers={"content-type": "application/json"})
    assert (sent.status_code, sent.headers["content-type"]) == (413, "application/problem+json")


def test_who_asks_too_often_is_told_when_to_come_back(
    ann: httpx.Client, bob: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_RATE_LIMIT", "3")
    answers = [ann.get("/v1/models") for _ in range(4)]
    assert [sent.status_code for sent in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 20
    assert answers[-1].json()["detail"] == "I'm currently experiencing high demand. Please try again in a moment."
    assert bob.get("/v1/models").status_code == 200


def test_no_other_web_page_may_call_unless_the_operator_says_so(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"Origin": "https://other.example", "Access-Control-Request-Method": "GET"}
    with serve() as address:
        assert "access-control-allow-origin" not in httpx.options(f"{address}/v1/models", headers=asked).headers
    monkeypatch.setenv("SIGNALBOX_CORS_ORIGINS", '["https://other.example"]')
    with serve() as address:
        allowed = httpx.options(f"{address}/v1/models", headers=asked).headers["access-control-allow-origin"]
        assert allowed == "https://other.example"


def test_health_metrics_and_documentation_need_no_token(address: str, ann: httpx.Client) -> None:
    ann.get("/v1/models")
    assert httpx.get(f"{address}/healthz").json() == {"status": "ok"}
    assert httpx.get(f"{address}/readyz").json() == {"status": "ready"}
    assert httpx.get(f"{address}/docs").status_code == 200
    figures = httpx.get(f"{address}/metrics").text
    assert 'signalbox_requests_total{method="GET",route="/v1/models",status="200"}' in figures


def test_a_token_is_made_on_the_command_line(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    from typer.testing import CliRunner

    from signalbox.cli.app import make_app

    made = CliRunner().invoke(make_app(), ["token", "--user", BOB]).stdout.strip()
    threads = httpx.post(f"{address}/threads/search", json={}, headers={"Authorization": f"Bearer {made}"})
    assert (threads.status_code, threads.json()) == (200, [])
    assert CliRunner().invoke(make_app(), ["token", "--user", "bob"]).exit_code == 2
    assert CliRunner().invoke(make_app(), ["token", "--scope", "everything"]).exit_code == 2
    operator = CliRunner().invoke(make_app(), ["token", "--user", BOB, "--scope", "operator"]).stdout.strip()
    assert "databases" in httpx.get(f"{address}/readyz", headers={"Authorization": f"Bearer {operator}"}).json()


def test_another_address_than_this_machine_asks_for_a_secret(own_home: Path) -> None:
    from typer.testing import CliRunner

    from signalbox.cli.app import make_app

    refused = CliRunner().invoke(make_app(), ["serve", "--host", "0.0.0.0", "--port", "0", "--no-page"])
    assert "there is no way to verify tokens" in str(refused.exception)


async def test_a_token_that_was_good_is_nobodys_when_its_time_has_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tokens.make_token(ANN, hours=1)
    assert (caller := await tokens.caller_of(made)) is not None
    assert caller.person == ANN
    monkeypatch.setattr(tokens, "time", SimpleNamespace(time=lambda: datetime.now(UTC).timestamp() + 3700))
    assert await tokens.caller_of(made) is None
