"""Steps of the weights in integers, rounded to a side that is named.

Contract. Integers of 64 bits, which cannot overflow: matrices T_x are kept in units of 2^-44 with
at most 2^12 symbols; a step has entries of at most 2^26, a node of at most 2^26, and there are at
most 200 < 2^8 states.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

FAR = 1 << 40
CHUNK = 400_000
STEP_BITS = 26
NODE_BITS = 26
_FRACTION_BITS = 44
_POWERS = np.array([1 << bit for bit in range(63)], np.int64)


def shifted(values: Ints, by: Ints | int, ceil: bool) -> Ints:
    """values / 2^by, rounded up or down; by < 0 multiplies (the caller bounds the result)."""
    right = np.clip(by, 0, 62)
    result = np.negative(values) if ceil else values
    result = result >> right
    if ceil:
        np.negative(result, out=result)
    if np.any(np.less(by, 0)):
        result <<= np.clip(np.negative(by), 0, 62)
    return np.asarray(result)


def bit_lengths(values: Ints) -> Ints:
    """The bit lengths of nonnegative integers."""
    return np.asarray(np.searchsorted(_POWERS, values, side="right"))


def trimmed_pair(over: Ints, under: Ints, bits: int) -> tuple[Ints, Ints]:
    """(K, Q, Q) each, divided by one power of two per item: both then have at most `bits` bits."""
    most = np.maximum(over.max(axis=(1, 2)), under.max(axis=(1, 2)))
    drop = np.maximum(bit_lengths(most) - bits, 0)[:, None, None]
    return shifted(over, drop, True), shifted(under, drop, False)


class Steps:
    """T_x in units of 2^-44, rounded up and down: (m, Q, Q) each."""

    def __init__(
        self, edges: list[tuple[int, int, int]], size: int, symbols: int, q: Fraction
    ) -> None:
        shape = symbols, size, size
        other, same = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for p, x, r in edges:
            other[:, p, r] += 1
            other[x, p, r] -= 1
            same[x, p, r] += 1
        unit = 1 << _FRACTION_BITS
        q_down, q_up = q.numerator * unit // q.denominator, -(-q.numerator * unit // q.denominator)
        # At most 2^12 symbols of at most 2^44 each: below 2^57.
        self.up, self.down = same * unit + other * q_up, same * unit + other * q_down

    def scaled(self, symbols: Ints, rows: Ints, columns: Ints, top: Ints) -> tuple[Ints, Ints]:
        """(K, Q, Q): T_x[i, j] 2^(rows_i - columns_j) in units of 2^(top - 26), up and down.

        `rows`, `columns` (K, Q); `top` (K,): at least the bits that any entry would have.
        """
        by = (top[:, None, None] - STEP_BITS) - (rows[:, :, None] - columns[:, None, :])
        return shifted(self.up[symbols], by, True), shifted(self.down[symbols], by, False)

    def top(self, symbols: Ints, rows: Ints, columns: Ints) -> Ints:
        """(K,): the bits of the largest entry of each."""
        up = self.up[symbols]
        bits = np.where(
            up > 0, bit_lengths(up) + rows[:, :, None] - columns[:, None, :], -(1 << 20)
        )
        return np.asarray(bits.max(axis=(1, 2)))
