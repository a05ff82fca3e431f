"""What an operator set up wrongly, or did not install, is said with what mends it."""

from __future__ import annotations

import sys

import pytest

from signalbox.agents.oncall.source import server_set
from signalbox.errors import MissingExtraError
from signalbox.runs import ask


def test_without_its_packages_the_agent_names_the_extra_that_brings_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "signalbox.agents.oncall.server", None)
    with pytest.raises(MissingExtraError, match="oncall"):
        server_set()


def test_a_fault_that_a_device_cannot_have_is_told_with_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_WORLD_FAULTS", '["link_down:pe2:pe1"]')
    found = ask("oncall", "check pe2")
    assert found.error is not None
    assert "link_down on pe2" in found.error["message"]
    assert found.error["suggestion"].startswith("There is:")
