"""Whether numbers of units agree with the shares that were promised, and how far two conditions differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, sqrt

__all__ = ["ALPHA", "Effect", "difference_of_means", "difference_of_shares", "fit", "interval", "shares_of"]

ALPHA = 0.01
"""Below this probability a division is called a mismatch."""

# From this many expected in every arm on, the chi-square test is good enough; below, the exact one is used.
_ENOUGH = 5
# So many outcomes the exact test draws where there are more than two arms.
_DRAWS = 100_000


def shares_of(weights: Sequence[float]) -> list[float]:
    """The probability of each arm as the server draws: by cumulative weight up to 100; what is left is the first's."""
    shares, reached, total = [0.0] * len(weights), 0.0, 0.0
    for place, weight in enumerate(weights):
        total += weight
        top = min(100.0, max(reached, total))
        shares[place] = (top - reached) / 100
        reached = top
    if shares:
        shares[0] += (100 - reached) / 100
    return shares


def fit(observed: Sequence[int], shares: Sequence[float]) -> tuple[float, str]:
    """The probability of a division at least as uneven as this one, and the test that gave it: chi-square or exact."""
    pairs = [(seen, share) for seen, share in zip(observed, shares, strict=True) if share > 0]
    if sum(observed) != sum(seen for seen, _ in pairs):
        return 0.0, "exact"
    count = sum(observed)
    if len(pairs) < 2 or count == 0:
        return 1.0, "exact"
    seen, promised = [one for one, _ in pairs], [share for _, share in pairs]
    if min(count * share for share in promised) >= _ENOUGH:
        from scipy.stats import chisquare

        return float(chisquare(seen, [count * share for share in promised]).pvalue), "chi-square"
    return _exact(seen, promised), "exact"


def interval(seen: int, count: int) -> tuple[float, float]:
    """The share in which the true one lies with 95% confidence (Wilson)."""
    if count == 0:
        return 0.0, 1.0
    from scipy.stats import binomtest

    found = binomtest(seen, count).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def _exact(seen: Sequence[int], shares: Sequence[float]) -> float:
    """The probability of all outcomes that are no likelier than what was seen; of more than two arms, by drawing."""
    import numpy as np
    from scipy.stats import binomtest, multinomial

    count, promised = sum(seen), np.asarray(shares) / sum(shares)
    if len(seen) == 2:
        return float(binomtest(seen[0], count, promised[0]).pvalue)
    outcomes = np.random.default_rng(0).multinomial(count, promised, size=_DRAWS)
    limit = multinomial.logpmf(seen, count, promised) + 1e-9
    chances = multinomial.logpmf(outcomes, count, promised)
    return float((np.count_nonzero(chances <= limit) + 1) / (_DRAWS + 1))


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
        """True if the interval leaves out zero."""
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
