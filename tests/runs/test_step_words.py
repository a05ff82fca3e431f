"""What a person reads while an agent is at work."""

from __future__ import annotations

from pathlib import Path

import pytest

from signalbox.contract import Agent
from signalbox.contract.installed import find_agent, list_agents
from signalbox.maps import read_map
from signalbox.runs.step_words import call_words, node_words

ONCALL = find_agent("oncall")


@pytest.mark.parametrize("agent", list_agents(), ids=lambda agent: agent.name)
def test_no_node_of_a_shipped_agent_is_told_by_the_name_of_its_code(agent: Agent) -> None:
    for node in read_map(agent.map).graphs[agent.graph or agent.name].nodes:
        assert "_" not in node_words(agent, node.name)


def test_the_arguments_of_a_call_choose_its_words_and_stand_in_them() -> None:
    bgp = {"protocol": "bgp", "device_name": "pe2"}
    assert call_words(ONCALL, "get_routing_info", bgp) == "Reading BGP neighbours of pe2"
    assert call_words(ONCALL, "get_routing_info", {"device_name": "pe2"}) == "Reading routing protocols of pe2"


def test_what_only_a_machine_reads_is_left_out() -> None:
    experiments = find_agent("experiments")
    by_id = {"experiment": "7e1a079f-9fed-5caa-ab2a-f4a04a9e8ba6"}
    assert call_words(experiments, "get_experiment_details", by_id) == "Reading the experiment"
    assert call_words(experiments, "get_experiment_details", {"experiment": "Hints"}) == "Reading the experiment Hints"


def test_a_tool_of_another_agent_has_the_words_of_that_one() -> None:
    investigate = find_agent("investigate")
    assert call_words(investigate, "get_alarms", {"device_name": "pe1"}) == "Reading alarms of pe1"


def test_a_tool_that_nobody_describes_is_told_by_its_name() -> None:
    assert call_words(ONCALL, "read_the_tea_leaves", {"cup": 1}) == "Read the tea leaves"


def test_a_node_of_ones_own_map_is_told_by_its_description(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("GraphName,Node,AgentType,Description\nown,Look,echo,Looks into it\n")
    own = Agent("own", "", (), path, lambda request, before: {}, graph="own")
    assert node_words(own, "Look") == "Looks into it"
