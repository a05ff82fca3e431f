"""Values that cannot be are counted and left out, and what can be is left alone."""

from __future__ import annotations

import pytest

from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.sanity import impossible, without_impossible


@pytest.mark.parametrize(
    ("values", "unit", "kind", "told"),
    [
        (
            [0.4, -156_025.12],
            "ratio",
            "ratio",
            "1 value is impossible for a ratio (below 0 or above 1) and is not used.",
        ),
        ([0.4] * 3 + [7.0] * 12, "ratio", "ratio", "12 values are impossible for a ratio (below 0 or above 1)"),
        ([40.0, 130.0], "percent", "ratio", "impossible for a percentage of a whole (below 0 or above 100)"),
        ([3.0, -2.0], "requests/s", "counter", "impossible for a counter's rate (below 0, as after a reset)"),
        ([0.9, 156_025.0], "ratio", "counter", "above 10,000 cores"),
        ([0.2, -0.1], "seconds", "histogram", "impossible for seconds (below 0)"),
        ([0.3, -80_000.0], "ratio", "gauge", "impossible for a share (below -100%)"),
    ],
)
def test_what_cannot_be_is_said(values: list[float], unit: str, kind: str, told: str) -> None:
    assert told in impossible(values, unit, kind)


@pytest.mark.parametrize(
    ("values", "unit", "kind"),
    [
        ([], "ratio", "ratio"),
        ([0.0, 1.0, 1.03, -0.02], "ratio", "ratio"),  # A rate is extrapolated.
        ([8.0, 64.0], "ratio", "counter"),  # Cores.
        ([0.0, 1e9], "bytes/s", "counter"),
        ([-18.0, 4.0], "celsius", "gauge"),
        ([-18.0, 4.0], "celsius", "histogram"),
        ([-0.03, 2.5], "ratio", "gauge"),  # A change, or load per core.
        ([-5.0], "bytes", "gauge"),
    ],
)
def test_what_can_be_is_left_alone(values: list[float], unit: str, kind: str) -> None:
    assert impossible(values, unit, kind) == ""
    curve = Curve({}, [float(at) for at in range(len(values))], values)
    assert without_impossible(curve, unit, kind) is curve


def test_a_curve_keeps_its_possible_points_where_they_were() -> None:
    kept = without_impossible(Curve({"host": "a"}, [1.0, 2.0, 3.0], [0.2, -9.0, 0.4]), "ratio", "ratio")
    assert kept == Curve({"host": "a"}, [1.0, 3.0], [0.2, 0.4])
