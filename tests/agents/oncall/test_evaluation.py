"""What `signalbox eval` measures of the on-call agent."""

from __future__ import annotations

import pytest

from signalbox.agents.oncall.evaluation import JUDGE

FOUND = {
    "outcome": "ok",
    "verdict": "critical",
    "findings": [{"device": "pe1", "severity": "critical", "text": "CPU of pe1 is at 99%", "cause": "a process"}],
    "calls": 6,
}
FINE = {"outcome": "ok", "verdict": "healthy", "findings": [], "calls": 7}


def test_a_case_switches_its_own_faults_on() -> None:
    assert JUDGE.case_settings({"healthy": True}) == {}
    assert JUDGE.case_settings({"faults": "high_cpu:pe1"}) == {"SIGNALBOX_WORLD_FAULTS": '["high_cpu:pe1"]'}
    both = JUDGE.case_settings({"faults": ["high_cpu:pe1", "link_down:pe2"]})
    assert both == {"SIGNALBOX_WORLD_FAULTS": '["high_cpu:pe1", "link_down:pe2"]'}
    with pytest.raises(ValueError, match="faults"):
        JUDGE.check({"faults": 3, "device": "pe1"})


def test_a_plan_that_does_not_exist_is_no_expectation() -> None:
    JUDGE.check({"intent": "general_device_health_check", "devices": ["pe1"]})
    with pytest.raises(ValueError, match="general_device_health_check"):
        JUDGE.check({"intent": "device_health_check", "devices": ["pe1"]})


def test_a_fault_is_found_where_it_is_and_explained() -> None:
    wanted = {"faults": "high_cpu:pe1", "device": "pe1", "cause": ["cpu"]}
    assert JUDGE.is_right(FOUND, wanted)
    assert not JUDGE.is_right(FOUND, {**wanted, "device": "pe2"})
    assert not JUDGE.is_right(FOUND, {**wanted, "cause": ["mtu"]})
    assert not JUDGE.is_right(FINE, wanted)
    assert not JUDGE.is_read(wanted)


def test_the_figures_tell_faults_and_false_alarms_apart() -> None:
    fault = {"device": "pe1", "cause": ["cpu"]}
    told = JUDGE.figures([(FOUND, [fault]), (FINE, [fault]), (FOUND, [{"healthy": True}]), (FINE, [{"healthy": True}])])
    assert told["detected"] == told["device right"] == told["cause right"] == "1 of 2 (50%)"
    assert told["false alarms"] == "1 of 2"
    assert told["calls, mean"] == "6.5"
