"""Weighted words of a language, for many input words at once, in doubles of proved accuracy.

Contract. For an input word w of length n and a ratio q in (0, 1] of at most 53 bits, a word x of
the language has weight q^d(w, x), d the Hamming distance. V(i, s) is the total weight of all ways
to complete a word from state s after i symbols: V(n, s) = [s accepts] and

    V(i, s) = sum over symbols a of (1 if a = w_i else q) V(i+1, next(s, a)).

A trellis computes V backwards and draws words forwards. A draw has exactly the law whose steps are
proportional to the numbers in the trellis; how far that law is from the weights' own is bounded
below, and a mechanism charges the bound to epsilon. There are two kinds, and `weigh` takes one by
the language, the length and q alone, never by the words: `NarrowTrellis` in plain doubles where it
is proved that no weight of any word can vanish in them, else `WideTrellis` (wide.py), whose numbers
have exponents of any size.

Accuracy. u = 2^-53. Every sum is of nonnegative terms, so however it is ordered its relative error
is at most (terms) u (1 + small). Let K be the larger of the number of states and the largest number
of symbols that can follow a state. One step of V sums at most K products and adds a second product
by 1 - q: relative error at most (K + 6) u. A draw takes symbol a with probability c_a / sum of c,
c_a = (1 or q) V(i+1, next) with one more rounding. The products telescope: log P(x) = d log q -
log V(0, initial) + errors, at most (K + 8) u a step; and V(0, initial) itself is within n (K + 6) u
of the true total. So for every word x of the language

    |log P_drawn(x) - log P_true(x)| <= 2 n (K + 8) u (1 + 2^-20) =: deviation(n, K).

No weight vanishes. Let D be the largest number of symbols that can follow a state. In j steps the
weights of a state's paths add up to at most (1 + (D - 1) q)^j, and one path weighs q^j at least. So
with j symbols left two positive values differ by a factor of at most (1/q + D - 1)^j. If, moreover,
all states that have k moves ahead of them reach the same states in exactly k moves
(`merging_steps`), then with j >= k symbols left they differ by at most (1/q + D - 1)^k: after k
moves the same values are summed. Where min(n, k) log2(1/q + D - 1) <= 690 (`is_narrow`), all
positive values of one position lie within 2^690 of each other. Columns are scaled by powers of two,
which is exact, so that the largest value is about 1; between two scalings, at most
200 / log2(max(m, 1/q)) steps, the smallest value shrinks by 2^200 at most and one step's product by
2^100 more (q >= 2^-100): all stay above 2^-1022, where doubles are normal numbers. (To change one
of 690, 200 and SMALLEST_RATIO, do this sum again.)

Layout: arrays are (states or moves, words), so that one numpy call does a position of all words.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.languages.automaton import Automaton
from privet.randomness import RandomSource, random_bits

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

SMALLEST_RATIO = Fraction(1, 1 << 100)
_WIDEST_SPREAD_BITS = 690
_BITS_BETWEEN_SCALINGS = 200
_ROUNDING = 2.0**-53

_MOST_DENSE_STATES = 64
"""Up to here a matrix product is as fast as visiting the moves one by one."""

_MOST_MERGING_CELLS = 1 << 28
"""States x moves x steps looked through for `merging_steps`: a second or so."""


def deviation(length: int, terms: int) -> Fraction:
    """An upper bound of |log P_drawn - log P_true| for words of that length (see the module)."""
    return Fraction(2 * length * (terms + 8), 1 << 53) * (1 + Fraction(1, 1 << 20))


def terms_of(automaton: Automaton) -> int:
    """K, the most terms of one sum: states, or symbols that can follow one."""
    return max(automaton.size, most_moves(automaton))


def most_moves(automaton: Automaton) -> int:
    """D, the largest number of symbols that can follow a state."""
    return max(1, int((automaton.transitions >= 0).sum(axis=1).max()))


def is_narrow(automaton: Automaton, length: int, q: Fraction) -> bool:
    """Whether no weight of any word of that length can vanish in plain doubles at the ratio q."""
    if q < SMALLEST_RATIO:
        return False
    step = math.log2(float(1 / q) + most_moves(automaton) - 1) * (1 + 1e-9)
    if length * step <= _WIDEST_SPREAD_BITS:
        return True
    merging = merging_steps(automaton)
    return merging is not None and merging * step <= _WIDEST_SPREAD_BITS


def merging_steps(automaton: Automaton) -> int | None:
    """A k such that all states with k moves ahead of them reach the same states in k moves.

    None where there is none up to 690, or where looking for it would take long.
    """
    if automaton.merging is None:
        automaton.merging = _merging_steps(automaton)
    return automaton.merging if automaton.merging >= 0 else None


def _merging_steps(automaton: Automaton) -> int:
    bounds, targets, _ = automaton.edges
    movers = np.flatnonzero(np.diff(bounds))
    reached = np.packbits(np.eye(automaton.size, dtype=np.bool_), axis=1)
    work = max(1, targets.size * reached.shape[1])
    for steps in range(1, min(_WIDEST_SPREAD_BITS, _MOST_MERGING_CELLS // work) + 1):
        after = np.zeros_like(reached)
        if movers.size:
            after[movers] = np.bitwise_or.reduceat(reached[targets], bounds[movers], axis=0)
        if np.array_equal(after, reached):
            return -1
        reached = after
        going = reached[reached.any(axis=1)]
        if not len(going) or (going == going[0]).all():
            return steps
    return -1


@dataclass(frozen=True)
class Successors:
    """The moves of each state, one below the other: (D, S) symbols and targets, D the out-degree.

    `degrees` (S,): how many moves a state has; padding, below them, has target S, the state without
    completions, and symbol -1.
    """

    symbols: IntArray
    targets: IntArray
    degrees: IntArray

    @classmethod
    def of(cls, automaton: Automaton) -> "Successors":
        """The moves of `automaton`, in the order of the symbols."""
        moves = automaton.transitions
        states = moves.shape[0]
        degree = most_moves(automaton)
        order = np.argsort(moves < 0, axis=1, kind="stable")[:, :degree]
        targets = np.take_along_axis(moves, order, axis=1).astype(np.int64)
        absent = targets < 0
        symbols = np.where(absent, -1, order)
        return cls(
            np.ascontiguousarray(symbols.T),
            np.ascontiguousarray(np.where(absent, states, targets).T),
            (~absent).sum(axis=1),
        )


class Trellis(ABC):
    """V for `words` (w, n) codes of one length, all at the ratio `q`."""

    def __init__(self, automaton: Automaton, words: npt.NDArray[Any], q: Fraction) -> None:
        assert 0 < q <= 1
        self.automaton, self.q = automaton, q
        self._words = np.ascontiguousarray(words.T.astype(np.int64))  # (n, w)
        self._length, self._count = self._words.shape
        self._states = automaton.size
        self._columns = np.arange(self._count)
        self._successors = Successors.of(automaton)
        moves = automaton.transitions.astype(np.int64)
        self._next = np.where(moves < 0, self._states, moves)
        self._backward()

    @abstractmethod
    def _backward(self) -> None:
        """Compute V."""

    @abstractmethod
    def total(self) -> tuple[FloatArray, IntArray]:
        """(w,) mantissas and exponents of the total weight in the trellis, sum of q^d(w, x)."""

    @abstractmethod
    def _choose(
        self, source: RandomSource, i: int, targets: IntArray, rows: IntArray, differs: BoolArray
    ) -> IntArray:
        """(rows,): one of the moves (D, rows) after i symbols; q for a symbol that differs."""

    def log_total(self) -> FloatArray:
        """(w,): the logarithm of the total weight."""
        mantissa, exponent = self.total()
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mantissa) + exponent * math.log(2.0))

    def draw(self, source: RandomSource, rows: IntArray) -> IntArray:
        """(rows, n) codes: a word of the language for each of the input words `rows`."""
        drawn = np.empty((self._length, rows.size), np.int64)
        state = np.full(rows.size, self.automaton.initial)
        places = np.arange(rows.size)
        moves = self._successors
        for i in range(self._length):
            # As deep as the moves of the states that the drawn words have come to.
            depth = int(moves.degrees.take(state).max(initial=1))
            symbols = moves.symbols[:depth].take(state, axis=1)
            targets = moves.targets[:depth].take(state, axis=1)
            differs = symbols != self._words[i].take(rows)
            chosen = self._choose(source, i, targets, rows, differs) * rows.size + places
            drawn[i] = symbols.ravel().take(chosen)
            state = targets.ravel().take(chosen)
        return drawn.T


class NarrowTrellis(Trellis):
    """V in plain doubles; only where `is_narrow`."""

    def total(self) -> tuple[FloatArray, IntArray]:
        """(w,) mantissas and exponents of the total weight."""
        return self._values[0, self.automaton.initial], self._exponents

    def _choose(
        self, source: RandomSource, i: int, targets: IntArray, rows: IntArray, differs: BoolArray
    ) -> IntArray:
        weights = self._values[i + 1].ravel().take(targets * self._count + rows)
        np.multiply(weights, float(self.q), out=weights, where=differs)
        return choose(source, weights)

    def _backward(self) -> None:
        states, count, q = self._states, self._count, float(self.q)
        self._values = np.zeros((self._length + 1, states + 1, count))
        self._exponents = np.zeros(count, np.int64)
        others = _matrix(self.automaton, q)
        factor = max(self.automaton.symbols, 1 / q)
        pace = max(1, int(_BITS_BETWEEN_SCALINGS / math.log2(factor))) if factor > 1 else 200
        places = self._next * count
        self._values[self._length, :states] = self.automaton.accepting[:, None]
        for i in reversed(range(self._length)):
            later, now = self._values[i + 1], self._values[i, :states]
            if isinstance(others, np.ndarray):
                np.matmul(others, later[:states], out=now)
            else:
                now[:] = others @ later[:states]
            same = later.ravel().take(places.take(self._words[i], axis=1) + self._columns)
            same *= 1.0 - q
            now += same
            if i % pace == 0:
                _, exponent = np.frexp(self._values[i].max(axis=0))
                self._values[i] *= np.ldexp(1.0, -exponent)
                self._exponents += exponent


def weigh(automaton: Automaton, words: npt.NDArray[Any], q: Fraction, *, narrow: bool) -> Trellis:
    """The trellis of `words` (w, n); `narrow`: what `is_narrow` says of their length and q."""
    if narrow:
        return NarrowTrellis(automaton, words, q)
    from privet.languages.wide import WideTrellis  # which is made of what is here

    return WideTrellis(automaton, words, q)


def _matrix(automaton: Automaton, q: float) -> Any:
    """(S, S): q times how many symbols lead from state to state; dense, or sparse if few do."""
    bounds, targets, symbols = automaton.edges
    size = automaton.size
    if size > _MOST_DENSE_STATES and 8 * targets.size < size * size:
        from scipy.sparse import csr_array  # takes a while to import

        return csr_array((symbols * q, targets, bounds), shape=(size, size))
    moves = np.zeros((size, size))
    moves[np.repeat(np.arange(size), np.diff(bounds)), targets] = symbols * q
    return moves


def choose(source: RandomSource, weights: FloatArray) -> IntArray:
    """(w,): for each column of `weights` (D, w) a row, with probability exactly proportional to it.

    The doubles are taken as the numbers they are. A 64-bit uniform decides unless it falls within
    the rounding error of a boundary; then exact rationals and further bits of it do.
    """
    slot, near, bits = choose_roughly(source, weights)
    for column in near.nonzero()[0]:
        exact = [Fraction(weight) for weight in weights[:, column].tolist()]
        slot[column] = choose_exactly(source, exact, int(bits[column]))
    return slot


def choose_roughly(
    source: RandomSource, weights: FloatArray
) -> tuple[IntArray, BoolArray, npt.NDArray[np.uint64]]:
    """Rows (w,), whether they are too close to call (w,), and the 64 bits that chose them."""
    sums = weights.copy()
    for row in range(1, len(sums)):
        sums[row] += sums[row - 1]
    total = sums[-1]
    assert bool((total > 0).all())
    bits = source.words(weights.shape[1])
    point = bits.astype(np.float64)
    point *= 2.0**-64
    point *= total
    slot = (sums <= point).sum(axis=0)
    margin = (len(weights) + 8) * 2 * _ROUNDING * total
    near = (np.abs(sums - point) <= margin).any(axis=0)
    return np.asarray(slot), near, bits


def choose_exactly(source: RandomSource, weights: list[Fraction], bits: int) -> int:
    """The place of the uniform number whose first 64 binary digits are `bits`."""
    sums, total = [], Fraction(0)
    for weight in weights:
        total += weight
        sums.append(total)
    known = 64
    while True:
        low, high = bits * total, (bits + 1) * total
        first = sum(bound * (1 << known) <= low for bound in sums)
        last = sum(bound * (1 << known) < high for bound in sums)
        if first == last:
            return first
        bits = bits << 64 | random_bits(source, 64)
        known += 64
