"""Whether numbers of units agree with the shares that were promised, and how far two conditions differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, comb, exp, lgamma, log, sqrt

__all__ = ["ALPHA", "Effect", "difference_of_means", "difference_of_shares", "fit", "interval", "shares_of"]

ALPHA = 0.01
"""Below this probability a division is called a mismatch."""

# From this many expected in every arm on, the chi-square test is good enough; below, the exact one is used.
_ENOUGH = 5
# The exact test looks at every possible outcome, up to this many; above, it draws outcomes.
_MOST_OUTCOMES = 200_000
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
    """The probability of all outcomes that are no likelier than what was seen."""
    count, logs = sum(seen), [log(share) for share in shares]
    limit = _log_chance(seen, logs) + 1e-9
    if comb(count + len(shares) - 1, len(shares) - 1) > _MOST_OUTCOMES:
        return _drawn(seen, shares, limit)
    return min(1.0, sum(exp(one) for one in _chances(count, logs) if one <= limit))


def _log_chance(seen: Sequence[int], logs: Sequence[float]) -> float:
    return lgamma(sum(seen) + 1) + sum(one * share - lgamma(one + 1) for one, share in zip(seen, logs, strict=True))


def _chances(count: int, logs: Sequence[float]) -> list[float]:
    """The logarithms of the probabilities of every way to divide a count among the arms."""

    def divide(left: int, arms: Sequence[float], sofar: float) -> list[float]:
        if len(arms) == 1:
            return [sofar + left * arms[0] - lgamma(left + 1)]
        return [
            chance
            for here in range(left + 1)
            for chance in divide(left - here, arms[1:], sofar + here * arms[0] - lgamma(here + 1))
        ]

    return divide(count, logs, lgamma(count + 1))


def _drawn(seen: Sequence[int], shares: Sequence[float], limit: float) -> float:
    import numpy as np
    from scipy.stats import multinomial

    random = np.random.default_rng(0)
    promised = np.asarray(shares) / sum(shares)
    outcomes = random.multinomial(sum(seen), promised, size=_DRAWS)
    chances = multinomial.logpmf(outcomes, sum(seen), promised)
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
