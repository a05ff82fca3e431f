"""Where the metrics are: arguments and environment, and what they never show."""

from __future__ import annotations

import logging

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.connection import make_connection, read_connection
from signalbox.errors import ConfigurationError, MissingKeyError, redact


def test_without_an_address_there_is_no_connection() -> None:
    assert read_connection({}) is None
    assert read_connection({"GRAFANA_URL": " ", "GRAFANA_TOKEN": "x"}) is None
    with pytest.raises(ConfigurationError, match="No address") as caught:
        GrafanaMetricsClient()
    assert "GRAFANA_URL" in caught.value.suggestion


def test_the_environment_says_where_grafana_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAFANA_URL", "https://grafana.example.com/team/")
    monkeypatch.setenv("GRAFANA_TOKEN", " glsa_from_environment\n")
    monkeypatch.setenv("GRAFANA_ORG_ID", "7")
    monkeypatch.setenv("GRAFANA_DATASOURCE", "main")
    found = read_connection()
    assert found is not None
    assert (found.url, found.token, found.datasource) == (
        "https://grafana.example.com/team", "glsa_from_environment", "main",
    )  # fmt: skip
    assert found.headers()["X-Grafana-Org-Id"] == "7"
    assert found.headers()["Authorization"] == "Bearer glsa_from_environment"


def test_what_is_given_goes_before_the_environment() -> None:
    said = {"GRAFANA_URL": "http://g", "GRAFANA_TOKEN": "glsa_said", "GRAFANA_DATASOURCE": "said"}
    found = read_connection(said, user="ann", password="pass-word", org_id=3)
    assert found is not None
    assert (found.token, found.basic, found.org_id, found.datasource) == (None, ("ann", "pass-word"), "3", "said")


def test_grafanas_credentials_are_not_sent_to_a_plain_prometheus() -> None:
    found = read_connection({"PROMETHEUS_URL": "http://p:9090", "GRAFANA_TOKEN": "glsa_said", "GRAFANA_ORG_ID": "1"})
    assert found is not None
    assert found.is_prometheus
    assert set(found.headers()) == {"Accept", "Accept-Encoding"}


def test_grafana_goes_before_prometheus() -> None:
    found = read_connection({"PROMETHEUS_URL": "http://p:9090", "GRAFANA_URL": "http://g:3000"})
    assert found is not None
    assert (found.url, found.is_prometheus) == ("http://g:3000", False)


def test_credentials_in_the_address_are_taken_out_of_it() -> None:
    found = make_connection("https://ann:s%40cret77@[::1]:3000/x?orgId=1")
    assert (found.url, found.basic) == ("https://[::1]:3000/x", ("ann", "s@cret77"))


@pytest.mark.parametrize("url", ["grafana.example.com", "ftp://host", "http://", "http://host:port", "http://[x"])
def test_what_is_no_web_address_is_refused_by_name(url: str) -> None:
    with pytest.raises(ConfigurationError, match="PROMETHEUS_URL"):
        read_connection({"PROMETHEUS_URL": url})


def test_a_name_needs_a_password() -> None:
    with pytest.raises(MissingKeyError, match="GRAFANA_PASSWORD"):
        read_connection({"GRAFANA_URL": "http://g", "GRAFANA_USER": "ann"})


@pytest.mark.parametrize("token", ["glsa_two\nlines", "glsa_ünusual"])
def test_a_token_that_cannot_be_sent_is_refused_without_showing_it(token: str) -> None:
    with pytest.raises(ConfigurationError, match="GRAFANA_TOKEN") as caught:
        make_connection("http://g", token=token)
    assert "glsa" not in f"{caught.value!r} {caught.value.suggestion} {caught.value.details}"


def test_an_organization_is_a_number() -> None:
    with pytest.raises(ConfigurationError, match="GRAFANA_ORG_ID"):
        make_connection("http://g", org_id="main")


def test_secrets_are_neither_shown_nor_let_out() -> None:
    for secret, found in (
        ("correct-horse-token", make_connection("http://g", token="correct-horse-token")),
        ("correct-horse-pass", make_connection("http://ann:correct-horse-pass@g")),
    ):
        assert secret not in repr(found)
        assert secret not in redact(f"the server says {secret}")
    client = GrafanaMetricsClient("http://ann:correct-horse-pass@g", token="correct-horse-token")
    assert repr(client) == "GrafanaMetricsClient('http://g')"


async def test_secrets_stay_out_of_the_log(guarded_shop: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with GrafanaMetricsClient(guarded_shop, token="glsa_admin_token") as client:
            await client.query("up")
        async with GrafanaMetricsClient(guarded_shop, user="admin", password="open-sesame") as client:
            await client.query("up")
    assert "/resources/api/v1/query" in caplog.text
    assert "glsa_admin_token" not in caplog.text
    assert "open-sesame" not in caplog.text
    assert "YWRtaW46" not in caplog.text
