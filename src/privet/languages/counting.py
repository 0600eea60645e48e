"""Exact counts of the words of an automaton, and uniform words drawn from them.

Contract. Everything is an integer of any size; a draw is uniform to the last bit, because it writes
a uniform rank below the count as a word (ranking words by their completions: Kannan, Sweedyk and
Mahaney [kannan-sweedyk-mahaney-1995]). The automaton is deterministic: it has one path for a word.

Counts by distance. Distance is length minus agreements. P(i, s), the polynomial in y whose
coefficient of y^k counts the completions of state s after i symbols that agree with the input word
w in k places, obeys

    P(i, s) = sum over symbols a of P(i + 1, next(s, a)) + (y - 1) P(i + 1, next(s, w_i)).

A polynomial is packed into one integer, its value at y = 2^slot. Different completions of a state
that a word can reach are completions to different words, so its coefficients are at most the count
of all words and do not run over into the next slot.

Memory. Rows P(i, .) are kept for about sqrt(n) positions and the stretch between two of them is
computed again when a draw passes through it, then only for the agreements still possible there.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpz

from privet.languages.automaton import Automaton
from privet.randomness import RandomSource, uniform_integer

Row = npt.NDArray[np.object_]
Codes = npt.NDArray[np.int64]
Indices = npt.NDArray[np.integer[Any]]

_KEPT_BYTES = 1 << 25
"""A table of counts smaller than this is kept whole."""


class _Steps:
    """One step back for a row of values, one flint integer for each state."""

    def __init__(self, automaton: Automaton) -> None:
        bounds, self._targets, symbols = automaton.edges
        self._states = automaton.size
        self._movers = np.flatnonzero(np.diff(bounds))
        self._starts = bounds[self._movers]
        self._several = np.flatnonzero(symbols > 1)
        self._symbols = symbols[self._several].astype(object)
        self.last: Row = np.array([fmpz(int(flag)) for flag in automaton.accepting], object)
        self._table = automaton.transitions
        self._readers: dict[int, tuple[Indices, Indices]] = {}

    def totals(self, row: Row) -> Row:
        """For each state the sum over all symbols of the value after that symbol."""
        out: Row = np.full(self._states, fmpz(0), object)
        if self._movers.size:
            terms = row[self._targets]
            terms[self._several] *= self._symbols
            out[self._movers] = np.add.reduceat(terms, self._starts)
        return out

    def with_agreements(self, row: Row, symbol: int, slot: int) -> Row:
        """The packed polynomials one step back, where `symbol` is the one that agrees."""
        if symbol not in self._readers:
            readers = np.flatnonzero(self._table[:, symbol] >= 0)
            self._readers[symbol] = readers, self._table[readers, symbol]
        states, targets = self._readers[symbol]
        out = self.totals(row)
        agreeing = row[targets]
        out[states] += (agreeing << slot) - agreeing
        return out


def count(automaton: Automaton, length: int) -> int:
    """The number of words of `length` that are accepted."""
    steps = _Steps(automaton)
    row = steps.last
    for _ in range(length):
        row = steps.totals(row)
    return int(row[automaton.initial])


class CountTable:
    """The words of one length, counted state by state: `count`, and uniform words by `sample`."""

    def __init__(self, automaton: Automaton, length: int) -> None:
        self._automaton, self._steps = automaton, _Steps(automaton)
        self.length = length
        bits = length * math.log2(max(2, automaton.symbols))
        whole = bits * length * automaton.size / 16 < _KEPT_BYTES
        self._spacing = max(1, length) if whole else math.isqrt(length) + 1
        self._kept = {length: self._steps.last}
        row = self._steps.last
        for position in range(length - 1, -1, -1):
            row = self._steps.totals(row)
            if whole or position % self._spacing == 0:
                self._kept[position] = row
        self.count = int(row[automaton.initial])

    def sample(self, source: RandomSource) -> Codes:
        """A uniform word, as codes (length,). There must be one."""
        word = np.empty(self.length, np.int64)
        rank = fmpz(uniform_integer(source, self.count))
        state = self._automaton.initial
        bounds, targets, symbols = self._automaton.edges
        for position, after in enumerate(self._rows()):
            moves = slice(bounds[state], bounds[state + 1])
            values = after[targets[moves]]
            move, rank = _choose(rank, values * symbols[moves].astype(object))
            which, rank = divmod(rank, values[move])
            target = int(targets[moves][move])
            word[position] = _nth_symbol(self._automaton, state, target, int(which))
            state = target
        return word

    def _rows(self) -> Iterator[Row]:
        """The rows after 1, 2, ..., length symbols."""
        for start in range(0, self.length, self._spacing):
            end = min(start + self._spacing, self.length)
            if start + 1 not in self._kept:
                block = [self._kept[end]]
                for _ in range(end - start - 1):
                    block.append(self._steps.totals(block[-1]))
                yield from reversed(block)
            else:
                yield from (self._kept[position] for position in range(start + 1, end + 1))


class DistanceTable:
    """The accepted words of the length of `word`, counted by their Hamming distance from it.

    `word`: codes (n,); `counts`: n + 1 integers. The word itself need not be accepted.
    """

    def __init__(self, automaton: Automaton, word: npt.ArrayLike) -> None:
        self._automaton, self._steps = automaton, _Steps(automaton)
        self._word = [int(code) for code in np.asarray(word)]
        length = len(self._word)
        # Whole bytes, so that slots can be cut out of the bytes of the packed integer.
        self._slot = 8 * max(1, -(-count(automaton, length).bit_length() // 8))
        self._spacing = math.isqrt(length) + 1
        row = self._steps.last
        self._kept = {length: row}
        for position in range(length - 1, -1, -1):
            row = self._steps.with_agreements(row, self._word[position], self._slot)
            if position % self._spacing == 0:
                self._kept[position] = row
        by_agreements = _unpack(int(row[automaton.initial]), self._slot // 8, length + 1)
        self.counts = by_agreements[::-1]

    def sample(self, source: RandomSource, distance: int) -> Codes:
        """A uniform word at that distance, as codes (n,). There must be one."""
        word = np.empty(len(self._word), np.int64)
        rank = fmpz(uniform_integer(source, self.counts[distance]))
        state, agreements = self._automaton.initial, len(self._word) - distance
        for start in range(0, len(self._word), self._spacing):
            block = self._block(start, agreements)
            lowest = agreements - len(block)
            for position, after in enumerate(reversed(block), start):
                code, rank = self._step(rank, state, agreements - lowest, position, after)
                word[position] = code
                state = int(self._automaton.transitions[state, code])
                agreements -= code == self._word[position]
        return word

    def _step(
        self, rank: fmpz, state: int, slot: int, position: int, after: Row
    ) -> tuple[int, fmpz]:
        """The symbol at `position`, and the rank among its completions.

        `slot` of `after` holds the completions with all agreements still to come.
        """
        right = self._word[position]
        match = int(self._automaton.transitions[state, right])
        bounds, targets, symbols = self._automaton.edges
        moves = slice(bounds[state], bounds[state + 1])
        wrong = symbols[moves] - (targets[moves] == match)
        values = [self._slot_of(after[match], slot - 1) if match >= 0 else fmpz(0)]
        values += [self._slot_of(after[target], slot) for target in targets[moves]]
        ways = [1, *wrong.tolist()]
        move, rank = _choose(rank, [v * w for v, w in zip(values, ways, strict=True)])
        if move == 0:
            return right, rank
        which, rank = divmod(rank, values[move])
        target = int(targets[moves][move - 1])
        return _nth_symbol(self._automaton, state, target, int(which), right), rank

    def _block(self, start: int, agreements: int) -> list[Row]:
        """Rows from the end of the stretch that begins at `start` back to start + 1.

        Slot k holds completions with agreements - (length of the stretch) + k agreements. The
        lowest slots lack what lies below them, but a draw that has moved on p positions has met at
        most p agreements, and needs only slots that are whole.
        """
        end = min(start + self._spacing, len(self._word))
        shift = (agreements - (end - start)) * self._slot
        mask = (fmpz(1) << ((end - start + 1) * self._slot)) - 1
        window: Row = np.array(
            [(v >> shift if shift >= 0 else v << -shift) & mask for v in self._kept[end]], object
        )
        block = [window]
        for position in range(end - 1, start, -1):
            block.append(self._steps.with_agreements(block[-1], self._word[position], self._slot))
        return block

    def _slot_of(self, packed: fmpz, slot: int) -> fmpz:
        if slot < 0:
            return fmpz(0)
        return (packed >> (slot * self._slot)) & ((fmpz(1) << self._slot) - 1)


def _choose(rank: fmpz, counts: Sequence[fmpz] | Row) -> tuple[int, fmpz]:
    """The entry into which a rank falls when the entries own that many ranks each, and the rest."""
    for index, owned in enumerate(counts):
        if rank < owned:
            return index, rank
        rank -= owned
    raise AssertionError("The rank is not below the number of completions.")


def _nth_symbol(
    automaton: Automaton, state: int, target: int, index: int, without: int = -1
) -> int:
    """The symbol of that index among those from `state` to `target`, one of them left out."""
    symbols = np.flatnonzero(automaton.transitions[state] == target)
    return int(symbols[symbols != without][index])


def _unpack(packed: int, slot_bytes: int, slots: int) -> list[int]:
    data = packed.to_bytes(slot_bytes * (slots + 1), "little")
    return [
        int.from_bytes(data[slot_bytes * index : slot_bytes * (index + 1)], "little")
        for index in range(slots)
    ]
