"""Weighted words of a language, for many input words at once, in doubles of proved accuracy.

Contract. For an input word w of length n and a double q in (0, 1], a word x of the language has
weight q^d(w, x), d the Hamming distance. V(i, s) is the total weight of all ways to complete a word
from state s after i symbols: V(n, s) = [s accepts] and

    V(i, s) = sum over symbols a of (1 if a = w_i else q) V(i+1, next(s, a)).

`WeightTrellis` computes V backwards and draws words forwards. A draw has exactly the law whose
steps are proportional to the doubles in the trellis; how far that law is from the weights'
own is bounded below, and a mechanism charges the bound to epsilon.

Accuracy. u = 2^-53. Every sum is of nonnegative terms, so however it is ordered its relative error
is at most (terms) u (1 + small). Let K be the larger of the number of states and the largest number
of symbols that can follow a state. One step of V sums at most S <= K products and adds a second
product; one step of the excess (the weight of the words that differ from the input) adds the at
most K moves that leave the input's path: relative error at most (K + 6) u either way. A draw takes
symbol a with probability c_a / sum of c, c_a = (1 or q) V(i+1, next) with one more rounding. The
products telescope: log P(x) = d log q - log V(0, initial) + errors, at most (K + 8) u a step; and
V(0, initial) itself is within n (K + 6) u of the true total. So for every word x of the language

    |log P_drawn(x) - log P_true(x)| <= 2 n (K + 8) u (1 + 2^-20) =: deviation(n, K).

No weight vanishes. Columns are scaled by powers of two, which is exact. At a scaling a word one of
whose positive weights is below 2^-700 of the largest is not `safe`: it is left to `balls.py`, which
has exponents of any size. Between two scalings, at most 200 / log2(max(m, 1/q)) steps, the smallest
positive weight shrinks by at most q a step, hence by 2^200 in all and one step's product by 2^100
more. The excess is born at q times a positive weight or more and can be scaled down by what the
largest weight gains meanwhile: together a factor of at most (1/q + m - 1)^steps <= 2^317. Both stay
above 2^-1018, where doubles are normal numbers, until a scaling has looked at them. (To change one
of 700, 200 and SMALLEST_RATIO, do this sum again.)

Layout: arrays are (states or moves, words), so that one numpy call does a position of all words.
"""

import math
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

SMALLEST_RATIO = 2.0**-100
_SMALLEST_WEIGHT = 2.0**-700
_BITS_BETWEEN_SCALINGS = 200
_ROUNDING = 2.0**-53


def deviation(length: int, terms: int) -> Fraction:
    """An upper bound of |log P_drawn - log P_true| for words of that length (see the module)."""
    return Fraction(2 * length * (terms + 8), 1 << 53) * (1 + Fraction(1, 1 << 20))


def terms_of(automaton: Automaton) -> int:
    """K, the most terms of one sum: states, or symbols that can follow one."""
    return max(automaton.size, int((automaton.transitions >= 0).sum(axis=1).max()))


@dataclass(frozen=True)
class Successors:
    """The moves of each state, one below the other: (D, S) symbols and targets, D the out-degree.

    Padding has target S, the state without completions, and symbol -1.
    """

    symbols: IntArray
    targets: IntArray

    @classmethod
    def of(cls, automaton: Automaton) -> "Successors":
        """The moves of `automaton`, in the order of the symbols."""
        moves = automaton.transitions
        states = moves.shape[0]
        degree = max(1, int((moves >= 0).sum(axis=1).max()))
        order = np.argsort(moves < 0, axis=1, kind="stable")[:, :degree]
        targets = np.take_along_axis(moves, order, axis=1).astype(np.int64)
        absent = targets < 0
        symbols = np.where(absent, -1, order)
        return cls(
            np.ascontiguousarray(symbols.T),
            np.ascontiguousarray(np.where(absent, states, targets).T),
        )


