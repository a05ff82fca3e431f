"""What happens when the server fails in the middle of a write: nothing is done twice, and nobody is left in doubt."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from signalbox.agents.experiments import create_upgrade_agent_graph, experiment_management, journal, tools

ASKED: dict[str, Any] = {
    "name": "New One",
    "context": "mathstream",
    "conditions": [{"code": "control", "weight": 50}, {"code": "treatment", "weight": 50}],
    "decision_points": [{"site": "dashboard", "target": "progress-bar"}],
}


def count(upgrade: Any, name: str = "New One") -> int:
    return sum(one["name"] == name for one in upgrade.store.experiments.values())


async def test_an_experiment_made_although_the_server_said_500_is_found_and_not_made_again(upgrade: Any) -> None:
    upgrade.fail_once("POST /experiments", "after")
    result = await tools.create_experiment(**ASKED)
    assert result["success"], result["error"]
    assert count(upgrade) == 1
    assert upgrade.sent("POST /experiments") == 1


async def test_an_experiment_that_was_not_made_is_reported_and_may_be_asked_for_again(upgrade: Any) -> None:
    upgrade.fail_once("POST /experiments", "500")
    failed = await tools.create_experiment(**ASKED, key="k")
    assert failed["error_type"] == "api_500"
    assert count(upgrade) == 0
    assert (await tools.create_experiment(**ASKED, key="k"))["success"]
    assert count(upgrade) == 1


async def test_a_write_of_the_same_key_is_done_once(upgrade: Any) -> None:
    results = [await tools.create_experiment(**ASKED, key="run-1") for _ in range(3)]
    assert len({result["data"]["experiment"]["id"] for result in results}) == 1
    assert count(upgrade) == 1
    await tools.create_experiment(**ASKED, key="run-2")
    assert count(upgrade) == 2


async def test_a_run_that_died_after_its_write_finds_what_it_made(
    upgrade: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from signalbox.agents.experiments import writing

    class Died(BaseException): ...

    async def die(*_: Any, **__: Any) -> None:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(writing, "_carry_out", die)
        with pytest.raises(Died):
            await tools.create_experiment(**ASKED, key="run-1", post_rule="revert")
    assert count(upgrade) == 1
    result = await tools.create_experiment(**ASKED, key="run-1", post_rule="revert")
    assert result["success"], result["error"]
    assert count(upgrade) == 1
    assert upgrade.named("New One")["postExperimentRule"] == "revert"


async def test_where_even_reading_fails_the_doubt_is_said(upgrade: Any) -> None:
    broken = []

    def fault(call: str) -> str | None:
        if call == "POST /experiments":
            broken.append(call)
            return "after"
        return "503" if broken else None

    upgrade.fault = fault
    result = await tools.create_experiment(**ASKED, key="run-1")
    assert result["error_type"] == "unsure"
    assert "not known" in str(result["error"])
    upgrade.fault = lambda call: None
    assert (await tools.create_experiment(**ASKED, key="run-1"))["success"]
    assert count(upgrade) == 1


async def test_a_move_that_happened_although_the_server_said_500_is_not_made_again(upgrade: Any) -> None:
    upgrade.fail_once("POST /experiments/state", "after")
    result = await tools.update_experiment_status("Hint Timing", "paused")
    assert result["data"]["after"] == "enrollmentComplete"
    assert upgrade.sent("POST /experiments/state") == 1


async def test_a_change_that_happened_although_the_server_said_500_is_not_made_again(upgrade: Any) -> None:
    own = upgrade.named("Hint Timing")["id"]
    upgrade.fail_once(f"PUT /experiments/{own}", "after")
    result = await tools.update_experiment(own, {"description": "other words"})
    assert result["success"], result["error"]
    assert upgrade.sent(f"PUT /experiments/{own}") == 1
    assert upgrade.named("Hint Timing")["description"] == "other words"


async def test_a_change_that_did_not_happen_is_an_error(upgrade: Any) -> None:
    own = upgrade.named("Hint Timing")["id"]
    upgrade.fail_once(f"PUT /experiments/{own}", "500")
    result = await tools.update_experiment(own, {"description": "other words"})
    assert result["error_type"] == "api_500"
    assert upgrade.sent(f"PUT /experiments/{own}") == 1


async def test_a_delete_that_happened_although_the_server_said_500_is_a_delete(upgrade: Any) -> None:
    own = upgrade.named("Hint Timing")["id"]
    upgrade.fail_once(f"DELETE /experiments/{own}", "after")
    result = await tools.delete_experiment(own, key="run-1")
    assert result["success"], result["error"]
    again = await tools.delete_experiment(own, key="run-1")
    assert again["data"]["name"] == "Hint Timing"
    assert upgrade.sent(f"DELETE /experiments/{own}") == 1


async def test_a_refused_token_in_the_middle_is_said_and_nothing_is_done(upgrade: Any) -> None:
    upgrade.fault = lambda call: "401" if call.startswith("POST") else None
    result = await tools.update_experiment_status("Hint Timing", "archived")
    assert result["error_type"] == "auth"
    assert upgrade.named("Hint Timing")["state"] == "enrolling"
    assert upgrade.sent("POST /experiments/state") == 1


class Died(BaseException):
    """The process is gone."""


def die(*_: Any, **__: Any) -> None:
    raise Died


async def test_a_delete_whose_process_died_before_it_was_noted_is_found_done(
    upgrade: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = upgrade.named("Hint Timing")["id"]
    with monkeypatch.context() as dying:
        dying.setattr(journal, "close_write", die)
        with pytest.raises(Died):
            await tools.delete_experiment(own, key="run-1")
    again = await tools.delete_experiment(own, key="run-1")
    assert (again["success"], again["data"]["name"]) == (True, "Hint Timing")
    assert upgrade.sent(f"DELETE /experiments/{own}") == 1


@pytest.mark.parametrize("request_", ["delete Night Reader", "stop Night Reader"])
def test_a_confirmed_change_that_runs_again_after_a_crash_is_not_asked_about_again(
    upgrade: Any, monkeypatch: pytest.MonkeyPatch, request_: str
) -> None:
    app = create_upgrade_agent_graph(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "one"}}
    assert app.invoke({"user_input": request_}, config)["__interrupt__"]
    with monkeypatch.context() as dying:
        dying.setattr(experiment_management, "report_write", die)
        with pytest.raises(Died):
            app.invoke(Command(resume="yes"), config)
    sent = len([call for call in upgrade.calls if not call.startswith("GET")])
    done = app.invoke(None, config)
    assert "__interrupt__" not in done
    assert "Night Reader" in done["bot_response"]
    assert len([call for call in upgrade.calls if not call.startswith("GET")]) == sent
