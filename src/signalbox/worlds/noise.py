"""Noise without memory: the same key and moment give the same number, on every machine."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import numpy.typing as npt

__all__ = ["FloatArray", "IntArray", "drift", "fraction", "jitter", "seed_of"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def seed_of(key: str) -> int:
    """A number for a name."""
    return crc32(key.encode())


def fraction(key: str) -> float:
    """A number in [0, 1) for a name."""
    return float(_hash(seed_of(key), np.zeros(1, dtype=np.int64))[0])


def jitter(seed: int, t: FloatArray, period: float) -> FloatArray:
    """In [0, 1), a new number every `period` seconds."""
    return _hash(seed, np.floor(t / period).astype(np.int64))


def drift(seed: int, t: FloatArray, period: float) -> FloatArray:
    """In [0, 1), a line from one random number to the next, every `period` seconds."""
    slots = t / period
    whole = np.floor(slots)
    index = whole.astype(np.int64)
    first, last = int(index.min()), int(index.max())
    if last - first < len(index):
        knots = _hash(seed, np.arange(first, last + 2, dtype=np.int64))
        index -= first
        left, rise = knots[index], np.diff(knots)[index]
    else:
        # A few moments, years apart: most of the numbers between them are not needed.
        left = _hash(seed, index)
        rise = _hash(seed, index + 1) - left
    # In place, as below: for a week of scrapes, fetching fresh memory takes as long as the arithmetic.
    slots -= whole
    slots *= rise
    slots += left
    return slots


def _hash(seed: int, index: IntArray) -> FloatArray:
    """The splitmix64 finaliser over seed and index, as a fraction."""
    with np.errstate(over="ignore"):
        x = index.astype(np.uint64)
        x *= _GOLDEN
        x += np.uint64((seed * 0x9E3779B9 + 1) & 0xFFFFFFFFFFFFFFFF)
        x ^= x >> np.uint64(30)
        x *= _MIX_1
        x ^= x >> np.uint64(27)
        x *= _MIX_2
        x ^= x >> np.uint64(31)
        x >>= np.uint64(11)
    found = x.astype(np.float64)
    found *= 2.0**-53
    return found
