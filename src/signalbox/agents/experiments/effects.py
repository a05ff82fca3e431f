"""How far two conditions differ: the difference with its 95% interval, and a size that needs no unit."""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, sqrt

from signalbox.agents.experiments.statistics import interval

__all__ = ["Effect", "difference_of_means", "difference_of_shares"]


@dataclass(frozen=True)
class Effect:
    """A difference from the baseline, the interval in which it lies with 95% confidence, and its standardised size."""

    difference: float
    low: float
    high: float
    measure: str
    size: float | None

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


def difference_of_means(base: tuple[float, float, int], other: tuple[float, float, int]) -> Effect | None:
    """The difference of two `(mean, standard deviation, users)` by Welch's interval, with Cohen's d.

    None where a condition has fewer than two users, or nobody's value differs from another's.
    """
    (mean, spread, count), (mean_2, spread_2, count_2) = base, other
    if min(count, count_2) < 2 or spread == spread_2 == 0:
        return None
    from scipy.stats import t

    first, second = spread**2 / count, spread_2**2 / count_2
    freedom = (first + second) ** 2 / (first**2 / (count - 1) + second**2 / (count_2 - 1))
    half = float(t.ppf(0.975, freedom)) * sqrt(first + second)
    pooled = sqrt(((count - 1) * spread**2 + (count_2 - 1) * spread_2**2) / (count + count_2 - 2))
    found = mean_2 - mean
    return Effect(found, found - half, found + half, "Cohen's d", found / pooled)


def difference_of_shares(base: tuple[int, int], other: tuple[int, int]) -> Effect | None:
    """The difference of two shares, each `(users who did, users)`, by Newcombe's interval, with Cohen's h.

    None where a condition has no users.
    """
    (hits, count), (hits_2, count_2) = base, other
    if not count or not count_2:
        return None
    share, share_2 = hits / count, hits_2 / count_2
    (low, high), (low_2, high_2) = interval(hits, count), interval(hits_2, count_2)
    found = share_2 - share
    below = sqrt((share_2 - low_2) ** 2 + (high - share) ** 2)
    above = sqrt((high_2 - share_2) ** 2 + (share - low) ** 2)
    size = 2 * asin(sqrt(share_2)) - 2 * asin(sqrt(share))
    return Effect(found, found - below, found + above, "Cohen's h", size)
