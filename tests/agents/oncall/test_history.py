"""Every run is kept, and what changed since is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.conftest import Network, bgp, neighbor, plan
from tests.agents.oncall.scripted import ScriptedModel, envelope
from typer.testing import CliRunner

from signalbox.agents.oncall.commands import app
from signalbox.agents.oncall.facts import collect
from signalbox.agents.oncall.history import keep_good, kept_runs, last_good
from signalbox.agents.oncall.judgement import judge
from signalbox.errors import NotFoundError, RequestError


async def twice(network: Network) -> None:
    await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    network.answers["get_routing_info"] = lambda device: envelope(
        device, bgp(neighbor("IDLE"), neighbor(neighbor_address="10.0.0.7"))
    )
    network.server = None
    await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))


async def test_diff_says_what_changed_since_the_run_before(network: Network) -> None:
    await twice(network)
    told = json.loads(CliRunner().invoke(app, ["diff", "pe1", "--json"], catch_exceptions=False).stdout)
    changes = {one["name"]: (one["before"], one["after"]) for one in told["changes"]}
    assert changes["bgp 10.0.0.5 session_state"] == ("ESTABLISHED", "IDLE")
    assert changes["bgp 10.0.0.7"][0] is None


async def test_diff_compares_with_a_named_baseline(network: Network) -> None:
    await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    CliRunner().invoke(app, ["baseline", "pe1", "good"], catch_exceptions=False)
    await twice(network)
    shown = CliRunner().invoke(app, ["diff", "pe1", "--baseline", "good"], catch_exceptions=False).stdout
    assert "IDLE" in shown


async def test_a_run_that_could_not_read_the_device_is_not_kept(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, error=("refused", "no"))
    await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert kept_runs("pe1") == []


def test_nothing_to_compare_is_an_error_that_says_how_to_get_it() -> None:
    with pytest.raises(NotFoundError, match="nothing to compare"):
        CliRunner().invoke(app, ["diff", "pe1"], catch_exceptions=False)


@pytest.mark.parametrize("name", ["../evil", "a/b", ".hidden", ""])
def test_a_baseline_cannot_leave_its_folder(name: str) -> None:
    with pytest.raises((RequestError, NotFoundError)):
        CliRunner().invoke(app, ["baseline", "pe1", name], catch_exceptions=False)


async def test_what_is_kept_is_for_its_owner_only(network: Network, tmp_path: Path) -> None:
    await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    (kept,) = (tmp_path / "home" / "oncall" / "runs" / "pe1").glob("*.json")
    assert kept.stat().st_mode & 0o077 == 0


def answered(tool: str, data: dict[str, Any]) -> dict[str, Any]:
    """What a run keeps of one call of a tool on pe1."""
    return {"device_name": "pe1", "executed_calls": [{"function": tool, "result": {"data": data}, "evidence": "E1"}]}


def test_what_a_later_run_does_not_read_is_not_missed(network: Network) -> None:
    labels = {"neighbors": [], "interfaces": [{"name": "Gi0", "enabled": True}], "summary": {}}
    facts = collect([answered("get_ldp_neighbors", labels)], "pe1")
    keep_good("pe1", facts)
    good = {"pe1": last_good("pe1")}
    only_mpls = {"interfaces": [], "ldp": {"neighbors": [], "interfaces": []}, "label_ranges": []}
    _, findings = judge({"pe1": collect([answered("get_mpls_info", only_mpls)], "pe1")}, None, good)
    assert [one["check"] for one in findings] == []
    gone = collect([answered("get_ldp_neighbors", {**labels, "interfaces": [{"name": "Gi1"}]})], "pe1")
    _, findings = judge({"pe1": gone}, None, good)
    assert [one["about"] for one in findings if one["check"] == "lost"] == ["Gi0"]
