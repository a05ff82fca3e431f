"""`StateAdapter` over a mapping, a pydantic model and a plain object."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from signalbox.contract import StateAdapter


class Model(BaseModel):
    a: int | None = None
    b: str | None = None


STATES = [{"a": 1, "b": None}, Model(a=1), SimpleNamespace(a=1, b=None)]
KINDS = ["mapping", "pydantic", "object"]


@pytest.mark.parametrize("state", STATES, ids=KINDS)
def test_a_value_is_read_whatever_the_state_is(state: Any) -> None:
    assert StateAdapter.get_value(state, "a") == 1
    assert StateAdapter.get_value(state, "nothing") is None
    assert StateAdapter.get_value(state, "nothing", 7) == 7


@pytest.mark.parametrize("state", STATES, ids=KINDS)
def test_a_key_that_holds_none_is_there(state: Any) -> None:
    assert StateAdapter.has_value(state, "b")
    assert not StateAdapter.has_value(state, "nothing")


@pytest.mark.parametrize("state", STATES, ids=KINDS)
def test_setting_a_value_gives_a_new_state_and_leaves_the_old(state: Any) -> None:
    changed = StateAdapter.set_value(state, "a", 2)
    assert StateAdapter.get_value(changed, "a") == 2
    assert StateAdapter.get_value(state, "a") == 1
    assert type(changed) is type(state)


@pytest.mark.parametrize("state", STATES, ids=KINDS)
def test_inputs_hold_every_declared_field_and_none_for_an_absent_one(state: Any) -> None:
    assert StateAdapter.get_inputs(state, ["a", "absent"]) == {"a": 1, "absent": None}


def test_no_declared_field_gives_no_input() -> None:
    assert StateAdapter.get_inputs({"a": 1}, []) == {}


@pytest.mark.parametrize(
    ("fields", "params", "pairs"),
    [
        (["x", "y"], None, [("x", "x"), ("y", "y")]),
        (["x:p", "y:q"], None, [("x", "p"), ("y", "q")]),
        (["x:p", "y"], None, [("x", "p"), ("y", "y")]),
        (["x : p"], None, [("x", "p")]),
        (["x:"], None, [("x", "x")]),
        (["x", "y"], ["p", "q"], [("x", "p"), ("y", "q")]),
        (["x", "y"], ["p"], [("x", "p"), ("y", "y")]),
        (["x"], ["p", "q"], [("x", "p")]),
        (["x:p", "y"], ["r", "s"], [("x", "p"), ("y", "y")]),
    ],
)
def test_fields_are_bound_to_parameters(
    fields: list[str], params: list[str] | None, pairs: list[tuple[str, str]]
) -> None:
    assert StateAdapter.bindings(fields, params) == pairs


def test_a_dotted_field_is_found_inside_a_mapping() -> None:
    state = {"tasks": {"a": {"title": "Paint"}}, "x.y": 1}
    assert StateAdapter.get_inputs(state, ["tasks.a.title", "x.y", "tasks.b"]) == {
        "tasks.a.title": "Paint",
        "x.y": 1,
        "tasks.b": None,
    }
