"""The first number that npm's `seedrandom` gives for a string: the basis of UpGrade's decisions.

The string is mixed into a key, ARC4 is set up with it and its first 256 bytes are dropped; the next bytes make a
double of 52 bits. `first` does so for one string, `firsts` for many at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["first", "firsts"]

_WIDTH = 256
_CHUNKS = 6
_SIGNIFICANCE, _OVERFLOW = 2.0**52, 2.0**53
# A state takes 256 bytes: so many of them fit into the fast memory near the processor.
_AT_ONCE = 2048
# Almost every number is made of seven bytes; the rest, one in sixteen thousand, is made one by one.
_BYTES = _CHUNKS + 1


@lru_cache(maxsize=65536)
def first(seed: str) -> float:
    """The first number of `seedrandom(seed)()`, from 0 up to but not 1."""
    state, key = list(range(_WIDTH)), _key(seed) or b"\0"
    j = 0
    for i in range(_WIDTH):
        held = state[i]
        j = (j + key[i % len(key)] + held) & 255
        state[i], state[j] = state[j], held
    place = [0, 0]
    for _ in range(_WIDTH):
        _next(state, place)
    return _double(lambda: _next(state, place))


def firsts(seeds: Sequence[str]) -> NDArray[np.float64]:
    """The first number of each seed, as `first` gives it, many at a time."""
    import numpy as np

    found = np.empty(len(seeds), dtype=np.float64)
    for start in range(0, len(seeds), _AT_ONCE):
        part = seeds[start : start + _AT_ONCE]
        found[start : start + len(part)] = _some_firsts(part)
    return found


def _key(seed: str) -> bytes:
    """The seed mixed into at most 256 bytes, over its UTF-16 units as JavaScript has them."""
    units = seed.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * _WIDTH:
        return units[::2]
    key, smear = [0] * _WIDTH, 0
    for place in range(len(units) // 2):
        unit = units[2 * place] | units[2 * place + 1] << 8
        smear ^= key[place & 255] * 19
        key[place & 255] = (smear + unit) & 255
    return bytes(key)


def _next(state: list[int], place: list[int]) -> int:
    """The next byte of the stream."""
    i = (place[0] + 1) & 255
    held = state[i]
    j = (place[1] + held) & 255
    state[i], state[j] = state[j], held
    place[0], place[1] = i, j
    return state[(state[i] + held) & 255]


def _double(draw: Callable[[], int]) -> float:
    """A number from 0 up to but not 1 of the bytes that are drawn: 48 bits, then more until 52 are filled."""
    number, scale, extra = 0.0, float(_WIDTH**_CHUNKS), 0
    for _ in range(_CHUNKS):
        number = number * _WIDTH + draw()
    while number < _SIGNIFICANCE:
        number = (number + extra) * _WIDTH
        scale *= _WIDTH
        extra = draw()
    while number >= _OVERFLOW:
        number /= 2
        scale /= 2
        extra >>= 1
    return (number + extra) / scale


def _some_firsts(seeds: Sequence[str]) -> NDArray[np.float64]:
    """One column a seed: the same step is taken in all of them at once.

    The columns stand in blocks of 256, so that in `place`, the numbers of cells in the flat state, the lowest byte is
    the column, the next one the row `j` and the rest the block: to add to the rows is to add to those bytes.
    """
    import numpy as np

    blocks = -(-len(seeds) // _WIDTH)
    keys = _keys(seeds, blocks * _WIDTH).reshape(_WIDTH, blocks, _WIDTH)
    state = np.empty((blocks, _WIDTH, _WIDTH), np.uint8)
    state[:] = np.arange(_WIDTH, dtype=np.uint8)[:, None]
    flat = state.reshape(-1)
    place = np.arange(blocks, dtype="<i8")[:, None] * _WIDTH**2 + np.arange(_WIDTH, dtype="<i8")
    j = place.view(np.uint8).reshape(blocks, _WIDTH, 8)[..., 1]
    taken = np.empty((blocks, _WIDTH), np.uint8)
    for i in range(_WIDTH):
        row = state[:, i]
        np.add(j, keys[i], out=j)
        np.add(j, row, out=j)
        flat.take(place, out=taken, mode="clip")
        flat[place] = row
        row[...] = taken
    j[...] = 0
    drawn = np.empty((_BYTES, blocks, _WIDTH), np.uint8)
    for step in range(1, _WIDTH + _BYTES + 1):
        row = state[:, step & 255]
        np.add(j, row, out=j)
        flat.take(place, out=taken, mode="clip")
        flat[place] = row
        if step > _WIDTH:
            kept, total = j.copy(), row + taken
            row[...], j[...] = taken, total
            flat.take(place, out=drawn[step - _WIDTH - 1], mode="clip")
            j[...] = kept
        else:
            row[...] = taken
    return _doubles(drawn.reshape(_BYTES, -1)[:, : len(seeds)], seeds)


def _doubles(drawn: NDArray[np.uint8], seeds: Sequence[str]) -> NDArray[np.float64]:
    import numpy as np

    whole = np.zeros(drawn.shape[1], dtype=np.int64)
    for row in drawn[:_CHUNKS]:
        whole = whole * _WIDTH + row
    number = whole.astype(np.float64) * _WIDTH
    # 48 bits times 256 lies below 2 to the 56th: at most three halvings bring it below 2 to the 53rd.
    halvings = (number >= _OVERFLOW).astype(np.int64) + (number >= 2 * _OVERFLOW) + (number >= 4 * _OVERFLOW)
    extra = drawn[_CHUNKS].astype(np.int64) >> halvings
    found = (number / 2.0**halvings + extra) / (2.0 ** (8 * _BYTES) / 2.0**halvings)
    for short in np.flatnonzero(number < _SIGNIFICANCE):
        found[short] = first(seeds[int(short)])
    return np.asarray(found, dtype=np.float64)


def _keys(seeds: Sequence[str], columns: int) -> NDArray[np.uint8]:
    """The key of each seed, in a column, over and over until all 256 rows are filled."""
    import numpy as np

    own = [_key(seed) or b"\0" for seed in seeds]
    keys = np.zeros((_WIDTH, columns), np.uint8)
    by_length: dict[int, list[int]] = {}
    for column, key in enumerate(own):
        by_length.setdefault(len(key), []).append(column)
    for length, some in by_length.items():
        table = np.frombuffer(b"".join(own[column] for column in some), np.uint8).reshape(-1, length).T
        keys[:, some] = table[np.arange(_WIDTH) % length]
    return keys
