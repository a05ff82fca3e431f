"""The OpenAPI document holds what it says: whatever is sent, no answer breaks it, and none is a fault of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .conftest import ANN, token


@pytest.mark.parametrize("examples", [1, pytest.param(12, marks=pytest.mark.bench)])
def test_no_answer_breaks_the_document(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, examples: int
) -> None:
    import schemathesis

    monkeypatch.setenv("SIGNALBOX_RATE_LIMIT", "1000000")
    monkeypatch.setenv("SIGNALBOX_INVESTIGATE_AGENT", "Hello")
    with serve() as address:
        schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
        headers = {"Authorization": f"Bearer {token(ANN)}"}
        tried = 0
        for operation in schema.get_all_operations():
            tried += _try(operation.ok(), address, headers, examples)
    assert tried > 30 * examples


def _try(operation: Any, address: str, headers: dict[str, str], examples: int) -> int:
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    checks = [not_a_server_error, response_schema_conformance, status_code_conformance]
    count = 0

    @given(case=operation.as_strategy(), own=st.booleans())
    @settings(
        max_examples=examples, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def attempt(case: Any, own: bool) -> None:
        nonlocal count
        count += 1
        if own and "user_id" in case.path_parameters:
            case.path_parameters["user_id"] = ANN
        case.call_and_validate(base_url=address, headers=headers, checks=checks, timeout=30)

    attempt()
    return count