class WeightTrellis:
    """V for `words` (w, n) codes of one length, all at the ratio `q`.

    `safe`: (w,) whether the doubles of a word hold; draw only if all do. `different`: also the
    weights of the words that differ from the input, which must then lie in the language:
    `log_excess` and `draw(..., different=True)` need them.
    """

    def __init__(
        self,
        automaton: Automaton,
        words: npt.NDArray[Any],
        q: float,
        *,
        different: bool = False,
    ) -> None:
        assert SMALLEST_RATIO <= q <= 1
        self._automaton, self._q = automaton, q
        self._words = np.ascontiguousarray(words.T.astype(np.int64))  # (n, w)
        self._length, self._count = self._words.shape
        self._states = automaton.size
        self._columns = np.arange(self._count)
        self._successors = Successors.of(automaton)
        moves = automaton.transitions.astype(np.int64)
        self._next = np.vstack(
            [np.where(moves < 0, self._states, moves), np.full((1, moves.shape[1]), self._states)]
        )
        self._values = np.zeros((self._length + 1, self._states + 1, self._count))
        self._excess = np.zeros((self._length + 1, self._count)) if different else None
        self._path = self._input_path() if different else None
        self._exponents = np.zeros(self._count, np.int64)
        self.safe = np.ones(self._count, bool)
        self._backward()

    def log_total(self) -> FloatArray:
        """(w,): the logarithm of the total weight, sum over x of q^d(w, x)."""
        return self._log(self._values[0, self._automaton.initial])

    def log_excess(self) -> FloatArray:
        """(w,): the logarithm of the weight of the words other than the input (-inf for none)."""
        assert self._excess is not None
        return self._log(self._excess[0])

    def draw(self, source: RandomSource, rows: IntArray, *, different: bool = False) -> IntArray:
        """(rows, n) codes: a word of the language for each of the input words `rows`.

        Its law is the one described above; the rows must be safe. `different`: conditional on not
        being the input word; there must be another one.
        """
        drawn = np.empty((self._length, rows.size), np.int64)
        state = np.full(rows.size, self._automaton.initial)
        on_path = np.ones(rows.size, bool)
        places = np.arange(rows.size)
        for i in range(self._length):
            symbol = self._words[i].take(rows)
            symbols = self._successors.symbols.take(state, axis=1)
            targets = self._successors.targets.take(state, axis=1)
            weights = self._weights(i, targets, rows, symbols != symbol)
            if different:
                assert self._excess is not None
                stays = (symbols == symbol) & on_path
                np.copyto(weights, self._excess[i + 1].take(rows), where=stays)
            chosen = choose(source, weights) * rows.size + places
            drawn[i] = symbols.ravel().take(chosen)
            state = targets.ravel().take(chosen)
            if different:
                on_path &= drawn[i] == symbol
        return drawn.T

    def _weights(self, i: int, targets: IntArray, rows: IntArray, differs: BoolArray) -> FloatArray:
        """(D, rows): the weight of each move after i symbols, with q for a symbol that differs."""
        weights = self._values[i + 1].ravel().take(targets * self._count + rows)
        np.multiply(weights, self._q, out=weights, where=differs)
        return np.asarray(weights)

    def _log(self, mantissa: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(mantissa) + self._exponents * math.log(2.0))

    def _input_path(self) -> IntArray:
        """(n+1, w): the state after each prefix of the input word."""
        path = np.empty((self._length + 1, self._count), np.int64)
        path[0] = self._automaton.initial
        for i, symbol in enumerate(self._words):
            path[i + 1] = self._next[path[i], symbol]
        assert (path < self._states).all()
        return path

    def _backward(self) -> None:
        states, count = self._states, self._count
        moves = np.zeros((states, states + 1))
        np.add.at(moves, (np.arange(states)[:, None], self._next[:-1]), 1.0)
        others = np.ascontiguousarray(moves[:, :states]) * self._q
        factor = max(self._automaton.symbols, 1 / self._q)
        pace = max(1, int(_BITS_BETWEEN_SCALINGS / math.log2(factor)))
        places = self._next[:-1] * count
        alive = self._automaton.alive(self._length)
        self._values[self._length, :states] = self._automaton.accepting[:, None]
        for i in reversed(range(self._length)):
            later, now = self._values[i + 1], self._values[i, :states]
            np.matmul(others, later[:states], out=now)
            same = later.ravel().take(places.take(self._words[i], axis=1) + self._columns)
            same *= 1.0 - self._q
            now += same
            if self._excess is not None:
                np.add(self._excess[i + 1], self._leaving(i), out=self._excess[i])
            if i % pace == 0:
                self._rescale(i, alive[self._length - i])

    def _leaving(self, i: int) -> FloatArray:
        """(w,): total weight of the moves that leave the input's path after i symbols."""
        assert self._path is not None
        symbols = self._successors.symbols.take(self._path[i], axis=1)
        targets = self._successors.targets.take(self._path[i], axis=1)
        differs = symbols != self._words[i]
        weights = self._weights(i, targets, self._columns, differs)
        return np.asarray(weights.sum(axis=0, where=differs))

    def _rescale(self, i: int, alive: BoolArray) -> None:
        if not alive.any():
            return
        now = self._values[i]
        smallest, largest = now[:-1][alive].min(axis=0), now.max(axis=0)
        _, exponent = np.frexp(largest)
        now *= np.ldexp(1.0, -exponent)
        self._exponents += exponent
        self.safe &= smallest >= _SMALLEST_WEIGHT * largest
        if self._excess is not None:
            excess = self._excess[i]
            excess *= np.ldexp(1.0, -exponent)
            # The excess is made of safe weights or of nothing, and grows from step to step.
            self.safe &= (excess >= _SMALLEST_WEIGHT) | (excess == 0)


def choose(source: RandomSource, weights: FloatArray) -> IntArray:
    """(w,): for each column of `weights` (D, w) a row, with probability exactly proportional to it.

    The doubles are taken as the numbers they are. A 64-bit uniform decides unless it falls within
    the rounding error of a boundary; then exact rationals and further bits of it do.
    """
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
    for column in near.nonzero()[0]:
        slot[column] = _choose_exactly(source, weights[:, column].tolist(), int(bits[column]))
    return np.asarray(slot)


def _choose_exactly(source: RandomSource, weights: list[float], bits: int) -> int:
    """The place of the uniform number whose first 64 binary digits are `bits`."""
    sums, total = [], Fraction(0)
    for weight in weights:
        total += Fraction(weight)
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
