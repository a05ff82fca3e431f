"""Plans and their steps: what ships, what a user adds, and how a step is taken apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signalbox.agents.oncall.checks import load_checks
from signalbox.agents.oncall.plans import load_plans, match_step, unserved_steps
from signalbox.agents.oncall.server import create_server
from signalbox.agents.oncall.steps import read_step
from signalbox.agents.oncall.tools import current_session, device_tools, use_server
from signalbox.errors import ConfigurationError
from signalbox.toolbox.sessions import ToolInfo

EIGHT = {
    "check_bgp_neighbors",
    "check_interface_status",
    "review_pe_device",
    "review_p_device",
    "review_rr_device",
    "troubleshoot_vpn_vrf",
    "check_mpls_state",
    "general_device_health_check",
}


async def tools() -> list[ToolInfo]:
    with use_server(create_server()):
        return await device_tools(current_session())


def test_the_eight_plans_of_the_contract_are_there_and_more() -> None:
    assert set(load_plans()) > EIGHT


async def test_a_tool_serves_every_step_of_the_shipped_plans() -> None:
    known = await tools()
    assert [plan.intent for plan in load_plans().values() if unserved_steps(plan.steps, known)] == []


@pytest.mark.parametrize(
    "step",
    ["Check BFD sessions.", "Check OSPF neighbours.", "Examine the QoS policies.", "Check multicast groups (PIM)."],
)
async def test_a_step_about_something_that_no_tool_reads_is_found(step: str) -> None:
    assert match_step(step, await tools()) == []


@pytest.mark.parametrize(
    ("step", "tool"),
    [
        ("Look at all BGP neighbours, whatever their state.", "get_routing_info"),
        ("Check LDP neighbors", "get_ldp_neighbors"),
        ("Which devices does LLDP see?", "get_lldp_neighbors"),
        ("Are there critical alarms?", "get_alarms"),
        ("Examine the routing table.", "get_route"),
    ],
)
async def test_a_step_is_matched_to_the_tool_that_serves_it(step: str, tool: str) -> None:
    assert match_step(step, await tools())[0] == tool


def test_a_folder_of_ones_own_adds_plans_and_replaces_one_of_the_same_intent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for intent in ("check_cabling", "check_mpls_state"):
        (tmp_path / f"{intent}.json").write_text(
            json.dumps({"intent": intent, "description": "mine", "steps": ["Check LLDP."]})
        )
    shipped = set(load_plans())
    monkeypatch.setenv("SIGNALBOX_ONCALL_PLANS", str(tmp_path))
    found = load_plans()
    assert set(found) == shipped | {"check_cabling"}
    assert found["check_mpls_state"].description == "mine"


@pytest.mark.parametrize(
    ("told", "what"),
    [
        ('{"intent": "other", "description": "d", "steps": ["s"]}', "must have the intent"),
        ('{"intent": "mine", "steps": ["s"]}', "no description"),
        ('{"intent": "mine", "description": "d", "steps": []}', "no steps"),
        ('{"intent": "mine", "description": "d", "steps": [1]}', "no steps"),
        ("nonsense", "cannot be read"),
    ],
)
def test_a_plan_that_is_wrong_is_named_with_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, what: str
) -> None:
    (tmp_path / "mine.json").write_text(told)
    monkeypatch.setenv("SIGNALBOX_ONCALL_PLANS", str(tmp_path))
    with pytest.raises(ConfigurationError, match=what) as caught:
        load_plans()
    assert "mine.json" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Check the interfaces. Normal: all are up.", [("Check the interfaces.", None)]),
        (
            "If any BGP neighbors are down, check the logs for errors related to BGP.",
            [("Check the logs for errors related to BGP.", {"bgp"})],
        ),
        (
            "If any BGP session, adjacency or interface is down, check the logs.",
            [("Check the logs.", {"bgp", "isis", "interface"})],
        ),
        ("Check the logs if any LDP session is down.", [("Check the logs", {"ldp"})]),
        (
            "Look at LDP neighbours. If any are down, check the logs.",
            [("Look at LDP neighbours.", None), ("Check the logs.", {"ldp"})],
        ),
        ("If anything is wrong, read the alarms.", [("Read the alarms.", set())]),
        ("Check if any neighbour is down.", [("Check if any neighbour is down.", None)]),
        ("If the moon is full, check the logs.", [("If the moon is full, check the logs.", None)]),
    ],
)
def test_a_step_is_what_to_do_and_when(text: str, parts: list[tuple[str, set[str] | None]]) -> None:
    step = read_step(text, load_checks().topics)
    assert [(one.text, set(one.condition.topics) if one.condition else None) for one in step.parts] == parts


def test_a_condition_holds_where_something_of_its_topic_is_wrong() -> None:
    (part,) = read_step("If any LDP session is down, check the logs.", load_checks().topics).parts
    assert part.condition is not None
    assert part.condition.holds({"ldp"})
    assert not part.condition.holds({"bgp"})
    (part,) = read_step("If all BGP sessions are up, check the routes.", load_checks().topics).parts
    assert part.condition is not None
    assert part.condition.holds(set())
    assert not part.condition.holds({"bgp"})
