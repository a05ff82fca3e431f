"""What an operator set up wrongly, or did not install, is said with what mends it."""

from __future__ import annotations

import sys
from typing import Any, cast

import pytest

from signalbox.agents.oncall.source import server_set
from signalbox.agents.oncall.tools import call_plain
from signalbox.errors import MissingExtraError, ToolServerError
from signalbox.toolbox.sessions import Session


class Failing:
    """A session whose inventory cannot be listed, with the advice of the server."""

    async def call(self, *given: Any) -> Any:
        details = {"suggestion": "There is: this fault."}
        return {"status": "failed", "error_response": {"message": "A fault is wrong.", "details": details}}


def test_without_its_packages_the_agent_names_the_extra_that_brings_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "signalbox.agents.oncall.server", None)
    with pytest.raises(MissingExtraError, match="oncall"):
        server_set()


async def test_the_advice_of_the_server_goes_before_that_on_the_inventory() -> None:
    with pytest.raises(ToolServerError) as caught:
        await call_plain(cast(Session, Failing()), "get_devices")
    assert caught.value.suggestion == "There is: this fault."
