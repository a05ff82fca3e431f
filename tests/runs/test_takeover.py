"""Workers on PostgreSQL are killed and hang, and the database restarts: what was accepted is done, once, and soon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.takeover import LIMIT, cluster, try_takeover


@pytest.mark.parametrize(
    ("runs", "apis", "workers", "blows", "seed", "restarts"),
    [
        (4, 1, 2, 1, 10, False),  # a worker is killed
        pytest.param(8, 1, 2, 2, 11, True, marks=pytest.mark.bench),
        pytest.param(200, 2, 3, 10, 11, True, marks=pytest.mark.bench),
    ],
    ids=["killed", "sample", "whole"],
)
def test_of_accepted_runs_and_turns_none_is_lost_done_twice_or_late(
    tmp_path: Path,
    require_part: Callable[[str, bool], None],
    runs: int,
    apis: int,
    workers: int,
    blows: int,
    seed: int,
    restarts: bool,
) -> None:
    with cluster() as server:
        require_part("PostgreSQL is not installed: apt-get install postgresql", server is not None)
        assert server is not None
        outcome = try_takeover(
            tmp_path, server, runs=runs, seed=seed, apis=apis, workers=workers, blows=blows, restarts=restarts
        )
    assert outcome.faults == [], outcome.row()
    assert (outcome.accepted, outcome.completed, outcome.killed + outcome.hung > 0) == (runs, runs, True)
    assert outcome.slowest <= LIMIT
