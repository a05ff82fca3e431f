"""The client: what it sends, what it makes of answers, and what it does when they do not come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signalbox.agents.experiments import tools
from signalbox.agents.experiments.client import Patience, UpgradeClient
from signalbox.agents.experiments.clients import current_client, source_of
from signalbox.agents.experiments.connection import read_connection
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.errors import ConfigurationError
from signalbox.worlds.experiments import Access, Store, fill, serve

QUICK = Patience(seconds=0.5, retries=3, first_wait=0.01, longest_wait=0.02)
HINTS = "Hint Timing"


async def client_of(upgrade) -> UpgradeClient:  # type: ignore[no-untyped-def]
    return UpgradeClient(upgrade.url, patience=QUICK)


async def test_an_address_is_taken_with_and_without_api(upgrade) -> None:  # type: ignore[no-untyped-def]
    for url in (upgrade.url, upgrade.url.removesuffix("/api"), upgrade.url + "/"):
        async with UpgradeClient(url) as client:
            assert (await client.health())["version"] == "6.5.0"


def test_a_wrong_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPGRADE_URL", "upgrade.example.org")
    with pytest.raises(ConfigurationError, match=r"upgrade\.example\.org"):
        UpgradeClient()


async def test_states_of_both_spellings_are_taken(upgrade) -> None:  # type: ignore[no-untyped-def]
    own = upgrade.named(HINTS)["id"]
    async with UpgradeClient(upgrade.url) as client:
        assert (await client.set_state(own, "paused"))["state"] == "paused"
        assert (await client.set_state(own, "enrolling"))["state"] == "running"


async def test_delete_gives_what_stood_in_the_array(upgrade) -> None:  # type: ignore[no-untyped-def]
    own = upgrade.named(HINTS)["id"]
    async with UpgradeClient(upgrade.url) as client:
        assert (await client.delete(own))["name"] == HINTS
        with pytest.raises(UpgradeError) as gone:
            await client.experiment(own)
    assert gone.value.error_type == "not_found"


@pytest.mark.parametrize("status", ["500", "502", "503"])
async def test_a_read_is_made_again_until_it_succeeds(upgrade, status: str) -> None:  # type: ignore[no-untyped-def]
    upgrade.fail_once("GET /experiments/names", status)
    async with UpgradeClient(upgrade.url, patience=QUICK) as client:
        assert len(await client.names()) == 14
    assert upgrade.sent("GET /experiments/names") == 2


async def test_a_read_is_made_again_only_so_often(upgrade) -> None:  # type: ignore[no-untyped-def]
    upgrade.fault = lambda call: "503"
    async with UpgradeClient(upgrade.url, patience=QUICK) as client:
        with pytest.raises(UpgradeError) as failed:
            await client.names()
    assert failed.value.error_type == "api_503"
    assert upgrade.sent("GET /experiments/names") == 1 + QUICK.retries


async def test_a_write_is_sent_once(upgrade) -> None:  # type: ignore[no-untyped-def]
    own = upgrade.named(HINTS)["id"]
    upgrade.fault = lambda call: "503" if call.startswith("POST /experiments/state") else None
    async with UpgradeClient(upgrade.url, patience=QUICK) as client:
        with pytest.raises(UpgradeError):
            await client.set_state(own, "archived")
    assert upgrade.sent("POST /experiments/state") == 1


async def test_a_slow_server_is_a_timeout(upgrade) -> None:  # type: ignore[no-untyped-def]
    upgrade.fault = lambda call: "slow"
    impatient = Patience(seconds=0.05, retries=0)
    async with UpgradeClient(upgrade.url, patience=impatient) as client:
        with pytest.raises(UpgradeError) as failed:
            await client.names()
    assert failed.value.error_type == "timeout"


async def test_a_server_that_is_down_is_a_network_error(free_port: int) -> None:
    async with UpgradeClient(f"http://127.0.0.1:{free_port}", patience=QUICK) as client:
        with pytest.raises(UpgradeError) as failed:
            await client.names()
    assert failed.value.error_type == "network"
    assert "UPGRADE_URL" in failed.value.suggestion


@pytest.fixture
def free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


async def test_a_token_opens_the_administration_and_none_is_refused() -> None:
    store = Store()
    fill(store)
    with serve(store, access=Access(tokens=("a-known-token",))) as url:
        async with UpgradeClient(url, token="a-known-token") as client:
            assert len(await client.names()) == 14
        async with UpgradeClient(url, token="another-token") as client:
            with pytest.raises(UpgradeError) as refused:
                await client.names()
    assert refused.value.error_type == "auth"
    assert "UPGRADE_TOKEN" in refused.value.suggestion
    assert "another-token" not in str(refused.value.details)


async def test_a_service_account_gets_a_fresh_token_when_the_old_one_ends_in_the_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token_service: TokenService
) -> None:
    key = tmp_path / "account.json"
    key.write_text(json.dumps(token_service.account()), "utf-8")
    monkeypatch.setenv("UPGRADE_SERVICE_ACCOUNT", str(key))
    store = Store()
    fill(store)
    token_service.tokens = ["first-token", "second-token"]
    with (
        serve(store, access=Access(tokens=("first-token",))) as old,
        serve(store, access=Access(tokens=("second-token",))) as new,
    ):
        monkeypatch.setenv("UPGRADE_URL", old)
        async with UpgradeClient() as client:
            own = next(one["id"] for one in await client.names() if one["name"] == HINTS)
            client.url = new
            # The server no longer takes the token: a write that it refused did nothing, and is sent with another.
            moved = await client.set_state(own, "archived")
    assert moved["state"] == "archived"
    assert token_service.given == 2
    assert len(store.experiments[own]["logs"]) == 2


async def test_a_service_account_that_gets_no_token_says_what_to_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token_service: TokenService
) -> None:
    monkeypatch.setenv("UPGRADE_SERVICE_ACCOUNT", json.dumps(token_service.account()))
    monkeypatch.setenv("UPGRADE_URL", "http://127.0.0.1:9")
    token_service.tokens = []
    async with UpgradeClient(patience=QUICK) as client:
        with pytest.raises(UpgradeError) as refused:
            await client.names()
    assert refused.value.error_type == "auth"
    assert "UPGRADE_SERVICE_ACCOUNT" in refused.value.suggestion


def test_a_bad_service_account_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPGRADE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("UPGRADE_SERVICE_ACCOUNT", "/no/such/file.json")
    with pytest.raises(ConfigurationError, match="UPGRADE_SERVICE_ACCOUNT"):
        UpgradeClient()


def test_credentials_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPGRADE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("UPGRADE_TOKEN", "very-secret-token")
    assert "very-secret-token" not in repr(read_connection())


async def test_without_an_address_the_embedded_server_is_asked_and_keeps_what_was_tried() -> None:
    from signalbox.runs.embedded import close_worlds

    close_worlds()  # One that another test left open keeps its things in that one's home.
    client = current_client()
    try:
        own = next(one["id"] for one in await client.names() if one["name"] == HINTS)
        assert source_of(client)["kind"] == "embedded"
        await client.set_state(own, "archived")
    finally:
        await client.aclose()
        close_worlds()
    again = current_client()
    try:
        assert (await again.experiment(own))["state"] == "archived"
    finally:
        await again.aclose()
        close_worlds()


class TokenService:
    """Plays Google's token service; it knows its own key and nothing of the network."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.given = 0
        self.url = ""

    def account(self) -> dict[str, str]:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa

        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        pem = key.private_bytes(*form).decode()
        return {"client_email": "x@y.example", "private_key_id": "1", "private_key": pem, "token_uri": self.url}


@pytest.fixture
def token_service():  # type: ignore[no-untyped-def]
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from signalbox.worlds.experiments.server import serve_app

    service = TokenService()

    async def give(request):  # type: ignore[no-untyped-def]
        body = (await request.body()).decode()
        assert "jwt-bearer" in body
        if not service.tokens:
            return JSONResponse({"error": "invalid_grant"}, 400)
        service.given += 1
        token = service.tokens.pop(0)
        return JSONResponse({"access_token": token, "expires_in": 3600})

    with serve_app(Starlette(routes=[Route("/api", give, methods=["POST"])])) as url:
        service.url = url
        yield service


def test_waits_grow_and_have_an_end() -> None:
    patience = Patience(first_wait=0.2, longest_wait=3.0)
    waits = [patience.wait(failures) for failures in (1, 2, 3, 4, 5, 6)]
    assert waits == [0.2, 0.4, 0.8, 1.6, 3.0, 3.0]


async def test_a_health_check_ends_with_its_time_however_often_it_may_be_repeated(
    upgrade: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "CHECK_SECONDS", 0.2)
    upgrade.fault = lambda call: "slow" if call in ("GET /", "GET ") else None
    result = await tools.check_upgrade_health()
    assert result["error_type"] == "timeout"
    assert "given up after 0.2 seconds" in str(result["error"])
